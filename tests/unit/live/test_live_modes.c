/*
 * test_live_modes.c - what each mode hands over to be kept: bytes of its own,
 * before anything leaves that rests on them, and enough for the next life.
 */
#include "live/mode/mode_proven_engine.h"

#include "tests/unit/kit/testing.h"

#include "core/wire.h"
#include "live/mode/mode.h"

enum { NODES = 2, LOCK = 5, SECOND = 1000000, MAIL_MAX = 64 };

static const char nodes_text[] = "[node a]\nhost = h\nport = 1\n"
                                 "[node b]\nhost = h\nport = 2\n";
static const char *const cluster_text[] = {
    [LIVE_PROVEN] = "[cluster]\n",
    [LIVE_SILENCE] = "[cluster]\nmode = silence\nbounds = hard\ndmax = 5ms\n"
                     "step = 10ms\n",
};
static const struct live_mode_kind *const kinds[] = {&live_mode_proven,
                                                     &live_mode_silence};

static struct live_config config;
static struct net_why error;

static void configure(enum live_mode_name mode)
{
    char text[256];

    snprintf(text, sizeof text, "%s%s", cluster_text[mode], nodes_text);
    if (!live_config_parse(&config, "x", text, strlen(text), &error))
        fail_msg("%s", error.text);
    assert_ptr_equal(live_mode_of(&config), kinds[mode]);
}

/* ---- Payloads ------------------------------------------------------------ */

TEST(test_modes_have_payloads_of_their_own)
{
    assert_int_equal(live_mode_proven.payload.mode, LIVE_PAYLOAD_PROVEN);
    assert_int_equal(live_mode_silence.payload.mode, LIVE_PAYLOAD_SILENCE);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct live_payload *payload = &kinds[i]->payload;
        uint8_t new_node[LIVE_PAYLOAD_MAX] = {0}, more[LIVE_PAYLOAD_MAX] = {0};
        uint32_t size;

        assert_int_equal(payload->version, 1);
        assert_in_range(payload->least, 1, LIVE_PAYLOAD_MAX);
        assert_in_range(payload->most, payload->least, LIVE_PAYLOAD_MAX);
        size = payload->least;
        more[size - 1] = 1;
        assert_true(payload->follows(new_node, size, new_node, size));
        assert_true(payload->follows(more, size, new_node, size));
        assert_false(payload->follows(new_node, size, more, size));
    }
}

/* A start is counted, and nothing else is forgotten or made up. */
TEST(test_life_begins_with_what_was_kept)
{
    for (size_t i = 0; i < COUNT(kinds); i++) {
        const struct live_mode_kind *kind = kinds[i];
        struct live_past past = {.kept.starts = 8, .seed = 1};
        struct live_effects out = {0};
        struct live_mode *mode;
        struct live_kept kept;

        configure((enum live_mode_name)i);
        for (uint32_t k = 0; k < kind->payload.least; k++)
            past.kept.bytes[k] = (uint8_t)(k + 1);
        mode = kind->open(&config, 0, &past, &error);
        assert_non_null(mode);
        kind->boot(mode, SECOND, &out);
        assert_int_equal(out.list[0].kind, LIVE_DO_WRITE);
        kept = kind->record(mode);
        assert_int_equal(kept.starts, 9);
        assert_memory_equal(kept.bytes, past.kept.bytes, sizeof kept.bytes);
        kind->close(mode);
        live_effects_free(&out);
    }
}

/* Mode proven: a record that was lost is told by frames which view is too low
 * for it, and by nothing else. */
TEST(test_view_is_read_from_frames)
{
    uint8_t bytes[2 + FC_WIRE_MAX];
    struct view_lock_msg m = {.maxv = 640};
    struct live_kept kept = {.starts = 3};
    uint64_t view;
    bool changed;

    for (m.kind = VIEW_LOCK_FRAME; m.kind < VIEW_LOCK_KINDS; m.kind++) {
        size_t size = live_engine_pack(&m, bytes + 2);

        fc_put16(bytes, (uint16_t)size);
        assert_int_equal(
            live_mode_proven.shows((struct live_unread){bytes, size + 2}, &view,
                                   &changed),
            m.kind == VIEW_LOCK_FRAME);
        assert_false(changed);
        if (m.kind == VIEW_LOCK_FRAME)
            assert_int_equal(view, 640);
    }
    m.kind = VIEW_LOCK_FRAME; /* of a list that has changed */
    m.conf.k = m.conf.born = 3;
    fc_put16(bytes, (uint16_t)live_engine_pack(&m, bytes + 2));
    assert_true(live_mode_proven.shows(
        (struct live_unread){bytes, 2 + (size_t)fc_get16(bytes)}, &view,
        &changed));
    assert_true(changed);
    live_mode_proven.remind(&kept, 640);
    live_mode_proven.remind(&kept, 64);
    assert_int_equal(fc_get32(kept.bytes), 640);
    assert_int_equal(kept.starts, 3);
    live_mode_proven.remind(&kept, UINT64_MAX);
    assert_int_equal(fc_get32(kept.bytes), UINT32_MAX);
    assert_null(live_mode_silence.shows);
}

/* ---- K9: what programs read ---------------------------------------------- */

static void check_text(const json_t *o, const char *key, const char *text)
{
    assert_string_equal(json_string_value(json_object_get(o, key)), text);
}

