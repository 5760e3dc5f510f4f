/*
 * config.c - see config.h.  inih takes the lines apart; what they mean, and
 * whether the times can work, is decided here.
 */
#include "live/config/config_parts.h"

#include <ini.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

#define MS         UINT64_C(1000)
#define SECOND     UINT64_C(1000000)
#define TIME_MAX   (1000 * SECOND)
#define KILL_LEAST MS

/* The state of reading one file. */
struct reading {
    struct live_config *config;
    const char *path;
    const char *at, *end; /* what inih has not asked for yet */
    struct net_why *error;
    bool failed;                        /* the first error stays */
    uint32_t line;                      /* of what inih looks at */
    uint32_t section_line;              /* of the last "[...]", or 0 */
    bool section_used;                  /* a key followed it */
    uint32_t seen;                      /* keys of [cluster], a bit each */
    uint32_t key_line[KEYS];            /* where they stand */
    uint32_t node_seen[LIVE_NODES_MAX]; /* keys of a node, a bit each */
    uint32_t node_line[LIVE_NODES_MAX]; /* where its section begins */
    uint32_t node_id[LIVE_NODES_MAX];   /* as its section says */
};

/* The first complaint is kept, those after it may only follow from it.  Returns
 * 0, which means "stop" to inih. */
__attribute__((format(printf, 3, 4))) static int
complain_at(struct reading *r, uint32_t line, const char *format, ...)
{
    char complaint[NET_WHY_SIZE];
    va_list arguments;

    if (r->failed)
        return 0;
    r->failed = true;
    va_start(arguments, format);
    vsnprintf(complaint, sizeof complaint, format, arguments);
    va_end(arguments);
    return net_refuse(r->error, "%s:%" PRIu32 ": %s", r->path, line, complaint);
}

/* The line of a key, or the last line if it has its default. */
static uint32_t line_of(const struct reading *r, uint32_t key)
{
    return r->seen & 1u << key ? r->key_line[key] : r->line;
}

/* ---- Values -------------------------------------------------------------- */

/* A number at the beginning of a text; returns what follows it, or NULL. */
static const char *read_number(const char *text, uint64_t *number)
{
    const char *at = text;

    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        if (*number > UINT64_MAX / 10 - 1)
            return NULL;
        *number = *number * 10 + (uint64_t)(*at - '0');
    }
    return at == text ? NULL : at;
}

bool live_config_time(const char *text, uint64_t *time)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {{"us", 1}, {"ms", MS}, {"s", SECOND}};
    const char *unit = read_number(text, time);

    if (!unit)
        return false;
    while (*unit == ' ')
        unit++;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(unit, units[i].name) != 0)
            continue;
        if (*time > TIME_MAX / units[i].factor)
            return false;
        *time *= units[i].factor;
        return true;
    }
    return false;
}

static int set_time(struct reading *r, uint64_t *to, const char *key,
                    const char *value)
{
    if (!live_config_time(value, to))
        return complain_at(r, r->line,
                           "%s = %.40s is not a time; write a whole number and "
                           "a unit, at most 1000s, such as 10ms, 500us or 2s",
                           key, value);
    return 1;
}

static int set_spread(struct reading *r, const char *value)
{
    uint64_t number;
    const char *unit = read_number(value, &number);

    if (unit && *unit == ' ')
        unit++;
    if (!unit || strcmp(unit, "ppm") != 0 || number > 500000)
        return complain_at(r, r->line,
                           "spread = %.40s is not a difference of clock rates; "
                           "write millionths up to 500000 and their unit, such "
                           "as 2000ppm",
                           value);
    r->config->spread_ppm = (uint32_t)number;
    return 1;
}

