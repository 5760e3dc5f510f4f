#!/usr/bin/env bash
# live_protocols.sh BUILD - fulcrum live: every protocol of the table as processes
# over real links, counted and judged like the simulator's runs; what is done to
# processes; and that none is left behind.
#
# The machine may be busy: then steps end late, and the report says so.  What is
# asked for here holds all the same, or as long as no bound was broken.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/process.sh
fulcrum=$PWD/$1/fulcrum
cd "$tap_tmp" || exit 1

# live NAME ARGUMENTS...: a run, beside others; its report is NAME.json, its
# trace NAME.trace, its exit code NAME.code.
live() {
    local name=$1
    shift
    {
        timeout 90 "$fulcrum" live "$@" --json --trace "$name.trace" \
            >"$name.json" 2>"$name.err"
        echo $? >"$name.code"
    } &
    while [ "$(jobs -rp | wc -l)" -ge 10 ]; do wait -n; done
}

# What reports say, a file for each fact: NAME.kinds and so on.
know() {
    python3 - "$@" <<'PY'
import json, sys
for name in sys.argv[1:]:
    try:
        d = json.load(open(name + ".json"))
    except ValueError:
        continue
    live = d.get("live", {})
    facts = {
        "kinds": json.dumps(d["messages"]["by_kind"], sort_keys=True),
        "leader": d["leader"],
        "entries": d.get("entries"),
        "violated": d["violated"],
        "broken": sum(live[k]["broken"] for k in ("steps", "delays")
                      if live),
        "steps": live["steps"]["broken"] if live else 0,
        "worst": live["steps"]["worst_ticks"] if live else 0,
        "crashes": d["faults"]["crashes"],
        "lost": d["faults"]["lost"],
        "unasked": live.get("died_unasked", 0),
        "calibrated": live.get("calibrated", False),
        "tick": live.get("tick_us", 0),
    }
    for fact, value in facts.items():
        open(name + "." + fact, "w").write(str(value) + "\n")
PY
}

# says NAME FACT VALUE
says() {
    same_text "$(cat "$1.$2")" "$3"
}
same_text() {
    [ "$1" = "$2" ] || { echo "'$1' is not '$2'"; return 1; }
}

# went NAME CODE: it has ended with this code; else shows what it said.
went() {
    [ "$(cat "$1.code")" = "$2" ] || {
        echo "exit $(cat "$1.code"), not $2"
        cat "$1.err"
        grep -A 5 -e violations -e '"live"' "$1.json"
        return 1
    }
}

# at_least NAME FACT VALUE: says what it saw, if that is less.
at_least() {
    [ "$(cat "$1.$2")" -ge "$3" ] || {
        echo "$2 $(cat "$1.$2"), not $3 or more"
        sed -n "/^----/,\$p" "$1.trace" | head -n 40
        return 1
    }
}

in_time() {
    [ "$(cat "$1.broken")" = 0 ]
}
broke_a_bound() {
    [ -s "$1.broken" ] && ! in_time "$1"
}

# The same, unless time broke a promise first.
went_in_time() {
    went "$@" || broke_a_bound "$1"
}

says_in_time() {
    says "$@" || broke_a_bound "$1"
}

# A run that broke a property does so again.
replays() {
    "$fulcrum" sim --replay "$1.trace" | tee replayed
    grep -q 'each as written' replayed
}

counts_as_simulated() {
    same_text "$(cat "$1.kinds")" "$(cat "$1.sim.kinds")"
}

# ---- Every protocol ----------------------------------------------------------

protocols=$("$fulcrum" list | awk '/^[a-z]/ && NF > 2 { print $1 }')

is_one_of() { # NAME NAMES...
    local name=$1 other
    shift
    for other; do [ "$other" != "$name" ] || return 0; done
    return 1
}

# They send the same messages in whatever order things happen...
same_always="lelann chang-roberts peterson dolev-klawe-rodeh franklin
    hirschberg-sinclair tree ring-names tree-names central lamport
    ricart-agrawala rw-optimistic"
# ...and these as long as steps and delays are within their bounds.
# (A late reply of raymond-k may answer several requests.)
same_in_time="vitanyi itai-rodeh-sync ring-size ring-sort bully raymond-k"

