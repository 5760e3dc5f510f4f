/*
 * html.c - the report as a page; see report.h.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "draw/svg/pen.h"
#include "lab/report/report.h"

/* From the worst to the best, as the strip shows them. */
static const enum lab_verdict in_order[] = {
    LAB_VIOLATED, LAB_REPAIRED, LAB_LOOSE, LAB_UNDECIDED, LAB_HOLDS};
enum { VERDICTS = 5, CELLS_MAX = 60 };

struct page {
    FILE *file;
    const struct lab_report *report;
    uint32_t counts[VERDICTS];
    uint32_t figures;
};

/* In each form, %s is text that is escaped. */
static void put(FILE *file, const char *form, ...)
    __attribute__((format(printf, 2, 3)));

static void put(FILE *file, const char *form, ...)
{
    va_list arguments;

    va_start(arguments, form);
    for (; *form != '\0'; form++)
        if (form[0] == '%' && form[1] == 's') {
            pen_text(file, va_arg(arguments, const char *));
            form++;
        } else {
            fputc(*form, file);
        }
    va_end(arguments);
}

static const struct lab_judgement *told(const struct lab_reported *r)
{
    return r->count > 0 ? &r->judgements[r->told] : NULL;
}

/* ---- The head ------------------------------------------------------------ */

static uint32_t claims_of(const struct lab_report *r)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < r->count; i++)
        count += i == 0 || strcmp(r->parts[i].id, r->parts[i - 1].id) != 0;
    return count;
}

static void put_seconds(FILE *file, double seconds)
{
    if (seconds < 60)
        fprintf(file, "%.3g s", seconds);
    else
        fprintf(file, "%.0f min %.0f s", floor(seconds / 60),
                floor(fmod(seconds, 60)));
}

static void put_top(struct page *p)
{
    FILE *file = p->file;

    fputs("<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
          "<meta name='viewport' content='width=device-width, "
          "initial-scale=1'>\n<title>Fulcrum: what the papers claim, and what "
          "holds</title>\n",
          file);
    lab_sheet(file);
    fputs("</head>\n<body>\n<div class='page'>\n<header class='wide'>"
          "<svg class='logo' viewBox='0 0 30 22' aria-hidden='true'>"
          "<path d='M2 11.5L28 4.5' stroke='currentColor' stroke-width='2.4' "
          "stroke-linecap='round'/><path d='M15 9.5l6 10.5h-12z' "
          "fill='var(--candidate)'/><circle cx='25.5' cy='2.9' r='2.4' "
          "fill='var(--inside)'/></svg> Fulcrum <span class='run num'>",
          file);
    put(file, "%s run · ", p->report->mode);
    fprintf(file, "seed %" PRIu64 " · ", p->report->seed);
    put_seconds(file, p->report->seconds);
    put(file, " of CPU · version %s</span></header>\n", p->report->version);
}

/* "Six of ten claims hold as printed.  One is violated." */
static void put_headline(struct page *p)
{
    uint32_t claims = claims_of(p->report), all = p->report->count;
    uint32_t holds = p->counts[LAB_HOLDS], bad = p->counts[LAB_VIOLATED];
    uint32_t repaired = p->counts[LAB_REPAIRED];
    char first[24], second[24], third[24];

    lab_word_count(first, sizeof first, holds, true);
    lab_word_count(second, sizeof second, all, false);
    put(p->file, "<h1>%s of %s ", first, second);
    if (claims < all) {
        lab_word_count(third, sizeof third, claims, false);
        put(p->file, "parts of %s claims", third);
    } else {
        fputs(all == 1 ? "claim" : "claims", p->file);
    }
    fputs(holds <= 1 ? " holds as printed.<br>" : " hold as printed.<br>",
          p->file);
    lab_word_count(first, sizeof first, bad, true);
    put(p->file, bad <= 1 ? "%s is violated" : "%s are violated", first);
    if (repaired > 0) {
        lab_word_count(second, sizeof second, repaired, false);
        put(p->file,
            repaired == 1 ? "; %s holds after a repair"
                          : "; %s hold after a repair",
            second);
    }
    fputs(".</h1>\n", p->file);
}

