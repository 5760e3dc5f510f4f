/*
 * svg_labels.c - names things where they stand, as far as there is room.
 *
 * A label is written only where it touches no bar, no message and no other
 * label; what matters most is placed first.  A message that rests or wins is
 * named once, not at every hop.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "draw/svg/placer.h"

enum { TEXT_SIZE = 192 };

/* Labels keep clear of what the violation says. */
static void take_violation(struct placer *placer)
{
    struct picture_box box;

    if (violation_arrow(placer->p, &box))
        placer->taken[placer->taken_count++] =
            (struct box){box.x0, box.y0, box.x1, box.y1};
    if (violation_words(placer->p, &box))
        placer->taken[placer->taken_count++] =
            (struct box){box.x0, box.y0, box.x1, box.y1};
}

/* Labels keep clear of crosses, uprights and brackets; a restart without
 * memory is named. */
static void take_faults(struct placer *placer)
{
    enum { MOST = PLACER_BOXES_MAX / 2 };
    const struct picture *p = placer->p;

    for (uint32_t i = 0; i < p->t->faults_count && i < MOST; i++) {
        const struct trace_fault *f = &p->t->faults[i];
        double x = scale_x(&p->s, f->from), y = scale_y(&p->s, f->lane);

        if (f->blank && f->to <= p->s.to &&
            !placer_put(placer, "small halo", "blank",
                        scale_x(&p->s, f->to) + 5, y - 9, false))
            placer_put(placer, "small halo", "blank", scale_x(&p->s, f->to) + 5,
                       y + 17, false);
        placer->taken[placer->taken_count++] =
            (struct box){x - 7, y - 14, x + 7, y + 9};
    }
}

/* ---- Messages ------------------------------------------------------------ */

/* Ticks from hop to hop, if they are always the same; 0 if not. */
static uint64_t hop_ticks(const struct trace *t, const struct trace_message *m)
{
    uint64_t hop = 0, last = TRACE_NEVER;
    unsigned hops = 0;

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message one = trace_message_at(t, i), *next = &one;

        if (!trace_same_message(m, next) || (next->flags & TRACE_COPY) != 0)
            continue;
        if (last != TRACE_NEVER && hops++ > 0 && next->sent - last != hop)
            return 0;
        if (last != TRACE_NEVER)
            hop = next->sent - last;
        last = next->sent;
    }
    return hops >= 2 ? hop : 0;
}

/* Names a message that goes round, once, as near the middle as can be. */
static void label_journey(struct placer *placer, const struct trace_message *m)
{
    const struct trace *t = placer->p->t;
    char text[TEXT_SIZE], label[FINDING_LABEL_SIZE];
    uint64_t hop = hop_ticks(t, m);
    uint32_t middle, count = t->messages_count;

    finding_label(t, m, false, label);
    if (hop > 0)
        snprintf(text, sizeof text, "%s, %" PRIu64 " tick%s a hop", label, hop,
                 hop == 1 ? "" : "s");
    else
        snprintf(text, sizeof text, "%s", label);
    middle = m->id + (count - m->id) / 2;
    for (uint32_t off = 0; off < count; off++) {
        uint32_t at = off % 2 == 0 ? middle + off / 2 : middle - (off + 1) / 2;
        struct trace_message near;

        if (at >= count)
            continue;
        near = trace_message_at(t, at);
        if (trace_same_message(m, &near) && placer_beside(placer, &near, text))
            return;
    }
}

/* News of an election go from node to node. */
static bool is_news(const struct trace *t, const struct trace_message *m)
{
    return trace_meaning(t, m) == TRACE_TELLS &&
           problem_of(t)->finds == FINDS_LEADER;
}

/* The winning claim, and each kind of news. */
static void label_journeys(struct placer *placer)
{
    const struct picture *p = placer->p;
    const struct trace *t = p->t;
    uint32_t told = 0;
    bool won = false;

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message one = trace_message_at(t, i), *m = &one;

        if (finding_wins(&p->found, t, m) && !won) {
            label_journey(placer, m);
            won = true;
        }
        if (is_news(t, m) && (told & 1u << m->kind) == 0) {
            label_journey(placer, m);
            told |= 1u << m->kind;
        }
    }
}

