#!/usr/bin/env bash
# tools.sh BUILD - data races under ThreadSanitizer (BUILD/tsan, which check.sh has
# built), memory under valgrind.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1

sanitized() { nm "$build/tsan/fulcrum" | grep -q __tsan_init; }
holds "a build for ThreadSanitizer" sanitized
holds "ThreadSanitizer: a batch of simulations has no races" \
    "$build/tsan/fulcrum" sim \
    vitanyi -n 200 --runs 200 --threads 4 --hash
holds "ThreadSanitizer: nor has a batch of long runs" "$build/tsan/fulcrum" sim \
    chang-roberts -n 20000 --runs 6 --threads 3 --bounds 1:3:0:2

holds "ThreadSanitizer: nor has a search on several threads" \
    "$build/tsan/fulcrum" check \
    chang-roberts -n 7 --wake any --threads 3
holds "ThreadSanitizer: nor has one with time and cycles" \
    "$build/tsan/fulcrum" check \
    bully -n 3 --bounds 1:2:0:2 --clock drift --threads 3
holds "ThreadSanitizer: nor has a search for the worst case" \
    "$build/tsan/fulcrum" worst vitanyi -n 9 --of passes --budget 1000 --threads 3

# The library for programs, and nothing else, with threads of its test.
clients() {
    clang -std=c11 -D_GNU_SOURCE -DFC_PARANOID -I. -g -O1 -fsanitize=thread -pthread \
        "$1" api/why.c api/lock.c live/client/*.c live/common/letter.c net/why.c \
        -o "$tap_tmp/clients" -lcmocka && "$tap_tmp/clients"
}
holds "ThreadSanitizer: nor have threads that share a client" \
    clients tests/unit/live/test_client.c
holds "ThreadSanitizer: nor has the simple way" clients tests/unit/api/test_take.c

checked() {
    valgrind -q --error-exitcode=9 --leak-check=full "$@"
}
holds "valgrind: lockstep engine" checked "$build/fulcrum-lab" sim vitanyi \
    -n 300 --runs 3
holds "valgrind: general engine, trace and picture" checked "$build/fulcrum-lab" \
    sim vitanyi -n 12 --bounds 2:5:1:7 --clock drift \
    --trace "$tap_tmp/a.trace" --svg "$tap_tmp/a.svg"
holds "valgrind: reading a trace" checked "$build/fulcrum-lab" draw \
    "$tap_tmp/a.trace" -o "$tap_tmp/b.svg"
tap_end
