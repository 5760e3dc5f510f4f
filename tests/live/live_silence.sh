#!/usr/bin/env bash
# live_silence.sh BUILD - mode silence with real daemons on loopback: what an
# entry costs on the wire, in both modes; a counter without other protection,
# crashes, pauses, a late network, and that the mode does not start without stated
# bounds.
#
# The bounds are wide, for busy machines: the window is a second, and in most
# scenes it ends early.  If a machine still pauses for longer than a step, nodes
# end the mode, as they should: then the scene is repeated.
set -u
cd "$(dirname "$0")/../.."
relay=$(realpath "$1/fulcrum-relay" 2>/dev/null)
. tests/tap.sh
. tests/live/loopback.sh "$1"

# silent_cluster N [LINE...]: as cluster, with hard bounds.
silent_cluster() {
    local nodes=$1
    shift
    lease=1400 cluster "$nodes" || return 1
    printf '%s\n' 'mode = silence' 'bounds = hard' 'dmax = 100ms' \
        'step = 400ms' "$@" >bounds
    sed -i '/^\[cluster\]/r bounds' cluster.ini
}

# play SCENE [NODE]: repeats it if the machine paused; NODE is paused on purpose.
play() {
    local try scene=$1 paused=${2:-}
    for try in 1 2 3; do
        rm -f ./*.log ./*.err
        (tap_failed=0; daemon=(); $scene; stop_all; exit $tap_failed) >scene 2>&1 &&
            break
        [ "$(grep -l 'did not run for' ./*.log | grep -v "^./$paused.log")" ] || break
        [ $try -eq 3 ] || echo "# the machine stood still: $scene once more"
    done
    cat scene
    ! grep -q '^not ok' scene || tap_failed=1
}

ask() { # NODE FILTER
    "$fulcrum" status -c cluster.ini -i "$1" --json | jq -r "$2"
}
ready() { [ "$(ask "$1" .ready)" = true ]; }
over() { [ "$(ask "$1" '.over != null')" = true ]; }

# total FILTER: its sum over all nodes.
total() {
    local node
    for node in "${!daemon[@]}"; do ask "$node" "$1"; done | jq -s add
}
messages=.counters.sent
datagrams='[.peers[].link.sent] | add'
carried='.counters | .parcels + .repeats + .acks'

holder() { # NODE WHO: ticks in the background; its process in $held
    "$fulcrum" lock -c "${ini:-cluster.ini}" -i "$1" work -- sh -c 'while :; do
        echo "$FULCRUM_TOKEN $0" >>ticks; sleep 0.02; done' "$2" 2>"$2.err" &
    held=$!
    within 10 grep -q " $2\$" ticks
}
restart() { # NODE: kill -9, and again
    crash "$1"
    start "$1"
}
ended() { # CODE WORDS: the holder ends with it, and these words
    local got
    within 15 dead "$held" || return 1
    wait "$held"
    got=$?
    [ $got -eq "$1" ] && grep -q -e "$2" ./*.err ||
        { echo "exit $got, not $1"; cat ./*.err; return 1; }
}

# ---- What an entry costs in mode proven --------------------------------------

proven_costs() {
    cluster 3
    sed -i -e 's/^tau = .*/tau = 600ms/' -e 's/^lease = .*/lease = 4000ms/' cluster.ini
    for node in a b c; do start $node --init; done
    for node in a b c; do within 25 members $node 3 || break; done

    # costs TEXT MESSAGES NODE COMMAND...: MESSAGES requests and consents, over all
    # nodes.  What is not answered when a frame of NODE, which asks, is due, it asks
    # for again with the frame: at most both others, who answer again.
    local consents='.counters | .requests + .clears'
    costs() {
        local text=$1 expected=$2 node=$3 before beats cost
        shift 3
        beats=$(ask $node .counters.frames)
        before=$(total "$consents")
        "$@"
        cost=$(($(total "$consents") - before))
        beats=$((($(ask $node .counters.frames) - beats + 1) / 2))
        if [ $beats -gt 0 ] && [ $cost -gt "$expected" ] &&
            [ $cost -le $((expected + 4 * beats)) ]; then
            echo "# $cost messages, not $expected: $beats times a frame was due"
            cost=$expected
        fi
        same "$text" "$expected" $cost
    }
    hand_over() { # b waits while a holds, and gets it when a leaves
        "$fulcrum" lock -c cluster.ini -i a y -- sh -c 'touch held; sleep 0.15' &
        within 5 test -e held
        lock b y -- true
        wait $!
    }
    costs "proven: a first entry costs 2(n-1) messages" 4 a lock a y -- true
    costs "the next one at the same node none" 0 a lock a y -- true
    costs "one at another 2(n-1)" 4 b lock b y -- true
    costs "back again, of the others one has to be asked" 2 a lock a y -- true
    consents=.counters.clears # a client that waits long asks with every frame
    costs "a hand-over is one consent" 1 b hand_over
    before=$(total .counters.frames) began=$(date +%s%N)
    sleep 1.8
    frames=$(($(total .counters.frames) - before))
    most=$((6 * (($(date +%s%N) - began) / 600000000 + 2)))
    holds "idle, n(n-1)/tau frames: $frames, and no more than $most" \
        test "$frames" -ge 6 -a "$frames" -le $most
    for node in a b c; do kill -TERM "${daemon[$node]}"; done
    holds "all stop" within 10 sh -c '! ls *.socket'
}

