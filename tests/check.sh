#!/usr/bin/env bash
# check.sh [--quick] - all tests; the last line is "N passed, N failed".
#
# Every part prints TAP lines ("ok - rule", "not ok - rule").  A part that is
# content shows one line; of one that is not, the lines that matter.
# --quick: only the plain unit tests, the stories and the command line.
set -u
cd "$(dirname "$0")/.."

quick=${1:-}
jobs=$(nproc)
build=${BUILD:-build}
log=$build/check
mkdir -p "$log"
rm -f "$log"/*
passed=0
failed=0
began=$SECONDS

# begin NAME COMMAND...: runs it beside what follows; report NAME waits for it,
# counts its TAP lines and shows what failed.  A command that dies without a "not
# ok" counts as one failure.
out_of() {
    echo "$log/$(echo "$1" | tr -c 'a-zA-Z0-9\n' '-')"
}

begin() {
    local out start=$SECONDS
    out=$(out_of "$1")
    shift
    {
        "$@" >"$out" 2>&1
        echo "$? $((SECONDS - start))" >"$out.end"
    } &
}

report() {
    local name=$1 out code good bad took
    out=$(out_of "$name")
    while [ ! -s "$out.end" ] && [ -n "$(jobs -r)" ]; do
        wait -n
    done
    read -r code took <"$out.end"
    good=$(grep -c '^ok ' "$out")
    bad=$(grep -c '^not ok ' "$out")
    if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    printf '%-44s %5d ok' "$name" "$good"
    [ "$bad" -eq 0 ] || printf ', %d NOT OK (exit %d)' "$bad" "$code"
    printf '  %d s\n' "$took"
    if [ "$bad" -ne 0 ]; then
        grep -v '^ok ' "$out" | tail -n 40 | sed 's/^/    /'
    fi
}

part() {
    begin "$@"
    report "$1"
}

# Builds a variant and says so in TAP.
built() {
    local what=$1
    shift
    if make -j"$jobs" --no-print-directory "$@"; then
        echo "ok - $what builds without a warning"
    else
        echo "not ok - $what builds without a warning"
        return 1
    fi
}

# Runs every unit test of a build folder, on all cores; cmocka speaks TAP.
units() {
    local test code=0 said=$1/tests/said
    rm -rf "$said"
    mkdir -p "$said"
    for test in "$1"/tests/test_*; do
        case $test in *.d | *.o) continue ;; esac
        [ -x "$test" ] && echo "$test"
    done | SAID=$said xargs -P "$jobs" -n 1 sh -c '
        log=$SAID/$(basename "$1")
        CMOCKA_MESSAGE_OUTPUT=TAP "$1" >"$log" 2>&1 || echo "exit $?" >"$log.bad"
    ' sh
    for test in "$said"/*; do
        echo "# $test"
        cat "$test"
        case $test in *.bad) code=1 ;; esac
    done
    return $code
}

part "build (gcc)" built "everything" BUILD="$build" all tests live-tools
part "unit tests" units "$build"
part "stories" bash tests/command/stories.sh
part "each rule of the live locks, changed" bash tests/source/mutants.sh "$build"
part "command line" bash tests/command/cli.sh "$build/fulcrum"
part "command line: the checker" bash tests/command/check_cli.sh "$build"

if [ "$quick" != --quick ]; then
    part "sources: layers, purity, format" bash tests/source/sources.sh "$build"
    part "sources: what comments and pages say" bash tests/source/truths.sh "$build"
    part "build (clang)" built "everything" BUILD="$build/clang" CC=clang all
    part "build (ASan, UBSan)" built "everything" BUILD="$build/asan" \
        OPT=-O1 SANITIZE=address,undefined all tests
    part "unit tests (ASan, UBSan)" units "$build/asan"
    part "command line (ASan, UBSan)" bash tests/command/cli.sh "$build/asan/fulcrum"
    part "the checker (ASan, UBSan)" bash tests/command/check_cli.sh "$build/asan"
    part "same seed, same result" bash tests/command/determinism.sh "$build"
    part "threads (TSan), memory (valgrind)" bash tests/command/tools.sh "$build"
    part "readers and writers: the register" bash tests/command/rw.sh "$build"
    part "hostile bytes" bash tests/fuzz/fuzz.sh "$build"
    # These mostly wait.
    begin "live nodes on loopback" bash tests/live/live.sh "$build"
    begin "live nodes in mode silence" bash tests/live/live_silence.sh "$build"
    report "live nodes on loopback"
    begin "a live node beside the protocol" bash tests/live/live_node.sh "$build"
    report "live nodes in mode silence"
    begin "commands and who kills them" bash tests/live/live_command.sh "$build"
    report "a live node beside the protocol"
    begin "what status says of live nodes" bash tests/live/live_status.sh "$build"
    report "commands and who kills them"
    begin "live nodes and their records" bash tests/live/live_record.sh "$build"
    report "what status says of live nodes"
    begin "live nodes that are late" bash tests/live/live_late.sh "$build"
    report "live nodes and their records"
    begin "a live node and its local clients" bash tests/live/live_desk.sh "$build"
    report "live nodes that are late"
    report "a live node and its local clients"
    begin "live nodes under fire" bash tests/live/live-fire.sh "$build"
    begin "tokens at the resource" bash tests/live/live-fence.sh "$build"
    report "tokens at the resource"
    begin "the demo with live nodes" bash tests/live/live-demo.sh "$build"
    report "the demo with live nodes"
    report "live nodes under fire"
    part "install, library, documents" bash tests/command/install.sh "$build"
    part "static analysis" bash tests/source/lint.sh "$build"
fi

echo
echo "$((SECONDS - began)) s; logs in $log"
if [ "$failed" -eq 0 ]; then
    echo "All is well. Try next: make demo"
else
    echo "Look at the lines above; the whole output is in $log."
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