/* A double has 53 bits, and a token has more. */
TEST(test_names_of_things_are_text_in_json)
{
    struct live_past past = {.kept.starts = 8};
    struct live_effects out = {0};
    json_t *o = LIVE_NAMES(NULL, {"token", (UINT64_C(1) << 56) + 3},
                           {"most", UINT64_MAX}, {"none", 0});

    check_text(o, "token", "72057594037927939");
    check_text(o, "most", "18446744073709551615");
    check_text(o, "none", "0");
    json_decref(o);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        struct live_mode *mode;

        configure((enum live_mode_name)i);
        mode = kinds[i]->open(&config, 0, &past, &error);
        assert_non_null(mode);
        kinds[i]->boot(mode, SECOND, &out);
        o = json_object();
        kinds[i]->describe(mode, SECOND, o);
        kinds[i]->describe_peer(mode, 1, SECOND, o);
        assert_true(json_is_string(json_object_get(o, "inc")));
        json_object_clear(o);
        kinds[i]->describe(mode, SECOND, o);
        check_text(o, "inc", "9");
        json_decref(o);
        kinds[i]->close(mode);
    }
    live_effects_free(&out);
}

/* ---- Mode silence: two nodes, a network that is quick, a disk each ------- */

struct mail {
    uint32_t from, to;
    size_t size;
    uint8_t bytes[2048];
};

static struct live_mode *node[NODES];
static struct live_kept disk[NODES];
static struct live_effects out;
static struct mail mails[MAIL_MAX];
static uint32_t mails_count;
static uint64_t now;

/* What the node wants, in its order. */
static void carry_out(uint32_t i)
{
    for (size_t k = 0; k < out.count; k++) {
        const struct live_effect *e = &out.list[k];
        struct mail *mail = &mails[mails_count];

        assert_int_not_equal(e->kind, LIVE_DO_BREAK);
        if (e->kind == LIVE_DO_WRITE || e->kind == LIVE_DO_WRITE_HERE)
            disk[i] = live_mode_silence.record(node[i]);
        if (e->kind != LIVE_DO_SEND)
            continue;
        assert_true(mails_count < MAIL_MAX && e->size <= sizeof mail->bytes);
        mail->from = i;
        mail->to = e->whom;
        mail->size = e->size;
        memcpy(mail->bytes, live_effect_bytes(&out, e), e->size);
        mails_count++;
    }
    live_effects_clear(&out);
}

static void deliver(void)
{
    for (uint32_t k = 0; k < mails_count; k++) {
        const struct mail *mail = &mails[k];

        live_mode_silence.take(
            node[mail->to], mail->from, disk[mail->from].starts,
            (struct live_unread){mail->bytes, mail->size}, now, &out);
        carry_out(mail->to);
    }
    mails_count = 0;
}

static void run_for(uint64_t time)
{
    const uint64_t end = now + time;

    while (now < end) {
        deliver();
        for (uint32_t i = 0; i < NODES; i++) {
            if (live_mode_silence.wake(node[i]) > now)
                continue;
            live_mode_silence.due(node[i], now, &out);
            carry_out(i);
        }
        now += 500;
    }
}

static void start_nodes(void)
{
    for (uint32_t i = 0; i < NODES; i++) {
        struct live_past past = {.kept = disk[i], .seed = i};

        node[i] = live_mode_silence.open(&config, i, &past, &error);
        assert_non_null(node[i]);
        live_mode_silence.boot(node[i], now, &out);
        carry_out(i);
        live_mode_silence.written(node[i], &disk[i], now, &out);
        carry_out(i);
    }
    run_for(10 * (uint64_t)SECOND);
}

static void stop_nodes(void)
{
    for (uint32_t i = 0; i < NODES; i++)
        live_mode_silence.close(node[i]);
    mails_count = 0;
}

/* Enters and leaves; the token. */
static uint64_t enter(uint32_t i)
{
    struct live_lock_view view;

    assert_true(live_mode_silence.command(node[i], LIVE_WANT, LOCK, now, &out));
    carry_out(i);
    run_for(SECOND);
    view = live_mode_silence.look(node[i], LOCK);
    assert_int_equal(view.phase, FC_INSIDE);
    live_mode_silence.command(node[i], LIVE_LEAVE, LOCK, now, &out);
    carry_out(i);
    run_for(SECOND);
    return view.token;
}

/* All nodes die at once: what they have kept is all that is known of the
 * tokens before. */
TEST(test_kept_floor_is_above_all_numbers_that_were_used)
{
    enum { ID_BITS = 16, NUMBER_BITS = 40 }; /* of a token */
    uint64_t last = 0;

    configure(LIVE_SILENCE);
    memset(disk, 0, sizeof disk);
    now = SECOND;
    for (uint32_t life = 1; life < 4; life++) {
        start_nodes();
        for (uint32_t i = 0; i < NODES; i++) {
            uint64_t token = enter(i), number;

            assert_true(token > last);
            last = token;
            number = token >> ID_BITS & ((UINT64_C(1) << NUMBER_BITS) - 1);
            assert_true(number > 0);
            assert_true(fc_get64(disk[i].bytes) >= number);
            assert_int_equal(disk[i].starts, life);
        }
        stop_nodes();
    }
    live_effects_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modes_have_payloads_of_their_own),
        cmocka_unit_test(test_life_begins_with_what_was_kept),
        cmocka_unit_test(test_view_is_read_from_frames),
        cmocka_unit_test(test_names_of_things_are_text_in_json),
        cmocka_unit_test(test_kept_floor_is_above_all_numbers_that_were_used),
    };

    return cmocka_run_group_tests_name("live_modes", tests, NULL, NULL);
}
