#!/usr/bin/env bash
# live_leave.sh BUILD - a node that leaves: holders are told to end before they are
# killed (K8), nobody else needs to wait, and the log says one thing of a pause.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"
lease=3000
has() { grep -q -e "$1" "$2"; } # WORDS FILE
lives() { ! dead "$1"; }


# A command that notes each SIGTERM and the time that it had: ends after $1 seconds.
cat >gently.sh <<'END'
trap 'echo told >>told; sleep "$0"; echo ended >>told; exit 0' TERM
echo >began
while :; do sleep 0.01; done
END
# One that does not end when it is told to, before there is a file `done`.
cat >deaf.sh <<'END'
trap 'echo told >>told' TERM
echo >began
while [ ! -e done ]; do sleep 0.01; done
echo ended >>told
END

# runs NODE OPTIONS... -- COMMAND...: in the background, its client in $held.
runs() {
    local node=$1
    shift
    rm -f began told 'done' held.err
    lock "$node" work -w 20 "$@" 2>held.err &
    held=$!
    within 20 test -e began
}
ends() { # CODE: the client
    within 15 dead $held || return 1
    wait $held
    local got=$?
    [ $got -eq "$1" ] || { echo "exit $got, not $1"; cat held.err; return 1; }
}

# With a `kill` that a shell can keep.
cluster 3
sed -i 's/^kill = .*/kill = 600ms/' cluster.ini
for node in a b c; do start $node --init; done
holds "three nodes agree" within 30 members c 3

# ---- A stop ------------------------------------------------------------------

stop_tells() {
    runs a -- sh gently.sh 0.1
    kill -TERM "${daemon[a]}"
    holds "a command that is told to end has lost its lock" ends 125
    same "it is told once, and ends in its own time" "told ended" "$(xargs <told)"
    holds "its client says why" has 'told to: the node is about to stop' held.err
    holds "the log says so" has 'told to end within [56][0-9]* ms: the node is' a.log
    within 9 dead "${daemon[a]}"
    start a
    holds "the node is back" within 30 members a 3
}
steady stop_tells

deaf_is_killed() {
    runs a -- sh deaf.sh
    kill -TERM "${daemon[a]}"
    holds "a command that does not end is killed" ends 125
    same "after it was told once" "told" "$(xargs <told)"
    holds "its client says why it was killed" has 'lost, .*about to stop' held.err
    within 9 dead "${daemon[a]}"
    start a
    holds "the node is back after it" within 30 members a 3
}
steady deaf_is_killed

grace_is_asked_for() {
    # More than `kill`; asking for nearly all of the lease would fail if its renewal is
    # late.
    runs a --term-before 1.6 -- sh gently.sh 0.9
    kill -TERM "${daemon[a]}"
    holds "a command that asked for time is told, too" ends 125
    same "it has the time of --term-before" "told ended" "$(xargs <told)"
    within 9 dead "${daemon[a]}"
    start a
    holds "the node is back once more" within 30 members a 3
}
steady grace_is_asked_for

# ---- A drain -----------------------------------------------------------------

drain_tells() {
    [ -z "${daemon[a]:-}" ] || stop a
    start a --drain 20
    within 30 members a 3
    runs a -- sh deaf.sh
    kill -TERM "${daemon[a]}"
    holds "a drain tells its holder at once" within 9 has told told
    sleep 1
    holds "and leaves it more than its grace" lives $held
    touch 'done'
    holds "what ends within the drain was told to" ends 125
    same "and came to its own end" "told ended" "$(xargs <told)"
    holds "then the node stops" within 9 dead "${daemon[a]}"
    start a --drain 1.5
    within 30 members a 3
    runs a -- sh deaf.sh
    kill -TERM "${daemon[a]}"
    holds "at the end of a drain it is killed" ends 125
    holds "and its client says so" has 'lost, .*about to stop' held.err
    within 9 dead "${daemon[a]}"
    start a
    within 30 members a 3
    runs a -- sh deaf.sh
    kill -USR1 "${daemon[a]}"
    sleep 1
    touch 'done'
    holds "SIGUSR1 tells nobody, and the command ends by itself" ends 0
    same "it was told nothing" "ended" "$(xargs <told)"
    within 9 dead "${daemon[a]}"
    start a
    within 30 members a 3
}
steady drain_tells

# ---- How long it takes -------------------------------------------------------

# The default times: with them the others are given up to 1.4 s to hear of it.
lease=2000
stop a b c
cluster 3
sed -i -e 's/^tau = .*/tau = 100ms/' -e 's/^delay = .*/delay = 50ms/' \
    -e 's/^kill = .*/kill = 200ms/' cluster.ini
for node in a b c; do start $node --init; done
within 30 members c 3

# By the times of its log: to see here that it is dead may take longer than that.
said_at() { # WORDS: in milliseconds, when node b said so last
    date +%s%3N -d "$(sed -n "s/ b: $1.*//p" b.log | tail -n 1)"
}
stops_soon() {
    local took
    lock b work -w 9 -- true
    kill -TERM "${daemon[b]}"
    within 9 dead "${daemon[b]}"
    took=$(($(said_at 'has stopped') - $(said_at 'stops: signal')))
    holds "a stop takes a few round trips: $took ms" test $took -lt 1000
    start b
    within 30 members b 3
}
standstill=100 steady stops_soon

# ---- A pause -----------------------------------------------------------------

# A node that is stopped for longer than its lease: no `kill` covers that.
pauses() {
    : >c.log
    kill -STOP "${daemon[c]}"
    sleep 3
    kill -CONT "${daemon[c]}"
    holds "a node that was paused says so" within 9 has 'ms late' c.log
    within 30 members c 3
    same "once" 1 "$(grep -c 'ms late' c.log)"
    holds "and advises nothing that its lease forbids" eval \
        '! grep -e "kill" c.log'
}
runs c -- sh deaf.sh
steady pauses
touch 'done'
wait
stop a b c

tap_end
