#!/usr/bin/env bash
# live_many.sh BUILD - as many nodes as a file may list, 31, as processes of this
# machine: they agree, a lock is passed on, ten are killed and the others go on,
# and with fewer than a majority nobody enters.  Says what it costs.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
tau=100
lease=3000
. tests/live/loopback.sh "$1"

cluster 31
nodes=({a..z} a{a..e})
killed=(b d f h j l n p r t)
left=(a c e g i k m o q s u v w x y z aa ab ac ad ae)

# members_of N NODE...: each has a lease in a view of N.
members_of() {
    local count=$1 node
    shift
    for node in "$@"; do members "$node" "$count" || return 1; done
}

# The processor time of all nodes so far, in milliseconds.
cpu_ms() {
    local node sum=0 fields
    for node in "${nodes[@]}"; do
        read -ra fields <"/proc/${daemon[$node]}/stat"
        sum=$((sum + fields[13] + fields[14]))
    done
    echo $((sum * 1000 / $(getconf CLK_TCK)))
}

counter() { # NODE NAME
    "$fulcrum" status -c cluster.ini -i "$1" --json | jq ".counters.$2"
}

# For three seconds: frames of one node, and the time of all of them.
measure() { # WHEN
    local frames=$(counter a frames) cpu=$(cpu_ms)
    sleep 3
    echo "# $1: $((($(counter a frames) - frames) / 3)) frames a second from each" \
        "node, $((($(cpu_ms) - cpu) / 30)) % of a core for all 31"
}

# passed_on NODE...: each enters while the one before it has the lock, or after it,
# and tokens grow.
passed_on() {
    local node
    rm -f tokens
    for node in "$@"; do
        lock "$node" --wait 60 work -- \
            sh -c 'echo "$FULCRUM_TOKEN" >>tokens; sleep 0.1' &
    done
    wait
    [ "$(wc -l <tokens)" -eq $# ] || { cat tokens; return 1; }
    sort -c -n -u tokens
}

for node in "${nodes[@]}"; do start $node --init; done
holds "31 nodes agree" within 60 members_of 31 "${nodes[@]}"
measure "at rest"
lock a --wait 60 work -- sh -c 'touch held; sleep 5' &
within 20 test -e held
measure "with a holder"
wait
holds "a lock is passed on" passed_on a p ae b z
for node in "${killed[@]}"; do kill -KILL "${daemon[$node]}"; done
for node in "${killed[@]}"; do within 30 dead "${daemon[$node]}"; done
holds "with ten of them killed, the others agree" within 60 members_of 21 "${left[@]}"
holds "and the lock is passed on" passed_on a ae z
for node in a c e g i k; do crash $node; done
# Until then it may enter again by the consents that it has kept.
within 30 says '"leased": false' "$fulcrum" status -c cluster.ini -i z --json
holds "15 are no majority" code 124 lock z --wait 5 work -- true
start b
holds "16 are one" within 60 members_of 16 b z ae
holds "and the lock is passed on again" passed_on b z ae
tap_end
