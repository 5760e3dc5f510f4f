# gate.sh - for tests that strike while experiments are being made: source it after
# tap.sh, and let some experiments read their names (three of them) from $gate.  While
# it is shut they wait there, so that a test has all the time that it needs.
#
# Claims may not name files: theirs have $gated_words among their arguments instead,
# and tests/command/gate.c is preloaded.

gate=$tap_tmp/gate
gated_words="--names $gate"

# gate_words WORDS: experiments with these arguments wait, whatever their names are.
gate_words() {
    gated_words=$1
    cc -shared -fPIC -o "$tap_tmp/gate.so" tests/command/gate.c || return 1
    export GATE=$gate GATED_WORDS=$1 LD_PRELOAD=$tap_tmp/gate.so
}

shut_gate() {
    rm -f "$gate"
    mkfifo "$gate"
}

# at_gate [-P PROCESSES]: experiments (of these) that wait there, or will.
at_gate() {
    pgrep "$@" -f "sim .*$gated_words"
}

# until_at_gate PROCESS COMMAND...: one of the processes that the command prints
# has an experiment there, or the process has ended.
until_at_gate() {
    local whose=$1
    shift
    until at_gate -P "$("$@")" >"$tap_tmp/.at_gate" 2>&1 ||
        ! kill -0 "$whose" 2>/dev/null; do
        sleep 0.05
    done
}

is_stopped() { # PROCESS
    [ ! -e "/proc/$1" ] || grep -q '^State:.[TZX]' "/proc/$1/status" 2>/dev/null
}

# open_gate: kills those that wait; whoever comes later finds names.  One that is
# stopped cannot find them before it is killed.
open_gate() {
    local task
    for task in $(at_gate); do
        kill -STOP "$task"
        until is_stopped "$task"; do sleep 0.01; done
    done
    echo 3 2 1 >"$gate.open"
    mv "$gate.open" "$gate"
    for task in $(at_gate); do
        kill -KILL "$task"
    done
}