/* Files that are not absolute lie beside the configuration. */
static int set_path(struct reading *r, char to[LIVE_PATH_MAX], const char *key,
                    const char *value)
{
    const char *slash = strrchr(r->path, '/');
    int folder = slash && value[0] != '/' ? (int)(slash - r->path) + 1 : 0;
    int size;

    if (!value[0])
        return complain_at(r, r->line, "%s names no file; write a path", key);
    size = snprintf(to, LIVE_PATH_MAX, "%.*s%s", folder, r->path, value);
    if (size < 0 || size >= LIVE_PATH_MAX)
        return complain_at(r, r->line,
                           "the path of %s has more than %d bytes; take a "
                           "shorter one",
                           key, LIVE_PATH_MAX - 1);
    return 1;
}

/* Of a user, or of a group. */
static int set_person(struct reading *r, char to[LIVE_NAME_MAX],
                      const char *key, const char *value)
{
    if (!value[0] || strlen(value) >= LIVE_NAME_MAX)
        return complain_at(r, r->line,
                           "'%.40s' is not the name of a %s; write one of at "
                           "most %d bytes, or leave it out",
                           value, key, LIVE_NAME_MAX - 1);
    memcpy(to, value, strlen(value) + 1);
    return 1;
}

/* Every user that may write to the socket may connect. */
static int set_permissions(struct reading *r, const char *value)
{
    static const struct {
        const char *text;
        uint32_t mode;
    } known[] = {{"0600", 0600}, {"0660", 0660}, {"0666", 0666}};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(value, known[i].text) == 0) {
            r->config->permissions = known[i].mode;
            return 1;
        }
    return complain_at(r, r->line,
                       "permissions = %.40s; write 0600: the socket is for the "
                       "node's user and root; 0660: for a group, too; or 0666: "
                       "for everybody",
                       value);
}

/* ---- Sections ------------------------------------------------------------ */

const char *const live_config_keys[KEYS] = {
    [KEY_TAU] = "tau",         [KEY_LEASE] = "lease",
    [KEY_KILL] = "kill",       [KEY_DELAY] = "delay",
    [KEY_SILENCE] = "silence", [KEY_SPREAD] = "spread",
    [KEY_KEY] = "key",         [KEY_STATE] = "state",
    [KEY_SOCKET] = "socket",   [KEY_USER] = "user",
    [KEY_MODE] = "mode",       [KEY_BOUNDS] = "bounds",
    [KEY_DMAX] = "dmax",       [KEY_STEP] = "step",
    [KEY_WINDOW] = "window",   [KEY_GENERATION] = "generation",
    [KEY_GROUP] = "group",     [KEY_PERMISSIONS] = "permissions",
};

static int set_mode(struct reading *r, const char *value)
{
    if (strcmp(value, "proven") != 0 && strcmp(value, "silence") != 0)
        return complain_at(r, r->line,
                           "there is no mode '%.40s'; there are proven, which "
                           "assumes nothing of delays, and silence",
                           value);
    r->config->mode = value[0] == 's' ? LIVE_SILENCE : LIVE_PROVEN;
    return 1;
}

static int set_bounds(struct reading *r, const char *value)
{
    if (strcmp(value, "hard") != 0)
        return complain_at(r, r->line,
                           "bounds = %.40s; the only word is hard: dmax and "
                           "step are never exceeded",
                           value);
    return 1;
}

static int set_window(struct reading *r, const char *value)
{
    if (strcmp(value, "full") != 0 && strcmp(value, "early") != 0)
        return complain_at(r, r->line,
                           "window = %.40s; write full, or early: it ends "
                           "when all have acknowledged",
                           value);
    r->config->early = value[0] == 'e';
    return 1;
}

static int set_generation(struct reading *r, const char *value)
{
    uint64_t number;
    const char *rest = read_number(value, &number);

    if (!rest || *rest || number < 1 || number > LIVE_GENERATION_MAX)
        return complain_at(r, r->line,
                           "generation = %.40s; write a number in 1..%d, one "
                           "higher at each change of this file",
                           value, LIVE_GENERATION_MAX);
    r->config->generation = (uint32_t)number;
    return 1;
}

/* R8: the last of the keys is the newest. */
static int set_new_key(struct reading *r, const char *value)
{
    if (r->config->new_key_file[0])
        return complain_at(r, r->line,
                           "there are two keys already, while one is exchanged "
                           "for the other; remove the oldest, in line %" PRIu32,
                           r->key_line[KEY_KEY]);
    return set_path(r, r->config->new_key_file, "key", value);
}

