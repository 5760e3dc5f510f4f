/*
 * view_lock_wire.h - the messages of view_lock.c on the wire.
 *
 * A byte for the kind, one for the flags, then what the kind carries; numbers
 * with the least significant byte first.
 */

/* What a kind carries, a bit each, in the order of the wire. */
enum {
    CARRIES_STAMP = 1u << 0,
    CARRIES_ECHO_INC = 1u << 1,
    CARRIES_ECHO_STAMP = 1u << 2,
    CARRIES_MAXV = 1u << 3,
    CARRIES_VIEW = 1u << 4,
    CARRIES_NUMBER = 1u << 5,
    CARRIES_TIME = 1u << 6,
    CARRIES_MEMBERS = 1u << 7,
    CARRIES_HEARD = 1u << 8,
    CARRIES_LOCK = 1u << 9,
    CARRIES_EACH = 1u << 10,
    CARRIES_PACE = 1u << 11, /* sync and period */
};

static inline uint32_t carried(uint8_t kind)
{
    static const uint32_t shapes[VIEW_LOCK_KINDS] = {
        [VIEW_LOCK_FRAME] = CARRIES_STAMP | CARRIES_ECHO_INC |
                            CARRIES_ECHO_STAMP | CARRIES_MAXV | CARRIES_VIEW |
                            CARRIES_TIME | CARRIES_MEMBERS | CARRIES_HEARD |
                            CARRIES_PACE,
        [VIEW_LOCK_PROPOSE] = CARRIES_VIEW | CARRIES_MEMBERS,
        [VIEW_LOCK_VOTE] =
            CARRIES_ECHO_INC | CARRIES_VIEW | CARRIES_NUMBER | CARRIES_EACH,
        [VIEW_LOCK_REFUSE] = CARRIES_MAXV,
        [VIEW_LOCK_NEWVIEW] = CARRIES_STAMP | CARRIES_VIEW | CARRIES_NUMBER |
                              CARRIES_MEMBERS | CARRIES_EACH,
        [VIEW_LOCK_REQUEST] = CARRIES_VIEW | CARRIES_NUMBER | CARRIES_LOCK,
        [VIEW_LOCK_CLEAR] =
            CARRIES_VIEW | CARRIES_NUMBER | CARRIES_TIME | CARRIES_LOCK,
    };

    return shapes[kind];
}

FC_API uint32_t view_lock_kind(const struct view_lock_msg *m)
{
    return m->kind;
}

FC_API uint32_t view_lock_fields(const struct view_lock_msg *m,
                                 uint64_t out[FC_FIELDS_MAX])
{
    uint32_t count = 0;

    if (carried(m->kind) & CARRIES_VIEW)
        out[count++] = m->view;
    if (carried(m->kind) & CARRIES_NUMBER)
        out[count++] = m->number;
    return count;
}

FC_API uint32_t view_lock_wire_bytes(const struct view_lock_msg *m)
{
    uint32_t has_it = carried(m->kind), bytes = 2 + 8;

    bytes += has_it & CARRIES_STAMP ? 8 : 0;
    bytes += has_it & CARRIES_ECHO_INC ? 8 : 0;
    bytes += has_it & CARRIES_ECHO_STAMP ? 8 : 0;
    bytes += has_it & CARRIES_MAXV ? 4 : 0;
    bytes += has_it & CARRIES_VIEW ? 4 : 0;
    bytes += has_it & CARRIES_NUMBER ? 4 : 0;
    bytes += has_it & CARRIES_TIME ? 4 : 0;
    bytes += has_it & CARRIES_MEMBERS ? 2 : 0;
    bytes += has_it & CARRIES_HEARD ? 2 : 0;
    bytes += has_it & CARRIES_LOCK ? 8 : 0;
    bytes += has_it & CARRIES_PACE ? 8 : 0;
    bytes += has_it & CARRIES_EACH ? 1 + 8u * m->count : 0;
    return bytes;
}

FC_API uint32_t view_lock_paper_bits(const struct view_lock_msg *m)
{
    return 8 * view_lock_wire_bytes(m);
}

/* A place in the bytes, forward only. */
struct cursor {
    uint8_t *to;
    const uint8_t *from;
};

static inline void put_number(struct cursor *c, uint64_t number, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        *c->to++ = (uint8_t)(number >> 8 * i);
}

static inline uint64_t take_number(struct cursor *c, uint32_t bytes)
{
    uint64_t number = 0;

    for (uint32_t i = 0; i < bytes; i++)
        number |= (uint64_t)*c->from++ << 8 * i;
    return number;
}

