#!/usr/bin/env bash
# tools.sh BUILD - data races under ThreadSanitizer (BUILD/tsan, which check.sh has
# built), memory under valgrind.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1

sanitized() { nm "$build/tsan/fulcrum" | grep -q __tsan_init; }
holds "a build for ThreadSanitizer" sanitized
holds "threads share nothing they should not" "$build/tsan/fulcrum" sim \
    vitanyi -n 200 --runs 200 --threads 4 --hash
holds "nor do they when each run is long" "$build/tsan/fulcrum" sim \
    chang-roberts -n 20000 --runs 6 --threads 3 --bounds 1:3:0:2

holds "nor do those that check together" "$build/tsan/fulcrum" check \
    chang-roberts -n 7 --wake any --threads 3
holds "nor with time, and cycles to look for" "$build/tsan/fulcrum" check \
    bully -n 3 --bounds 1:2:0:2 --clock drift --threads 3

checked() {
    valgrind -q --error-exitcode=9 --leak-check=full "$@"
}
holds "valgrind: lockstep engine" checked "$build/fulcrum" sim vitanyi \
    -n 300 --runs 3
holds "valgrind: general engine, trace and picture" checked "$build/fulcrum" \
    sim vitanyi -n 12 --bounds 2:5:1:7 --clock drift \
    --trace "$tap_tmp/a.trace" --svg "$tap_tmp/a.svg"
holds "valgrind: reading a trace" checked "$build/fulcrum" draw \
    "$tap_tmp/a.trace" -o "$tap_tmp/b.svg"
tap_end
