/*
 * story.c - a run of the checker in words.
 */
#include <inttypes.h>
#include <string.h>

#include "check/tell/listen.h"
#include "check/tell/words.h"
#include "net/asked.h"

struct story {
    FILE *out;
    uint32_t number;
    uint32_t loop_at; /* events before what repeats */
};

static void begin(void *whom, const struct check_model *m,
                  const uint32_t *vector)
{
    struct story *s = whom;

    if (!m->timed || !m->uniform || m->setup->net.world.bounds.rmax == 1)
        return;
    fprintf(s->out, "     steps of");
    for (uint32_t i = 0; i < m->nodes; i++) {
        const struct check_head *head =
            &check_info_of(m, i, vector[m->local_at[i]])->head;

        fprintf(s->out, "%s %" PRIu32 ": %d ticks, the first ends at %d",
                i ? ";" : "", check_name_of(m, i), head->length,
                head->length - head->age);
    }
    fprintf(s->out, "\n");
}

static void say_what(const struct story *s, const struct check_model *m,
                     const struct check_event *e)
{
    const struct check_move *move = &e->move;
    char words[CHECK_WORDS_SIZE];

    if (move->kind == CHECK_TICK) {
        fprintf(s->out, "the time of %" PRIu32 " is over, it is stopped",
                check_name_of(m, move->node));
        return;
    }
    (void)check_say_move(m, move, e->read.msg, "", words, sizeof words);
    fputs(words, s->out);
    if (move->kind == CHECK_PAUSE)
        fprintf(s->out, " for %" PRIu64 " tick%s", e->pause,
                e->pause == 1 ? "" : "s");
}

/* A role is what a node is, or what it does: "candidate", "waits". */
static bool is_verb(const char *role)
{
    return role[strlen(role) - 1] == 's';
}

static void say_effects(const struct story *s, const struct check_model *m,
                        const struct trace_part *p,
                        const struct trace_letter *letters)
{
    char words[CHECK_WORDS_SIZE];
    struct fc_shown before, after;

    if (p->range > 1)
        fprintf(s->out, ", chooses %" PRIu32 " of %" PRIu32, p->value,
                p->range);
    for (uint32_t i = 0; i < p->letters_count; i++) {
        const struct trace_letter *l = &letters[p->letters + i];

        if (l->copy)
            continue;
        (void)check_say_message(m, l->msg, words, sizeof words);
        fprintf(s->out, ", sends %s to %" PRIu32, words,
                check_name_of(m, l->to));
    }
    if (p->fx.notes & FC_NOTE_DIES)
        fprintf(s->out, ", which dies");
    if (p->fx.notes & FC_NOTE_SILENT)
        fprintf(s->out, " and is silent");
    if (p->kind == FC_LOADED)
        fprintf(s->out, ": %" PRIu32, p->value);
    if (p->fx.access == FC_LOAD)
        fprintf(s->out, ", loads cell %" PRIu32, p->fx.cell);
    if (p->fx.access == FC_STORE)
        fprintf(s->out, ", stores %" PRIu32 " in cell %" PRIu32, p->fx.stored,
                p->fx.cell);
    m->type->show(p->before, &before);
    m->type->show(p->after, &after);
    if (before.role != after.role)
        fprintf(s->out, ", %s%s", is_verb(after.role) ? "" : "is ", after.role);
    for (uint32_t i = 0; i < FC_FACTS_MAX; i++) {
        const struct fc_fact *f = &after.fact[i];

        if (f->before && f->number && before.fact[i].number != f->number)
            fprintf(s->out, "%s%" PRIu64 "%s", f->before, f->number, f->after);
    }
}

static void event(void *whom, const struct check_model *m,
                  const struct check_event *e,
                  const struct trace_letter *letters)
{
    struct story *s = whom;

    fprintf(s->out, "%4" PRIu32 ". ", ++s->number);
    if (m->timed)
        fprintf(s->out, "t = %" PRIu64 ": ", e->tick);
    say_what(s, m, e);
    for (uint32_t i = 0; i < e->parts_count; i++)
        say_effects(s, m, &e->part[i], letters);
    for (uint32_t i = 0; i <= FC_SANE_BIT; i++)
        if (e->broken >> i & 1)
            fprintf(s->out, "  <- %s", net_property(&m->setup->net, i));
    fprintf(s->out, "\n");
}

static void loop(void *whom)
{
    struct story *s = whom;

    s->loop_at = s->number;
    fprintf(s->out, "     from here on it repeats for ever:\n");
}

static void end(void *whom, const struct check_model *m, uint64_t tick,
                const struct check_result *r)
{
    struct story *s = whom;

    (void)m;
    (void)tick;
    if (r->at_end)
        fprintf(s->out, "     nothing more happens\n");
    else if (r->endless)
        fprintf(s->out, "     %s\n",
                s->number > s->loop_at ? "and so on" : "time passes");
}

bool check_story(const struct check_setup *setup,
                 const struct check_result *result, FILE *out)
{
    struct story story = {.out = out};
    struct check_listener listener = {&story, begin, event, loop, end};

    return check_tell(setup, result, &listener);
}