FC_API size_t view_lock_pack(const struct view_lock_msg *m,
                             uint8_t wire[FC_WIRE_MAX])
{
    struct cursor c = {wire, NULL};
    uint32_t has_it = carried(m->kind);

    put_number(&c, m->kind, 1);
    put_number(&c, m->flags, 1);
    put_number(&c, m->inc, 8);
    put_number(&c, m->stamp, has_it & CARRIES_STAMP ? 8 : 0);
    put_number(&c, m->echo_inc, has_it & CARRIES_ECHO_INC ? 8 : 0);
    put_number(&c, m->echo_stamp, has_it & CARRIES_ECHO_STAMP ? 8 : 0);
    put_number(&c, m->maxv, has_it & CARRIES_MAXV ? 4 : 0);
    put_number(&c, m->view, has_it & CARRIES_VIEW ? 4 : 0);
    put_number(&c, m->number, has_it & CARRIES_NUMBER ? 4 : 0);
    put_number(&c, m->time, has_it & CARRIES_TIME ? 4 : 0);
    put_number(&c, m->members, has_it & CARRIES_MEMBERS ? 2 : 0);
    put_number(&c, m->heard, has_it & CARRIES_HEARD ? 2 : 0);
    put_number(&c, m->lock, has_it & CARRIES_LOCK ? 8 : 0);
    put_number(&c, m->sync, has_it & CARRIES_PACE ? 4 : 0);
    put_number(&c, m->period, has_it & CARRIES_PACE ? 4 : 0);
    if (has_it & CARRIES_EACH) {
        put_number(&c, m->count, 1);
        for (uint32_t x = 0; x < m->count; x++)
            put_number(&c, m->each[x], 8);
    }
    return (size_t)(c.to - wire);
}

/* Refuses (-1) what no node can have sent: an unknown kind or flag, another
 * length, more nodes than there can be. */
FC_API int view_lock_unpack(struct view_lock_msg *m, const uint8_t *wire,
                            size_t size)
{
    struct cursor c = {NULL, wire};
    struct view_lock_msg got = {0};
    uint32_t has_it;

    if (size < 10 || wire[0] == 0 || wire[0] >= VIEW_LOCK_KINDS ||
        wire[1] >= VIEW_LOCK_BUSY << 1)
        return -1;
    got.kind = (uint8_t)take_number(&c, 1);
    got.flags = (uint8_t)take_number(&c, 1);
    has_it = carried(got.kind);
    if (size < view_lock_wire_bytes(&got))
        return -1;
    got.inc = take_number(&c, 8);
    got.stamp = take_number(&c, has_it & CARRIES_STAMP ? 8 : 0);
    got.echo_inc = take_number(&c, has_it & CARRIES_ECHO_INC ? 8 : 0);
    got.echo_stamp = take_number(&c, has_it & CARRIES_ECHO_STAMP ? 8 : 0);
    got.maxv = (uint32_t)take_number(&c, has_it & CARRIES_MAXV ? 4 : 0);
    got.view = (uint32_t)take_number(&c, has_it & CARRIES_VIEW ? 4 : 0);
    got.number = (uint32_t)take_number(&c, has_it & CARRIES_NUMBER ? 4 : 0);
    got.time = (uint32_t)take_number(&c, has_it & CARRIES_TIME ? 4 : 0);
    got.members = (uint16_t)take_number(&c, has_it & CARRIES_MEMBERS ? 2 : 0);
    got.heard = (uint16_t)take_number(&c, has_it & CARRIES_HEARD ? 2 : 0);
    got.lock = take_number(&c, has_it & CARRIES_LOCK ? 8 : 0);
    got.sync = (uint32_t)take_number(&c, has_it & CARRIES_PACE ? 4 : 0);
    got.period = (uint32_t)take_number(&c, has_it & CARRIES_PACE ? 4 : 0);
    if (has_it & CARRIES_EACH)
        got.count = (uint8_t)take_number(&c, 1);
    if (got.maxv > VIEW_LOCK_VIEW_MAX || got.view > VIEW_LOCK_VIEW_MAX ||
        got.time > VIEW_LOCK_TIME_MAX)
        return -1;
    if ((got.kind == VIEW_LOCK_REQUEST || got.kind == VIEW_LOCK_CLEAR) &&
        got.number > VIEW_LOCK_TIME_MAX)
        return -1;
    if (got.count > VIEW_LOCK_NODES || size != view_lock_wire_bytes(&got))
        return -1;
    for (uint32_t x = 0; x < got.count; x++)
        got.each[x] = take_number(&c, 8);
    *m = got;
    return 0;
}
