/*
 * label.c - what people call a move (see browse.h).  No two moves of a state
 * are called the same.
 */
#include <inttypes.h>

#include "check/browse/browsing.h"
#include "check/model/links.h"
#include "check/tell/words.h"

/* Which of several messages that look alike. */
static void say_which(const struct check_browse *b, const uint32_t *vector,
                      const struct check_move *move, char *out, size_t size,
                      size_t *used)
{
    const struct check_model *m = &b->model;
    uint32_t count, alike = 0;
    const struct check_mail *mail =
        check_mails(m, vector[m->link_at[move->link]], &count);

    for (uint32_t i = 0; i < count; i++)
        alike += mail[i].msg == mail[move->place].msg;
    if (alike < 2)
        return;
    check_add_words(out, size, used, ", number %d on its link",
                    move->place + 1);
    if (m->timed)
        check_add_words(out, size, used, ", %d tick%s old",
                        mail[move->place].age,
                        mail[move->place].age == 1 ? "" : "s");
}

/* Which outcome of its choices. */
static void say_choices(struct check_browse *b, const uint32_t *vector,
                        const struct check_move *move, const void *msg,
                        char *out, size_t size, size_t *used)
{
    uint32_t parts;

    check_making_begin(&b->making, &b->model, vector, move, msg);
    parts = check_find_parts(&b->making, move->branch, b->part);
    for (uint32_t i = 0; i < parts; i++)
        if (b->part[i].range > 1)
            check_add_words(out, size, used,
                            ", chooses %" PRIu32 " of %" PRIu32,
                            b->part[i].value, b->part[i].range);
}

size_t check_browse_label(struct check_browse *b, uint32_t state,
                          uint32_t index, char *out, size_t size)
{
    struct check_model *m = &b->model;
    const struct check_move *move;
    const void *msg = NULL;
    struct check_spread base;
    uint32_t count;
    size_t used;

    if (!check_browse_expand(b, state) || index >= b->nexts.count)
        return 0;
    move = &b->nexts.list[index].move;
    check_tree_load(&m->tree, state, &base);
    if (check_takes_mail((enum check_move_kind)move->kind)) {
        uint32_t content = base.id[m->link_at[move->link]];

        msg =
            check_bytes(&m->messages,
                        check_mails(m, content, &count)[move->place].msg, NULL);
    }
    used = check_say_move(m, move, msg, "P", out, size);
    if (msg)
        say_which(b, base.id, move, out, size, &used);
    if (b->nexts.list[index].coin)
        say_choices(b, base.id, move, msg, out, size, &used);
    return used;
}
