/*
 * svg.c - the attempts of readers as a picture: which share of the reads took
 * more than so many, both axes logarithmic.
 */
#include <math.h>

#include "bench/rw/bench.h"

enum { LEFT = 80, TOP = 60, WIDE = 560, HIGH = 300, DECADES_X = 6 };

static const char *const colours[] = {"#0072b2", "#e69f00", "#999999",
                                      "#d55e00"};

static double at_x(double attempts)
{
    return LEFT + WIDE * log10(attempts < 1 ? 1 : attempts) / DECADES_X;
}

static double at_y(double share, int decades)
{
    return TOP + HIGH * -log10(share) / decades;
}

static void frame(FILE *f, const struct run *run, int decades)
{
    fprintf(
        f,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 420\" "
        "font-family=\"sans-serif\" font-size=\"13\">\n"
        "<title>Attempts of a reader while the writer writes flat "
        "out</title>\n"
        "<rect width=\"860\" height=\"420\" fill=\"#fff\"/>\n"
        "<text x=\"%d\" y=\"28\" font-size=\"16\">Share of reads that took "
        "more than so many attempts</text>\n"
        "<text x=\"%d\" y=\"46\" fill=\"#555\">%zu bytes, %u reader, writer "
        "flat out</text>\n",
        LEFT, LEFT, run->size, (unsigned)run->readers);
    for (int d = 0; d <= DECADES_X; d++)
        fprintf(f,
                "<path d=\"M%.0f %dv%d\" stroke=\"#ddd\"/>"
                "<text x=\"%.0f\" y=\"%d\" text-anchor=\"middle\">10<tspan "
                "dy=\"-5\" font-size=\"9\">%d</tspan></text>\n",
                at_x(pow(10, d)), TOP, HIGH, at_x(pow(10, d)), TOP + HIGH + 20,
                d);
    for (int d = 0; d <= decades; d++)
        fprintf(f,
                "<path d=\"M%d %.0fh%d\" stroke=\"#ddd\"/>"
                "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\">10<tspan "
                "dy=\"-5\" font-size=\"9\">%s%d</tspan></text>\n",
                LEFT, at_y(pow(10, -d), decades), WIDE, LEFT - 8,
                at_y(pow(10, -d), decades) + 5, d ? "&#8722;" : "", d);
    fprintf(f,
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">attempts</text>\n",
            LEFT + WIDE / 2, TOP + HIGH + 42);
}

static uint64_t total_of(const struct curve *curve)
{
    uint64_t total = 0;

    for (int b = 0; b < BUCKETS; b++)
        total += curve->counts[b];
    return total;
}

static void draw(FILE *f, const struct curve *curve, uint32_t number,
                 int decades)
{
    uint64_t total = total_of(curve);
    uint64_t more = total;
    double floor_y = TOP + HIGH;

    fprintf(f,
            "<path fill=\"none\" stroke=\"%s\" stroke-width=\"2\" d=\"M%d %d",
            colours[number], LEFT, TOP);
    for (uint32_t b = 1; b + 1 < BUCKETS && more > 0; b++) {
        more -= curve->counts[b];
        if (curve->counts[b] == 0)
            continue;
        double share = (double)more / (double)total;
        double y = more ? at_y(share, decades) : floor_y;

        /* The share falls where the bucket is. */
        fprintf(f, "H%.1fV%.1f", at_x((double)bucket_least(b)),
                y < floor_y ? y : floor_y);
    }
    fprintf(f,
            "\"/>\n<path d=\"M%d %dh24\" stroke=\"%s\" stroke-width=\"2\"/>"
            "<text x=\"%d\" y=\"%d\">%s</text>"
            "<text x=\"%d\" y=\"%d\" fill=\"#555\">%llu reads</text>\n",
            LEFT + WIDE + 16, TOP + 20 + 44 * (int)number, colours[number],
            LEFT + WIDE + 46, TOP + 25 + 44 * (int)number, curve->name,
            LEFT + WIDE + 46, TOP + 42 + 44 * (int)number,
            (unsigned long long)total);
}

bool svg_attempts(const char *path, const struct curve *curves, uint32_t count,
                  const struct run *run)
{
    FILE *f = fopen(path, "w");
    int decades = 1;

    if (!f)
        return false;
    for (uint32_t i = 0; i < count; i++)
        while ((double)total_of(&curves[i]) > pow(10, decades))
            decades++;
    frame(f, run, decades);
    fprintf(f,
            "<path d=\"M%.1f %dv%d\" stroke=\"#0072b2\" "
            "stroke-dasharray=\"5 4\"/><text x=\"%.1f\" y=\"%d\" "
            "fill=\"#0072b2\">bound %llu</text>\n",
            at_x((double)run->bound), TOP, HIGH, at_x((double)run->bound) + 5,
            TOP + 14, (unsigned long long)run->bound);
    for (uint32_t i = count; i-- > 0;)
        draw(f, &curves[i], i, decades);
    fprintf(f, "</svg>\n");
    return fclose(f) == 0;
}
