/*
 * style.c - colours, type and patterns of all pictures.
 *
 * Colours are variables, so that one picture serves light and dark pages.
 * Programs that do not know variables (many that make PNG or PDF do not) skip
 * a declaration they cannot read: each colour is therefore declared twice,
 * plainly and as a variable.  In a rule, `fill$leader` becomes
 *
 *     fill:#00705A;fill:var(--leader)
 */
#include "draw/style.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "draw/svg/pen.h"

struct colour {
    const char *name, *light, *dark;
};

static const struct colour colours[] = {
    {"paper", "#FBFAF7", "#14171A"},     {"ink", "#1B1F24", "#ECEAE5"},
    {"ink2", "#545D67", "#A9B1B9"},      {"ink3", "#68717B", "#88919A"},
    {"rule", "#DEDBD3", "#32383F"},      {"grid", "#ECEAE4", "#24292E"},
    {"asleep", "#87909A", "#66707B"},    {"awake", "#3A8FCB", "#9AD8FA"},
    {"candidate", "#E69F00", "#F2B632"}, {"waiting", "#B97F00", "#F2B632"},
    {"waitfill", "#FBEBC4", "#42340F"},  {"leader", "#00705A", "#3FCFA8"},
    {"inside", "#123F9A", "#4C8DF0"},    {"lost", "#8F8577", "#7F7A72"},
    {"bad", "#CC2A12", "#FF5A3D"},       {"badwash", "#FCE6E0", "#3B1D16"},
    {"paused", "#A8458C", "#D777B9"},    {"onstrong", "#FFFFFF", "#0F1214"},
    {"amberink", "#8A5B00", "#FFDF9E"},  {"data0", "#2672A8", "#7CC0EE"},
    {"data1", "#B4540A", "#F09A4B"},     {"data2", "#0B7A5E", "#3FCFA8"},
    {"data3", "#9C3D82", "#DE86C4"},     {"data4", "#6A6A00", "#D2C94A"},
    {"data5", "#4B49B6", "#A9A7F5"},     {"data6", "#8A3B3B", "#E08F8F"},
    {"data7", "#3F6B78", "#8FC6D6"},
};

