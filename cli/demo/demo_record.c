/*
 * demo_record.c - see demo_cluster.h.
 */

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/demo/demo_cluster.h"
#include "core/text.h"

int demo_record_open(struct demo_record *r, const char *path)
{
    memset(r, 0, sizeof *r);
    r->file = open(path, O_RDONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return r->file < 0 ? -1 : 0;
}

void demo_record_close(struct demo_record *r)
{
    if (r->file >= 0)
        close(r->file);
    r->file = -1;
}

/* ---- Lines --------------------------------------------------------------- */

struct line {
    const char *lock, *node, *what;
    uint64_t token, time;
    pid_t process;
};

/* Where a stay is in the list, or `count`. */
static uint32_t find(const struct demo_record *r, const char *lock,
                     uint64_t token)
{
    uint32_t i = 0;

    while (i < r->count && (r->entries[i].token != token ||
                            strcmp(r->entries[i].lock, lock) != 0))
        i++;
    return i;
}

const struct demo_entry *demo_record_find(const struct demo_record *r,
                                          const struct demo_entry *entry)
{
    uint32_t at = find(r, entry->lock, entry->token);

    return at < r->count ? &r->entries[at] : entry;
}

static void enter(struct demo_record *r, const struct line *l, uint32_t node)
{
    struct demo_entry *e = &r->entries[r->count];

    if (find(r, l->lock, l->token) < r->count) {
        r->broken = "a token was given twice";
        return;
    }
    if (r->count == DEMO_ENTRIES_MAX)
        return;
    *e = (struct demo_entry){.token = l->token,
                             .node = node,
                             .from = l->time,
                             .to = l->time,
                             .process = l->process};
    snprintf(e->lock, sizeof e->lock, "%s", l->lock);
    r->count++;
}

/* A word of a holder that is inside, or was. */
static void go_on(struct demo_record *r, const struct line *l, uint32_t node)
{
    uint32_t at = find(r, l->lock, l->token);
    struct demo_entry *e = &r->entries[at];

    if (at == r->count || e->node != node) {
        r->broken = "a holder speaks that never entered";
        return;
    }
    if (!strcmp(l->what, "late"))
        e->refused = true;
    else if (!strcmp(l->what, "lost"))
        e->overwritten = true;
    else
        e->to = l->time;
    if (!strcmp(l->what, "out"))
        e->left = true;
}

static bool parse(char *text, struct line *l)
{
    const char *words[6];
    uint64_t process;

    for (int i = 0; i < 6; i++)
        words[i] = strsep(&text, " ");
    if (!words[5] || text ||
        strlen(words[0]) >= sizeof((struct demo_entry *)0)->lock ||
        !fc_read_number(words[1], &l->token) ||
        !fc_read_number(words[4], &l->time) ||
        !fc_read_number(words[5], &process))
        return false;
    l->lock = words[0];
    l->node = words[2];
    l->what = words[3];
    l->process = (pid_t)process;
    return true;
}

static void take_line(struct demo_record *r)
{
    struct line l;
    uint32_t node = 0;

    if (!parse(r->line, &l)) {
        r->broken = "a line of a holder is cut";
        return;
    }
    while (node < DEMO_NODES && strcmp(demo_names[node], l.node) != 0)
        node++;
    if (node == DEMO_NODES)
        r->broken = "a holder is not a node";
    else if (!strcmp(l.what, "in"))
        enter(r, &l, node);
    else
        go_on(r, &l, node);
}

void demo_record_read(struct demo_record *r)
{
    char bytes[4096];
    ssize_t size;

    while ((size = read(r->file, bytes, sizeof bytes)) > 0)
        for (ssize_t i = 0; i < size; i++) {
            if (bytes[i] != '\n' && r->used < sizeof r->line - 1) {
                r->line[r->used++] = bytes[i];
                continue;
            }
            r->line[r->used] = '\0';
            r->used = 0;
            take_line(r);
        }
}

/* ---- What follows -------------------------------------------------------- */

const struct demo_entry *demo_record_last(const struct demo_record *r,
                                          const char *lock)
{
    for (uint32_t i = r->count; i-- > 0;)
        if (!strcmp(r->entries[i].lock, lock))
            return &r->entries[i];
    return NULL;
}

/* Two stays of one lock: one was over before the other began, and has the lower
 * token. */
static bool apart(const struct demo_entry *a, const struct demo_entry *b)
{
    return a->to < b->from ? a->token < b->token
                           : b->to < a->from && b->token < a->token;
}

const char *demo_record_judge(const struct demo_record *r)
{
    if (r->broken)
        return r->broken;
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct demo_entry *a = &r->entries[j], *b = &r->entries[i];

            if (strcmp(a->lock, b->lock) != 0 || apart(a, b))
                continue;
            return (a->to < b->from || b->to < a->from)
                       ? "tokens did not grow from holder to holder"
                       : "two were inside at once";
        }
    return NULL;
}
