/*
 * lists.c - see lists.h.
 */
#include "core/lists.h"

#include "core/text.h"

/* A whole number at *at, which moves behind it; 0: there is none, or it is
 * above the greatest. */
static uint32_t take_number(const char **at, uint32_t greatest)
{
    uint64_t number = 0;
    const char *c = *at;

    for (; *c >= '0' && *c <= '9' && number <= greatest; c++)
        number = 10 * number + (uint64_t)(*c - '0');
    *at = c;
    return number <= greatest ? (uint32_t)number : 0;
}

/* Moves behind this letter, if it is the next one. */
static bool take(const char **at, char letter)
{
    if (**at != letter)
        return false;
    ++*at;
    return true;
}

/* NODE[w][,...][:NUMBER] */
static bool read_list(struct fc_list *list, const char **at)
{
    do {
        uint32_t node = take_number(at, FC_LIST_NODES_MAX);
        uint64_t bit;

        if (node == 0)
            return false;
        bit = UINT64_C(1) << (node - 1);
        if (list->nodes & bit)
            return false; /* it stands there twice */
        list->nodes |= bit;
        if (take(at, 'w'))
            list->marked |= bit;
    } while (take(at, ','));
    if (take(at, ':')) {
        list->number = take_number(at, 1000000000);
        return list->number != 0;
    }
    return true;
}

bool fc_lists_read(struct fc_lists *lists, const char *text)
{
    struct fc_lists read = {.count = 0};

    if (!fc_same(text, "none"))
        do {
            if (read.count == FC_LISTS_MAX ||
                !read_list(&read.list[read.count++], &text))
                return false;
        } while (take(&text, '/'));
    else
        text = "";
    if (*text)
        return false;
    *lists = read;
    return true;
}