static int set_cluster(struct reading *r, const char *name, const char *value)
{
    struct live_config *c = r->config;
    uint32_t key = 0;

    while (key < KEYS && strcmp(live_config_keys[key], name) != 0)
        key++;
    if (key == KEYS)
        return complain_at(r, r->line,
                           "[cluster] has no '%.40s'; it has mode, tau, lease, "
                           "kill, delay, silence, spread, key, state, socket, "
                           "user, group, permissions, generation, bounds, "
                           "dmax, step and window",
                           name);
    if (key == KEY_KEY && r->seen & 1u << key)
        return set_new_key(r, value);
    if (r->seen & 1u << key)
        return complain_at(r, r->line,
                           "'%s' is already set in line %" PRIu32 "; keep one",
                           name, r->key_line[key]);
    r->seen |= 1u << key;
    r->key_line[key] = r->line;
    switch (key) {
    case KEY_TAU:
        return set_time(r, &c->tau, name, value);
    case KEY_LEASE:
        return set_time(r, &c->lease, name, value);
    case KEY_KILL:
        return set_time(r, &c->kill, name, value);
    case KEY_DELAY:
        return set_time(r, &c->delay, name, value);
    case KEY_SILENCE:
        return set_time(r, &c->silence, name, value);
    case KEY_SPREAD:
        return set_spread(r, value);
    case KEY_KEY:
        return set_path(r, c->key_file, name, value);
    case KEY_STATE:
        return set_path(r, c->state, name, value);
    case KEY_USER:
        return set_person(r, c->user, name, value);
    case KEY_GROUP:
        return set_person(r, c->group, name, value);
    case KEY_PERMISSIONS:
        return set_permissions(r, value);
    case KEY_MODE:
        return set_mode(r, value);
    case KEY_BOUNDS:
        return set_bounds(r, value);
    case KEY_DMAX:
        return set_time(r, &c->dmax, name, value);
    case KEY_STEP:
        return set_time(r, &c->step, name, value);
    case KEY_WINDOW:
        return set_window(r, value);
    case KEY_GENERATION:
        return set_generation(r, value);
    default:
        return set_path(r, c->socket, name, value);
    }
}

/* A name is part of the names of files. */
bool live_config_is_name(const char *name)
{
    size_t size = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrst"
                               "uvwxyz0123456789_.-");

    return size > 0 && size < LIVE_NAME_MAX && !name[size] && name[0] != '.' &&
           name[0] != '-';
}

bool live_config_fits(const struct live_config_node *node)
{
    size_t host = strspn(node->host, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmno"
                                     "pqrstuvwxyz0123456789_.:%-");

    return live_config_is_name(node->name) && node->port && host > 0 &&
           host < LIVE_HOST_MAX && !node->host[host];
}

/* The node of a section, made at its first key; NULL after a complaint. */
static struct live_config_node *node_of(struct reading *r, const char *name)
{
    struct live_config *c = r->config;
    int found = live_config_find(c, name);

    if (found >= 0 && r->node_line[found] != r->section_line) {
        complain_at(r, r->section_line,
                    "node '%s' is already defined in line %" PRIu32
                    "; choose another name, or remove one",
                    name, r->node_line[found]);
        return NULL;
    }
    if (found >= 0)
        return &c->nodes[found];
    if (!live_config_is_name(name)) {
        complain_at(r, r->section_line,
                    "'%.40s' is not the name of a node; use 1 to %d letters, "
                    "digits, '_', '.' or '-', beginning with neither '.' nor "
                    "'-'",
                    name, LIVE_NAME_MAX - 1);
        return NULL;
    }
    if (c->nodes_count == LIVE_NODES_MAX) {
        complain_at(r, r->section_line,
                    "there are more than %d nodes; remove some",
                    LIVE_NODES_MAX);
        return NULL;
    }
    r->node_line[c->nodes_count] = r->section_line;
    memcpy(c->nodes[c->nodes_count].name, name, strlen(name) + 1);
    return &c->nodes[c->nodes_count++];
}

