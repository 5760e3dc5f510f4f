/*
 * test_view_lock_node.h - one node of the live lock, with events by hand: what
 * the tests of its rules share.
 */
#ifndef VIEW_LOCK_NODE_H
#define VIEW_LOCK_NODE_H

#include "protocols/mutex/view_lock/view_lock.h"
#include "tests/unit/kit/testing.h"

enum { ME = 1, PEER = 0, OTHER = 2, NODES = 3 };
enum { TAU = 10, LEASE = 100, KILL = 5, QUIET = 126, SILENCE = 126 };
enum { DELTA = 20, VIEW = 1 << VIEW_LOCK_ID_BITS, HIGHER = 2 * VIEW };
enum { ALL = 7 };

/* ---- One node, events by hand -------------------------------------------- */

struct bench {
    struct view_lock s;
    struct view_lock_params p;
    struct fc_member me;
    uint64_t now;
    struct view_lock_msg sent[32]; /* in the last event */
    uint16_t to[32];
    uint32_t sends;
    struct fc_effects fx; /* of all parts of the last event */
};

/* One event with its continuations; each part is stepped twice, from copies,
 * and must do the same. */
static inline void happens(struct bench *b, struct view_lock_in in)
{
    b->sends = 0;
    memset(&b->fx, 0, sizeof b->fx);
    for (;;) {
        struct view_lock again = b->s;
        struct view_lock_out out, twice;

        memset(&out, 0, sizeof out);
        memset(&twice, 0, sizeof twice);
        in.event.now = b->now;
        view_lock_step(&b->s, &b->p, &b->me, &in, &out);
        view_lock_step(&again, &b->p, &b->me, &in, &twice);
        assert_memory_equal(&b->s, &again, sizeof again);
        assert_memory_equal(&out, &twice, sizeof out);
        for (uint32_t i = 0; i < out.fx.sends; i++) {
            b->to[b->sends] = out.fx.to[i];
            b->sent[b->sends++] = out.send[i];
        }
        b->fx.notes |= out.fx.notes;
        b->fx.save |= out.fx.save;
        assert_null(view_lock_sane(&b->s, &b->p, &b->me));
        if (!out.fx.choose && !out.fx.go_on)
            return;
        in = (struct view_lock_in){.event = {.kind = FC_GO_ON}};
        if (out.fx.choose)
            in.event = (struct fc_event){.kind = FC_CHOICE,
                                         .value = out.fx.choose - 1};
    }
}

static inline void reads(struct bench *b, uint16_t from, struct view_lock_msg m)
{
    happens(b, (struct view_lock_in){
                   .event = {.kind = FC_MESSAGE, .port = from}, .msg = m});
}

static inline void times_out(struct bench *b)
{
    happens(b, (struct view_lock_in){.event = {.kind = FC_TIMEOUT}});
}

static inline void commands(struct bench *b, uint8_t what)
{
    happens(b, (struct view_lock_in){
                   .event = {.kind = FC_COMMAND, .command = what}});
}

/* The last message of a kind to somebody, or NULL. */
static inline const struct view_lock_msg *sent(const struct bench *b,
                                               uint8_t kind, uint16_t to)
{
    for (uint32_t i = b->sends; i-- > 0;)
        if (b->sent[i].kind == kind && b->to[i] == to)
            return &b->sent[i];
    return NULL;
}

static inline uint8_t role(const struct bench *b)
{
    struct mutex_view view;

    view_lock_view(&b->s, &b->me, &view);
    return view.role;
}

/* A node that was started long ago. */
static inline struct bench started(enum view_lock_without without)
{
    struct bench b = {
        .me = {ME, NODES},
        .p = {.tau = TAU,
              .lease = LEASE,
              .kill = KILL,
              .silence = SILENCE,
              .delta = DELTA,
              .quiet = QUIET,
              .without = (uint8_t)without},
        .now = 1,
    };

    happens(&b, (struct view_lock_in){.event = {.kind = FC_BOOT}});
    b.now = 1000;
    return b;
}

