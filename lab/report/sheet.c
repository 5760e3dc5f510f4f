/*
 * sheet.c - how the report looks: light, dark and on paper (see report.h).
 */
#include "lab/report/report.h"

#include "draw/style.h"

#define SANS                                                                   \
    "Inter,ui-sans-serif,system-ui,-apple-system,'Segoe UI',Roboto,"           \
    "'Helvetica Neue',Arial,sans-serif"
#define MONO                                                                   \
    "'JetBrains Mono',ui-monospace,SFMono-Regular,Menlo,Consolas,"             \
    "'DejaVu Sans Mono',monospace"

static const char *const rules[] = {
    "*{box-sizing:border-box}",
    ("body{margin:0;background:var(--paper);color:var(--ink);"
     "font:17px/1.55 Charter,'Charis SIL','Iowan Old Style',"
     "'Palatino Linotype',Georgia,serif}"),
    (".page{max-width:1120px;margin:0 auto;padding:28px 32px 64px;"
     "display:grid;grid-template-columns:minmax(0,780px) 1fr;"
     "column-gap:52px}"),
    (".page>*{grid-column:1;min-width:0}.page>.wide{grid-column:1/-1}"
     ".page>aside{grid-column:2;font:13px/1.5 " SANS ";color:var(--ink2);"
     "align-self:start}"),
    ("header{display:flex;align-items:center;gap:10px;font:650 15px " SANS ";"
     "padding-bottom:14px;border-bottom:1px solid var(--rule)}"
     "header .run{margin-left:auto;font:12.5px " SANS ";color:var(--ink2)}"
     ".logo{width:30px;height:22px}"),
    ("h1{font:680 32px/1.2 " SANS ";letter-spacing:-.02em;margin:28px 0 8px}"
     "h2{font:680 22px/1.3 " SANS ";letter-spacing:-.012em;margin:0;"
     "overflow-wrap:anywhere}"),
    ".opening{font-size:18px;color:var(--ink2);margin:0 0 20px}",
    ("code,pre{font-family:" MONO "}"),
    /* the strip of verdicts */
    (".strip{display:flex;gap:3px;margin:0 0 24px;font:13px " SANS "}"
     ".strip div{padding:7px 10px;min-width:112px;white-space:nowrap;"
     "border-top:5px solid}"
     ".strip b{font-size:18px;font-weight:680;display:block;"
     "line-height:1.2}"),
    (".s-violated{border-color:var(--bad)!important;color:var(--bad)}"
     ".s-repaired{border-color:var(--data0)!important}"
     ".s-loose{border-image:repeating-linear-gradient(90deg,var(--leader) "
     "0 6px,transparent 6px 10px) 5}"
     ".s-open{border-top-style:dotted!important;"
     "border-color:var(--ink3)!important}"
     ".s-holds{border-color:var(--leader)!important}"),
    /* tables */
    ("table{width:100%;border-collapse:collapse;font:14px/1.4 " SANS "}"
     "thead th{text-align:left;font-weight:600;font-size:12.5px;"
     "color:var(--ink2);padding:0 14px 6px 0;"
     "border-bottom:1.5px solid var(--ink)}"
     ".group th{text-align:left;font-weight:650;font-size:13px;"
     "padding:14px 0 4px;color:var(--ink2)}"
     "td{padding:7px 14px 7px 0;border-bottom:1px solid var(--rule);"
     "vertical-align:top;overflow-wrap:anywhere}"
     "td:last-child{padding-right:0}"
     "section td:first-child{overflow-wrap:break-word}"),
    (".all td:nth-child(1){width:35%}.all td:nth-child(2){width:19%}"
     ".all td:nth-child(3){width:21%}"),
    ("td a{color:inherit;text-decoration:none;"
     "border-bottom:1px solid var(--ink3)}"
     "td code{display:block;font-size:11.5px;color:var(--ink3)}"),
    ".num{font-variant-numeric:tabular-nums}",
    ("td.v,.v{font:600 14px/1.3 " SANS "}"
     ".v{display:inline-flex;gap:8px;align-items:flex-start;"
     "white-space:nowrap}"
     ".v svg{width:16px;height:16px;margin-top:1px;flex:none}"
     ".v small{display:block;font-weight:400;font-size:12px;"
     "color:var(--ink2)}"),
    (".v-violated{color:var(--bad)}.v-holds,.v-loose{color:var(--leader)}"
     ".v-repaired{color:var(--data0)}.v-open{color:var(--ink2)}"),
    /* one part of a claim */
    ("section{margin-top:52px;padding-top:18px;"
     "border-top:1.5px solid var(--ink)}"
     ".head{display:flex;justify-content:space-between;gap:20px;"
     "align-items:baseline}"
     ".id{font:12.5px " MONO ";color:var(--ink3);margin:2px 0 10px}"),
    (".says{border-left:3px solid var(--ink);padding-left:14px;margin:12px 0}"
     ".says small{font:12.5px " SANS ";color:var(--ink2);display:block}"
     ".because{font:14px/1.5 " SANS ";color:var(--ink2);margin:12px 0}"),
    ("figure{margin:22px 0 6px}figure svg,figure img{width:100%;height:auto;"
     "display:block}"
     "figcaption{font:14px/1.5 " SANS ";color:var(--ink2);margin-top:8px;"
     "overflow-wrap:anywhere}"
     "figcaption b{color:var(--ink)}"
     ".yl{font:12.5px " SANS ";color:var(--ink2);margin:0 0 2px}"),
    ("pre{font-size:12.5px;line-height:1.6;background:var(--surface);"
     "border:1px solid var(--rule);border-radius:5px;padding:8px 12px;"
     "margin:12px 0 0;overflow-x:auto;white-space:pre-wrap;"
     "overflow-wrap:anywhere}"
     "pre::before{content:'$ ';color:var(--ink3)}"),
    ("details{margin:12px 0 0;font:14px/1.4 " SANS "}"
     "summary{color:var(--ink2);cursor:pointer}"
     "details table{font-size:12.5px;margin-top:8px}"
     "details td{padding:4px 14px 4px 0}"),
    ("a:focus-visible,summary:focus-visible{outline:2px solid var(--inside);"
     "outline-offset:2px}"),
    ("aside h3{font:650 13px " SANS ";color:var(--ink);margin:0 0 4px}"
     "aside p{margin:0 0 14px}section+aside{margin-top:72px}"),
    ("footer{margin-top:52px;font:13px/1.6 " SANS ";color:var(--ink2);"
     "border-top:1px solid var(--rule);padding-top:12px}"),
    /* plots */
    (".mark{fill:var(--data0);stroke:var(--data0);stroke-width:1.5}"
     ".badmark{fill:var(--bad);stroke:var(--bad);stroke-width:1.5}"
     ".mark.open,.badmark.open{fill:var(--paper)}"
     ".reach{stroke:var(--data0);stroke-width:5;opacity:.5}"
     ".joined{fill:none;stroke:var(--data0);stroke-width:1.5;opacity:.5}"
     ".fit .bound{stroke-width:2}"
     ".papername{font-weight:650}"
     ".dataname{font-weight:600;fill:var(--data0)}"),
    /* phones */
    ("@media screen and "
     "(max-width:1000px){.page{grid-template-columns:minmax(0,1fr);"
     "padding:16px}.page>aside{grid-column:1;grid-row:auto!important;"
     "margin-top:24px}.strip{flex-wrap:wrap}.strip div{flex:1 0 112px"
     "!important}h1{font-size:26px}figure .fit{overflow-x:auto}"
     "figure .fit svg{min-width:660px}.all thead{display:none}"
     ".all tr:not(.group){display:grid;grid-template-columns:1fr 1fr;"
     "border-bottom:1px solid var(--rule);padding:8px 0}"
     ".all td{border:0;padding:2px 8px 2px 0;width:auto!important}"
     ".all td:nth-child(1){grid-column:1/-1}"
     ".all td:nth-child(2)::before{content:'paper ';color:var(--ink3)}"
     ".all td:nth-child(3)::before{content:'measured ';color:var(--ink3)}"
     ".head{flex-direction:column;gap:6px}}"),
};