static const char *const rules[] = {
    /* type */
    ("text{font-family:Inter,ui-sans-serif,system-ui,-apple-system,"
     "'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif;"
     "fill$ink;font-size:12.5px}"),
    ".title{font-size:20px;font-weight:650;letter-spacing:-.01em}",
    ".sub{font-size:13.5px;fill$ink2}",
    ".small{font-size:11.5px;fill$ink2}",
    ".tick{font-size:11.5px;fill$ink3;font-variant-numeric:tabular-nums}",
    (".mono{font-family:'JetBrains Mono',ui-monospace,SFMono-Regular,Menlo,"
     "Consolas,'DejaVu Sans Mono',monospace;font-size:11.5px;fill$ink2}"),
    ".lane{font-size:14px;font-weight:650}",
    ".lane2{font-size:11.5px;font-weight:600}",
    (".halo{paint-order:stroke;stroke$paper;stroke-width:4px;"
     "stroke-linejoin:round}"),
    ".onstrong{font-weight:600;fill$onstrong}",
    ".oninside{font-size:11.5px;font-weight:600;fill$onstrong}",
    ".onbeside{font-size:11.5px;font-weight:650;fill$ink}",
    ".onshare{font-size:11.5px;font-weight:600;fill$ink}",
    ".oncandidate{font-size:11.5px;font-weight:600;fill:#1B1F24}",
    (".flag{font-size:14px;font-weight:700;letter-spacing:.06em;"
     "fill$onstrong}"),
    ".leadertext{font-weight:600;fill$leader}",
    ".ambertext{font-weight:600;fill$amberink}",
    ".badtext{font-size:12.5px;font-weight:700;fill$bad}",
    /* ground */
    ".paper{fill$paper}",
    ".grid{stroke$grid;stroke-width:1}",
    ".axis{stroke$ink3;stroke-width:1;fill:none}",
    ".rail{stroke$rule;stroke-width:1;fill:none}",
    ".steps{stroke$ink3;stroke-width:1;fill:none}",
    ".node{fill$paper;stroke$ink3;stroke-width:1}",
    /* states: the more power, the more ink */
    ".asleep{stroke$asleep;stroke-width:2;stroke-dasharray:2 4;fill:none}",
    ".lost{stroke$lost;stroke-width:2.5;fill:none}",
    ".awake{fill$awake}",
    ".candidate{fill$candidate;stroke$amberink;stroke-width:.75}",
    ".waiting{fill:url(#hatch);stroke$waiting;stroke-width:1}",
    ".asking{fill:url(#asks);stroke$waiting;stroke-width:1}",
    ".leader{fill$leader}",
    ".inside{fill$inside}",
    (".beside{fill$inside;fill-opacity:.45;stroke$inside;stroke-width:.75}"),
    ".want{fill$ink}",
    ".again{stroke$paper;stroke-width:3;fill:none}",
    /* what goes wrong with nodes */
    ".crash{stroke$ink;stroke-width:2.5;fill:none}",
    ".restart{stroke$ink;stroke-width:2;fill:none}",
    ".pause{fill:url(#pauses);stroke$paused;stroke-width:1}",
    ".pausethin{fill$paused}",
    ".bracket{stroke$paused;stroke-width:2;fill:none}",
    ".cut{stroke$ink3;stroke-width:1;stroke-dasharray:2 3;fill:none}",
    ".cutend{stroke$ink2;stroke-width:1.2;fill:none}",
    /* the same for many lanes: horizontal strokes */
    ".thin{fill:none}",
    ".asleept{stroke$asleep;stroke-dasharray:1 3}",
    ".awaket{stroke$awake}",
    ".candidatet{stroke$candidate}",
    ".lostt{stroke$lost}",
    ".waitingt{stroke$waiting;opacity:.45}",
    ".askingt{stroke$waiting;opacity:.45;stroke-dasharray:3 2}",
    ".leadert{stroke$leader}",
    ".insidet{stroke$inside}",
    ".besidet{stroke$inside;opacity:.45}",
    /* the same as shares */
    ".asleeps{fill$asleep;opacity:.45}",
    ".awakes{fill$awake}",
    ".candidates{fill$candidate}",
    ".losts{fill$lost;opacity:.45}",
    ".waitings{fill$waitfill}",
    ".askings{fill:url(#asks)}",
    ".leaders{fill$leader}",
    ".insides{fill$inside}",
    ".besides{fill$inside;opacity:.45}",
    ".downs{fill$paper;stroke$rule;stroke-width:1}",
    /* messages: line and head */
    ".under{stroke$paper;fill:none}",
    ".m{fill:none;stroke-width:1.5}",
    ".ask{stroke$ink2}.askh{fill$ink2}",
    ".claim{stroke$amberink}.claimh{fill$amberink}",
    ".win{stroke$leader;stroke-width:2.5}.winh{fill$leader}",
    (".grant{stroke$inside}.granth{fill$paper;stroke$inside;"
     "stroke-width:1.8}"),
    ".refuse{stroke$ink2}.refuseh{fill$ink2}",
    (".call{stroke$ink3;stroke-dasharray:3 3;stroke-width:1.1}"
     ".callh{fill:none;stroke$ink3;stroke-width:1.1}"),
    (".tell{stroke$leader;stroke-dasharray:4 3}"
     ".tellh{fill:none;stroke$leader;stroke-width:1.5}"),
    ".token{stroke$ink;stroke-width:1.2}.tokenh{fill$ink}",
    ".frame{stroke$ink3;stroke-width:1;stroke-dasharray:1 4}",
    /* other kinds of the same meaning: another line, another head */
    ".v1{stroke-dasharray:9 3}.v2{stroke-dasharray:9 3 2 3}",
    ".frame.v1{stroke-dasharray:1 7}.frame.v2{stroke-dasharray:3 6}",
    (".askoh{fill$paper;stroke$ink2;stroke-width:1.3}"
     ".claimoh{fill$paper;stroke$amberink;stroke-width:1.3}"),
    ".bar{stroke-width:2.5;fill:none}",
    ".queue{stroke-width:1.3;stroke-dasharray:1.5 2.5}",
    /* without heads, the line alone tells kinds apart */
    ".hair{stroke-width:.8}",
    ".frame.hair{stroke-width:.6}",
    ".token.hair{stroke-width:1.6}",
    ".claim.hair{stroke-width:1.2}",
    ".grant.hair{stroke-dasharray:8 2}",
    ".grant.v1.hair{stroke-dasharray:4 2 1 2}",
    ".refuse.hair{stroke-width:1.1;stroke-dasharray:1 2}",
    ".hairwin{stroke-width:1.6}",
    ".end{stroke-width:1.8;stroke-dasharray:none}",
    (".late .m,.late .bar,.late .callh,.late .tellh,.late .granth{stroke$bad}"
     ".late .askh,.late .claimh,.late .winh,.late .refuseh,.late .tokenh"
     "{fill$bad}"),
    ".hairlate{stroke$bad;stroke-width:1.2;fill:none}",
    ".dmax{stroke$ink2;stroke-width:1.8;fill:none}",
    ".ring{fill:none;stroke$ink;stroke-width:1.5}",
    ".cell{fill$ink}",
    (".level0{opacity:.26}.level1{opacity:.42}.level2{opacity:.6}"
     ".level3{opacity:.8}"),
    /* violation */
    ".bad{fill$bad}",
    ".badline{stroke$bad;stroke-width:2;fill:none}",
    ".badthin{stroke$bad;stroke-width:1;fill:none}",
    (".badcross{stroke$onstrong;stroke-width:2.6;fill:none;"
     "stroke-linecap:round}"),
    /* plots: a colour and a mark a series; what papers say is ink */
    ".plotline{fill:none;stroke-width:1.6}",
    (".line0{stroke$data0}.line1{stroke$data1}.line2{stroke$data2}"
     ".line3{stroke$data3}.line4{stroke$data4}.line5{stroke$data5}"
     ".line6{stroke$data6}.line7{stroke$data7}"),
    (".series0{fill$data0}.series1{fill$data1}.series2{fill$data2}"
     ".series3{fill$data3}.series4{fill$data4}.series5{fill$data5}"
     ".series6{fill$data6}.series7{fill$data7}"),
    ".full{stroke-width:1.6}",
    ".hollow{stroke-width:1.6;fill$paper}",
    ".most{fill$paper;stroke-width:1.2}",
    ".bound{stroke$ink;stroke-width:1;stroke-dasharray:10 5;fill:none}",
    ".boundtick{stroke$ink;stroke-width:3;fill:none}",
    ".guide{stroke$ink3;stroke-width:1;stroke-dasharray:2 3;fill:none}",
    ".lead{stroke$ink3;stroke-width:.6;fill:none}",
    /* patterns */
    ".pauses0{fill$paper;opacity:.55}.pauses1{stroke$paused;stroke-width:2}",
    ".hatch0{fill$waitfill}.hatch1{stroke$waiting;stroke-width:1.6}",
    ".asks1{stroke$waiting;stroke-width:1}",
    ".alarm0{fill$badwash}.alarm1{stroke$bad;opacity:.35}",
};