/* ---- All messages, or the messages of one entry -------------------------- */

/* Messages to and from a lane, from its request to its entry; or those that
 * carry a name. */
struct entry {
    uint32_t lane;
    uint64_t from, to;
    uint64_t name; /* 0: any */
};

static const struct entry everything = {TRACE_NONE, 0, TRACE_NEVER, 0};

static bool belongs(const struct placer *placer, const struct trace_message *m,
                    const struct entry *e)
{
    const struct picture *p = placer->p;
    struct picture_path path;

    /* Some need no name at every hop. */
    if (finding_wins(&p->found, p->t, m) || is_news(p->t, m) ||
        trace_meaning(p->t, m) == TRACE_FRAME)
        return false;
    return (e->lane == TRACE_NONE || e->lane == m->from || e->lane == m->to) &&
           m->sent >= e->from && scale_message_end(&p->s, m) <= e->to &&
           (e->name == 0 || (m->fields > 0 && m->field[0] == e->name)) &&
           picture_path(p, m, &path);
}

/* Names the messages of an entry; returns the share that had room. */
static double label_entry(struct placer *placer, const struct entry *e)
{
    const struct trace *t = placer->p->t;
    char label[FINDING_LABEL_SIZE], text[TEXT_SIZE];
    uint32_t count = 0, written = 0;

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message one = trace_message_at(t, i), *m = &one;

        if (!belongs(placer, m, e))
            continue;
        finding_label(t, m, false, label);
        snprintf(text, sizeof text, "%s%s", label,
                 (m->flags & TRACE_COPY) != 0 ? " copy" : "");
        count++;
        written += placer_beside(placer, m, text);
    }
    return count > 0 ? written / (double)count : 0;
}

static double share_of(struct placer *placer, const struct entry *e)
{
    size_t taken = placer->taken_count;
    double share;

    placer->dry = true;
    share = label_entry(placer, e);
    placer->dry = false;
    placer->taken_count = taken;
    return share;
}

/* The entry that ends with this span: from when the lane began to want it. */
static struct entry entry_of(const struct picture *p, uint32_t span)
{
    const struct trace_span *list = p->spans.list, *inside = &list[span];
    struct entry e = {inside->lane, inside->from, inside->from, 0};

    for (uint32_t i = span; i-- > p->spans.first[inside->lane] &&
                            role_waits(p->t, (enum trace_role)list[i].role);)
        e.from = list[i].from;
    return e;
}

/* What the leader sent, or what was sent for it: by its name, or, where nodes
 * have none, by what the message that made it leader begins with. */
static struct entry leaders(const struct picture *p)
{
    const struct trace *t = p->t;
    uint32_t leader = p->found.leader;
    struct entry e = everything;

    if (leader == TRACE_NONE)
        return e;
    if (t->head.names != NULL)
        e.name = trace_name(&t->head, leader);
    for (uint32_t i = p->spans.first[leader];
         t->head.names == NULL && i < p->spans.first[leader + 1]; i++) {
        uint32_t m = p->spans.list[i].message;

        if (p->spans.list[i].role == TRACE_LEADER && m != TRACE_NONE &&
            t->message.count[m] > 0)
            e.name = t->fields[t->message.field_at[m]];
    }
    return e;
}

/* A name for every message if nearly all have room.  If not, some names at
 * random tell nothing: then all names of the leader's messages, or of one
 * entry, if they have room, and no others. */
static void label_all(struct placer *placer)
{
    enum { TRIES = 60 };
    const double enough = 0.75;
    const struct picture *p = placer->p;
    struct entry best = everything;
    double best_share = share_of(placer, &best);
    unsigned tries = 0;

    /* A claim that wins has its name already. */
    if (best_share < enough && (p->marks & MARK_WINS) == 0) {
        best = leaders(p);
        best_share = share_of(placer, &best);
    }
    for (uint32_t i = 0; best_share < enough && tries < TRIES &&
                         i < p->spans.first[p->t->head.nodes];
         i++) {
        const struct trace_span *span = &p->spans.list[i];
        struct entry e;
        double share;

        if (!look_is_inside(picture_look(p, span)) ||
            !scale_shows(&p->s, span->from, span->from))
            continue;
        e = entry_of(p, i);
        share = share_of(placer, &e);
        tries++;
        if (share <= best_share || share < enough)
            continue;
        best = e;
        best_share = share;
    }
    if (best_share >= enough)
        label_entry(placer, &best);
}

