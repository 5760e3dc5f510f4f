/*
 * strategy.c - schedulers as lists, and as a file (see strategy.h,
 * docs/check-inside.md).
 */
#include "check/odds/strategy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "check/model/links.h"
#include "net/grow.h"

/* ---- Lists --------------------------------------------------------------- */

bool check_scheduler_add(struct check_scheduler *s, const struct check_act *act)
{
    s->failed |= !net_grow(&s->acts, s->acts_count, sizeof *s->acts);
    if (!s->failed)
        s->acts[s->acts_count++] = *act;
    return !s->failed;
}

bool check_scheduler_lead(struct check_scheduler *s, uint32_t next)
{
    s->failed |= !net_grow(&s->nexts, s->nexts_count, sizeof *s->nexts);
    if (!s->failed)
        s->nexts[s->nexts_count++] = next;
    return !s->failed;
}

void check_scheduler_free(struct check_scheduler *s)
{
    free(s->acts);
    free(s->nexts);
    *s = (struct check_scheduler){.known = false};
}

void check_strategy_free(struct check_strategy *s)
{
    check_scheduler_free(&s->scheduler[0]);
    check_scheduler_free(&s->scheduler[1]);
}

/* ---- Words --------------------------------------------------------------- */

/* What follows the word of a move. */
enum { NODE = 1, WHAT = 2, MAIL = 4 };

static const struct {
    const char *word;
    uint32_t has;
} moves[] = {
    [CHECK_READ] = {"read", NODE | MAIL},
    [CHECK_TIMEOUT] = {"timeout", NODE | WHAT},
    [CHECK_COMMAND] = {"command", NODE | WHAT},
    [CHECK_START] = {"start", NODE},
    [CHECK_RESTART] = {"restart", NODE},
    [CHECK_STEP] = {"step", NODE},
    [CHECK_TICK] = {"tick", 0},
    [CHECK_CRASH] = {"crash", NODE},
    [CHECK_PAUSE] = {"pause", NODE},
    [CHECK_MISS] = {"miss", NODE | MAIL},
    [CHECK_LOSE] = {"lose", NODE | MAIL},
    [CHECK_COPY] = {"copy", NODE | MAIL},
    [CHECK_DELAY] = {"delay", NODE | MAIL},
    [CHECK_CUT] = {"cut", NODE},
    [CHECK_JOIN] = {"join", NODE},
};

enum { MOVES = sizeof moves / sizeof moves[0] };

static const char *const titles[] = {"at most", "at least"};
static const char magic[] = "fulcrum strategy 1";

/* ---- Writing ------------------------------------------------------------- */

static void write_act(const struct check_scheduler *s, uint32_t number,
                      FILE *out)
{
    const struct check_act *act = &s->acts[number];
    uint32_t has = moves[act->move.kind].has;

    if (act->ends) {
        fprintf(out, "%" PRIu32 " end\n", number);
        return;
    }
    fprintf(out, "%" PRIu32 " %s", number, moves[act->move.kind].word);
    if (has & NODE)
        fprintf(out, " %u", act->move.node);
    if (has & WHAT)
        fprintf(out, " %u", act->move.what);
    if (has & MAIL)
        fprintf(out, " %u %u", act->move.link, act->move.place);
    fprintf(out, " >");
    for (uint32_t i = 0; i < act->nexts_count; i++) {
        uint32_t next = s->nexts[act->next + i];

        if (next == CHECK_ACT_BAD || next == CHECK_ACT_GOOD)
            fprintf(out, next == CHECK_ACT_BAD ? " broken" : " over");
        else
            fprintf(out, " %" PRIu32, next);
    }
    fprintf(out, "\n");
}

static void write_value(const struct check_expected *e, FILE *out)
{
    if (e->infinite)
        fprintf(out, " infinite\n");
    else if (e->value.under)
        fprintf(out, " %" PRIu64 "/%" PRIu64 "\n", e->value.over,
                e->value.under);
    else
        fprintf(out, " %.12g to %.12g\n", e->value.least, e->value.most);
}

void check_strategy_write(const struct check_strategy *s, FILE *out)
{
    fprintf(out, "%s\ncommand %s\n", magic, s->command);
    for (uint32_t i = 0; i < 2; i++) {
        const struct check_scheduler *one = &s->scheduler[i];

        if (!one->known)
            continue;
        fprintf(out, "%s", titles[i]);
        write_value(&one->attains, out);
        fprintf(out, "begin %" PRIu32 "\n", one->first);
        for (uint32_t k = 0; k < one->acts_count; k++)
            write_act(one, k, out);
    }
}

/* ---- Reading ------------------------------------------------------------- */

struct reading {
    struct check_strategy *strategy;
    struct check_scheduler *now; /* NULL: none has begun */
    bool begun;                  /* its initial state was read */
    uint32_t line;
    const char *error;
};

static void complain(struct reading *r, const char *error)
{
    if (!r->error)
        r->error = error;
}

/* The next word, if it is a number up to `most`. */
static uint32_t read_number(struct reading *r, char **rest, uint32_t most)
{
    const char *word = strsep(rest, " ");
    uint64_t number = 0;
    size_t digits = word ? strspn(word, "0123456789") : 0;

    if (!word || digits == 0 || digits > 10 || word[digits]) {
        complain(r, "a number is missing");
        return 0;
    }
    for (size_t i = 0; i < digits; i++)
        number = 10 * number + (uint64_t)(word[i] - '0');
    if (number > most) {
        complain(r, "a number is too large");
        return 0;
    }
    return (uint32_t)number;
}