/* A frame of a node that shows this view, and echoes our stamp. */
static inline struct view_lock_msg frame_of(uint32_t view, uint64_t stamp,
                                            uint64_t echo)
{
    return (struct view_lock_msg){
        .kind = VIEW_LOCK_FRAME,
        .inc = 1,
        .maxv = view,
        .view = view,
        .stamp = stamp,
        .echo_inc = echo ? 1 : 0,
        .echo_stamp = echo,
        .members = view ? ALL : 0,
        .heard = ALL,
        .flags = VIEW_LOCK_READY,
    };
}

static inline struct view_lock_msg newview_of(uint32_t view, uint64_t quiet,
                                              uint32_t base)
{
    return (struct view_lock_msg){
        .kind = VIEW_LOCK_NEWVIEW,
        .inc = 1,
        .view = view,
        .stamp = quiet,
        .number = base,
        .members = ALL,
        .count = NODES,
        .each = {1, 1, 1},
    };
}

static inline struct view_lock_msg propose_of(uint32_t view)
{
    return (struct view_lock_msg){
        .kind = VIEW_LOCK_PROPOSE, .inc = 1, .view = view, .members = ALL};
}

static inline struct view_lock_msg request_of(uint32_t view, uint32_t number)
{
    return (struct view_lock_msg){
        .kind = VIEW_LOCK_REQUEST, .inc = 1, .view = view, .number = number};
}

static inline struct view_lock_msg clear_of(uint32_t view, uint32_t number)
{
    return (struct view_lock_msg){.kind = VIEW_LOCK_CLEAR,
                                  .inc = 1,
                                  .view = view,
                                  .number = number,
                                  .time = number};
}

/* In VIEW with all others, heard of just now, leased by a frame sent now. */
static inline struct bench member(enum view_lock_without without)
{
    struct bench b = started(without);

    reads(&b, PEER, propose_of(VIEW));
    reads(&b, PEER, newview_of(VIEW, 0, 0));
    assert_int_equal(b.s.view, VIEW);
    reads(&b, PEER, frame_of(VIEW, 1, b.now));
    reads(&b, OTHER, frame_of(VIEW, 1, b.now));
    assert_true(b.s.lease_end == b.now + LEASE);
    return b;
}

/* Inside, with both consents, under number 1. */
static inline struct bench holder(enum view_lock_without without)
{
    struct bench b = member(without);

    commands(&b, MUTEX_WANT);
    reads(&b, PEER, clear_of(VIEW, 1));
    reads(&b, OTHER, clear_of(VIEW, 1));
    assert_int_equal(role(&b), MUTEX_INSIDE);
    return b;
}

/* Some time in which frames of PEER come, and none of OTHER. */
static inline void other_is_silent(struct bench *b, uint64_t steps)
{
    for (uint64_t end = b->now + steps; b->now < end;) {
        b->now += end - b->now < TAU ? end - b->now : TAU;
        reads(b, PEER, frame_of(VIEW, b->now, 0));
        times_out(b);
    }
}

/* ME proposes a view of all three, a Delta after PEER did not. */
static inline struct bench proposer(enum view_lock_without without)
{
    struct bench b = started(without);

    for (int i = 0; i < 2; i++) {
        reads(&b, PEER, frame_of(0, (uint64_t)i + 1, 0));
        reads(&b, OTHER, frame_of(0, (uint64_t)i + 1, 0));
        times_out(&b);
        b.now += i ? 0 : DELTA;
    }
    assert_int_equal(sent(&b, VIEW_LOCK_PROPOSE, PEER)->members, ALL);
    return b;
}

/* A vote for what b proposes; it took OTHER's last frame that long ago. */
static inline struct view_lock_msg vote_for(const struct bench *b, uint64_t age)
{
    return (struct view_lock_msg){.kind = VIEW_LOCK_VOTE,
                                  .inc = 1,
                                  .echo_inc = 1,
                                  .view = b->s.record.maxv,
                                  .count = NODES,
                                  .flags = VIEW_LOCK_READY | VIEW_LOCK_FREE,
                                  .each[OTHER] = age};
}

static inline void a_frame_later(struct bench *b)
{
    b->now += TAU;
    times_out(b);
}

#endif
