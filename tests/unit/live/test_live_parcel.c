/*
 * test_live_parcel.c - messages in one datagram, and letters of local clients:
 * what is taken, and what is refused.
 */
#include "live/common/letter.h"
#include "live/wire/parcel.h"
#include "tests/unit/kit/testing.h"

static struct live_parcel parcel;

static int begin(void **state)
{
    (void)state;
    memset(&parcel, 0, sizeof parcel);
    return 0;
}

static struct live_unread unread_of(const char *bytes, size_t size)
{
    return (struct live_unread){(const uint8_t *)bytes, size};
}

TEST(test_messages_come_out_as_they_went_in)
{
    static const char *const words[] = {"one", "", "three"};
    struct live_unread unread, message;

    for (size_t i = 0; i < 3; i++)
        assert_true(live_parcel_add(&parcel, (const uint8_t *)words[i],
                                    strlen(words[i])));
    assert_int_equal(parcel.size, 3 * LIVE_PARCEL_SIZE_BYTES + 8);
    unread = (struct live_unread){parcel.bytes, parcel.size};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(live_parcel_next(&unread, &message),
                         LIVE_PARCEL_MESSAGE);
        assert_int_equal(message.size, strlen(words[i]));
        assert_memory_equal(message.bytes, words[i], message.size);
    }
    assert_int_equal(live_parcel_next(&unread, &message), LIVE_PARCEL_END);
}

TEST(test_a_full_parcel_takes_no_more)
{
    static const uint8_t bytes[LIVE_DATAGRAM_MAX];
    const size_t most = LIVE_DATAGRAM_MAX - LIVE_PARCEL_SIZE_BYTES;

    assert_false(live_parcel_add(&parcel, bytes, most + 1));
    assert_int_equal(parcel.size, 0);
    assert_true(live_parcel_add(&parcel, bytes, most));
    assert_false(live_parcel_add(&parcel, bytes, 0));
    assert_int_equal(parcel.size, LIVE_DATAGRAM_MAX);
    parcel.size--;
    assert_false(live_parcel_add(&parcel, bytes, 0));
}

TEST(test_what_is_cut_short_is_odd)
{
    struct live_unread message, unread = unread_of("\2\0ab\3\0cd", 8);

    assert_int_equal(live_parcel_next(&unread, &message), LIVE_PARCEL_MESSAGE);
    assert_int_equal(live_parcel_next(&unread, &message), LIVE_PARCEL_ODD);
    assert_int_equal(live_parcel_next(&unread, &message), LIVE_PARCEL_END);
    unread = unread_of("\1", 1);
    assert_int_equal(live_parcel_next(&unread, &message), LIVE_PARCEL_ODD);
    unread = unread_of("\377\377", 2);
    assert_int_equal(live_parcel_next(&unread, &message), LIVE_PARCEL_ODD);
    unread = unread_of("\0\1x", 3); /* 256 bytes, not 1 */
    assert_int_equal(live_parcel_next(&unread, &message), LIVE_PARCEL_ODD);
}

/* ---- Letters ------------------------------------------------------------- */

static struct live_letter ask_for(const char *name)
{
    struct live_letter letter = {.version = LIVE_LETTER_VERSION,
                                 .kind = LIVE_ASK};

    memcpy(letter.name, name, strlen(name));
    return letter;
}

static bool taken(const struct live_letter *letter)
{
    return live_letter_of_client(letter, sizeof *letter);
}

TEST(test_a_letter_is_whole_and_of_this_version)
{
    struct live_letter letter = ask_for("a");

    assert_true(taken(&letter));
    assert_false(live_letter_of_client(&letter, sizeof letter - 1));
    assert_false(live_letter_of_client(&letter, sizeof letter + 1));
    assert_false(live_letter_of_client(&letter, 0));
    letter.version++;
    assert_false(taken(&letter));
}

TEST(test_only_a_clients_kinds_are_taken)
{
    struct live_letter letter = ask_for("a");
    uint32_t count = 0;

    for (uint32_t kind = 0; kind < 256; kind++) {
        letter.kind = (uint8_t)kind;
        count += taken(&letter);
        assert_int_equal(taken(&letter), kind && kind < LIVE_LETTERS_IN);
    }
    assert_int_equal(count, LIVE_LETTERS_IN - 1);
    letter.kind = LIVE_ASK;
    letter.shared = 2;
    assert_false(taken(&letter));
}

TEST(test_a_name_is_printable_and_ends)
{
    struct live_letter letter = ask_for("");

    assert_false(taken(&letter));
    memset(letter.name, 'n', LIVE_LOCK_NAME_MAX);
    assert_true(taken(&letter));
    letter.name[LIVE_LOCK_NAME_MAX] = 'n';
    assert_false(taken(&letter));
    memset(letter.name, 'n', sizeof letter.name); /* no end at all */
    assert_false(taken(&letter));
    letter = ask_for("a\nb");
    assert_false(taken(&letter));
    letter = ask_for("a\177");
    assert_false(taken(&letter));
    letter = ask_for("\303\274ber uns");
    assert_true(taken(&letter));
}

/* Not of UTF-8: a byte that begins nothing, one that ends nothing, an end too
 * soon, a longer form, half of a pair, beyond the last; and what cannot be
 * printed. */
TEST(test_a_name_is_text)
{
    static const char *const bad[] = {
        "a\377",
        "a\200",
        "a\303",
        "a\303z",
        "\300\257",
        "\340\200\257",
        "\355\240\200",
        "\364\220\200\200",
        "\370\210\200\200\200",
        "\302\205",
    };
    static const char *const good[] = {"a", "\342\202\254", "\360\237\224\222",
                                       "\364\217\277\277", "\302\240"};
    struct live_letter letter;

    for (size_t i = 0; i < COUNT(bad); i++) {
        letter = ask_for(bad[i]);
        assert_false(taken(&letter));
    }
    for (size_t i = 0; i < COUNT(good); i++) {
        letter = ask_for(good[i]);
        assert_true(taken(&letter));
    }
    memset(letter.name, 0, sizeof letter.name);
    memset(letter.name, 'n', LIVE_LOCK_NAME_MAX - 1);
    letter.name[LIVE_LOCK_NAME_MAX - 1] = '\303'; /* its end is missing */
    assert_false(taken(&letter));
}

TEST(test_texts_of_a_daemon_end)
{
    struct live_letter letter;

    memset(&letter, 'x', sizeof letter);
    assert_false(live_letter_of_daemon(&letter, sizeof letter));
    letter.version = LIVE_LETTER_VERSION;
    assert_false(live_letter_of_daemon(&letter, sizeof letter - 1));
    assert_true(live_letter_of_daemon(&letter, sizeof letter));
    assert_int_equal(strlen(letter.reason), LIVE_REASON_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_messages_come_out_as_they_went_in, begin),
        cmocka_unit_test_setup(test_a_full_parcel_takes_no_more, begin),
        cmocka_unit_test(test_what_is_cut_short_is_odd),
        cmocka_unit_test(test_a_letter_is_whole_and_of_this_version),
        cmocka_unit_test(test_only_a_clients_kinds_are_taken),
        cmocka_unit_test(test_a_name_is_printable_and_ends),
        cmocka_unit_test(test_a_name_is_text),
        cmocka_unit_test(test_texts_of_a_daemon_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
