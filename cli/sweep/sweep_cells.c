/*
 * sweep_cells.c - from --grid to the commands of a sweep.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/sweep/sweep.h"
#include "core/params.h"
#include "core/text.h"

/* The option of a run with this name and an argument. */
static const struct cli_option *find_option(const char *key)
{
    for (const struct cli_option *o = cli_words_options;
         o->name || o->letter || o->group; o++)
        if (o->name && o->argument && strcmp(o->name, key) == 0 &&
            strcmp(key, "set") != 0)
            return o;
    return NULL;
}

/* Whether the words say it, too. */
static bool is_said(const struct cli_words *w, const char *key)
{
    const struct cli_option *o =
        find_option(strcmp(key, "n") == 0 ? "nodes" : key);
    size_t length = strlen(key);

    for (uint32_t i = 0; i < w->net.settings_count; i++)
        if (strncmp(w->settings[i], key, length) == 0 &&
            w->settings[i][length] == '=')
            return true;
    return o &&
           (o->count
                ? w->faults_count > 0
                : *(const char *const *)((const char *)w + o->offset) != NULL);
}

/* 1/2, or 1: as typed, these are rmin and rmax. */
static bool read_gamma(const char *text, uint64_t *rmin, uint64_t *rmax)
{
    const char *slash = strchr(text, '/');
    char above[24];

    *rmin = *rmax = 1;
    if (!slash)
        return strcmp(text, "1") == 0;
    snprintf(above, sizeof above, "%.*s", (int)(slash - text), text);
    return fc_read_number(above, rmin) && fc_read_number(slash + 1, rmax) &&
           *rmin >= 1 && *rmin <= *rmax;
}

static int check_axis(const struct lab_grid *g, const struct lab_axis *a,
                      const struct cli_sweep *w, const struct fc_protocol *p)
{
    bool gamma = strcmp(a->key, "gamma") == 0;
    uint64_t rmin, rmax;

    if (!gamma && strcmp(a->key, "n") != 0 && strcmp(a->key, "runs") != 0 &&
        strcmp(a->key, "seed") != 0 && !find_option(a->key) &&
        !fc_params_find(p, a->key))
        return cli_refuse("--grid %s: it is neither n nor gamma, nor an option "
                          "of a run, nor a parameter of %s",
                          a->key, p->name);
    for (const struct lab_axis *b = g->axis; b < a; b++)
        if (strcmp(a->key, b->key) == 0 ||
            (gamma && strcmp(b->key, "bounds") == 0) ||
            (strcmp(a->key, "bounds") == 0 && strcmp(b->key, "gamma") == 0))
            return cli_refuse("--grid %s and --grid %s say the same; leave one "
                              "out",
                              b->key, a->key);
    if (is_said(&w->words, a->key))
        return cli_refuse("%s is on the grid, and given as an option as well; "
                          "leave one out",
                          a->key);
    for (uint32_t i = 0; i < a->count; i++)
        if (!*a->value[i])
            return cli_refuse("--grid %s: a value is missing", a->key);
        else if (gamma && !read_gamma(a->value[i], &rmin, &rmax))
            return cli_refuse("--grid gamma: '%s' is not 1 or RMIN/RMAX, such "
                              "as 2/3",
                              a->value[i]);
    return 0;
}

/* KEY=VALUE,VALUE...; values that contain commas have semicolons between them.
 */
static int read_axis(struct lab_axis *a, char **key, const char *text)
{
    const char *equals = strchr(text, '=');
    char separator = equals && strchr(equals, ';') ? ';' : ',';
    struct net_why why = {0};
    char *list;

    if (!equals || equals == text)
        return cli_refuse("--grid %s: write KEY=VALUE,VALUE...", text);
    *key = strndup(text, (size_t)(equals - text));
    list = separator == ';' ? strdup(equals + 1) : lab_unrolled(equals + 1);
    *a = (struct lab_axis){.key = *key, .text = list};
    if (!*key || !list)
        return cli_no_memory("the grid");
    if (!lab_axis_cut(a, list, separator, &why))
        return cli_refuse("--grid: %s", why.text);
    return 0;
}

