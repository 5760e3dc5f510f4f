/*
 * svg.c - the attempts of readers as a picture: the share of the reads that
 * took more than a given number, both axes logarithmic.
 *
 * It looks like the pictures of draw/, and every colour is written twice for
 * the same reason (draw/style.c).
 */
#include <math.h>

#include "bench/rw/bench.h"

enum { LEFT = 88, TOP = 120, WIDE = 520, HIGH = 300, NAMES = LEFT + WIDE + 24 };

static const char style[] =
    "<style>\n"
    ":root{--paper:#FBFAF7;--ink:#1B1F24;--ink2:#545D67;--grid:#ECEAE4;"
    "--c0:#2672A8;--c1:#B4540A;--c2:#0B7A5E;--c3:#9C3D82}\n"
    "@media (prefers-color-scheme:dark){:root{--paper:#14171A;--ink:#ECEAE5;"
    "--ink2:#A9B1B9;--grid:#24292E;--c0:#7CC0EE;--c1:#F09A4B;--c2:#3FCFA8;"
    "--c3:#DE86C4}}\n"
    "text{font-family:Inter,system-ui,Arial,sans-serif;font-size:12.5px;"
    "fill:#1B1F24;fill:var(--ink)}\n"
    ".title{font-size:20px;font-weight:650}\n"
    ".sub{font-size:13.5px;fill:#545D67;fill:var(--ink2)}\n"
    ".tick{font-size:11.5px;fill:#545D67;fill:var(--ink2)}\n"
    ".paper{fill:#FBFAF7;fill:var(--paper)}\n"
    ".grid{stroke:#ECEAE4;stroke:var(--grid)}\n"
    ".bound{stroke:#1B1F24;stroke:var(--ink);stroke-dasharray:10 5}\n"
    "path{fill:none;stroke-width:1}\n"
    ".curve{stroke-width:2}\n"
    ".c0{stroke:#2672A8;stroke:var(--c0)}\n"
    ".c1{stroke:#B4540A;stroke:var(--c1);stroke-dasharray:8 3}\n"
    ".c2{stroke:#0B7A5E;stroke:var(--c2);stroke-dasharray:2 3}\n"
    ".c3{stroke:#9C3D82;stroke:var(--c3);stroke-dasharray:9 3 2 3}\n"
    "</style>\n";

/* Both axes end with the data: the greatest number of attempts, and a share of
 * 10 to the power of minus this. */
struct scale {
    double attempts;
    int decades;
};

static double at_x(const struct scale *s, double attempts)
{
    return LEFT +
           WIDE * log10(attempts < 1 ? 1 : attempts) / log10(s->attempts);
}

static double at_y(const struct scale *s, double share)
{
    return TOP + HIGH * -log10(share) / s->decades;
}

static uint64_t total_of(const struct curve *curve)
{
    uint64_t total = 0;

    for (int b = 0; b < BUCKETS; b++)
        total += curve->counts[b];
    return total;
}

static uint64_t above(const struct curve *curve, uint64_t bound)
{
    uint64_t reads = 0;

    for (uint32_t b = 0; b < BUCKETS; b++)
        reads += bucket_least(b) > bound ? curve->counts[b] : 0;
    return reads;
}

static struct scale scale_of(const struct curve *curves, uint32_t count,
                             const struct run *run)
{
    struct scale s = {(double)run->bound * 2, 1};

    for (uint32_t i = 0; i < count; i++) {
        while ((double)total_of(&curves[i]) > pow(10, s.decades))
            s.decades++;
        for (uint32_t b = 0; b < BUCKETS; b++)
            if (curves[i].counts[b] && (double)bucket_least(b) > s.attempts)
                s.attempts = (double)bucket_least(b);
    }
    return s;
}

