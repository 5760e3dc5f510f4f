/*
 * desk.c - see desk.h: locks, and which client gets them.
 *
 * After every event of the protocol each lock that somebody here is interested
 * in is compared with what the protocol says of it, and the one thing that
 * follows is done: a grant, a command to the protocol, or the end of a holder.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live/desk/desk_parts.h"

#include "live/clock.h"
#include "live/log.h"
#include "live/process/proc.h"

enum {
    TELL_AFTER = 1000000, /* why it takes so long */
    LOOK_AGAIN = 1000,    /* whether the killed are dead */
};

/* FNV-1a.  Two names with one number would be one lock: they exclude each
 * other, which is slow and safe. */
static uint64_t number_of(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (; *name; name++)
        hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return hash ? hash : 1;
}

static struct live_lock_view look(const struct live_desk *desk,
                                  const struct lock *lock)
{
    return desk->mode->kind->look(desk->mode, lock->id);
}

static bool command(const struct live_desk *desk, const struct lock *lock,
                    enum live_command what)
{
    return desk->mode->kind->command(desk->mode, what, lock->id);
}

/* When commands are stopped: K before the lock may be another's. */
static uint64_t deadline_of(const struct live_desk *desk)
{
    uint64_t end = desk->mode->kind->until(desk->mode);

    return end > desk->config->kill ? end - desk->config->kill : 0;
}

/* ---- What follows from the state ----------------------------------------- */

struct tally {
    struct client *next; /* the first that waits */
    uint32_t holders, writers, dying;
};

static struct tally count(const struct lock *lock)
{
    struct tally sum = {0};
    struct client *c;

    TAILQ_FOREACH (c, &lock->clients, in_lock) {
        if (c->state == CLIENT_QUEUED) {
            sum.next = sum.next ? sum.next : c;
        } else {
            sum.holders++;
            sum.writers += !c->shared;
            sum.dying += c->state == CLIENT_DYING;
        }
    }
    return sum;
}

/* Clients that do not hold any more, whatever the reason, let go. */
static void drop_holders(struct live_desk *desk, struct lock *lock,
                         const struct live_lock_view *one, uint64_t now)
{
    struct client *c, *after;

    for (c = TAILQ_FIRST(&lock->clients); c; c = after) {
        bool ours = one->phase == FC_INSIDE && one->token == c->token;

        after = TAILQ_NEXT(c, in_lock);
        if (c->state != CLIENT_HOLDS && c->state != CLIENT_DYING)
            continue;
        if (!ours)
            client_kill(c, "the node lost its lease, or was left out");
        if (ours && (c->state == CLIENT_HOLDS || !client_is_dead(c, now)))
            continue;
        client_rest(c);
        if (c->gone)
            client_end(c);
        desk->again = true;
    }
}

static void let_in(struct live_desk *desk, struct lock *lock, struct client *c,
                   const struct live_lock_view *one)
{
    if (!client_grant(c, one->token, deadline_of(desk)))
        return;
    lock->granted = one->token;
    desk->again = true;
}

/* The node has the lock. */
static void inside(struct live_desk *desk, struct lock *lock,
                   const struct live_lock_view *one)
{
    struct tally who = count(lock);

    if (who.holders == 0) {
        /* A token is used once: passing on is to leave and to ask again. */
        if (!who.next || lock->granted == one->token ||
            (one->shared && !who.next->shared))
            (void)command(desk, lock, LIVE_LEAVE);
        else
            let_in(desk, lock, who.next, one);
    } else if (who.next && who.next->shared && one->shared && !who.writers &&
               !who.dying && !one->wanted) {
        let_in(desk, lock, who.next, one);
    }
}

/* It has not. */
static void outside(struct live_desk *desk, struct lock *lock,
                    const struct live_lock_view *one)
{
    struct tally who = count(lock);
    bool waits = one->phase == FC_WAITING;

    if (waits && (!who.next || (one->shared && !who.next->shared)))
        (void)command(desk, lock, LIVE_GIVE_UP);
    else if (who.next && !waits &&
             !command(desk, lock,
                      who.next->shared ? LIVE_WANT_SHARED : LIVE_WANT)) {
        client_refuse(who.next, LIVE_REFUSED_NOW,
                      "too many locks are in use at this node");
        desk->again = true;
    }
}

