#!/usr/bin/env bash
# check.sh [--quick] - all tests; the last line is "N passed, N failed".
#
# Every part prints TAP lines ("ok - rule", "not ok - rule").  A part that passes
# shows one line; one that fails, the lines that matter.
# --quick: only the plain unit tests, the stories and the command line.
#
# A test that does the same in every build runs once, under sanitizers; those that
# do less there run in a plain build as well.  --quick has the plain build alone.
#
# Parts that compute fill the cores.  Live nodes mostly wait, but must run at once
# when something is due: some of their parts always run beside the others, and
# what computes beside them is niced.
set -u
set -m # every part is a group of processes, which can be ended
cd "$(dirname "$0")/.."

quick=${1:-}
jobs=$(nproc)
build=${BUILD:-build}
log=$build/check
export WERROR=-Werror # no warning, in whatever is built here
mkdir -p "$log"
rm -rf "${log:?}"/*

# ---- Parts -------------------------------------------------------------------

names=()
declare -A class cost needs command process

# part CLASS COST NEEDS NAME COMMAND...: COST is the measured CPU seconds ("live":
# wall seconds, on a busy machine), plus those of the parts that wait for it; of
# the parts that can begin, the most expensive does.
# NEEDS is the name of a part that must have passed, or "-".
part() {
    names+=("$4")
    class[$4]=$1
    cost[$4]=$2
    needs[$4]=$3
    command[$4]=$(printf '%q ' "${@:5}")
}

out_of() {
    echo "$log/$(echo "$1" | tr -c 'a-zA-Z0-9\n' '-')"
}

# begin NAME: runs it beside what follows.
begin() {
    local out
    out=$(out_of "$1")
    {
        [ "${class[$1]}" = live ] || renice -n $niced -p $BASHPID >/dev/null
        TIMEFORMAT='%0R %0U %0S'
        { time eval "${command[$1]}" >"$out" 2>&1; } 2>"$out.time"
        echo "$? $(tail -n 1 "$out.time")" >"$out.end.new"
        mv "$out.end.new" "$out.end"
    } </dev/null &
    process[$1]=$!
}

# went_well NAME: it has ended, and nothing failed.
went_well() {
    local code
    read -r code _ 2>/dev/null <"$(out_of "$1").end" && [ "$code" = 0 ]
}

# Starts the parts that can begin, as long as their class has room: of those that
# compute one more than cores, for the time that others wait.
begin_some() {
    local name kind room best
    for kind in live compute; do
        room=$jobs
        [ $kind = live ] || room=$((jobs + 1))
        for name in "${!process[@]}"; do
            [ "${class[$name]}" != $kind ] || [ -e "$(out_of "$name").end" ] ||
                room=$((room - 1))
        done
        while [ $room -gt 0 ]; do
            best=
            for name in "${names[@]}"; do
                [ "${class[$name]}" = $kind ] && [ -z "${process[$name]:-}" ] &&
                    { [ "${needs[$name]}" = - ] || went_well "${needs[$name]}"; } &&
                    { [ -z "$best" ] || [ "${cost[$name]}" -gt "${cost[$best]}" ]; } &&
                    best=$name
            done
            [ -n "$best" ] || break
            begin "$best"
            room=$((room - 1))
        done
    done
}

# The names of the parts that run.  One that was killed leaves no end: it gets one.
running() {
    local name
    for name in "${names[@]}"; do
        [ -n "${process[$name]:-}" ] && [ ! -e "$(out_of "$name").end" ] || continue
        if kill -0 "${process[$name]}" 2>/dev/null; then
            printf '%s' "; $name"
        else
            [ -e "$(out_of "$name").end" ] ||
                echo "137 0 0 0" >"$(out_of "$name").end"
        fi
    done
}

passed=0
failed=0

# report NAME: counts its TAP lines and shows what failed.  A command that dies
# without a "not ok" counts as one failure, and so does one that could not begin.
report() {
    local name=$1 out code good bad took user system
    out=$(out_of "$name")
    if [ ! -e "$out.end" ]; then
        failed=$((failed + 1))
        printf '%-40s NOT RUN: needs %s\n' "$name" "${needs[$name]}"
        echo "$name: not run" >>"$log/failed"
        return
    fi
    read -r code took user system <"$out.end"
    good=$(grep -c '^ok ' "$out")
    bad=$(grep -c '^not ok ' "$out")
    if [ "$code" -ne 0 ] && [ "$bad" -eq 0 ]; then
        bad=1
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    printf '%-40s %5d ok  %4d s, CPU %4d s' "$name" "$good" "$took" \
        $((user + system))
    [ "$bad" -eq 0 ] || printf ', %d NOT OK (exit %d)' "$bad" "$code"
    echo
    if [ "$bad" -ne 0 ]; then
        what_failed "$out" | sed 's/^/    /'
        grep '^not ok ' "$out" | sed "s/^not ok/$name:/" >>"$log/failed"
        grep -q '^not ok ' "$out" || echo "$name: exit $code" >>"$log/failed"
    fi
}

# what_failed OUTPUT: the rules that failed, and what was said of each; of a
# command that died without one, the end.
what_failed() {
    awk '/^not ok / { left = 15 } /^ok / { left = 0 } left-- > 0' "$1" |
        grep . || grep -v '^ok ' "$1" | tail -n 40
}

# Runs all parts; their reports come in the order of the list.
run_all() {
    local next=0 left=yes line clear=
    [ ! -t 1 ] || clear=$'\r\e[K'
    while [ -n "$left" ]; do
        begin_some
        left=$(running)
        [ -n "$left" ] || begin_some
        left=$(running)
        while [ $next -lt ${#names[@]} ] &&
            [ -e "$(out_of "${names[next]}").end" ]; do
            printf '%s' "$clear"
            report "${names[next]}"
            next=$((next + 1))
        done
        [ -n "$left" ] || break
        if [ -n "$clear" ]; then
            line="$SECONDS s: ${left#; }"
            printf '%s%s' "$clear" "${line:0:$((${COLUMNS:-80} - 1))}"
        fi
        wait -n
    done
    while [ $next -lt ${#names[@]} ]; do
        report "${names[next]}"
        next=$((next + 1))
    done
}

# Ctrl-C ends the parts that run, and they clean up after themselves.
end_all() {
    local name
    trap - INT TERM
    for name in "${!process[@]}"; do
        [ -e "$(out_of "$name").end" ] || kill -TERM -- "-${process[$name]}"
    done 2>/dev/null
    wait
    exit 130
}
trap end_all INT TERM

# ---- What parts do -----------------------------------------------------------

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

# verdict_first OUTPUT: what a test said of its failure comes after its "not ok", as
# it does in shell; cmocka prints it before.  Of many lines, the last ten.
verdict_first() {
    awk '
        function say(to) { while (said < to) print line[++said] }
        sub(/^not ok [0-9]* # SKIP/, "# skipped:") { } # cmocka has its own word
        /^not ok / {
            say(lines - 10)
            print
            while (said < lines) print "# " line[++said]
            next
        }
        /^(ok |1\.\.)/ || (/^#/ && said == lines) { say(lines); print; next }
        { line[++lines] = $0 }
        END { say(lines) }' "$1"
}

# units BUILD [LIST]: runs its unit tests, or those of a file, on all cores; cmocka
# prints TAP.  Long ones come first, so that the cores finish together.
long="test_live_door test_chaos test_ring_size test_view_lock_coarse
    test_check_clocks test_view_lock_runs test_archimedean_runs
    test_archimedean_window test_check_sim test_check_threads"
units() {
    local test code=0 said=$1/tests/said
    rm -rf "$said"
    mkdir -p "$said"
    for test in $long $(cd "$1/tests" && echo test_*); do
        [ -f "$1/tests/$test" ] && [ -x "$1/tests/$test" ] && echo "$test"
    done | { [ $# -lt 2 ] && cat || grep -xFf "$2"; } | awk '!seen[$0]++' | SAID=$said TESTS=$1/tests xargs -P "$jobs" -n 1 bash -c '
        log=$SAID/$1
        TIMEFORMAT="# %R s, CPU %U + %S s: $1"
        { time CMOCKA_MESSAGE_OUTPUT=TAP "$TESTS/$1" >"$log" 2>&1; } 2>"$log.time" ||
            echo "exit $?" >"$log.bad"
    ' bash
    sort -k 2 -rn "$said"/*.time # first: the end is what a failure shows
    for test in "$said"/*; do
        case $test in *.time) continue ;; *.bad) code=1 ;; esac
        echo "# $test"
        verdict_first "$test"
    done
    return $code
}

# with_asan OPTIONS COMMAND...
with_asan() {
    local -x ASAN_OPTIONS=$ASAN_OPTIONS:$1
    shift
    "$@"
}

# ---- All of them -------------------------------------------------------------

gcc="build (gcc)"
asan="build (clang; ASan, UBSan)"
tsan="build (clang; TSan)"

# The command line, of a build that is the part NEEDED.
command_line() { # NEEDED BUILD [WORDS]
    part compute 19 "$1" "command line${3:-}" bash tests/command/cli.sh "$2/fulcrum"
    part compute 5 "$1" "command line: the worst case${3:-}" \
        bash tests/command/worst.sh "$2/fulcrum"
    part compute 11 "$1" "command line: sweeps and plots${3:-}" \
        bash tests/command/sweep.sh "$2/fulcrum"
    part compute 5 "$1" "command line: what is measured${3:-}" \
        bash tests/command/measure.sh "$2/fulcrum"
    part compute 37 "$1" "command line: the checker${3:-}" \
        bash tests/command/check_cli.sh "$2" "$build"
    part compute 7 "$1" "command line: whole networks${3:-}" \
        bash tests/command/network.sh "$2"
    part compute 4 "$1" "command line: properties that are typed${3:-}" \
        bash tests/command/properties.sh "$2"
}

niced=0
if [ "$quick" = --quick ]; then
    part compute 90 - "$gcc" built "everything" BUILD="$build" all tests
    part compute 98 "$gcc" "unit tests" units "$build"
    part compute 1 "$gcc" "stories" bash tests/command/stories.sh
    part compute 3 "$gcc" "what facts.txt says of each protocol" \
        bash tests/facts.sh "$build"
    command_line "$gcc" "$build"
    part compute 44 "$gcc" "the claims of the papers" \
        bash tests/command/reproduce.sh "$build/fulcrum"
else
    niced=10
    part compute 83 - "$gcc" built "everything" BUILD="$build" all large-tests \
        live-tools
    part compute 94 "$gcc" "unit tests, the larger ones" \
        units "$build" "$build/tests/large"
    part compute 1 "$gcc" "stories" bash tests/command/stories.sh
    part compute 44 "$gcc" "the claims of the papers" \
        bash tests/command/reproduce.sh "$build/fulcrum"
    part compute 33 "$gcc" "each rule of the live locks, changed" \
        bash tests/source/mutants.sh "$build"
    part compute 27 "$gcc" "each protocol, broken once" \
        bash tests/source/breaks.sh "$build"
    part compute 3 "$gcc" "what facts.txt says of each protocol" \
        bash tests/facts.sh "$build"
    part compute 7 "$gcc" "mistakes, and what is said to their author" \
        bash tests/source/words.sh "$build"
    part compute 25 "$gcc" "rehearsals of a live cluster" \
        bash tests/command/rehearse.sh "$build/fulcrum"
    part compute 11 "$gcc" "all runs of the smallest live cluster" \
        bash tests/command/cluster.sh "$build/fulcrum"
    part compute 15 "$asan" "sources: layers, purity, format" \
        bash tests/source/sources.sh "$build"
    part compute 11 "$gcc" "sources: what comments and pages say" \
        bash tests/source/truths.sh "$build"
    part compute 7 "$gcc" "exercises and their grading" \
        bash tests/command/exercises.sh "$build"
    # What is undefined traps, and the report has its place; it would say of which
    # kind it was without these CFLAGS, for a sixth more to compile.  No command
    # ends with 99, and some end with 1, which is what a report ends with by default.
    export ASAN_OPTIONS=handle_sigill=1:exitcode=99
    part compute 390 "$gcc" "$asan" built "everything" BUILD="$build/asan" \
        CC=clang OPT=-O1 SANITIZE=address,undefined \
        CFLAGS=-fsanitize-trap=undefined all tests
    # What was freed stays poisoned until 16 MB more were: larger than any test
    # needs, and small enough to stay in use instead of asking for new pages.
    part compute 111 "$asan" "unit tests (sanitized)" \
        with_asan quarantine_size_mb=16 units "$build/asan"
    command_line "$asan" "$build/asan" " (sanitized)"
    part compute 15 "$asan" "rehearsals (sanitized)" \
        bash tests/command/rehearse.sh "$build/asan/fulcrum" few
    part compute 20 "$asan" "the smallest live cluster (sanitized)" \
        bash tests/command/cluster.sh "$build/asan/fulcrum" few
    # What tools.sh runs: these, without live nodes and the lab.
    part compute 50 "$gcc" "$tsan" built "fulcrum" BUILD="$build/tsan" CC=clang \
        OPT=-O1 SANITIZE=thread FEW="vitanyi chang_roberts bully" HAVE_UV= \
        HAVE_SQLITE= "$build/tsan/fulcrum"
    part compute 1 "$asan" "same seed, same result" \
        bash tests/command/determinism.sh "$build" "$build/asan"
    part compute 5 "$tsan" "threads (TSan), memory (valgrind)" \
        bash tests/command/tools.sh "$build"
    part compute 39 "$gcc" "readers and writers: the register" \
        bash tests/command/rw.sh "$build"
    part compute 12 "$gcc" "hostile bytes" bash tests/fuzz/fuzz.sh "$build"
    part compute 14 "$gcc" "firmware: boards in a ring, and on a bus" \
        bash tests/command/firmware.sh "$build"
    part compute 17 "$gcc" "install, library, tutorial" \
        bash tests/command/install.sh "$build"
    part compute 9 "$gcc" "pictures" bash tests/command/pictures.sh "$build"
    part compute 90 "$gcc" "the playground" bash tests/web/web.sh "$build"
    part compute 3 "$gcc" "the report" bash tests/command/report.sh "$build"
    part compute 55 "$gcc" "documents" bash tests/command/documents.sh "$build"
    part compute 92 "$gcc" "static analysis" bash tests/source/lint.sh "$build"

    part live 35 "$gcc" "live nodes on loopback" bash tests/live/live.sh "$build"
    part live 61 "$gcc" "live nodes in mode silence" \
        bash tests/live/live_silence.sh "$build"
    part live 34 "$gcc" "a live node beside the protocol" \
        bash tests/live/live_node.sh "$build"
    part live 154 "$gcc" "commands and who kills them" \
        bash tests/live/live_command.sh "$build"
    part live 75 "$gcc" "each of those who kill commands alone" \
        bash tests/live/live_alone.sh "$build"
    part live 20 "$gcc" "the page on live locks, step by step" \
        bash tests/live/live_page.sh "$build"
    part live 22 "$gcc" "what status says of live nodes" \
        bash tests/live/live_status.sh "$build"
    part live 72 "$gcc" "live nodes and their records" \
        bash tests/live/live_record.sh "$build"
    part live 29 "$gcc" "live nodes and the places of their records" \
        bash tests/live/live_place.sh "$build"
    part live 37 "$gcc" "live nodes of two generations" \
        bash tests/live/live_generation.sh "$build"
    part live 16 "$gcc" "live nodes whose key is exchanged" \
        bash tests/live/live_keys.sh "$build"
    part live 20 "$gcc" "live nodes whose list changes" \
        bash tests/live/live_list.sh "$build"
    part live 7 "$gcc" "live nodes that are late" \
        bash tests/live/live_late.sh "$build"
    part live 30 "$gcc" "a live node that leaves" \
        bash tests/live/live_leave.sh "$build"
    part live 35 "$gcc" "what is done after a command" \
        bash tests/live/live_after.sh "$build"
    part live 30 "$gcc" "the page on a floating address" \
        bash tests/live/live_address.sh "$build"
    part live 140 "$gcc" "a live node and its local clients" \
        bash tests/live/live_desk.sh "$build"
    part live 32 "$gcc" "how clients find a live node, and who may" \
        bash tests/live/live_clients.sh "$build"
    part live 45 "$gcc" "files that others have put there" \
        bash tests/live/live_outside.sh "$build"
    part live 85 "$gcc" "live nodes under fire" \
        bash tests/live/live_fire.sh "$build"
    part live 2 "$gcc" "tokens at the resource" \
        bash tests/live/live_fence.sh "$build"
    part live 15 "$gcc" "every protocol as processes" \
        bash tests/live/live_protocols.sh "$build"
    part live 15 "$gcc" "the demo with live nodes" \
        bash tests/live/live_demo.sh "$build"
fi

run_all
echo
echo "$SECONDS s; logs in $log"
if [ "$failed" -eq 0 ]; then
    echo "All is well. Try next: make demo"
else
    echo "The whole output is in $log.  What failed:"
    sed 's/^/  /' "$log/failed"
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