enum { NODE_HOST, NODE_PORT, NODE_WITNESS, NODE_ID, NODE_KEYS };
static const char *const node_keys[NODE_KEYS] = {"host", "port", "witness",
                                                 "id"};

bool live_config_is_host(const char *text)
{
    return text[0] && strlen(text) < LIVE_HOST_MAX &&
           !strpbrk(text, " \t\r\n[]");
}

static int set_host(struct reading *r, struct live_config_node *n,
                    const char *value)
{
    if (!live_config_is_host(value))
        return complain_at(r, r->line,
                           "'%.40s' is not a host; write an address or a name, "
                           "without brackets and port",
                           value);
    memcpy(n->host, value, strlen(value) + 1);
    return 1;
}

static int set_port(struct reading *r, struct live_config_node *n,
                    const char *value)
{
    uint64_t port;
    const char *rest = read_number(value, &port);

    if (!rest || *rest || port < 1 || port > 65535)
        return complain_at(r, r->line,
                           "'%.40s' is not a port; write a number in 1..65535",
                           value);
    n->port = (uint16_t)port;
    return 1;
}

static int set_witness(struct reading *r, struct live_config_node *n,
                       const char *value)
{
    n->witness = !strcmp(value, "yes");
    if (n->witness || !strcmp(value, "no"))
        return 1;
    return complain_at(r, r->line, "witness = %.40s; write yes or no", value);
}

/* Which ids are left for it is known when all sections are read. */
static int set_id(struct reading *r, uint32_t *id, const char *value)
{
    uint64_t number;
    const char *rest = read_number(value, &number);

    if (!rest || *rest || number >= LIVE_NODES_MAX)
        return complain_at(r, r->line,
                           "id = %.40s; only a node that joined later has an "
                           "id, up to %d: 'fulcrum cluster show --ini' prints "
                           "it",
                           value, LIVE_NODES_MAX - 1);
    *id = (uint32_t)number;
    return 1;
}

static int set_node(struct reading *r, const char *node, const char *name,
                    const char *value)
{
    struct live_config_node *n = node_of(r, node);
    uint32_t key = 0, *seen, at;

    if (!n)
        return 0;
    at = (uint32_t)(n - r->config->nodes);
    while (key < NODE_KEYS && strcmp(node_keys[key], name) != 0)
        key++;
    if (key == NODE_KEYS)
        return complain_at(r, r->line,
                           "a node has no '%.40s'; it has host and port, and "
                           "perhaps witness and id",
                           name);
    seen = &r->node_seen[at];
    if (*seen & 1u << key)
        return complain_at(r, r->line,
                           "node '%s' has a %s already; keep one of them", node,
                           name);
    *seen |= 1u << key;
    switch (key) {
    case NODE_HOST:
        return set_host(r, n, value);
    case NODE_PORT:
        return set_port(r, n, value);
    case NODE_ID:
        return set_id(r, &r->node_id[at], value);
    default:
        return set_witness(r, n, value);
    }
}

static int on_key(void *user, const char *section, const char *name,
                  const char *value)
{
    struct reading *r = user;

    if (r->failed)
        return 0;
    r->section_used = true;
    if (!strcmp(section, "cluster"))
        return set_cluster(r, name, value);
    if (!strncmp(section, "node ", 5))
        return set_node(r, section + 5 + strspn(section + 5, " "), name, value);
    if (!section[0])
        return complain_at(r, r->line,
                           "'%.40s' comes before any section; write [cluster] "
                           "or [node NAME] above it",
                           name);
    return complain_at(r, r->section_line,
                       "there is no section [%.40s]; there are [cluster] and "
                       "[node NAME]",
                       section);
}

/* ---- Lines --------------------------------------------------------------- */

/* Before a section begins, and at the end of the file. */
static void end_section(struct reading *r)
{
    if (r->section_line && !r->section_used)
        complain_at(r, r->section_line,
                    "this section is empty; a node needs host and port");
}