static void update_lock(struct live_desk *desk, struct lock *lock, uint64_t now)
{
    struct live_lock_view one = look(desk, lock);

    drop_holders(desk, lock, &one, now);
    if (desk->held_up[0])
        return;
    if (one.phase == FC_INSIDE)
        inside(desk, lock, &one);
    else
        outside(desk, lock, &one);
    if (TAILQ_EMPTY(&lock->clients) && look(desk, lock).phase == FC_IDLE)
        lock->used = false;
}

/* A client that waits for a node which is restarted need not give up. */
static void refuse_waiting(struct live_desk *desk, const char *why)
{
    bool goes = desk->leaves || desk->draining[0];
    struct client *c;

    TAILQ_FOREACH (c, &desk->clients, in_desk)
        if (c->state == CLIENT_QUEUED)
            client_refuse(c, goes ? LIVE_REFUSED_LEFT : LIVE_REFUSED_NOW, why);
}

/* Nobody is granted anything any more. */
static void send_away(struct live_desk *desk, const char *why)
{
    struct client *c;

    snprintf(desk->stopping, sizeof desk->stopping, "%s", why);
    refuse_waiting(desk, why);
    TAILQ_FOREACH (c, &desk->clients, in_desk)
        client_kill(c, why);
}

/* ---- Time ---------------------------------------------------------------- */

void desk_sleep_until(struct live_desk *desk, uint64_t at)
{
    if (at >= desk->timer_at)
        return;
    desk->timer_at = at;
    (void)live_timer_set(desk->timer_fd, at);
}

/* Sooner than the timer is set to, if something ends before. */
static void look_ahead(struct live_desk *desk, uint64_t now)
{
    uint64_t at = UINT64_MAX;
    struct client *c;

    desk->first_deadline = UINT64_MAX;
    TAILQ_FOREACH (c, &desk->clients, in_desk) {
        uint64_t end = UINT64_MAX;

        if (c->state == CLIENT_HOLDS) {
            end =
                atomic_load_explicit(&c->page->deadline, memory_order_relaxed);
            if (end < desk->first_deadline)
                desk->first_deadline = end;
        } else if (c->state == CLIENT_QUEUED) {
            end = c->wait_until;
            if (!c->told && c->asked_at + TELL_AFTER < end)
                end = c->asked_at + TELL_AFTER;
        } else if (c->state == CLIENT_DYING) {
            end = now + LOOK_AGAIN;
        }
        if (end < at)
            at = end;
    }
    desk_sleep_until(desk, at);
}

/* Clients that have waited too long are refused; those that have waited for a
 * while are told why. */
static void look_at_waiting(struct live_desk *desk, uint64_t now)
{
    struct client *c;

    TAILQ_FOREACH (c, &desk->clients, in_desk) {
        struct live_letter letter = {.kind = LIVE_WAITING};

        if (c->state != CLIENT_QUEUED)
            continue;
        if (now >= c->wait_until) {
            report_reason(desk, c->lock, letter.reason);
            desk->counts.timeouts++;
            client_refuse(c, LIVE_REFUSED_LATE, letter.reason);
        } else if (!c->told && now - c->asked_at >= TELL_AFTER) {
            c->told = true;
            report_reason(desk, c->lock, letter.reason);
            (void)client_say(c, &letter, -1);
        }
    }
}

void live_desk_expire(struct live_desk *desk, uint64_t now)
{
    struct client *c;

    if (now < desk->first_deadline)
        return;
    desk->first_deadline = UINT64_MAX;
    TAILQ_FOREACH (c, &desk->clients, in_desk) {
        uint64_t end;

        if (c->state != CLIENT_HOLDS)
            continue;
        end = atomic_load_explicit(&c->page->deadline, memory_order_relaxed);
        if (now >= end)
            client_kill(c, end == c->page->limit
                               ? "it was held for as long as it may be"
                               : "its deadline is over");
        else if (end < desk->first_deadline)
            desk->first_deadline = end;
    }
}

/* Whatever is held may be held for longer: deadlines that are not over yet move
 * on. */
static void move_deadlines(struct live_desk *desk)
{
    uint64_t end = desk->mode->kind->until(desk->mode);
    struct client *c;

    if (end == desk->moved_to)
        return;
    desk->moved_to = end;
    if (desk->holders)
        live_holders_beat(desk->holders, live_now(), deadline_of(desk));
    TAILQ_FOREACH (c, &desk->clients, in_desk)
        if (c->state == CLIENT_HOLDS) {
            struct live_lock_view one = look(desk, c->lock);

            if (one.phase == FC_INSIDE && one.token == c->token)
                client_move(c, deadline_of(desk));
        }
}

