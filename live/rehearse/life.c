/*
 * life.c - the life of a daemon in a rehearsal: its end, what becomes of its
 * record, and its start with what is left of that.
 */
#include "live/rehearse/world.h"

#include "live/record/record.h"

#include <string.h>

enum { SECOND = 1000000 };

static const char *name_of(const struct world *w, const struct machine *m)
{
    return w->config->nodes[m->id].name;
}

static struct event a_start(const struct machine *m)
{
    return (struct event){.kind = EV_START, .node = (uint8_t)m->id};
}

void daemon_die(struct world *w, struct machine *m, const char *how)
{
    if (!m->daemon.alive)
        return;
    world_story(w, "%s: its daemon ends: %s", name_of(w, m), how);
    m->daemon = (struct process){0};
    m->may_break = false;
    if (m->writes &&
        world_chance(w, 1, 2)) { /* the write came through, or not */
        m->old = m->disk;
        m->disk = m->writing;
    }
    m->writes = m->overtaken = false;
    if (w->now < m->sure_at && world_chance(w, 1, 2))
        m->disk = m->before;
    live_node_close(&m->node);
    live_effects_clear(&m->effects);
    m->next = 0;
    for (uint32_t i = 0; i < w->setup->clients; i++)
        people_hung_up(w, m, i);
}

/* R6a: the node itself asks all others of the newest list. */
static void rejoin(struct world *w, struct machine *m)
{
    const struct live_mode_kind *kind = live_mode_of(w->config);
    struct live_kept kept = {.starts = m->disk.starts};

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *o = &w->machines[i];

        if (i == m->id || w->setup->without.machine == LIVE_WITHOUT_P3 ||
            !judge_is_running(w, &o->daemon))
            continue;
        kind->remind(&kept, o->channels[m->id].maxv);
        if (kept.starts < o->channels[m->id].life)
            kept.starts = (uint32_t)o->channels[m->id].life;
    }
    if (w->setup->without.machine != LIVE_WITHOUT_P3)
        kind->rejoin(&kept, m->file);
    world_story(w, "%s: its record is to be repaired", name_of(w, m));
    m->disk = m->old = kept;
    m->missing = m->set_back = false;
    m->repaired = true;
}

/* P3: a record is missing, or is not trusted: every other node is asked, and
 * then a lease is outwaited.  False: somebody does not answer. */
static bool repair(struct world *w, struct machine *m)
{
    const struct live_mode_kind *kind = live_mode_of(w->config);
    struct live_kept kept = {.starts = m->disk.starts};
    uint32_t off = 0;

    for (uint32_t i = 0; i < w->nodes; i++) {
        const struct machine *o = &w->machines[i];

        if (i != m->id && !o->daemon.alive && !o->missing &&
            off < live_record_may_lack(w->nodes)) {
            off++;
            continue;
        }
        if (i == m->id || w->setup->without.machine == LIVE_WITHOUT_P3)
            continue;
        if (!judge_is_running(w, &o->daemon) || o->missing || w->cut[i] ||
            live_has(w->cut[m->id], i) ||
            kind->promised(o->node.mode) == UINT64_MAX)
            return false;
        kind->remind(&kept, kind->promised(o->node.mode));
        kind->remind(&kept, o->channels[m->id].maxv);
        if (kept.starts < o->channels[m->id].life)
            kept.starts = (uint32_t)o->channels[m->id].life;
    }
    world_story(w, "%s: its record is repaired", name_of(w, m));
    m->disk = m->old = kept;
    m->missing = m->set_back = false;
    m->repaired = true;
    return true;
}

static void open_links(struct world *w, struct machine *m)
{
    m->self = (struct live_self){.hash = m->file->generation,
                                 .life = m->disk.starts,
                                 .salt = world_draw(w) | 1,
                                 .id = m->id,
                                 .first_count = m->file->first_count,
                                 .nodes_count =
                                     w->known ? w->nodes : m->file->nodes_count,
                                 .generation = m->file->generation,
                                 .keys = &w->keys};
    m->met = (struct live_met){0};
    memset(m->hello_at, 0, sizeof m->hello_at);
    keys_start(w, m);
}

static void leave_out(struct live_mode *mode, const struct live_left_out *out)
{
    struct live_engine *engine;

    if (mode->config->mode == LIVE_SILENCE) {
        live_silence_leave_out(mode, out->silence);
        return;
    }
    engine = live_mode_engine(mode);
    engine->params.without = out->protocol;
    engine->hasty = out->machine == LIVE_WITHOUT_VACATE;
}

void daemon_open(struct world *w, struct machine *m, struct live_mode *mode)
{
    leave_out(mode, &w->setup->without);
    live_node_open(&m->node, mode, w->setup->without.desk);
}

/* The record has this start in it before anything is sent. */
static void begin_life(struct world *w, struct machine *m,
                       struct live_mode *mode)
{
    daemon_open(w, m, mode);
    memset(m->seats, 0, sizeof m->seats);
    m->daemon = (struct process){.alive = true};
    m->life++;
    m->host_at = m->desk_at = UINT64_MAX;
    m->slowest = m->stop_at = 0;
    m->told = m->promises = false;
    live_node_boot(&m->node, world_local_now(w, m), &m->effects);
    live_effects_clear(&m->effects);
    m->old = m->disk;
    m->disk = mode->kind->record(mode);
    open_links(w, m);
    live_node_written(&m->node, &m->disk, world_local_now(w, m), &m->effects);
    daemon_go_on(w, m);
}

void daemon_start(struct world *w, struct machine *m)
{
    struct net_why error;
    struct live_past past = {.seed = world_draw(w)};
    struct live_mode *mode;

    if (m->daemon.alive || !lists_start(w, m))
        return;
    if (m->asleep > w->now || m->disk_full) {
        world_post(w, w->now + SECOND, a_start(m));
        return;
    }
    if (m->missing && w->known)
        rejoin(w, m);
    if (m->missing) {
        world_post(
            w,
            w->now + (repair(w, m) ? 2 * live_config_quiet(w->config) : SECOND),
            a_start(m));
        return;
    }
    if (!change_allows(m)) {
        world_post(w, w->now + SECOND, a_start(m));
        return;
    }
    past.kept = m->disk;
    if (w->setup->without.machine == LIVE_WITHOUT_FLOOR)
        memset(past.kept.bytes, 0, sizeof past.kept.bytes);
    mode = live_mode_of(m->file)->open(m->file, m->id, &past, &error);
    if (!mode) {
        w->failed = true;
        return;
    }
    if (!lists_apply(w, m, mode)) {
        world_story(w, "%s: it is in no list any more", name_of(w, m));
        m->left = true;
        mode->kind->close(mode);
        return;
    }
    world_story(w, "%s: its daemon starts, number %u", name_of(w, m),
                m->disk.starts + 1);
    m->speaks = m->speaks_next;
    if (w->choices && !m->life)
        choice_start(w, m);
    begin_life(w, m, mode);
}