static void put_opening(struct page *p)
{
    uint32_t loose = p->counts[LAB_LOOSE], open = p->counts[LAB_UNDECIDED];
    char first[24], second[24];

    lab_word_count(first, sizeof first, loose, true);
    lab_word_count(second, sizeof second, open, true);
    fputs("<p class='opening'>", p->file);
    if (loose > 0)
        put(p->file, "%s %s with room to spare. ", first,
            loose == 1 ? "holds" : "hold");
    if (open > 0)
        put(p->file, "%s %s not decided. ", second, open == 1 ? "is" : "are");
    fputs("Each verdict follows from measurements; click a claim for its "
          "evidence.</p>\n<aside style='grid-row:2/span 3;margin-top:34px'>"
          "<h3>How to read</h3>\n"
          "<p>Every verdict has a shape, a word and a colour. A violated claim "
          "comes with the smallest run found that breaks it, and the command "
          "that shows it again.</p>\n"
          "<p>A mean or a share carries an interval, chosen so that a claim "
          "errs at most once in 1000 times. If it straddles the bound, the "
          "claim is not decided.</p>\n"
          "<p>A worst-case bound is compared with the worst run found, never "
          "with a mean.</p></aside>\n",
          p->file);
}

static void put_strip(struct page *p)
{
    static const char *const words[] = {
        [LAB_UNDECIDED] = "not decided", [LAB_HOLDS] = "as printed",
        [LAB_LOOSE] = "loose",           [LAB_VIOLATED] = "violated",
        [LAB_REPAIRED] = "after repair",
    };

    fputs("<div class='strip'>", p->file);
    for (int i = 0; i < VERDICTS; i++) {
        enum lab_verdict v = in_order[i];

        if (p->counts[v] > 0)
            fprintf(p->file,
                    "<div class='s-%s' style='flex:%u'><b class='num'>%u</b> "
                    "%s</div>",
                    lab_sheet_class(v), p->counts[v], p->counts[v], words[v]);
    }
    fputs("</div>\n", p->file);
}

/* ---- The table ----------------------------------------------------------- */

/* The papers, by the beginnings of their claims. */
static const char *paper_of(const char *id)
{
    static const struct {
        const char *prefix, *title;
    } papers[] = {
        {"st89-", "Spirakis and Tampakas 1989: mutual exclusion, readers and "
                  "writers, the anonymous ring"},
        {"v84-", "Vitányi 1984: election in a ring, by waiting"},
        {"l16-", "Lecture 16: mutual exclusion, bully, Chang–Roberts"},
        {"l22-", "Lecture 22: LeLann, Chang–Roberts, bully"},
    };

    for (size_t i = 0; i < sizeof papers / sizeof papers[0]; i++)
        if (strncmp(id, papers[i].prefix, strlen(papers[i].prefix)) == 0)
            return papers[i].title;
    return "Other claims";
}

static void put_verdict(FILE *file, const struct lab_reported *r)
{
    const struct lab_judgement *j = told(r);

    fprintf(file, "<span class='v v-%s'>", lab_sheet_class(r->verdict));
    lab_sheet_sign(file, r->verdict);
    put(file, "<span>%s", lab_word_verdict(r->verdict));
    if (j && r->verdict == LAB_LOOSE && isfinite(j->factor))
        fprintf(file, "<small>by a factor of %.3g</small>", j->factor);
    else if (j && r->verdict == LAB_REPAIRED && r->repair < r->count)
        put(file, "<small>%s</small>", r->judgements[r->repair].repair);
    else if (j && *j->reading)
        put(file, "<small>%s</small>", j->reading);
    fputs("</span></span>", file);
}

static void put_row(FILE *file, const struct lab_reported *r)
{
    const struct lab_judgement *j = told(r);
    const struct lab_name name = lab_name_of(r->id, r->part);
    char text[LAB_WORDING_SIZE] = "";

    put(file, "<tr><td><a href='#%s'>%s</a><code>%s</code></td>", name.text,
        r->says, name.text);
    if (j)
        lab_word_claimed(text, sizeof text, j);
    put(file, "<td class='num'>%s</td>", text);
    *text = '\0';
    if (j)
        lab_word_measured(text, sizeof text, j);
    put(file, "<td class='num'>%s</td><td>", text);
    put_verdict(file, r);
    put(file, "</td><td>%s</td></tr>\n",
        j ? lab_evidence_word(j->evidence) : "none");
}