void live_desk_update(struct live_desk *desk)
{
    uint64_t now = live_now();
    const char *over;

    if (!desk->mode || desk->busy) {
        desk->again = true;
        return;
    }
    desk->busy = true;
    live_desk_expire(desk, now);
    over = desk->mode->kind->over ? desk->mode->kind->over(desk->mode) : NULL;
    if (over)
        send_away(desk, over);
    move_deadlines(desk);
    trail_sum(desk, now);
    do {
        desk->again = false;
        for (uint32_t i = 0; i < LIVE_LOCKS_MAX; i++)
            if (desk->locks[i].used)
                update_lock(desk, &desk->locks[i], now);
    } while (desk->again);
    look_ahead(desk, now);
    desk->busy = false;
}

/* A node that was late may be late again when it must kill in time. */
static void look_whether_late(struct live_desk *desk, uint64_t now)
{
    uint64_t late = now > desk->timer_at ? now - desk->timer_at : 0;

    if (late <= desk->latest)
        return;
    desk->latest = late;
    if (late > desk->config->kill / 2)
        live_log("kill = %" PRIu64 " ms, but this node woke up %" PRIu64
                 " ms late: take a longer 'kill'",
                 desk->config->kill / 1000, late / 1000);
}

static void on_timer(uv_poll_t *timer, int status, int events)
{
    struct live_desk *desk = timer->data;
    uint64_t times, now = live_now();

    (void)status;
    (void)events;
    while (read(desk->timer_fd, &times, sizeof times) > 0)
        ;
    look_whether_late(desk, now);
    desk->timer_at = UINT64_MAX;
    live_desk_expire(desk, now);
    look_at_waiting(desk, now);
    live_desk_update(desk);
}

/* ---- What clients ask ---------------------------------------------------- */

/* The lock of this name, or a new one; NULL: no room. */
static struct lock *lock_of(struct live_desk *desk, const char *name)
{
    uint64_t id = number_of(name);
    struct lock *empty = NULL;

    for (uint32_t i = 0; i < LIVE_LOCKS_MAX; i++) {
        struct lock *lock = &desk->locks[i];

        if (lock->used && lock->id == id)
            return lock;
        if (!lock->used && !empty)
            empty = lock;
    }
    if (!empty)
        return NULL;
    *empty = (struct lock){.id = id, .used = true};
    snprintf(empty->name, sizeof empty->name, "%.*s", LIVE_LOCK_NAME_MAX, name);
    TAILQ_INIT(&empty->clients);
    return empty;
}

void desk_ask(struct client *client, const struct live_letter *letter,
              int files[LIVE_FILES_MAX])
{
    struct live_desk *desk = client->desk;
    char reason[LIVE_REASON_MAX];

    if (desk->stopping[0] || desk->draining[0]) {
        client_refuse(client,
                      desk->leaves || desk->draining[0] ? LIVE_REFUSED_STOPS
                                                        : LIVE_REFUSED_NOW,
                      desk->stopping[0] ? desk->stopping : desk->draining);
        return;
    }
    if (desk->config->nodes[desk->self].witness) {
        client_refuse(
            client, LIVE_REFUSED_NOW,
            "this node is a witness, and holds no locks; ask another");
        return;
    }
    if (client_prepare(client, letter, files, reason)) {
        client_refuse(client, LIVE_REFUSED_NOW, reason);
        return;
    }
    if (letter->wait < desk->mode->patience)
        client->wait_until = client->asked_at + desk->mode->patience;
    client->lock = lock_of(desk, letter->name);
    if (!client->lock) {
        client_refuse(client, LIVE_REFUSED_NOW,
                      "too many locks are in use at this node");
        return;
    }
    client->state = CLIENT_QUEUED;
    TAILQ_INSERT_TAIL(&client->lock->clients, client, in_lock);
    live_desk_update(desk);
}

void desk_release(struct client *client)
{
    struct live_letter letter = {.kind = LIVE_RELEASED};

    if (client->state == CLIENT_HOLDS) {
        client->desk->counts.releases++;
        trail_released(client);
    }
    client_rest(client);
    (void)client_say(client, &letter, -1);
    live_desk_update(client->desk);
}

/* A holder that is gone is killed with its group, and lets go when that is
 * dead. */