static void head(FILE *f, const struct curve *first, const struct run *run)
{
    char reads[24] = "no", title[160];

    if (above(first, run->bound))
        snprintf(reads, sizeof reads, "%llu",
                 (unsigned long long)above(first, run->bound));
    snprintf(title, sizeof title,
             "%s: %s reads take more attempts than the bound, %llu",
             first->name, reads, (unsigned long long)run->bound);
    fprintf(f,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 860 500' "
            "width='860' height='500' role='img'>\n<title>%s</title>\n%s"
            "<rect class='paper' width='860' height='500'/>\n"
            "<text class='title' x='40' y='44'>%s</text>\n"
            "<text class='sub' x='40' y='70'>%zu bytes, %u reader, writer flat "
            "out</text>\n"
            "<text class='tick' x='40' y='%d'>share of reads that took more "
            "attempts (logarithmic)</text>\n",
            title, style, title, run->size, (unsigned)run->readers, TOP - 20);
}

static void axes(FILE *f, const struct scale *s)
{
    for (int d = 0; pow(10, d) <= s->attempts; d++)
        fprintf(f,
                "<text class='tick' x='%.0f' y='%d' text-anchor='middle'>"
                "%.0f</text>\n",
                at_x(s, pow(10, d)), TOP + HIGH + 20, pow(10, d));
    for (int d = 0; d <= s->decades; d++)
        fprintf(f,
                "<path class='grid' d='M%d %.0fh%d'/><text class='tick' "
                "x='%d' y='%.0f' text-anchor='end'>%s<tspan dy='-4' "
                "font-size='9'>%s%.0d</tspan></text>\n",
                LEFT, at_y(s, pow(10, -d)), WIDE, LEFT - 8,
                at_y(s, pow(10, -d)) + 4, d ? "10" : "1", d ? "&#8722;" : "",
                d);
    fprintf(f,
            "<text class='tick' x='%d' y='%d' text-anchor='end'>attempts "
            "(logarithmic)</text>\n",
            LEFT + WIDE, TOP + HIGH + 42);
}

/* The share falls where a bucket is. */
static void draw(FILE *f, const struct scale *s, const struct curve *curve,
                 uint32_t number)
{
    uint64_t total = total_of(curve);
    uint64_t more = total;
    double floor_y = TOP + HIGH;
    int y = TOP + 20 + 44 * (int)number;

    fprintf(f, "<path class='curve c%u' d='M%d %d", (unsigned)number, LEFT,
            TOP);
    for (uint32_t b = 1; b + 1 < BUCKETS && more > 0; b++) {
        double share;

        more -= curve->counts[b];
        if (curve->counts[b] == 0)
            continue;
        share = more ? at_y(s, (double)more / (double)total) : floor_y;
        fprintf(f, "H%.1fV%.1f", at_x(s, (double)bucket_least(b)),
                share < floor_y ? share : floor_y);
    }
    fprintf(f,
            "'/>\n<path class='curve c%u' d='M%d %dh28'/>"
            "<text x='%d' y='%d'>%s</text>"
            "<text class='tick' x='%d' y='%d'>%llu reads</text>\n",
            (unsigned)number, NAMES, y, NAMES + 38, y + 4, curve->name,
            NAMES + 38, y + 21, (unsigned long long)total);
}

bool svg_attempts(const char *path, const struct curve *curves, uint32_t count,
                  const struct run *run)
{
    struct scale s = scale_of(curves, count, run);
    FILE *f = fopen(path, "w");

    if (!f)
        return false;
    head(f, &curves[0], run);
    axes(f, &s);
    for (uint32_t i = count; i-- > 0;)
        draw(f, &s, &curves[i], i);
    fprintf(f,
            "<path class='bound' d='M%.1f %dv%d'/><text class='tick' x='%.1f' "
            "y='%d'>bound: %llu</text>\n</svg>\n",
            at_x(&s, (double)run->bound), TOP, HIGH,
            at_x(&s, (double)run->bound) + 6, TOP + 14,
            (unsigned long long)run->bound);
    return fclose(f) == 0;
}
