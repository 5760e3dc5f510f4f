/*
 * letters.c - see letters.h.
 */
#include "lab/letters.h"

#include "core/fc.h"

static int64_t fitting(uint64_t number)
{
    return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

/* A parameter that is a number; false: it is not, or is a word now. */
static bool parameter(const struct fc_param *p, const void *params,
                      int64_t *out)
{
    const uint8_t *field = (const uint8_t *)params + p->offset;
    const struct fc_either *either = (const void *)field;

    if (p->kind == FC_PARAM_NUMBER)
        *out = *(const uint32_t *)(const void *)field;
    else if (p->kind == FC_PARAM_EITHER && either->number)
        *out = either->number;
    else
        return false;
    return true;
}

uint32_t lab_letters(const struct net *net,
                     struct lab_letter out[LAB_LETTERS_MAX])
{
    const struct fc_world *w = &net->world;
    const struct fc_bounds *b = &w->bounds;
    const struct fc_protocol *p = net->protocol;
    const struct lab_letter common[] = {
        {"N", lab_whole(w->nodes)},
        {"u", lab_whole(fitting(fc_hop(w)))},
        {"m", lab_whole(fitting(b->rmin))},
        {"gamma", lab_quotient(fitting(b->rmin), fitting(b->rmax))},
        {"l", lab_whole(w->least)},
        {"L", lab_whole(w->greatest)},
        {"rmin", lab_whole(fitting(b->rmin))},
        {"rmax", lab_whole(fitting(b->rmax))},
        {"dmin", lab_whole(fitting(b->dmin))},
        {"dmax", lab_whole(fitting(b->dmax))},
    };
    uint32_t count = 0;
    int64_t number;

    for (; count < FC_COUNT(common); count++)
        out[count] = common[count];
    for (uint32_t i = 0; i < p->params_count; i++)
        if (count < LAB_LETTERS_MAX - 3 &&
            parameter(&p->params[i], net->params, &number))
            out[count++] =
                (struct lab_letter){p->params[i].key, lab_whole(number)};
    out[count].name = NULL;
    return count;
}