/* On paper it is light, whatever the screen is. */
static const char on_paper[] =
    "@media print{:root{--paper:#fff;--surface:#fff;color-scheme:light}"
    "body{font-size:11pt}.page{display:block;max-width:none;padding:0}"
    "figure,tr,pre,.says,.head{break-inside:avoid}"
    "h2,.head,.id,.yl{break-after:avoid}section{break-inside:avoid}"
    "figure{width:72%}details:not([open]){display:none}"
    "aside{margin-top:8pt!important;break-before:avoid}"
    "section+aside h3,section+aside p{display:inline;margin-right:6pt}"
    "section{margin-top:24pt}"
    "a{text-decoration:none}"
    "*{-webkit-print-color-adjust:exact;print-color-adjust:exact}}\n";

void lab_sheet(FILE *file)
{
    fputs("<style>\n", file);
    style_colours(file, false);
    fputs(":root{--surface:#FFFFFF;color-scheme:light dark}\n"
          "@media screen and (prefers-color-scheme:dark){",
          file);
    style_colours(file, true);
    fputs(":root{--surface:#1B1F23}}\n", file);
    style_rules(file, false);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        fprintf(file, "%s\n", rules[i]);
    fprintf(file, "%s</style>\n", on_paper);
}

void lab_sheet_sign(FILE *file, enum lab_verdict verdict)
{
    static const char *const signs[] = {
        [LAB_UNDECIDED] =
            "<circle cx='8' cy='8' r='6.2' fill='none' stroke='var(--ink2)' "
            "stroke-width='1.6' stroke-dasharray='2.4 2.4'/>",
        [LAB_HOLDS] =
            "<circle cx='8' cy='8' r='7' fill='var(--leader)'/>"
            "<path d='M4.6 8.2l2.4 2.4l4.4-4.9' stroke='var(--onstrong)' "
            "stroke-width='1.8' fill='none'/>",
        [LAB_LOOSE] =
            "<circle cx='8' cy='8' r='6.2' fill='none' "
            "stroke='var(--leader)' stroke-width='1.6'/>"
            "<path d='M8 1.8a6.2 6.2 0 0 0 0 12.4z' fill='var(--leader)'/>",
        [LAB_VIOLATED] =
            "<rect x='1' y='1' width='14' height='14' rx='2' "
            "fill='var(--bad)'/><path d='M4.8 4.8l6.4 6.4m0-6.4l-6.4 6.4' "
            "stroke='var(--onstrong)' stroke-width='1.9'/>",
        [LAB_REPAIRED] =
            "<circle cx='8' cy='8' r='6.2' fill='none' stroke='var(--data0)' "
            "stroke-width='1.6'/><path d='M8 4.6v6.8M4.6 8h6.8' "
            "stroke='var(--data0)' stroke-width='1.8'/>",
    };

    fprintf(file, "<svg viewBox='0 0 16 16' aria-hidden='true'>%s</svg>",
            signs[verdict]);
}

const char *lab_sheet_class(enum lab_verdict verdict)
{
    static const char *const names[] = {"open", "holds", "loose", "violated",
                                        "repaired"};

    return names[verdict];
}
