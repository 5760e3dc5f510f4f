/*
 * words.c - see words.h.
 */
#include "check/tell/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

void check_add_words(char *out, size_t size, size_t *used, const char *format,
                     ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(out + *used, size - *used, format, arguments);
    va_end(arguments);
    if (length > 0)
        *used += (size_t)length;
    if (*used >= size)
        *used = size - 1;
}

uint32_t check_name_of(const struct check_model *m, uint32_t node)
{
    return net_nameless(&m->setup->net) ? node : net_name(&m->names, node);
}

size_t check_say_message(const struct check_model *m, const void *msg,
                         char *out, size_t size)
{
    uint64_t fields[FC_FIELDS_MAX];
    uint32_t count = m->type->fields(msg, fields);
    size_t used = 0;

    check_add_words(out, size, &used, "%s",
                    m->type->protocol->kinds[m->type->kind(msg)].name);
    for (uint32_t i = 0; i < count; i++)
        check_add_words(out, size, &used, "%s%" PRIu64, i ? "," : "(",
                        fields[i]);
    if (count)
        check_add_words(out, size, &used, ")");
    return used;
}

/* An act of a node, or upon it: the words after its name. */
static void say_node(const struct check_model *m, const struct check_move *move,
                     char *out, size_t size)
{
    static const char *const said[] = {
        [CHECK_START] = "starts",   [CHECK_STEP] = "takes a step",
        [CHECK_CRASH] = "crashes",  [CHECK_PAUSE] = "pauses",
        [CHECK_CUT] = "is cut off", [CHECK_JOIN] = "is linked again",
    };
    const char *back = "is back";

    if (m->setup->back == CHECK_RETURN_BLANK)
        back = m->record_at ? "is back, with nothing but its record"
                            : "is back, its memory lost";
    if (move->kind == CHECK_COMMAND)
        snprintf(out, size, "is told%s: %s",
                 move->place == CHECK_BY_DETECTOR ? " of the crash" : "",
                 fc_command_word(m->type->protocol, move->what));
    else
        snprintf(out, size, "%s",
                 move->kind == CHECK_RESTART ? back : said[move->kind]);
}

size_t check_say_move(const struct check_model *m,
                      const struct check_move *move, const void *msg,
                      const char *call, char *out, size_t size)
{
    const struct check_link *link = &m->links[move->link];
    uint32_t name = check_name_of(m, move->node);
    char what[CHECK_WORDS_SIZE] = "a message";
    size_t used = 0;

    if (msg)
        (void)check_say_message(m, msg, what, sizeof what);
    switch ((enum check_move_kind)move->kind) {
    case CHECK_READ:
    case CHECK_MISS:
        check_add_words(out, size, &used, "%s%" PRIu32 " %s %s from %s%" PRIu32,
                        call, check_name_of(m, link->to),
                        move->kind == CHECK_READ ? "reads"
                                                 : "is down and misses",
                        what, call, check_name_of(m, link->from));
        break;
    case CHECK_LOSE:
    case CHECK_COPY:
    case CHECK_DELAY:
        check_add_words(out, size, &used,
                        "the network %s %s from %s%" PRIu32 " to %s%" PRIu32,
                        move->kind == CHECK_LOSE   ? "loses"
                        : move->kind == CHECK_COPY ? "copies"
                                                   : "delays beyond dmax",
                        what, call, check_name_of(m, link->from), call,
                        check_name_of(m, link->to));
        break;
    case CHECK_TIMEOUT:
        check_add_words(out, size, &used, "timer %d of %s%" PRIu32 " expires",
                        move->what, call, name);
        break;
    case CHECK_TICK:
        check_add_words(out, size, &used, "time passes");
        break;
    default:
        say_node(m, move, what, sizeof what);
        check_add_words(out, size, &used, "%s%" PRIu32 " %s", call, name, what);
    }
    return used;
}
