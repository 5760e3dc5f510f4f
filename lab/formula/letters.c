/*
 * letters.c - see letters.h.
 */
#include "lab/formula/letters.h"

#include "core/entry.h"
#include "core/text.h"
#include "core/wait.h"
#include "problems/problem.h"

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

static bool has(const struct lab_letter *letters, uint32_t count,
                const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (fc_same(letters[i].name, name))
            return true;
    return false;
}

uint32_t lab_letters(const struct net *net,
                     struct lab_letter out[LAB_LETTERS_MAX])
{
    const struct fc_world *w = &net->world;
    const struct fc_bounds *b = &w->bounds;
    const struct fc_protocol *p = net->protocol;
    const struct lab_number part =
        lab_whole(w->initiators ? w->initiators : w->nodes);
    const struct {
        struct lab_letter letter;
        bool timed;
    } common[] = {
        {{"N", lab_whole(w->nodes)}, false},
        {{"u", lab_whole(fitting(fc_hop(w)))}, true},
        {{"m", lab_whole(fitting(b->rmin))}, true},
        {{"gamma", lab_quotient(fitting(b->rmin), fitting(b->rmax))}, true},
        {{"l", lab_whole(w->least)}, false},
        {{"L", lab_whole(w->greatest)}, false},
        {{"rmin", lab_whole(fitting(b->rmin))}, true},
        {{"rmax", lab_whole(fitting(b->rmax))}, true},
        {{"dmin", lab_whole(fitting(b->dmin))}, true},
        {{"dmax", lab_whole(fitting(b->dmax))}, true},
        {{"s", part}, false},
    };
    uint32_t count = 0;
    int64_t number;

    for (uint32_t i = 0; i < FC_COUNT(common); i++)
        if (w->bounded || !common[i].timed)
            out[count++] = common[i].letter;
    for (uint32_t i = 0; i < p->params_count; i++)
        if (count < LAB_LETTERS_MAX - 4 &&
            parameter(&p->params[i], net->params, &number))
            out[count++] =
                (struct lab_letter){p->params[i].key, lab_whole(number)};
    if (!p->problem->repeats && !has(out, count, "k"))
        out[count++] = (struct lab_letter){"k", part};
    out[count].name = NULL;
    return count;
}

static bool wait_of(const void *of, int64_t i, struct lab_number *out)
{
    uint64_t steps;

    if (i < 1 || i > FC_NAME_MAX)
        return false;
    steps = fc_wait(of, (fc_name)i);
    *out = lab_whole(fitting(steps));
    /* What does not fit is so long that nothing comes of it: 1/f is 0. */
    if (steps > INT64_MAX) {
        out->exact = false;
        out->value = 0x1p200;
    }
    return true;
}

struct lab_scope lab_scope_with(const struct lab_letter *letters,
                                const struct fc_wait *f, int64_t least,
                                int64_t greatest, int64_t nodes)
{
    bool all = greatest - least + 1 == nodes;

    return (struct lab_scope){
        .letters = letters,
        .wait = f ? wait_of : NULL,
        .of = f,
        .first = all ? least : 1,
        .last = all ? greatest : 0,
    };
}

struct lab_scope lab_scope_of(const struct net *net,
                              const struct lab_letter *letters)
{
    const struct fc_protocol *p = net->protocol;
    const struct fc_world *w = &net->world;
    const struct fc_wait *f = NULL;

    for (uint32_t i = 0; i < p->params_count; i++)
        if (p->params[i].kind == FC_PARAM_WAIT &&
            fc_same(p->params[i].key, "f"))
            f = (const void *)((const uint8_t *)net->params +
                               p->params[i].offset);
    return lab_scope_with(letters, f, w->least, w->greatest, w->nodes);
}