/* Gives inih one line, as fgets does; ends early after a complaint.  Lines are
 * counted here, since inih does not report them. */
static char *next_line(char *to, int size, void *user)
{
    struct reading *r = user;
    size_t left = (size_t)(r->end - r->at), room = (size_t)size - 2, length;
    const char *newline, *first;

    if (!left || r->failed)
        return NULL;
    newline = memchr(r->at, '\n', left);
    length = newline ? (size_t)(newline - r->at) : left;
    r->line++;
    if (length > room || memchr(r->at, 0, length)) {
        complain_at(r, r->line,
                    length > room
                        ? "this line is longer than %zu bytes; shorten it"
                        : "there is a zero byte; this is not a text file%.0zu",
                    room);
        return NULL;
    }
    memcpy(to, r->at, length);
    to[length] = '\n';
    to[length + 1] = 0;
    r->at += length + (newline ? 1 : 0);
    first = to + strspn(to, " \t\r");
    if (*first == '[') {
        end_section(r);
        if (!strchr(first, ']'))
            complain_at(r, r->line, "this section has no ']'; close it");
        r->section_line = r->line;
        r->section_used = !strncmp(first, "[cluster]", 9);
    }
    return to;
}

/* ---- The whole ----------------------------------------------------------- */

/* What each section must say, while they are in the order of the file. */
static void check_sections(struct reading *r)
{
    const struct live_config *c = r->config;

    for (uint32_t i = 0; i < c->nodes_count; i++)
        for (uint32_t key = NODE_HOST; key <= NODE_PORT; key++)
            if (!(r->node_seen[i] & 1u << key))
                complain_at(r, r->node_line[i], "node '%s' has no %s; add it",
                            c->nodes[i].name, node_keys[key]);
}

/* One section, to its id. */
static void place_node(struct reading *r, const struct live_config_node *node,
                       uint32_t line, uint32_t id)
{
    struct live_config *c = r->config;

    if (c->nodes[id].name[0]) {
        complain_at(r, line,
                    "nodes '%s' and '%s' have the same id, %" PRIu32
                    ", which names one for ever; 'fulcrum cluster show --ini' "
                    "prints which",
                    c->nodes[id].name, node->name, id);
        return;
    }
    c->nodes[id] = *node;
    r->node_line[id] = line;
    if (c->nodes_count <= id)
        c->nodes_count = id + 1;
}

/* From the order of the file to that of ids: sections without one are the first
 * list, and count from 0. */
static void place_nodes(struct reading *r)
{
    struct live_config *c = r->config;
    struct live_config_node nodes[LIVE_NODES_MAX];
    uint32_t count = c->nodes_count, next = 0, line[LIVE_NODES_MAX];

    memcpy(nodes, c->nodes, sizeof nodes);
    memcpy(line, r->node_line, sizeof line);
    memset(c->nodes, 0, sizeof c->nodes);
    c->nodes_count = 0;
    for (uint32_t i = 0; i < count; i++)
        c->first_count += !(r->node_seen[i] & 1u << NODE_ID);
    for (uint32_t i = 0; i < count; i++) {
        if (!(r->node_seen[i] & 1u << NODE_ID))
            place_node(r, &nodes[i], line[i], next++);
        else if (r->node_id[i] >= c->first_count)
            place_node(r, &nodes[i], line[i], r->node_id[i]);
        else
            complain_at(r, line[i],
                        "node '%s' has the id %" PRIu32 " of a node of the "
                        "first list, which are those without id; one that "
                        "joined later has at least %" PRIu32,
                        nodes[i].name, r->node_id[i], c->first_count);
    }
}

/* A node that joined later may have the address of one that has left. */
static void check_addresses(struct reading *r)
{
    const struct live_config *c = r->config;

    for (uint32_t i = 0; i < c->first_count; i++)
        for (uint32_t j = 0; j < i; j++)
            if (c->nodes[i].port == c->nodes[j].port &&
                !strcmp(c->nodes[i].host, c->nodes[j].host))
                complain_at(r, r->node_line[i],
                            "nodes '%s' and '%s' have the same host and port; "
                            "give each its own",
                            c->nodes[j].name, c->nodes[i].name);
}