arguments() {
    case $1 in
    rw-preventive) echo "-n 2 --entries 2 --tick 3ms" ;;
    token-ring) echo "-n 4 --until 80 --tick 10ms" ;;
    # One that has lost step may draw for ever.
    itai-rodeh-sync) echo "-n 4 --until 300 --tick 10ms" ;;
    archimedean | spirakis-tampakas) echo "-n 3 --tick 5ms" ;;
    vitanyi | ring-size | ring-sort | bully | view-lock)
        echo "-n 4 --tick 10ms" ;;
    *) echo "-n 4 --tick 2ms" ;;
    esac
    # Where there is work, a little of it.
    "$fulcrum" list "$1" | grep -q '^ *problem *\(mutex\|store\)' &&
        [ "$1" != rw-preventive ] && echo "--entries 3"
}

for p in $protocols; do
    # shellcheck disable=SC2046
    live "$p" "$p" $(arguments "$p")
done

# ---- What is done to processes -----------------------------------------------

# The coordinator of the bully is killed; a node that wakes later finds out.
live bully-kill bully -n 5 --tick 10ms --wake 1@0,2@40 --fault 'crash 5@20'
live bully-back bully -n 4 --tick 10ms --fault 'crash 4@20' \
    --fault 'restart 4@60'
live blank view-lock -n 3 --tick 10ms --entries 2 --fault 'crash 2@10' \
    --fault 'restart-blank 2@40'
live given vitanyi -n 4 --time archimedean --bounds 1:2:0:2 --tick 5ms
live calibrated vitanyi -n 4
# A station of token-ring wants to do something every ten ticks or sooner, for ever:
# whenever the pause or the cut comes, and however late, it hits something.
live paused token-ring -n 4 --tick 5ms --until 600 --fault 'pause 2@3:40'
live cut token-ring -n 4 --tick 5ms --until 400 --fault 'cut 2@20:320'
live copies view-lock -n 3 --tick 5ms --entries 2 --fault 'duplicate 0.2' \
    --fault 'loss 0.1'
live held lelann -n 4 --tick 5ms --fault 'delay 1#2:9'
live two token-mutex -n 4 --tick 2ms --entries 3 --section 30 \
    --set holders=two
live judged lelann -n 4 --tick 2ms --judge
live async ricart-agrawala -n 4 --time async --entries 20
live many lelann -n 64 --tick 20ms
live pair franklin -n 2 --tick 5ms

# Nodes of a cluster, each started on its own; this address is this script's.
host=127.$((64 + $$ / 65536)).$(($$ / 256 % 256)).$(($$ % 256))
"$fulcrum" keygen cluster.key >/dev/null
{
    printf '[cluster]\nlease = 1s\nkey = cluster.key\n'
    for i in 1 2 3; do
        printf '[node n%d]\nhost = %s\nport = 740%d\n' $i "$host" $i
    done
} >cluster.ini
for i in 2 3; do
    timeout 80 "$fulcrum" live ricart-agrawala -c cluster.ini -i n$i --tick 5ms \
        --entries 3 >far$i.txt 2>&1 &
done
live cluster ricart-agrawala -c cluster.ini -i n1 --tick 5ms --entries 3

# The parent sleeps while it should stop a node, and while it should let it go on.
"$fulcrum" live token-ring -n 4 --tick 5ms --until 1000 --json \
    --fault 'pause 2@100:40' --trace overslept.trace >overslept.json 2>overslept.err &
overslept=$!
until [ "$(pgrep -c -P $overslept)" -ge 4 ]; do sleep 0.02; done
{
    sleep 0.2
    kill -STOP $overslept
    sleep 1.2
    kill -CONT $overslept
} &

# Processes that die though nobody asked.
"$fulcrum" live token-ring -n 4 --tick 50ms --until 80 --json \
    --trace killed.trace >killed.json 2>killed.err &
killed=$!
sleep 2
child=$(pgrep -P $killed | head -n 1)
kill -9 "$child"

# Ctrl-C, and the parent killed: on networks that go on for ever.
"$fulcrum" live token-ring -n 4 --tick 50ms --trace stopped.trace >stopped.txt &
stopped=$!
"$fulcrum" live token-ring -n 4 --tick 50ms >/dev/null 2>&1 &
orphans=$!
disown $orphans
sleep 2
children=$(pgrep -P $orphans; pgrep -P $stopped)
interrupt $stopped
kill -9 $orphans
wait $killed
echo $? >killed.code
wait $stopped
echo $? >stopped.code
wait 2>/dev/null

for p in $protocols; do
    # shellcheck disable=SC2046
    "$fulcrum" sim "$p" $(arguments "$p" | sed 's/--tick [^ ]*//') --json \
        >"$p.sim.json"