static const struct colour *find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        if (strlen(colours[i].name) == length &&
            memcmp(colours[i].name, name, length) == 0)
            return &colours[i];
    assert(false); /* a rule names a colour that the table does not have */
    return &colours[0];
}

/* Writes a rule with its colours spelt out. */
static void rule(FILE *file, const char *text, bool dark)
{
    while (*text != '\0') {
        size_t plain = strcspn(text, "$"), property = 0, name;
        const struct colour *c;

        fwrite(text, 1, plain, file);
        text += plain;
        if (*text == '\0')
            return;
        while (property < plain &&
               strchr("{;", text[-1 - (long)property]) == NULL)
            property++;
        name = strcspn(text + 1, ";}");
        c = find(text + 1, name);
        fprintf(file, ":%s;%.*s:var(--%s)", dark ? c->dark : c->light,
                (int)property, text - property, c->name);
        text += 1 + name;
    }
}

void style_colours(FILE *file, bool dark)
{
    fputs(":root{", file);
    for (size_t i = 0; i < sizeof colours / sizeof colours[0]; i++)
        fprintf(file, "--%s:%s;", colours[i].name,
                dark ? colours[i].dark : colours[i].light);
    fputs("}", file);
}

void style_rules(FILE *file, bool dark)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        rule(file, rules[i], dark);
        fputs("\n", file);
    }
}

void style_write(FILE *file, bool dark)
{
    fputs("<style>\n", file);
    style_colours(file, dark);
    if (!dark) {
        fputs("\n@media (prefers-color-scheme:dark){", file);
        style_colours(file, true);
        fputs("}", file);
    }
    fputs("\n", file);
    style_rules(file, dark);
    fputs("</style>\n<defs>\n"
          "<pattern id='hatch' width='6' height='6' "
          "patternUnits='userSpaceOnUse' patternTransform='rotate(45)'>"
          "<rect class='hatch0' width='6' height='6'/>"
          "<line class='hatch1' x1='1' y1='0' x2='1' y2='6'/></pattern>\n"
          "<pattern id='asks' width='9' height='9' "
          "patternUnits='userSpaceOnUse' patternTransform='rotate(-45)'>"
          "<rect class='hatch0' width='9' height='9'/>"
          "<line class='asks1' x1='1' y1='0' x2='1' y2='9'/></pattern>\n"
          "<pattern id='pauses' width='5' height='5' "
          "patternUnits='userSpaceOnUse'>"
          "<rect class='pauses0' width='5' height='5'/>"
          "<line class='pauses1' x1='1.5' y1='0' x2='1.5' y2='5'/></pattern>\n"
          "<pattern id='alarm' width='8' height='8' "
          "patternUnits='userSpaceOnUse' patternTransform='rotate(-45)'>"
          "<rect class='alarm0' width='8' height='8'/>"
          "<line class='alarm1' x1='1' y1='0' x2='1' y2='8'/></pattern>\n",
          file);
    /* Left open: the frame adds the clip path of its plot. */
}

double style_words(FILE *file, double width, const char *title,
                   const char *subtitle)
{
    struct pen_room room = {40, 44, width - 80, 3};

    room.y += pen_paragraph(file, "title", PEN_BOLD, 20, title, &room);
    room.lines = 2;
    return room.y +
           pen_paragraph(file, "sub", PEN_PLAIN, 13.5, subtitle, &room);
}

void style_chart(FILE *file, double width, double height, const char *title,
                 const char *subtitle)
{
    pen(file,
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 @ @' width='@' "
        "height='@' role='img'>\n<title>",
        width, height, width, height);
    pen_text(file, title);
    fputs("</title>\n<desc>", file);
    pen_text(file, subtitle);
    fputs("</desc>\n", file);
    style_write(file, false);
    fputs("</defs>\n", file);
    pen(file, "<rect class='paper' width='@' height='@'/>\n", width, height);
}
