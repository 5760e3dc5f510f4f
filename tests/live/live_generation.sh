#!/usr/bin/env bash
# live_generation.sh BUILD - real daemons on loopback whose configuration changes
# while they run (P6): a smaller list, node by node; the same list; a list in which
# nodes have other positions; and a node with a mistyped generation.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"
cd - >/dev/null || exit 1
cd "$work" || exit 1

# file NAME GENERATION NODE...: as cluster.ini, with these nodes in this order.
file() {
    local name=$1 generation=$2 node
    shift 2
    sed -n "1,/^socket/p; /^socket/q" cluster.ini |
        sed "0,/^\[cluster\]/s//&\ngeneration = $generation/" |
        awk '!/^socket/ || !seen++' >"$name"
    for node in "$@"; do
        sed -n "/^\[node $node\]/,/^port/p" cluster.ini >>"$name"
    done
}

# run FILE NODE [OPTION...]
run() {
    local file=$1 node=$2
    shift 2
    "$fulcrum" node -c "$file" -i "$node" "$@" 2>>"$node.log" &
    daemon[$node]=$!
    disown $!
}

logged() { # NODE WORDS
    grep -q -e "$2" "$1.log"
}

ended() { # NODE...: by itself
    local node
    for node in "$@"; do
        dead "${daemon[$node]}" || { echo "$node runs"; return 1; }
    done
}

tells() { # FILE NODE WORDS: its status
    "$fulcrum" status -c "$1" -i "$2" | tr -s '\n ' ' ' | grep -q -e "$3"
}

# leads FILE NODE: as long as it holds the lock it writes its token and name.
leads() {
    within 10 test -S "$2.socket"
    "$fulcrum" lock -c "$1" -i "$2" leader -- sh -c \
        "while :; do echo \$FULCRUM_TOKEN $2 >>tokens; sleep 0.01; done" \
        2>>clients.log &
}

led() { # NODE: it has written
    grep -q " $1\$" tokens
}

begin() { # NODES
    stop_all
    daemon=()
    rm -f ./*.log tokens
    : >tokens
    cluster "$1"
    file old.ini 1 $(echo a b c d e | cut -d ' ' -f "1-$1")
    for node in $(echo a b c d e | cut -d ' ' -f "1-$1"); do
        run old.ini "$node" --init
        : >"$node.log"
    done
    for node in "${!daemon[@]}"; do
        within 60 has_members "$1" \
            "$fulcrum" status -c old.ini -i "$node" --json || return 1
    done
}

# of NODE FILE N: it has a lease in a view of N.
of() {
    has_members "$3" "$fulcrum" status -c "$2" -i "$1" --json
}

# ---- A smaller list, node by node --------------------------------------------

# {a, b} are a majority of the new list, {c, d, e} of the old one.
shrink() {
    begin 5
    file new.ini 2 a b c
    leads old.ini d
    holds "a lock is held under the old list" within 20 led d
    stop a b
    run new.ini a
    run new.ini b
    leads new.ini a
    holds "a node that hears of a higher generation stops" within 20 ended c
    holds "its log names both generations" logged c \
        "has generation 2 of the configuration, and this node has generation 1"
    holds "a service manager that starts it again changes nothing" \
        code 3 timeout 20 "$fulcrum" node -c old.ini -i c
    holds "the next leader is one of the new list" within 20 led a
    sleep 1
    holds "no two lead during a change made node by node" awk -f "$judge" tokens
    run new.ini c
    holds "a node comes back with the file of that generation" \
        within 30 of c new.ini 3
}
steady shrink

# ---- The node that stays keeps the others waiting ----------------------------

# c cannot hear: it is stopped as a process, and goes on when the new ones run.
late() {
    begin 3
    file new.ini 2 a b c
    stop a
    run new.ini a
    holds "in a change of the same list all old nodes stop" within 20 ended b c
    holds "the first node of the new generation waits for them" \
        logged a 'a node of the old list still runs: [bc] has generation 1'
    run new.ini b
    run new.ini c
    holds "restarted, they all agree" within 30 of a new.ini 3
    holds "the log says that the wait is over" \
        logged a 'nothing is heard of lower generations'
}
steady late

# ---- Other positions ---------------------------------------------------------

# The first node of the old list is gone, so that all others have moved up.
moved() {
    begin 3
    file new.ini 2 b c d
    port=$(shuf -i 32000-32700 -n 1)
    printf '%s\n' '[node d]' "host = $host" "port = $port" >>new.ini
    leads old.ini a
    within 20 led a
    stop c
    run new.ini c
    run new.ini d --init
    leads new.ini c
    holds "a node of another list stops, whatever positions it has" \
        within 20 ended b
    holds "a list with other positions has one leader" within 20 led c
    sleep 1
    holds "no two lead though positions differ" awk -f "$judge" tokens
}
steady moved

# ---- A mistake ---------------------------------------------------------------

mistake() {
    begin 5
    file mistyped.ini 20 a b c d e
    stop a
    run mistyped.ini a
    holds "one node with a mistyped generation stops all others" \
        within 20 ended b c d e
    holds "the refusal names both ways out" \
        says 'file of generation 20.*--stay' \
        "$fulcrum" node -c old.ini -i b
    for node in b c d e; do run old.ini $node --stay; done
    holds "with --stay they go on, though the mistaken node runs" \
        within 30 of b old.ini 4
    holds "the status says what is ignored" \
        within 5 tells old.ini b 'ignores generation 20'
    holds "the mistaken node takes no part" \
        within 5 tells mistyped.ini a 'takes no part: a node of the old list'
    holds "so does its health" says 'takes no part: a node of the old list' \
        "$fulcrum" status -c mistyped.ini -i a --health
    holds "its clients are told why they wait" \
        says 'old list still runs: . has generation 1' \
        "$fulcrum" lock -c mistyped.ini -i a leader -w 1 -- true
    stop b
    run old.ini b
    holds "a node goes on to stay without being told again" \
        within 30 of b old.ini 4
    holds "--stay is refused to a node that did not stop" \
        code 3 timeout 20 "$fulcrum" node -c mistyped.ini -i a --stay
    stop a
    mv state/a.record state/a.mistaken
    run old.ini a --repair
    holds "the mistaken node comes back with a repaired record" \
        within 30 of a old.ini 5
    file other.ini 21 a b c d e
    stop a
    run other.ini a
    holds "another higher generation stops them like any" \
        within 20 ended b c d e
    for node in b c d e; do run other.ini $node; done
    holds "they come back with the file of that generation" \
        within 30 of a other.ini 5
}
steady mistake
tap_end