/* Where the delays of --bounds begin: "1:4" of "2:3:1:4". */
static const char *delays_of(const char *bounds)
{
    const char *colon = strchr(bounds, ':');

    colon = colon ? strchr(colon + 1, ':') : NULL;
    return colon ? colon + 1 : "";
}

static void say_axis(struct lab_text *t, const struct cli_sweep *w,
                     const struct fc_protocol *p, const char *key,
                     const char *value)
{
    const char *bounds =
        w->words.net.bounds ? w->words.net.bounds : net_default_bounds;
    uint64_t rmin, rmax;

    if (strcmp(key, "gamma") != 0)
        lab_say_option(t, key, value,
                       fc_params_find(p, key) && !find_option(key));
    else if (read_gamma(value, &rmin, &rmax))
        lab_say(t, " --bounds %" PRIu64 ":%" PRIu64 ":%s", rmin, rmax,
                delays_of(bounds));
}

static bool has_axis(const struct lab_grid *g, const char *key)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (strcmp(g->axis[i].key, key) == 0)
            return true;
    return false;
}

static char *say_cell(const struct lab_grid *g, const struct cli_sweep *w,
                      const struct fc_protocol *p, uint32_t cell)
{
    char words[CLI_COMMAND_SIZE];
    struct cli_words fixed = w->words;
    struct lab_text t = {0};

    if (has_axis(g, "gamma"))
        fixed.net.bounds = NULL;
    cli_words_write(&fixed, words, sizeof words);
    lab_say(&t, "fulcrum sim %s", words);
    for (uint32_t i = 0; i < g->count; i++)
        say_axis(&t, w, p, g->axis[i].key, lab_grid_value(g, cell, i));
    for (uint32_t i = 0; i < w->values_count; i++) {
        lab_say(&t, " --value");
        lab_say_word(&t, w->values[i]);
    }
    if (w->judge)
        lab_say(&t, " --judge");
    if (!has_axis(g, "runs"))
        lab_say(&t, " --runs %" PRIu64, w->runs);
    if (!has_axis(g, "seed"))
        lab_say(&t, " --seed %" PRIu64, w->seed);
    if (t.failed) {
        free(t.text);
        return NULL;
    }
    return t.text;
}

int cli_cells_make(struct cli_cells *c, const struct cli_sweep *w)
{
    struct net_why why = {0};
    const struct fc_protocol *p = net_choose(w->words.net.protocol, &why);
    uint32_t cells;
    int code = 0;

    if (!p)
        return cli_refused(&why);
    if (!w->grid_count)
        return cli_refuse("what varies?  Say --grid n=10,100");
    for (uint32_t i = 0; i < w->grid_count && !code; i++) {
        struct lab_axis *a = &c->grid.axis[c->grid.count++];

        code = read_axis(a, &c->keys[i], w->grid[i]);
        if (!code)
            code = check_axis(&c->grid, a, w, p);
    }
    if (code)
        return code;
    cells = lab_grid_cells(&c->grid);
    if (!cells)
        return cli_refuse("more than %d cells; sweep them in parts",
                          LAB_CELLS_MAX);
    c->command = calloc(cells, sizeof *c->command);
    for (uint32_t i = 0; i < cells && c->command; i++) {
        c->command[c->count++] = say_cell(&c->grid, w, p, i);
        if (!c->command[i])
            return cli_no_memory("a cell");
    }
    return c->command ? 0 : cli_no_memory("the cells");
}

void cli_cells_free(struct cli_cells *c)
{
    for (uint32_t i = 0; i < c->grid.count; i++)
        free(c->keys[i]);
    lab_grid_free(&c->grid);
    for (uint32_t i = 0; i < c->count; i++)
        free(c->command[i]);
    free(c->command);
}
