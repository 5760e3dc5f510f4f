/*
 * fuzz_view_lock_unpack.c - any bytes as a message of the live lock: refused,
 * or exactly what packing it again gives.  As in a live node, sets are wide.
 */
#include <stdlib.h>
#include <string.h>

#define VIEW_LOCK_NODES 64
#define FC_TYPED
#include "protocols/mutex/view_lock/view_lock.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds)
{
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct view_lock_msg m, before;
    uint8_t wire[FC_WIRE_MAX];
    uint8_t *exact;
    int code;

    memset(&m, 0x5a, sizeof m);
    before = m;
    exact = malloc(size ? size : 1); /* so that one byte too far is seen */
    must(exact != NULL);
    memcpy(exact, data, size);
    code = view_lock_unpack(&m, exact, size);
    free(exact);
    if (code != 0) {
        must(memcmp(&m, &before, sizeof m) == 0);
        return 0;
    }
    must(m.kind > 0 && m.kind < VIEW_LOCK_KINDS);
    must(m.count <= VIEW_LOCK_NODES);
    must(view_lock_wire_bytes(&m) == size);
    must(view_lock_pack(&m, wire) == size);
    must(memcmp(wire, data, size) == 0);
    return 0;
}
