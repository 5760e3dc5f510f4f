#!/usr/bin/env bash
# soak.sh BUILD - the long-running tests, one part after the other: what make check
# looks at in part (claims, pages, rounds of unit tests, the analyser's paths, the
# compilers' options), live clusters in virtual time, live nodes under fire, hostile
# bytes, the lock in coarse time, and the register.  One seed for everything,
# SOAK_SEED [random]; about SOAK_SECONDS [600] for the live nodes, as many for all
# fuzzers together, and RW_READS and RW_KILLS for the register.
#
# The last lines are a table.  A failure is reported with the command that repeats
# it; whole logs are in BUILD/soak.  Ctrl-C ends the part that runs, which cleans
# up after itself, and the table shows how far it got.
set -u
cd "$(dirname "$0")/.."
build=$1
seconds=${SOAK_SECONDS:-600}
seed=${SOAK_SEED:-$RANDOM}
log=$build/soak
mkdir -p "$log"
rm -f "$log"/*
failed=0
interrupted=
table=()
trap 'interrupted=yes' INT TERM

echo "seed $seed; again: SOAK_SEED=$seed SOAK_SECONDS=$seconds make soak"
echo

# part NAME COMMAND...
part() {
    local name=$1 out code start=$SECONDS
    shift
    [ -z "$interrupted" ] || return
    out=$log/$(echo "$name" | tr -c 'a-zA-Z0-9\n' '-')
    echo "$name"
    "$@" >"$out" 2>&1
    code=$?
    grep -e '^not ok' -e 'FAILED' -e 'again:' "$out" | sed 's/^/    /'
    [ $code -eq 0 ] || failed=1
    table+=("$(printf '%-24s %-12s %6d s  %s' "$name" "$(
        [ -n "$interrupted" ] && echo "interrupted" ||
            { [ $code -eq 0 ] && echo "good" || echo "NOT GOOD"; }
    )" $((SECONDS - start)) "$(tail -n 1 "$out")")")
}

part "every claim" env CLAIMS=all bash tests/command/reproduce.sh "$build/fulcrum"
part "every block of the pages" env LONG=yes bash tests/command/documents.sh "$build"
# Unit tests that do less in make check than they could.
every_round() {
    local test code=0
    while read -r test; do
        TEST_ROUNDS=all CMOCKA_MESSAGE_OUTPUT=TAP "$build/tests/$test" || code=1
    done <"$build/tests/large"
    return $code
}
part "every round of unit tests" every_round
part "static analysis" env LINT_ALL=yes bash tests/source/lint.sh "$build"
without_optimizer() {
    local folder=$build/gcc-O0
    make -j"$(nproc)" --no-print-directory BUILD="$folder" CC=gcc OPT=-O0 HAVE_UV= \
        HAVE_SQLITE= "$folder/fulcrum" &&
        bash tests/command/determinism.sh "$build" "$folder"
}
part "same seed without -O3" without_optimizer
fuzzers=$(ls tests/fuzz/fuzz_*.c | wc -l)
part "rehearsals" env REHEARSE_RUNS=$((seconds * 20)) \
    REHEARSE_SEED=$((seed * 1000000 + 1)) bash tests/command/rehearse.sh "$build/fulcrum"
part "the smallest cluster" env CLUSTER_TIME=8 bash tests/command/cluster.sh "$build/fulcrum"
part "live nodes under fire" bash tests/live/live_soak.sh "$build" "$seconds" "$seed"
part "changes of a live cluster" bash tests/live/soak_list.sh "$build" \
    $((seconds < 300 ? seconds / 6 + 1 : 100)) "$seed"
part "a live cluster of 31 nodes" bash tests/live/live_many.sh "$build"
part "hostile bytes" env FUZZ_SEED="$seed" \
    FUZZ_SECONDS=$((seconds / fuzzers + 1)) bash tests/fuzz/fuzz.sh "$build"
part "the lock in coarse time" "$build/tests/test_view_lock_coarse" \
    $((seed * 1000000)) $((seconds * 100))
part "the register" bash rw/soak.sh "$build"

echo
printf '%s\n' "${table[@]}"
echo "logs in $log"
[ $failed -eq 0 ] && [ -z "$interrupted" ]