static void put_table(struct page *p)
{
    const char *paper = "";

    fputs("<table class='all wide'>\n<thead><tr><th>Claim</th><th>Paper says"
          "</th><th>Measured</th><th>Verdict</th><th>Evidence</th></tr>"
          "</thead>\n<tbody>\n",
          p->file);
    for (uint32_t i = 0; i < p->report->count; i++) {
        const char *of = paper_of(p->report->parts[i].id);

        if (of != paper)
            put(p->file,
                "<tr class='group'><th colspan='5' scope='rowgroup'>%s</th>"
                "</tr>\n",
                of);
        paper = of;
        put_row(p->file, &p->report->parts[i]);
    }
    fputs("</tbody>\n</table>\n", p->file);
}

/* ---- A part of a claim --------------------------------------------------- */

static void put_number(FILE *file, double number)
{
    char text[64];

    lab_word_number(text, sizeof text, number);
    fputs(text, file);
}

/* All readings and repairs, if there are several. */
static void put_judgements(FILE *file, const struct lab_reported *r)
{
    char text[LAB_WORDING_SIZE];

    if (r->count < 2)
        return;
    fputs("<table>\n<thead><tr><th>Reading</th><th>Statement</th>"
          "<th>Measured</th><th>Verdict</th><th>Evidence</th></tr></thead>\n"
          "<tbody>\n",
          file);
    for (uint32_t i = 0; i < r->count; i++) {
        const struct lab_judgement *j = &r->judgements[i];

        lab_word_measured(text, sizeof text, j);
        put(file, "<tr><td>%s%s</td><td>%s</td><td class='num'>%s</td>",
            *j->repair ? "repair " : "", *j->repair ? j->repair : j->reading,
            j->relation, text);
        fprintf(file, "<td><span class='v v-%s'>", lab_sheet_class(j->verdict));
        lab_sheet_sign(file, j->verdict);
        put(file, "<span>%s</span></span></td><td>%s</td></tr>\n",
            lab_word_verdict(j->verdict), lab_evidence_word(j->evidence));
    }
    fputs("</tbody>\n</table>\n", file);
}

static void put_base64(FILE *file, const char *text)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t length = strlen(text);

    for (size_t i = 0; i < length; i += 3) {
        uint32_t bits = 0, given = length - i < 3 ? (uint32_t)(length - i) : 3;

        for (uint32_t k = 0; k < 3; k++)
            bits = bits << 8 | (k < given ? (unsigned char)text[i + k] : 0);
        for (uint32_t k = 0; k < 4; k++)
            fputc(k <= given ? digits[bits >> (18 - 6 * k) & 63] : '=', file);
    }
}

/* A picture with rules of its own, which must not become rules of the page. */
static void put_diagram(struct page *p, const struct lab_reported *r)
{
    const struct lab_judgement *j = told(r);

    if (!r->diagram)
        return;
    fputs("<figure><img alt='Space-time diagram of the counterexample' "
          "src='data:image/svg+xml;base64,",
          p->file);
    put_base64(p->file, r->diagram);
    fprintf(p->file,
            "'>\n<figcaption><b>Figure %u. The counterexample</b>, drawn from "
            "its trace",
            ++p->figures);
    if (j && j->witness.command)
        put(p->file, ": %s", j->witness.command);
    fputs(".</figcaption></figure>\n", p->file);
}

static void put_plot(struct page *p, const struct lab_reported *r,
                     const char *finding)
{
    const struct lab_judgement *j = told(r);
    uint64_t runs = 0;

    if (!j || !lab_figure_is_worth(j))
        return;
    for (uint32_t i = 0; i < j->count; i++)
        runs += j->cells[i].runs;
    fputs("<figure>\n", p->file);
    lab_figure_draw(p->file, j, r->along ? r->along : "N", finding);
    fprintf(p->file, "<figcaption><b>Figure %u. ", ++p->figures);
    put(p->file, "%s.</b> Evidence: %s, ", finding,
        lab_evidence_word(j->evidence));
    fprintf(p->file, "%u networks", j->count);
    if (runs > 0) {
        fputs(", ", p->file);
        put_number(p->file, (double)runs);
        fputs(" runs", p->file);
    }
    put(p->file, "; %s.</figcaption>\n</figure>\n", j->relation);
}

static void put_command(FILE *file, const struct lab_judgement *j)
{
    if (j->witness.command) {
        put(file, "<pre>%s --json</pre>\n", j->witness.command);
        put(file, "<p class='because'>gives <code>%s</code> = %s</p>\n",
            j->witness.field, j->witness.value);
    } else if (j->count > 0 && j->cells[j->worst].command) {
        put(file, "<pre>%s</pre>\n", j->cells[j->worst].command);
    }
}