# ---- Without stated bounds ---------------------------------------------------

refusals() {
    cluster 3
    sed -i '/^\[cluster\]/a mode = silence' cluster.ini
    holds "the mode does not start without hard bounds" \
        code 3 "$fulcrum" node -c cluster.ini -i a --init
    sed -i '/^mode = silence/a bounds = hard\ndmax = 100ms\nstep = 300ms' cluster.ini
    holds "a lost record is not repaired in mode silence" says 'for mode = proven' \
        "$fulcrum" node -c cluster.ini -i a --repair
    sed -i '/^bounds = hard/d' cluster.ini
    holds "the refusal says what would be at stake" \
        says 'two nodes may hold a lock' \
        "$fulcrum" node -c cluster.ini -i a --init
}

# ---- Three nodes -------------------------------------------------------------

three_nodes() {
    silent_cluster 3 'window = early'
    start a --init
    start b --init
    sleep 1.6
    holds "no node takes part before all have been there" \
        test "$(ask a .ready)" = false
    start c --init
    for node in a b c; do
        holds "node $node takes part" within 10 ready $node
    done
    holds "status shows the mode" says 'mode silence' \
        "$fulcrum" status -c cluster.ini -i a
    holds "the log states the assumptions" grep -q 'rests on hard bounds' a.log

    before=$(total "$messages") packets=$(total "$datagrams")
    sleep 0.5
    same "idle nodes send nothing" "$packets" "$(total "$datagrams")"
    for node in a b c a b c; do lock $node x -- true; done
    same "an entry costs n-1 messages" 12 $(($(total "$messages") - before))
    same "all else on the wire is acknowledgements and retransmissions" \
        "$(total "$carried")" "$(total "$datagrams")"

    echo 0 >counter
    : >entries
    for node in a b c a b c; do
        (for i in 1 2 3 4 5; do
            lock $node counter -- sh -c 'n=$(cat counter)
                echo $((n + 1)) >counter.new; mv counter.new counter
                echo "$FULCRUM_TOKEN $((n + 1))" >>entries'
        done) &
    done
    wait
    same "six clients count without losing an update" 30 "$(cat counter)"
    holds "their tokens grow strictly" sh -c 'cut -d" " -f1 entries | sort -n -c -u'
    same "tokens have the generation as their high part" 1 \
        $(($(head -n 1 entries | cut -d' ' -f1) >> 56))

    # ---- Crashes -----------------------------------------------------------------

    : >ticks
    holder a stays
    restart b
    holds "a node that was killed takes part again" within 10 ready b
    holds "its start is the second" test "$(ask b .inc)" = 2
    holds "the holder has not noticed" kill -0 $held
    holds "no other client gets in" code 124 lock b work -w 0.3 -- true
    holds "a client that is refused is told who holds" \
        says 'at one of: a' lock c work -w 0.2 -- true
    kill $held
    wait $held
    holder a killed-daemon
    crash a
    holds "when the daemon is killed the command is stopped" ended 125 ''
    holds "the others go on" lock c work -w 8 -- \
        sh -c 'echo "$FULCRUM_TOKEN after-kill" >>ticks'
    holds "never two at once" awk -f "$judge" ticks
    holds "status names the dead node" test \
        "$(ask c '.peers[] | select(.name == "a") | .state')" = dead
    start a
    holds "the dead node comes back" within 10 ready a
}

