/*
 * fuzz_view_lock_step.c - any messages, timeouts and commands for a node of the
 * live lock: it may become useless, but does nothing that C does not define,
 * stays sane, and its promises on disk never go back.
 *
 * The bytes are cut into events: what and how much later, from whom, how long,
 * and then that many bytes of a message.
 */
#include <stdlib.h>
#include <string.h>

#include "protocols/mutex/view_lock/view_lock.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NODES = 3, ME = 1, TURNS_MAX = 1000 };

static void must(int holds)
{
    if (!holds)
        abort();
}

struct node {
    struct view_lock state;
    struct view_lock_params params;
    struct fc_member me;
    uint64_t now;
};

/* One event, and as many turns as the node asks for. */
static void happen(struct node *n, struct view_lock_in *in)
{
    static struct view_lock_out out;
    struct view_lock_record before = n->state.record;

    in->event.now = n->now;
    for (uint32_t turn = 0;; turn++) {
        must(turn < TURNS_MAX);
        memset(&out, 0, sizeof out);
        view_lock_step(&n->state, &n->params, &n->me, in, &out);
        must(out.fx.sends <= FC_SENDS);
        for (uint32_t i = 0; i < out.fx.sends; i++)
            must(out.fx.to[i] < NODES && out.fx.to[i] != ME);
        must(view_lock_sane(&n->state, &n->params, &n->me) == NULL);
        if (!out.fx.choose && !out.fx.go_on)
            break;
        in->event.kind = out.fx.choose ? FC_CHOICE : FC_GO_ON;
        in->event.value =
            out.fx.choose ? (uint32_t)(n->now % out.fx.choose) : 0;
    }
    must(n->state.record.maxv >= before.maxv);
    must(n->state.record.starts >= before.starts);
}

static void begin(struct node *n)
{
    static const struct fc_world world = {.nodes = NODES,
                                          .bounds = {998, 1000, 0, 15000000}};

    memset(n, 0, sizeof *n);
    n->me = (struct fc_member){ME, NODES};
    n->params.tau = 10000;
    n->params.lease = 100000;
    n->params.kill = 10000;
    must(view_lock_protocol.prepare(&n->params, &world) == NULL);
    n->now = 1;
    happen(n, &(struct view_lock_in){.event = {.kind = FC_BOOT}});
}

/* A token has 31 bits for the view: honest nodes never get near the end. */
static bool is_possible(const struct view_lock_msg *m)
{
    return m->maxv < UINT32_C(1) << 31 && m->view < UINT32_C(1) << 31;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct node n;

    begin(&n);
    while (size >= 3) {
        struct view_lock_in in = {.event = {.kind = FC_MESSAGE}};
        size_t length = data[2] < size - 3 ? data[2] : size - 3;

        n.now += UINT64_C(1) << data[0] % 18;
        in.event.port = data[1] % NODES == ME ? 0 : data[1] % NODES;
        if (data[0] >= 192) {
            in.event.kind = FC_TIMEOUT;
        } else if (data[0] >= 160) {
            in.event.kind = FC_COMMAND;
            in.event.command = data[1] % (VIEW_LOCK_STOP + 1);
        }
        if (in.event.kind != FC_MESSAGE ||
            (view_lock_unpack(&in.msg, data + 3, length) == 0 &&
             is_possible(&in.msg)))
            happen(&n, &in);
        data += 3 + length;
        size -= 3 + length;
    }
    return 0;
}