static void check_nodes(struct reading *r)
{
    const struct live_config *c = r->config;
    uint32_t holders = 0;

    if (c->first_count < 2)
        complain_at(r, r->line,
                    "there %s; a cluster begins with 2 to %d sections [node "
                    "NAME] without id",
                    c->first_count ? "is one node only" : "are no nodes",
                    LIVE_FIRST_MAX);
    if (c->first_count > LIVE_FIRST_MAX)
        complain_at(r, r->node_line[LIVE_FIRST_MAX],
                    "there are more than %d nodes without id; remove some",
                    LIVE_FIRST_MAX);
    check_addresses(r);
    for (uint32_t i = 0; i < c->first_count; i++)
        holders += !c->nodes[i].witness;
    if (!holders)
        complain_at(r, r->line,
                    "all nodes are witnesses, and none could hold a lock; let "
                    "one hold locks");
}

/* A group and the permissions that it has belong together. */
static void check_clients(struct reading *r)
{
    struct live_config *c = r->config;

    if (c->group[0] && !(r->seen & 1u << KEY_PERMISSIONS))
        c->permissions = 0660;
    if (!c->group[0] && c->permissions == 0660)
        complain_at(
            r, line_of(r, KEY_PERMISSIONS),
            "permissions = 0660 are for a group; name it: group = NAME");
    else if (c->group[0] && c->permissions != 0660)
        complain_at(r, line_of(r, KEY_PERMISSIONS),
                    "permissions = %04o make no difference to the group '%s'; "
                    "write 0660, or leave one of them out",
                    (unsigned)c->permissions, c->group);
}

/* The longest path of a socket that the system takes. */
static void check_socket(struct reading *r)
{
    const struct live_config *c = r->config;
    char path[LIVE_PATH_MAX];

    for (uint32_t i = 0; i < c->nodes_count; i++) {
        if (!live_config_knows(c, i))
            continue;
        live_config_socket(c, i, path);
        if (strlen(path) >= sizeof((struct sockaddr_un *)0)->sun_path)
            complain_at(r, line_of(r, KEY_SOCKET),
                        "the socket of node '%s' has a path of more than %zu "
                        "bytes; take a shorter one",
                        c->nodes[i].name,
                        sizeof((struct sockaddr_un *)0)->sun_path - 1);
        if (i >= c->first_count || strstr(c->socket, "%i"))
            continue;
        for (uint32_t j = 0; j < i; j++)
            if (!strcmp(c->nodes[i].host, c->nodes[j].host))
                complain_at(r, line_of(r, KEY_SOCKET),
                            "nodes '%s' and '%s' are on one host; write %%i "
                            "for the name in the path of the socket",
                            c->nodes[j].name, c->nodes[i].name);
    }
}

/* ---- Whether the times can work, and bounds were meant ------------------- */

/* A lease must outlive a lost frame or two, or nobody ever holds one. */
static void check_times(struct reading *r)
{
    struct net_why why;
    uint32_t key =
        live_config_odd_time(r->config, r->seen & 1u << KEY_KILL, &why);

    if (key != KEYS)
        complain_at(r, line_of(r, key), "%s", why.text);
}