/* Where a message becomes late, above the mark or below it. */
static void label_late(struct placer *placer)
{
    const struct trace *t = placer->p->t;

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message m = trace_message_at(t, i);
        struct picture_path path;

        if (!picture_path(placer->p, &m, &path) || !path.late ||
            path.late_x <= placer->p->s.left)
            continue;
        if (!placer_put(placer, "small halo", "dmax", path.late_x + 4,
                        path.late_y - 7, false))
            placer_put(placer, "small halo", "dmax", path.late_x - 4,
                       path.late_y + 15, true);
    }
}

/* Whether the same was sent before, by a message like this. */
static bool was_sent(const struct trace *t, const struct trace_message *m,
                     bool (*like)(const struct trace_message *before,
                                  const struct trace_message *m))
{
    for (uint32_t i = 0; i < m->id; i++) {
        const struct trace_message before = trace_message_at(t, i);

        if (trace_same_message(m, &before) && like(&before, m))
            return true;
    }
    return false;
}

static bool is_any(const struct trace_message *before,
                   const struct trace_message *m)
{
    (void)before;
    (void)m;
    return true;
}

/* Sent by another node, and read by one that went on with it. */
static bool goes_on(const struct trace_message *before,
                    const struct trace_message *m)
{
    return (before->flags & TRACE_DIES) == 0 && before->from != m->from;
}

/* A claim that came some way before it died. */
static void label_deaths(struct placer *placer)
{
    const struct trace *t = placer->p->t;
    char text[TEXT_SIZE], label[FINDING_LABEL_SIZE];

    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message one = trace_message_at(t, i), *m = &one;
        struct picture_path path;
        unsigned last;

        if ((m->flags & TRACE_DIES) == 0 || m->fields == 0 ||
            !was_sent(t, m, is_any) || !picture_path(placer->p, m, &path))
            continue;
        finding_label(t, m, false, label);
        snprintf(text, sizeof text, "%s dies", label);
        last = path.points - 1;
        placer_put(placer, placer_class(placer->p, m), text, path.x[last] + 8,
                   path.y[last] - 9, false);
    }
}

/* ---- Lanes --------------------------------------------------------------- */

/* Below the bar, from its start. */
static void label_rest(struct placer *placer, const struct trace_span *span,
                       const char *words, const struct trace_message *m)
{
    const struct picture *p = placer->p;
    char text[TEXT_SIZE], label[FINDING_LABEL_SIZE];
    double x0 = scale_x(&p->s, span->from), y = scale_y(&p->s, span->lane);
    double x1 = scale_inside(&p->s, span->to);

    finding_label(p->t, m, false, label);
    snprintf(text, sizeof text, words, label);
    if (placer_width(placer_class(p, m), text) > (x1 - x0) * 1.5)
        return;
    if (!placer_put(placer, placer_class(p, m), text, x0 + 5, y + 19 * p->s.bar,
                    false))
        placer_put(placer, placer_class(p, m), text, x0 + 5, y - 11 * p->s.bar,
                   false);
}

/* "M3 rests" once for each message, and the messages that overtake it. */
static void label_rests(struct placer *placer, bool overtaken)
{
    const struct picture *p = placer->p;
    const struct trace *t = p->t;

    for (uint32_t i = 0; i < p->spans.first[t->head.nodes]; i++) {
        const struct trace_span *span = &p->spans.list[i];
        struct trace_message m;
        bool follows = i > 0 && p->spans.list[i - 1].lane == span->lane &&
                       p->spans.list[i - 1].rests;

        if (!span->rests || span->message == TRACE_NONE ||
            !problem_of(t)->message_rests || follows != overtaken ||
            span->to == span->from || !scale_shows(&p->s, span->from, span->to))
            continue;
        m = trace_message_at(t, span->message);
        /* The winner is named by its journey; others at their first rest. */
        if (!follows &&
            (finding_wins(&p->found, t, &m) || was_sent(t, &m, goes_on)))
            continue;
        label_rest(placer, span, follows ? "overtaken by %s" : "%s rests", &m);
    }
}