done
# shellcheck disable=SC2046
know $(ls ./*.json | sed 's/\.json$//')

for p in $protocols; do
    holds "$p runs live and keeps its promises" went_in_time "$p" 0
    holds "what $p did live is what its rules do" replays "$p"
    # shellcheck disable=SC2086
    if is_one_of "$p" $same_always; then
        holds "$p sends what the simulator sends" counts_as_simulated "$p"
    elif is_one_of "$p" $same_in_time && in_time "$p"; then
        holds "$p in time sends what the simulator sends" \
            counts_as_simulated "$p"
    fi
done

holds "the bully survives kill -9 of its coordinator" went_in_time bully-kill 0
holds "and the greatest of the others leads" says_in_time bully-kill leader 4
holds "which is a crash" says bully-kill crashes 1
holds "a coordinator that comes back leads again" \
    says_in_time bully-back leader 4
holds "a node comes back without its memory" went_in_time blank 0
for run in bully-kill bully-back blank paused cut copies held async killed; do
    holds "a trace with '$run' is replayed" replays $run
done

"$fulcrum" sim --replay two.trace >/dev/null 2>&1
same "one that breaks a property breaks it again" 1 $?

holds "Vitanyi elects with given bounds" went_in_time given 0
holds "and with a tick that was measured" went_in_time calibrated 0
holds "which the report says" says calibrated calibrated True
holds "the least name leads" says_in_time calibrated leader 1
holds "a pause breaks the bound of a step" at_least paused steps 1
holds "by as much as it lasted" at_least paused worst 20
holds "a pause that begins late lasts as long" at_least overslept worst 20
holds "messages across a cut are lost" at_least cut lost 1
holds "losses and copies are borne by the protocol that bears them" \
    went_in_time copies 0
holds "a message that is held back takes too long" at_least held broken 1
holds "two tokens break mutual exclusion: exit 1" went two 1
holds "and the report says so" says two violated 1
holds "whole networks are judged" went judged 0
holds "without bounds there is none to break" says async broken 0
holds "80 entries cost 6 messages each" grep -q '"request": 240.0' async.kinds
holds "64 processes" went many 0
holds "send N^2 tokens" grep -q '"token": 4096.0' many.kinds
holds "two processes" went pair 0

holds "a protocol runs on the nodes of a cluster" went cluster 0
holds "9 entries cost 4 messages each" grep -q '"request": 18.0' cluster.kinds
holds "the first node has the trace of all" replays cluster
same "the others say who reports" "n3 has played its part; n1 reports" \
    "$(cat far3.txt)"

same "a node that dies unasked: exit 1" 1 "$(cat killed.code)"
holds "and the report says so" says killed unasked 1
same "Ctrl-C: exit 130" 130 "$(cat stopped.code)"
holds "and the trace is kept" "$fulcrum" sim --replay stopped.trace
holds "a live run is drawn" "$fulcrum" draw lelann.trace -o lelann.svg
holds "and told in text" "$fulcrum" draw lelann.trace --text

none_left() {
    local pid
    sleep 0.3
    for pid in $children; do
        dead "$pid" || { ps "$pid"; return 1; }
    done
    [ "$(echo $children | wc -w)" -eq 8 ]
}
holds "no process outlives Ctrl-C or its parent" none_left

# ---- What cannot be ----------------------------------------------------------

refuses 2 "up to 64" live lelann -n 65
refuses 2 "up to 6" live view-lock -n 7
refuses 2 "real links" live lelann -n 4 --delays 1,1,1,1
refuses 2 "a tick lasts" live lelann --tick soon
refuses 2 "which protocol" live
refuses 3 "No space left" live lelann -n 3 --tick 2ms --trace /dev/full
refuses 2 "give both or neither" live lelann -c cluster.ini
refuses 2 "leave out -n" live lelann -c cluster.ini -i n1 -n 3
refuses 2 "names no such node" live lelann -c cluster.ini -i n9
refuses 2 "shares memory" live rw-optimistic -c cluster.ini -i n1
refuses 2 "where they run" live bully -c cluster.ini -i n1 --fault 'crash 1@3'
few_files() { (ulimit -n 10 && "$fulcrum" live lelann -n 8); }
few_files >/dev/null 2>few.err
same "too few descriptors: exit 3" 3 $?
holds "and a sentence" grep -q 'cannot start a node: Too many open files' few.err
tap_end
