/*
 * test_live_flood.c - links to which strangers send more than can be read.
 */
#include "tests/unit/kit/links.h"

/* A flood of nonsense, half of it with a good beginning, between two nodes that
 * talk. */
TEST(test_flood_does_not_stop_the_service)
{
    static const uint8_t good[] = {'F', 'u', 'D', '2', 0, 1, LIVE_DATA, 0};
    struct dice dice = {3};
    uint8_t bytes[LIVE_WIRE_MAX];
    uint32_t said = 0;
    uint16_t port;
    int file = stranger(&port);

    start(0, 1);
    start(1, 1);
    introduce(0, 1);
    for (uint32_t round = 0; round < 200; round++) {
        for (uint32_t i = 0; i < 100; i++) {
            size_t size = throw_below(&dice, 200);

            for (size_t k = 0; k < size; k++)
                bytes[k] = (uint8_t)throw_below(&dice, 256);
            if (i % 2)
                memcpy(bytes, good, sizeof good);
            throw_at(file, config.nodes[1].port, bytes, size);
        }
        say(0, 1, ++said);
        for (uint32_t i = 0; i < 5; i++) /* 32 datagrams each */
            uv_run(&loop, UV_RUN_NOWAIT);
    }
    run_for(50);
    assert_true(count(1, 0)->forged > 1000);
    assert_true(count(1, 1)->odd > 1000);
    assert_int_equal(inbox[1].count, said);
    inbox[1].count = 0;
    say(0, 1, ++said);
    run_for(10);
    assert_true(has_heard(1, said));
    close(file);
}

/* More than a socket holds, while nobody reads: what a peer sends has a place
 * of its own. */
TEST(test_full_buffer_of_strangers_leaves_room_for_peers)
{
    static const uint8_t bytes[LIVE_WIRE_MAX];
    uint16_t port;
    int file = stranger(&port);

    start(0, 1);
    start(1, 1);
    introduce(0, 1);
    for (uint32_t i = 0; i < 20000; i++)
        throw_at(file, config.nodes[1].port, bytes, sizeof bytes);
    for (uint32_t said = 1; said <= 20; said++)
        say(0, 1, said);
    run_for(20);
    assert_int_equal(inbox[1].count, 20);
    close(file);
}

/* The sockets of a node share its port with each other and with nobody else. */
TEST(test_port_of_a_node_is_its_own)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int file = socket(AF_INET, SOCK_DGRAM, 0), yes = 1;

    start(0, 1);
    at.sin_port = htons(config.nodes[0].port);
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    assert_int_equal(bind(file, (struct sockaddr *)&at, sizeof at), -1);
    close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        LINK_TEST(test_flood_does_not_stop_the_service),
        LINK_TEST(test_full_buffer_of_strangers_leaves_room_for_peers),
        LINK_TEST(test_port_of_a_node_is_its_own),
    };

    return cmocka_run_group_tests_name("live_flood", tests, NULL, NULL);
}
