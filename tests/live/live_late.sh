#!/usr/bin/env bash
# live_late.sh BUILD - the daemon of a holder is killed, and the surviving nodes
# are late now and then, as on any busy machine: the next holder still gets in
# after about a lease.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"

mkfifo never # steady.sh waits by it, too
exec 3<>never
# Waits without a process of its own, so that short times are short.
pause() { # SECONDS
    read -r -t "$1" <&3
}

now_ms() {
    read -r REPLY _ </proc/uptime
    REPLY=$((10#${REPLY/./} * 10))
}

# cluster_of LEASE TAU, in milliseconds
cluster_of() {
    cluster 3
    sed -i -e "s/^tau = .*/tau = $2ms/" -e "s/^lease = .*/lease = $1ms/" \
        -e "s/^kill = .*/kill = $(($1 / 10))ms/" -e 's/^delay = .*/delay = 5ms/' \
        cluster.ini
}

# Stops b and c for a while, again and again.
stumble() { # STOPPED RUNNING
    [ "$1" != 0 ] || return
    while [ ! -e over ]; do
        kill -STOP "${daemon[b]}" "${daemon[c]}"
        pause "$1"
        kill -CONT "${daemon[b]}" "${daemon[c]}"
        pause "$2"
    done
}

# next_holder LEASE TAU STOPPED RUNNING: milliseconds until b has the lock that
# a's command held, in $took; 6 s if it never gets it.
next_holder() {
    local began
    for node in "${!daemon[@]}"; do crash $node; done # what a failure has left
    rm -f over held ./*.log
    cluster_of "$1" "$2"
    for node in a b c; do start $node --init; done
    within 20 members a 3 || return 1
    # On a busy machine a lease is short: it may be over before the command begins,
    # or before the node is killed.
    while [ ! -e held ]; do
        "$fulcrum" lock -c cluster.ini -i a job -- sh -c 'touch held; sleep 60'
    done 2>/dev/null &
    disown $!
    within 20 test -e held || return 1
    crash a
    now_ms
    began=$REPLY
    stumble "$3" "$4" &
    stumbles=$!
    timeout 8 "$fulcrum" lock -c cluster.ini -i b job -w 6 -- true
    code=$?
    now_ms
    took=$((REPLY - began))
    touch over
    wait $stumbles
    for node in b c; do crash $node; done
    # The node is on time though its client is not, and the command may not begin.
    [ $code -eq 0 ] || { [ $code -eq 125 ] && grep -q 'lock job: token' b.log; } ||
        { echo "exit $code after $took ms"; cat b.log; return 1; }
    echo "next holder after $took ms"
    # With a margin for a machine that is late anyway.
    [ $took -le $((3 * $1 + 1500)) ]
}

shows() {
    holds "$@"
    sed 's/^/#   /' "$tap_tmp/.held" | grep 'next holder'
}

steady shows "lease 100 ms, tau 10 ms, never stopped" next_holder 100 10 0 0
steady shows "lease 100 ms, tau 10 ms, stopped for 22 of every 45 ms" \
    next_holder 100 10 0.022 0.023
steady shows "lease 1000 ms, tau 25 ms, never stopped" next_holder 1000 25 0 0
steady shows "lease 1000 ms, tau 25 ms, stopped for 60 of every 400 ms" \
    next_holder 1000 25 0.060 0.340
tap_end
