/*
 * params.c - see params.h.
 */
#include "core/params.h"

#include "core/lists.h"
#include "core/text.h"
#include "core/wait.h"

const struct fc_param *fc_params_find(const struct fc_protocol *p,
                                      const char *key)
{
    for (uint32_t i = 0; i < p->params_count; i++)
        if (fc_same(p->params[i].key, key))
            return &p->params[i];
    return NULL;
}

static enum fc_set_result set_wait(struct fc_wait *wait, const char *value,
                                   const char **file)
{
    enum fc_wait_family family = wait->family;
    uint64_t argument = wait->argument;
    const char *rest = fc_wait_parse(wait, value);

    if (!rest) {
        wait->family = family;
        wait->argument = argument;
        return FC_SET_BAD_VALUE;
    }
    if (!*rest)
        return FC_SET_DONE;
    *file = rest;
    return FC_SET_NEEDS_FILE;
}

/* "LEAST..GREATEST": both whole numbers. */
static enum fc_set_result set_number(uint32_t *number, const char *form,
                                     const char *value)
{
    uint64_t least, greatest, typed;

    if (!fc_read_range(form, &least, &greatest) ||
        !fc_read_number(value, &typed) || typed < least || typed > greatest ||
        typed > UINT32_MAX)
        return FC_SET_BAD_VALUE;
    *number = (uint32_t)typed;
    return FC_SET_DONE;
}

/* "WORD|WORD|LEAST..GREATEST": one of the words, or a number. */
static enum fc_set_result set_either(struct fc_either *either, const char *form,
                                     const char *value)
{
    uint32_t words = 0, number = 0;
    int choice = fc_find_choice(form, value);
    const char *range = form;

    for (const char *at = form; *at; at++) {
        if (*at == '|') {
            words++;
            range = at + 1;
        }
    }
    if (choice < 0 && set_number(&number, range, value) != FC_SET_DONE)
        return FC_SET_BAD_VALUE;
    if (choice == (int)words)
        return FC_SET_BAD_VALUE; /* the range itself, letter by letter */
    either->word = choice < 0 ? words : (uint32_t)choice;
    either->number = number;
    return FC_SET_DONE;
}

enum fc_set_result fc_params_set(const struct fc_protocol *p, void *params,
                                 const char *key, const char *value,
                                 const char **file, struct fc_wait **wait)
{
    const struct fc_param *param = fc_params_find(p, key);
    uint8_t *field;
    int choice;

    if (!param)
        return FC_SET_NO_KEY;
    field = (uint8_t *)params + param->offset;
    if (param->kind == FC_PARAM_WAIT) {
        *wait = (struct fc_wait *)(void *)field;
        return set_wait(*wait, value, file);
    }
    if (param->kind == FC_PARAM_NUMBER)
        return set_number((uint32_t *)(void *)field, param->form, value);
    if (param->kind == FC_PARAM_EITHER)
        return set_either((struct fc_either *)(void *)field, param->form,
                          value);
#ifndef FC_FIRMWARE /* a board is given its lists as numbers */
    if (param->kind == FC_PARAM_LISTS)
        return fc_lists_read((struct fc_lists *)(void *)field, value)
                   ? FC_SET_DONE
                   : FC_SET_BAD_VALUE;
#endif
    choice = fc_find_choice(param->form, value);
    if (choice < 0)
        return FC_SET_BAD_VALUE;
    *field = (uint8_t)choice;
    return FC_SET_DONE;
}

void fc_params_default(const struct fc_protocol *p, void *params)
{
    const char *file;
    struct fc_wait *wait;

    for (size_t i = 0; i < p->params_size; i++)
        ((uint8_t *)params)[i] = 0;
    for (uint32_t i = 0; i < p->params_count; i++)
        (void)fc_params_set(p, params, p->params[i].key, p->params[i].fallback,
                            &file, &wait);
}