/* Where an act leads. */
static void read_nexts(struct reading *r, struct check_act *act, char **rest)
{
    while (!r->error && *rest) {
        uint32_t next;

        if (strcmp(*rest, "broken") == 0 ||
            strncmp(*rest, "broken ", strlen("broken ")) == 0) {
            (void)strsep(rest, " ");
            next = CHECK_ACT_BAD;
        } else if (strcmp(*rest, "over") == 0 ||
                   strncmp(*rest, "over ", strlen("over ")) == 0) {
            (void)strsep(rest, " ");
            next = CHECK_ACT_GOOD;
        } else {
            next = read_number(r, rest, CHECK_ACT_GOOD - 1);
        }
        if (!r->error && !check_scheduler_lead(r->now, next))
            complain(r, "no memory");
        act->nexts_count++;
    }
    if (act->nexts_count == 0)
        complain(r, "it leads nowhere");
}

static void read_move(struct reading *r, struct check_act *act, uint32_t kind,
                      char **rest)
{
    const char *sign;

    act->ends = false;
    act->move.kind = (uint8_t)kind;
    if (moves[kind].has & NODE)
        act->move.node = (uint16_t)read_number(r, rest, CHECK_NODES_MAX - 1);
    if (moves[kind].has & WHAT)
        act->move.what = (uint8_t)read_number(r, rest, UINT8_MAX);
    if (moves[kind].has & MAIL) {
        act->move.link = (uint16_t)read_number(r, rest, CHECK_LINKS_MAX - 1);
        act->move.place = (uint16_t)read_number(r, rest, CHECK_MAILS_MAX - 1);
    }
    sign = strsep(rest, " ");
    if (!sign || strcmp(sign, ">") != 0)
        complain(r, "'>' is missing, and where it leads");
    else
        read_nexts(r, act, rest);
}

static void read_act(struct reading *r, char *text)
{
    struct check_act act = {.ends = true, .line = r->line};
    uint32_t number, kind = 0;
    const char *word;

    if (!r->now || !r->begun) {
        complain(r, "'at most' or 'at least', and 'begin', come first");
        return;
    }
    number = read_number(r, &text, CHECK_ACT_GOOD - 1);
    if (!r->error && number != r->now->acts_count)
        complain(r, "acts are numbered from 0, a line each");
    word = strsep(&text, " ");
    while (word && kind < MOVES && strcmp(word, moves[kind].word) != 0)
        kind++;
    act.next = r->now->nexts_count;
    if (word && kind < MOVES)
        read_move(r, &act, kind, &text);
    else if (!word || strcmp(word, "end") != 0)
        complain(r, "this is not something that can happen");
    if (text && act.ends)
        complain(r, "nothing follows 'end'");
    if (!r->error && !check_scheduler_add(r->now, &act))
        complain(r, "no memory");
}

/* Everything that is not an act; false if it is one. */
static bool read_head(struct reading *r, char *text)
{
    struct check_strategy *s = r->strategy;

    if (r->line == 1) {
        if (strcmp(text, magic) != 0)
            complain(r, "it does not begin with 'fulcrum strategy 1'");
        return true;
    }
    if (r->line == 2) {
        if (strncmp(text, "command ", strlen("command ")) != 0 ||
            strlen(text) >= sizeof s->command)
            complain(r, "the command is missing, or too long");
        else
            snprintf(s->command, sizeof s->command, "%s",
                     text + strlen("command "));
        return true;
    }
    for (uint32_t i = 0; i < 2; i++)
        if (strncmp(text, titles[i], strlen(titles[i])) == 0) {
            if (s->scheduler[i].known || (r->now && !r->now->acts_count))
                complain(r, "one scheduler of a kind, and none without acts");
            r->now = &s->scheduler[i];
            r->now->known = true;
            r->begun = false;
            return true;
        }
    if (strncmp(text, "begin ", strlen("begin ")) != 0)
        return false;
    if (!r->now || r->begun)
        complain(r, "'begin' comes once, after 'at most' or 'at least'");
    text += strlen("begin ");
    if (!r->error)
        r->now->first = read_number(r, &text, UINT32_MAX - 1);
    r->begun = true;
    return true;
}

/* Whether every act leads to one that there is. */
static void look_over(struct reading *r)
{
    if (!r->now || !r->now->acts_count)
        complain(r, "there is no scheduler in it");
    for (uint32_t i = 0; i < 2 && !r->error; i++) {
        const struct check_scheduler *s = &r->strategy->scheduler[i];

        for (uint32_t k = 0; k < s->acts_count && !r->error; k++)
            for (uint32_t j = 0; j < s->acts[k].nexts_count; j++) {
                uint32_t next = s->nexts[s->acts[k].next + j];

                if (next < s->acts_count || next >= CHECK_ACT_GOOD)
                    continue;
                r->line = s->acts[k].line;
                complain(r, "it leads to an act that is not there");
            }
    }
}

const char *check_strategy_read(struct check_strategy *s, char *text,
                                uint32_t *line)
{
    struct reading r = {.strategy = s};
    char *one;

    *s = (struct check_strategy){.command = ""};
    while (!r.error && *text) {
        one = strsep(&text, "\n");
        text = text ? text : one + strlen(one);
        r.line++;
        if (!*one)
            complain(&r, "it is not a line of text, or it is empty");
        else if (!read_head(&r, one))
            read_act(&r, one);
    }
    if (!r.error)
        look_over(&r);
    *line = r.line;
    return r.error;
}
