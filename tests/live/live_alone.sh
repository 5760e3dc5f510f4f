#!/usr/bin/env bash
# live_alone.sh BUILD - one of daemon, client and guard is enough to kill all of a
# command in time (rule K8), and if all three are gone the next start of the node,
# without a cgroup: also processes that left its group and its session, and have lost
# their parents or their environment.
#
# TIMES=20: how often each case is tried.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
times=${TIMES:-1}
lease=2000
build=$(realpath "$1")
holds "the tools build" make --no-print-directory BUILD="$1" live-tools
. tests/live/holder.sh
. tests/live/loopback.sh "$1"
fulcrum=${FULCRUM:-$fulcrum}
ticker=$build/tests/live/ticker
pinned=$build/tests/live/pinned

# Ordinary users, so that there is no cgroup.  Where a user has one delegated, its
# processes find each other by it.
as=()
if [ "$(id -u)" = 0 ]; then
    as=(setpriv --reuid nobody --regid nogroup --clear-groups)
    chmod 755 "$tap_tmp" "$work"
fi

start_as() { # NODE [OPTION]
    "${as[@]}" "$fulcrum" node -c cluster.ini -i "$1" "${@:2}" 2>>"$1.log" &
    daemon[$1]=$!
    disown $!
}
all_there() {
    has_members 3 "${as[@]}" "$fulcrum" status --socket a.socket --json
}
cluster 3
[ ${#as[@]} -eq 0 ] || chown -R nobody .
for node in a b c; do start_as $node --init; done
holds "three nodes agree" within 30 all_there

# Every way to leave that a shell has.  All of them write under one name; the program
# of one of them has an end of a line in its own, which /proc shows as it is.
install -m 755 "$ticker" $'end\nof a line) Z 1'
cat >leave.sh <<'END'
tick='echo >began.$2; exec "$1" ticks A 20000'
sh -c "$tick" sh "$1" 1 &
timeout 20 sh -c "$tick" sh "$1" 2 &
setsid sh -c "$tick" sh "$1" 3 &
(setsid sh -c '(sh -c "$1" sh "$2" 4 &)' sh "$tick" "$1" &)
bash -c 'set -m; sh -c "$1" sh "$2" 5 & wait' sh "$tick" "$1" &
setsid env -i "PATH=$PATH" sh -c "$tick" sh "$1" 6 &
setsid sh -c "$tick" sh "$(printf './end\nof a line) Z 1')" 7 &
wait
END
began() {
    [ -e began.1 ] && [ -e began.2 ] && [ -e began.3 ] && [ -e began.4 ] &&
        [ -e began.5 ] && [ -e began.6 ] && [ -e began.7 ]
}

# held OPTIONS: at node a; its client in $client, the guard in $guard.
held() {
    rm -f began.* ticks
    "${as[@]}" touch ticks
    "${as[@]}" "$fulcrum" lock --socket a.socket job "$@" -- sh leave.sh "$ticker" \
        2>held.err &
    client=$!
    disown $client
    within 30 began || { echo "not all began:" began.*; cat held.err; return 1; }
    guard=$(guard_of $client)
}

# next_is_alone: another takes the lock at node b; no line of the first holder is
# among its lines or comes after them.
next_is_alone() {
    "${as[@]}" "$fulcrum" lock --socket b.socket job -w 30 -- "$ticker" ticks B 400 ||
        return 1
    grep -q ' A$' ticks && grep -q ' B$' ticks && apart ticks && return
    echo "they were not apart: $(uniq -c -f 1 ticks | tail -n 9)"
    return 1
}

# still PROCESS...: they stand still and nobody is told.
holder= # the process that pins others
still() {
    rm -f still
    "$pinned" still "$@" &
    holder=$!
    disown $holder
    within 5 test -e still
}
on_again() { # the processes that were stopped
    [ -z "$holder" ] || kill -KILL "$holder"
    holder=
    kill -CONT "${daemon[a]}" $client "$guard" 2>/dev/null
    within 20 dead $client || return 1
    # A node that was left out must be linked for twice as long each time, unless
    # those that left it out are restarted.
    local node
    for node in a b c; do
        crash $node
        start_as $node
    done
    within 60 all_there
}

# ---- Two of the three are gone ----------------------------------------------

client_is_killed() {
    held || return 1
    kill -KILL $client
    next_is_alone
}
guard_is_killed() { # and the client as soon as there is another one
    held || return 1
    kill -KILL "$guard"
    within 3 another_guard || return 1
    kill -KILL $client
    next_is_alone
}
another_guard() {
    [ "$(guard_of $client)" != "$guard" ] && guard_of $client
}
guard_alone() {
    held || return 1
    kill -STOP "${daemon[a]}" $client
    next_is_alone
}
guard_outlives_both() {
    held || return 1
    kill -STOP "${daemon[a]}"
    kill -KILL $client
    next_is_alone
}
# The guard took the place of another, so that it is nobody's parent.
second_guard_alone() {
    held || return 1
    kill -KILL "$guard"
    within 3 another_guard || return 1
    guard=$(guard_of $client)
    kill -STOP "${daemon[a]}" $client
    next_is_alone
}
second_guard_outlives_both() {
    held || return 1
    kill -KILL "$guard"
    within 3 another_guard || return 1
    guard=$(guard_of $client)
    kill -STOP "${daemon[a]}"
    kill -KILL $client
    next_is_alone
}
client_alone() {
    held || return 1
    still "${daemon[a]}" "$guard" || return 1
    next_is_alone
}
client_outlives_both() {
    held || return 1
    kill -STOP "${daemon[a]}"
    kill -KILL "$guard"
    next_is_alone
}
daemon_alone() { # it takes the lock away, as it was held for long enough
    held --hold 0.5 --grace 0 || return 1
    still $client "$guard" || return 1
    next_is_alone
}
# Neither sees the other die: both stand still, and the guard goes first.  If the
# client did the kernel would let the guard go on, as a stopped orphan, and the guard
# would be killed while it kills.
kill_both() { # ALSO...
    kill -STOP $client "$guard"
    kill -KILL "$@" "$guard" $client
}
daemon_outlives_both() {
    held || return 1
    kill_both
    next_is_alone
}

# ---- All three are -----------------------------------------------------------

# The next start is nobody's parent, and has a list alone.  When it takes part, all
# that the command had started is dead.  Whether that is before the lock is another's
# depends on when the node is started, and how fast.
all_are_killed() {
    held || return 1
    kill_both "${daemon[a]}"
    within 5 dead "${daemon[a]}"
    grown || { echo "the command is dead before the node is started"; return 1; }
    start_as a
    within 60 all_there || return 1
    ! grown || { echo "the command runs although the node takes part"; return 1; }
    next_is_alone
}
grown() {
    local lines
    lines=$(wc -l <ticks)
    sleep 0.2
    [ "$(wc -l <ticks)" -gt "$lines" ]
}

try() { # WORDS COMMAND
    local i
    for i in $(seq "$times"); do
        holds "$1 ($i)" "$2"
        holds "all are back" on_again
    done
}
try "the client is killed" client_is_killed
try "the guard is killed, and then the client" guard_is_killed
try "the guard alone is left, and daemon and client are stopped" guard_alone
try "the guard alone is left, and the client is killed" guard_outlives_both
try "a second guard alone is left, and the client is stopped" second_guard_alone
try "a second guard alone is left, and the client is killed" \
    second_guard_outlives_both
try "the client alone is left, and the guard is killed" client_outlives_both
try "the daemon alone is left, and both others are killed" daemon_outlives_both
try "all three are killed, and the node is started again" all_are_killed
sleep 60 &
idle=$!
still $idle
can_pin=$?
disown $idle
kill -KILL $idle ${holder:+"$holder"} 2>/dev/null
holder=
if [ $can_pin = 0 ]; then
    try "the client alone is left, and the guard stands still" client_alone
    try "the daemon alone is left, and both others stand still" daemon_alone
else
    echo "# left out: processes that stand still: none may be traced here"
fi

tap_end
