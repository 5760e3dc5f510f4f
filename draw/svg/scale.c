/*
 * scale.c - how large things are; see scale.h.
 *
 * A short run is stretched until its arrows can be told apart, a long one is
 * never wider than a large screen: its messages lose their heads, then merge
 * into densities, then the lanes merge.
 */
#include "draw/svg/scale.h"

#include <stdlib.h>

#include "draw/finding.h"

static const double width_max = 1800, height_max = 900;

static int compare_ticks(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

bool scale_shows(const struct scale *s, uint64_t from, uint64_t to)
{
    return to >= s->from && from <= s->to;
}

bool scale_hides(const struct scale *s, const struct trace *t,
                 const struct trace_message *m)
{
    return !s->frames && trace_meaning(t, m) == TRACE_FRAME;
}

uint64_t scale_message_end(const struct scale *s, const struct trace_message *m)
{
    if (m->read != TRACE_NEVER)
        return m->read;
    return m->arrives != TRACE_NEVER ? m->arrives : m->sent + s->delay;
}

/* The median time under way, of a sample; and the number of messages shown. */
static uint64_t usual_delay(const struct scale *s, const struct trace *t,
                            uint32_t *shown)
{
    enum { SAMPLE = 2048 };
    uint64_t delays[SAMPLE];
    uint32_t stride = t->messages_count / SAMPLE + 1, count = 0;

    *shown = 0;
    for (uint32_t i = 0; i < t->messages_count; i++) {
        const struct trace_message one = trace_message_at(t, i), *m = &one;
        uint64_t end = scale_message_end(s, m);

        if (scale_hides(s, t, m) || !scale_shows(s, m->sent, end))
            continue;
        if (m->arrives != TRACE_NEVER && *shown % stride == 0 && count < SAMPLE)
            delays[count++] = end - m->sent;
        (*shown)++;
    }
    if (count == 0)
        return 1;
    qsort(delays, count, sizeof delays[0], compare_ticks);
    return delays[count / 2] > 0 ? delays[count / 2] : 1;
}

static uint32_t spans_shown(const struct scale *s,
                            const struct trace_spans *spans, uint32_t nodes)
{
    uint32_t shown = 0;

    for (uint32_t i = 0; i < spans->first[nodes]; i++)
        shown += scale_shows(s, spans->list[i].from, spans->list[i].to);
    return shown;
}

/* About 920 px as long as a message gets 24 px of it, then wider. */
static double usual_width(double delays)
{
    double px = 920 / delays;

    if (px > 160)
        px = 160;
    if (px < 24)
        px = width_max / delays < 24 ? width_max / delays : 24;
    return px * delays < 520 ? 520 : px * delays;
}

static double lane_height(uint32_t rows)
{
    double lane = height_max / rows;
    double most = rows <= 3 ? 96 : rows <= 5 ? 64 : 48;

    return lane > most ? most : lane;
}

static enum scale_regime regime(const struct scale *s, uint32_t messages,
                                uint32_t spans)
{
    if (s->lane < 6)
        return SCALE_SHARES;
    if (s->delay_px < 4 || messages > 2 * s->width || spans > 4 * width_max)
        return SCALE_DENSITY;
    /* Few messages have room for their heads even if they are steep. */
    return (s->delay_px < 12 && messages * 12 > s->width) || s->lane < 20
               ? SCALE_LINES
               : SCALE_ARROWS;
}

void scale_choose(struct scale *s, const struct trace *t,
                  const struct trace_spans *spans, uint64_t from, uint64_t to,
                  bool frames)
{
    double ticks = (double)(to - from), delay;
    uint32_t shown;

    *s = (struct scale){.from = from, .to = to, .delay = 1, .frames = frames};
    s->again = finding_is_ring(t);
    s->rows = t->head.nodes + (s->again ? 1 : 0);
    s->lane = lane_height(s->rows);
    s->delay = usual_delay(s, t, &shown);
    delay = (double)s->delay;
    s->width = usual_width(ticks / delay);
    s->px = s->width / ticks;
    s->delay_px = s->px * delay;
    s->regime = regime(s, shown, spans_shown(s, spans, t->head.nodes));
    if (s->regime == SCALE_SHARES) {
        s->width = s->width > 1200 ? 1200 : s->width;
        s->again = false;
        s->rows = t->head.nodes;
    }
    s->px = s->width / ticks;
    s->delay_px = s->px * delay;
    s->bar = s->lane < 44 ? s->lane / 44 : 1;
}

void scale_place(struct scale *s, double left, double top)
{
    const double shares_height = 360, ribbon = 36;

    s->left = left;
    s->top = top;
    s->axis = s->regime == SCALE_SHARES ? top + shares_height + ribbon
                                        : top + s->lane * s->rows + 4;
}

double scale_x(const struct scale *s, uint64_t tick)
{
    double ticks =
        tick >= s->from ? (double)(tick - s->from) : -(double)(s->from - tick);

    return s->left + ticks * s->px;
}

double scale_y(const struct scale *s, uint32_t row)
{
    return s->top + s->lane * (row + 0.5);
}

double scale_inside(const struct scale *s, uint64_t tick)
{
    return tick <= s->from ? s->left
           : tick < s->to  ? scale_x(s, tick)
                           : s->left + s->width;
}

bool scale_extent(const struct scale *s, uint64_t from, uint64_t to, bool wide,
                  double *x0, double *x1)
{
    const double least = 3;

    *x0 = scale_inside(s, from);
    *x1 = scale_inside(s, to);
    if (wide && *x1 - *x0 < least)
        *x1 = *x0 + least;
    return scale_shows(s, from, to);
}

uint64_t scale_step(const struct scale *s, double least_px)
{
    static const uint64_t factors[] = {1, 2, 4, 5};

    for (uint64_t power = 1; power < TRACE_TICK_MAX / 10; power *= 10)
        for (unsigned i = 0; i < sizeof factors / sizeof factors[0]; i++)
            if ((double)(factors[i] * power) * s->px >= least_px)
                return factors[i] * power;
    return s->to - s->from;
}