static void put_cells(FILE *file, const struct lab_judgement *j)
{
    uint32_t shown = j->count < CELLS_MAX ? j->count : CELLS_MAX;

    if (j->count < 2)
        return;
    if (shown < j->count)
        fprintf(file, "<details><summary>the first %u of %u networks", shown,
                j->count);
    else
        fprintf(file, "<details><summary>all %u networks", shown);
    fputs("</summary>\n<table>\n", file);
    fputs("<thead><tr><th>Network</th><th>Measured</th><th>Interval</th>"
          "<th>Bound</th><th>Runs</th><th>Verdict</th><th>Evidence</th></tr>"
          "</thead>\n<tbody>\n",
          file);
    for (uint32_t i = 0; i < shown; i++) {
        const struct lab_cell *c = &j->cells[i];

        put(file, "<tr><td>%s</td><td class='num'>", c->network);
        put_number(file, c->measured);
        fputs("</td><td class='num'>", file);
        if (c->low < c->high) {
            put_number(file, c->low);
            fputs(" to ", file);
            put_number(file, c->high);
        }
        fputs("</td><td class='num'>", file);
        put_number(file, c->bound);
        fprintf(file, "</td><td class='num'>%" PRIu64 "</td>", c->runs);
        put(file, "<td>%s</td><td>%s</td></tr>\n", lab_word_verdict(c->verdict),
            lab_evidence_word(c->evidence));
    }
    fputs("</tbody>\n</table></details>\n", file);
}

/* Beside the section: what the verdict rests on. */
static void put_margin(struct page *p, const struct lab_reported *r)
{
    const struct lab_judgement *j = told(r);
    uint32_t good = 0;

    fputs("<aside><h3>Verdict</h3><p>", p->file);
    put(p->file, "%s", lab_word_verdict(r->verdict));
    if (j && *j->reading && r->verdict != LAB_REPAIRED)
        put(p->file, ", in the reading “%s”", j->reading);
    if (j)
        put(p->file, "; evidence: %s", lab_evidence_word(j->evidence));
    fputs(".</p>\n", p->file);
    for (uint32_t i = 0; j && i < j->count; i++)
        good += j->cells[i].verdict == LAB_HOLDS ||
                j->cells[i].verdict == LAB_LOOSE;
    if (j && j->verdict == LAB_VIOLATED && j->count > 1 && !j->growth)
        fprintf(p->file,
                "<h3>Where</h3><p>It holds in %u of %u networks.</p>\n", good,
                j->count);
    fputs("<h3>Cost</h3><p class='num'>", p->file);
    put_seconds(p->file, r->seconds);
    put(p->file, " of CPU, version %s.</p></aside>\n", p->report->version);
}

static void put_part(struct page *p, const struct lab_reported *r)
{
    const struct lab_judgement *j = told(r);
    const struct lab_name name = lab_name_of(r->id, r->part);
    char finding[LAB_WORDING_SIZE];

    lab_word_finding(finding, sizeof finding, r);
    put(p->file, "<section id='%s'>\n<div class='head'><h2>%s</h2>", name.text,
        finding);
    put_verdict(p->file, r);
    put(p->file, "</div>\n<p class='id'>%s</p>\n", name.text);
    put(p->file, "<p class='says'>%s <small>%s</small></p>\n", r->says,
        r->place ? r->place : "");
    if (r->argument)
        put(p->file, "<p class='because'>Proved for all sizes: %s.</p>\n",
            r->argument);
    put_judgements(p->file, r);
    put_plot(p, r, finding);
    put_diagram(p, r);
    if (j) {
        put_command(p->file, j);
        put_cells(p->file, j);
    }
    fputs("</section>\n", p->file);
    put_margin(p, r);
}

void lab_report_html(FILE *file, const struct lab_report *report)
{
    struct page p = {.file = file, .report = report};

    for (uint32_t i = 0; i < report->count; i++)
        p.counts[report->parts[i].verdict]++;
    put_top(&p);
    put_headline(&p);
    put_opening(&p);
    put_strip(&p);
    put_table(&p);
    for (uint32_t i = 0; i < report->count; i++)
        put_part(&p, &report->parts[i]);
    put(file, "<footer class='wide'>Fulcrum %s; made by <code>%s</code>. ",
        report->version, report->command);
    fputs("Every number on this page comes from the commands beside it."
          "</footer>\n</div>\n</body>\n</html>\n",
          file);
}