/* In the bar if it has room, beside it if the lanes are thin. */
static bool label_leader(struct placer *placer, const char *text,
                         const struct box *bar)
{
    const struct picture *p = placer->p;
    const char *class = "small leadertext halo";
    double right = p->s.left + p->s.width;
    bool late = bar->x0 + placer_width(class, text) > right - 6;

    if (p->s.regime == SCALE_ARROWS)
        return (p->s.bar > 0.7 &&
                placer_in_bar(placer, "onstrong", text, 12.5, bar, 18)) ||
               placer_put(placer, class, text, bar->x0, bar->y0 - 13, false) ||
               placer_put(placer, class, text, bar->x0 - 6, bar->y0 - 13, true);
    if (p->s.lane >= 20) /* over its lane, inside the plot */
        return placer_put(placer, class, text, late ? right : bar->x0,
                          bar->y0 - p->s.lane * 0.42, late);
    return placer_put(placer, class, text, bar->x0 - 6, bar->y0 + 4, true) ||
           placer_put(placer, class, text, bar->x1 + 6, bar->y0 + 4, false);
}

static void label_elected(struct placer *placer, const struct trace_span *span,
                          const struct box *bar)
{
    char text[48], name[FINDING_NODE_SIZE];

    finding_node(placer->p->t, span->lane, name);
    snprintf(text, sizeof text, "%s is elected", name);
    if (!label_leader(placer, text, bar))
        label_leader(placer, "elected", bar);
}

/* What somebody does inside; of those beside others, a letter. */
static void label_inside(struct placer *placer, const struct trace_span *span,
                         const struct box *bar)
{
    struct role role = roles_of(placer->p->t, (enum trace_role)span->role);

    if (placer->p->s.regime != SCALE_ARROWS || placer->p->s.bar <= 0.7)
        return;
    if (role.look == LOOK_BESIDE)
        placer_in_bar(placer, "onbeside", "R", 11.5, bar, 5);
    else
        placer_in_bar(placer, "oninside", role.key, 11.5, bar, 5);
}

static void label_power(struct placer *placer)
{
    enum { LEADERS = 20 };
    const struct picture *p = placer->p;
    const struct trace *t = p->t;
    unsigned leaders = 0;

    for (uint32_t i = 0; i < p->spans.first[t->head.nodes]; i++) {
        const struct trace_span *span = &p->spans.list[i];
        enum look look = picture_look(p, span);
        struct box bar = {.y0 = scale_y(&p->s, span->lane)};

        if (!look_has_power(look) ||
            !scale_extent(&p->s, span->from, span->to, false, &bar.x0, &bar.x1))
            continue;
        if (look_is_inside(look))
            label_inside(placer, span, &bar);
        else if (leaders++ < LEADERS)
            label_elected(placer, span, &bar);
    }
}

int labels_draw(const struct picture *p)
{
    const double roomy_px = 20, deaths_px = 40, lane_least = 28;
    struct placer *placer = calloc(1, sizeof *placer);
    bool arrows = p->s.regime == SCALE_ARROWS;

    if (placer == NULL)
        return -1;
    placer->p = p;
    take_violation(placer);
    if (arrows && !placer_lines(placer)) {
        free(placer);
        return -1;
    }
    label_power(placer);
    if (arrows && p->s.lane >= lane_least) {
        take_faults(placer);
        label_late(placer);
        label_journeys(placer);
        label_rests(placer, false);
        label_rests(placer, true);
        if (p->s.delay_px >= roomy_px)
            label_all(placer);
        if (p->s.delay_px < deaths_px)
            label_deaths(placer);
    }
    free(placer->lines);
    free(placer);
    return 0;
}