/* Nobody gets there by mistake: what it rests on must be written down. */
static void check_silence(struct reading *r)
{
    const struct live_config *c = r->config;
    const uint32_t hard = 1u << KEY_BOUNDS | 1u << KEY_DMAX | 1u << KEY_STEP;

    for (uint32_t i = 0; i < c->nodes_count; i++)
        if (c->nodes[i].witness)
            complain_at(r, r->node_line[i],
                        "node '%s' is a witness, and mode = silence needs no "
                        "majority; remove that line",
                        c->nodes[i].name);
        else if (i >= c->first_count && c->nodes[i].name[0])
            complain_at(r, r->node_line[i],
                        "node '%s' has an id, and in mode = silence nobody "
                        "joins later; remove that line, and raise the "
                        "generation",
                        c->nodes[i].name);
    if (c->nodes_count > LIVE_SILENCE_MAX)
        complain_at(r, r->node_line[LIVE_SILENCE_MAX],
                    "mode = silence has at most %d nodes; remove some, or take "
                    "mode = proven",
                    LIVE_SILENCE_MAX);
    if ((r->seen & hard) != hard)
        complain_at(r, line_of(r, KEY_MODE),
                    "mode = silence takes silence for consent, and two nodes "
                    "may hold a lock if they cannot reach each other; if no "
                    "packet is ever later than dmax and no node ever slower "
                    "than step, write both and bounds = hard, else take mode "
                    "= proven");
    else if (c->dmax < 100 || c->dmax > 10 * SECOND)
        complain_at(r, line_of(r, KEY_DMAX),
                    "dmax must be in 100us..10s; write a bound that is never "
                    "exceeded");
    else if (c->step < 1000 || c->step > 10 * SECOND)
        complain_at(r, line_of(r, KEY_STEP),
                    "step must be in 1ms..10s; write a bound that is never "
                    "exceeded");
    else if (c->lease < c->kill + 3 * c->step)
        complain_at(r, line_of(r, KEY_LEASE),
                    "a lease of %s, less kill, is shorter than three steps; "
                    "make it at least %s",
                    live_spelt(c->lease).text,
                    live_spelt_up(live_config_shortest(
                                      c, r->seen & 1u << KEY_KILL, 3 * c->step))
                        .text);
}

/* A bound that nothing is done with would look like a promise. */
static void check_proven(struct reading *r)
{
    static const uint32_t bounds[] = {KEY_BOUNDS, KEY_DMAX, KEY_STEP,
                                      KEY_WINDOW};

    for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++)
        if (r->seen & 1u << bounds[i])
            complain_at(r, r->key_line[bounds[i]],
                        "%s is for mode = silence; remove it, or write that "
                        "mode",
                        live_config_keys[bounds[i]]);
    check_times(r);
}

/* Nothing dies in no time, and nobody wakes up without delay: with less the
 * first promise would rest on luck. */
static void check_kill(struct reading *r)
{
    if (r->config->kill < KILL_LEAST)
        complain_at(r, line_of(r, KEY_KILL),
                    "kill = %s leaves no time for a command to die before "
                    "another may hold its lock; make it at least %s, and more "
                    "than twice as long as this machine may be late",
                    live_spelt(r->config->kill).text,
                    live_spelt(KILL_LEAST).text);
}

static void check_all_times(struct reading *r)
{
    check_kill(r);
    if (r->config->mode == LIVE_SILENCE)
        check_silence(r);
    else
        check_proven(r);
}

/* ---- A whole file -------------------------------------------------------- */

bool live_config_parse(struct live_config *config, const char *path,
                       const char *text, size_t size, struct net_why *error)
{
    struct reading r = {.config = config,
                        .path = path,
                        .at = text,
                        .end = text + size,
                        .error = error};
    int odd;

    error->text[0] = 0;
    *config = (struct live_config){.tau = 100 * MS,
                                   .lease = 2 * SECOND,
                                   .delay = 50 * MS,
                                   .spread_ppm = 2000,
                                   .generation = 1,
                                   .permissions = 0600,
                                   .state = "/var/lib/fulcrum",
                                   .socket = "/run/fulcrum/%i.socket"};
    set_path(&r, config->key_file, "key", "cluster.key");
    odd = ini_parse_stream(next_line, &r, on_key, &r);
    end_section(&r);
    if (odd)
        complain_at(&r, odd > 0 ? (uint32_t)odd : 1,
                    "this line is neither '[section]' nor 'key = value'; "
                    "comments begin with # or ;");
    if (!(r.seen & 1u << KEY_KILL))
        config->kill = config->lease / 10;
    check_clients(&r);
    check_sections(&r);
    place_nodes(&r);
    check_nodes(&r);
    check_all_times(&r);
    check_socket(&r);
    config->hash = live_config_hash(config);
    return !r.failed;
}