# ---- Clients that no longer wait ---------------------------------------------

giving_up() {
    silent_cluster 2
    for node in a b; do start $node --init; done
    for node in a b; do within 10 ready $node; done
    same "a window is two delays and two steps, by any clock" 1002007 \
        "$(ask a .bounds.window_us)"
    same "a node counts as dead after a lease and 16 copies more" 2805614 \
        "$(ask a .bounds.dead_us)"
    local i began before requests most
    before=$(ask a .counters.requests) began=$(date +%s%N)
    for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
        timeout 0.1 "$fulcrum" lock -c cluster.ini -i a x -- true
    done
    requests=$(($(ask a .counters.requests) - before))
    most=$((1 + ($(date +%s%N) - began) / 1000000000))
    holds "a client that gives up within the window asks once per window: $requests, no more than $most" \
        test "$requests" -ge 1 -a "$requests" -le $most
    holds "a client that waits gets in" lock a x -w 8 -- true
}

# ---- A node that is not on time ----------------------------------------------

pause() {
    silent_cluster 3 'window = early'
    for node in a b c; do start $node --init; done
    for node in a b c; do within 10 ready $node; done
    : >ticks
    holder c paused
    kill -STOP "${daemon[c]}"
    holds "a paused daemon's command is stopped" ended 125 ''
    holds "the others go on without it" lock b work -w 8 -- \
        sh -c 'echo "$FULCRUM_TOKEN after-pause" >>ticks'
    holds "never two at once, either" awk -f "$judge" ticks
    kill -CONT "${daemon[c]}"
    holds "the paused node finds out, and ends the mode" within 5 over c
    holds "the node says why the mode has ended" \
        says 'did not run for' lock c work -w 1 -- true
    holds "the node refuses clients" code 3 lock c work -w 1 -- true
    holds "status says that the mode has ended" says 'the mode has ended' \
        "$fulcrum" status -c cluster.ini -i c
    kill -TERM "${daemon[c]}"
    holds "the node can be stopped" within 5 test ! -e c.socket
    start c
    holds "the node takes part when it is restarted" within 10 ready c
    for node in a b c; do kill -TERM "${daemon[$node]}"; done
    holds "all stop" within 5 sh -c '! ls *.socket'
}

# ---- A network that is not on time -------------------------------------------

carry() { # OPTION...
    "$relay" --host "$host" "$@" "${far[0]}:${port[0]}" "${far[1]}:${port[1]}" >/dev/null &
    daemon[relay]=$!
    disown $!
}

# Each node has its own file, in which the other is behind the relay.
late_network() {
    silent_cluster 2
    mapfile -t port < <(sed -n 's/^port = //p' cluster.ini)
    far=($(shuf -i 32000-32700 -n 2))
    sed "s/^port = ${port[1]}/port = ${far[1]}/" cluster.ini >a.ini
    sed "s/^port = ${port[0]}/port = ${far[0]}/" cluster.ini >b.ini
    carry
    for node in a b; do
        "$fulcrum" node -c $node.ini -i $node --init 2>>$node.log &
        daemon[$node]=$!
        disown $!
    done
    holds "two nodes over a relay take part" within 10 ready a
    began=$(date +%s%N)
    holds "a lock is granted over it" lock a work -w 5 -- true
    took=$((($(date +%s%N) - began) / 1000000))
    holds "it is granted when the window is over, after $took ms" \
        test $took -ge 1000
    : >ticks
    holder a delayed
    kill "${daemon[relay]}"
    within 5 dead "${daemon[relay]}"
    carry --delay 700000:700000
    holds "late messages end the mode where they are noticed" \
        code 3 lock b work -w 8 -- true
    holds "the command is stopped where the lock is held" \
        ended 125 'until it was acknowledged'
    holds "a client that asks is told" \
        says 'until it was acknowledged, and the bounds' \
        lock a work -w 1 -- true
    holds "the log says that the mode has ended" \
        grep -q 'mode silence has ended' a.log
}

play proven_costs
play refusals
play three_nodes
play giving_up
play pause c
play late_network
tap_end