void desk_left(struct client *client)
{
    struct live_desk *desk = client->desk;

    client_kill(client, "its client is gone");
    if (client->state != CLIENT_DYING) {
        client_rest(client);
        client_end(client);
    }
    live_desk_update(desk);
}

bool live_desk_vacate(struct live_desk *desk, uint64_t lock)
{
    uint64_t now = live_now();
    struct client *c;
    bool dead = true;

    TAILQ_FOREACH (c, &desk->clients, in_desk) {
        if (!c->lock || c->lock->id != lock)
            continue;
        client_kill(c, "a new view came about without this node");
        if (c->state == CLIENT_DYING && !client_is_dead(c, now))
            dead = false;
    }
    if (!dead)
        desk_sleep_until(desk, now + LOOK_AGAIN);
    return dead;
}

void live_desk_hold(struct live_desk *desk, const char *why)
{
    struct client *c;

    snprintf(desk->held_up, sizeof desk->held_up, "%s", why ? why : "");
    TAILQ_FOREACH (c, &desk->clients, in_desk)
        if (why)
            client_kill(c, why);
    live_desk_update(desk);
}

/* Whether no client is in this state, or in a later one. */
static bool nobody_reached(const struct live_desk *desk,
                           enum client_state state)
{
    const struct client *c;

    TAILQ_FOREACH (c, &desk->clients, in_desk)
        if (c->state >= state)
            return false;
    return true;
}

bool live_desk_drain(struct live_desk *desk, const char *why)
{
    snprintf(desk->draining, sizeof desk->draining, "%s", why);
    refuse_waiting(desk, why);
    live_desk_update(desk);
    return nobody_reached(desk, CLIENT_HOLDS);
}

bool live_desk_stop(struct live_desk *desk, const char *why)
{
    desk->leaves = true;
    send_away(desk, why);
    live_desk_update(desk);
    return nobody_reached(desk, CLIENT_DYING);
}

/* ---- Beginning and end --------------------------------------------------- */

struct live_desk *
live_desk_open(uv_loop_t *loop, const struct live_config *config, uint32_t self,
               const char *path, const struct live_user *user,
               live_describe *describe, void *whom, char error[LIVE_ERROR_SIZE])
{
    struct live_desk *desk = calloc(1, sizeof *desk);

    if (!desk) {
        snprintf(error, LIVE_ERROR_SIZE, "no memory is left");
        return NULL;
    }
    desk->loop = loop;
    desk->config = config;
    desk->self = self;
    desk->describe = describe;
    desk->whom = whom;
    desk->first_deadline = desk->timer_at = UINT64_MAX;
    desk->listener_fd = -1;
    desk->sees_processes = live_proc_is_own();
    desk->time_ns = live_time_namespace();
    TAILQ_INIT(&desk->clients);
    snprintf(desk->path, sizeof desk->path, "%s", path);
    desk->timer_fd = live_timer();
    if (desk->timer_fd < 0 || socket_open(desk, user, error)) {
        if (desk->timer_fd < 0)
            snprintf(error, LIVE_ERROR_SIZE, "cannot make a timer: %s",
                     strerror(errno));
        else
            close(desk->timer_fd);
        free(desk);
        return NULL;
    }
    desk->timer.data = desk;
    (void)uv_poll_init(loop, &desk->timer, desk->timer_fd);
    (void)uv_poll_start(&desk->timer, UV_READABLE, on_timer);
    desk->closing++;
    return desk;
}

void live_desk_serve(struct live_desk *desk, struct live_mode *mode,
                     struct live_holders *holders)
{
    desk->mode = mode;
    desk->holders = holders;
}

const struct live_desk_counts *live_desk_counts(const struct live_desk *desk)
{
    return &desk->counts;
}

void desk_closed(uv_handle_t *handle)
{
    struct live_desk *desk = handle->data;

    if (--desk->closing > 0)
        return;
    close(desk->timer_fd);
    free(desk);
}

void live_desk_close(struct live_desk *desk)
{
    struct client *c, *after;

    desk->closed = true;
    desk->mode = NULL;
    for (c = TAILQ_FIRST(&desk->clients); c; c = after) {
        after = TAILQ_NEXT(c, in_desk);
        client_rest(c);
        client_end(c);
    }
    socket_close(desk);
    uv_close((uv_handle_t *)&desk->timer, desk_closed);
}
