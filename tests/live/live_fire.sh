#!/usr/bin/env bash
# live_fire.sh BUILD - live nodes under fire: thousands of entries, partitions,
# hostile datagrams and floods, and a short round of everything at once.  The
# long version is live_soak.sh; docs/live-tests.md says what is tested.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
here=$PWD
"$build/fulcrum" node --help >/dev/null 2>&1 || {
    echo "# left out: this build has no live runtime"
    exit 0
}
holds "the tools build" make --no-print-directory BUILD="$build" live-tools
. tests/live/cluster.sh
. tests/live/round.sh
cd "$tap_tmp" || exit 1

# ---- The judge ---------------------------------------------------------------

# judge_says CODE: the verdict on the lines on standard input.
judge_says() {
    cat >judge.in
    judged judge.in >judge.out
    [ $? -eq "$1" ] || { cat judge.out; return 1; }
}

holds "the judge: one after the other, and readers together" judge_says 0 <<'END'
10 100 x a.0 in
12 100 x a.0 at 1
12 100 x a.0 out
12 101 s b.0 in
13 101 s c.0 in
14 101 s b.0 out
15 101 s c.0 out
16 9223372036854775806 x a.1 at 2
17 9223372036854775807 x b.1 in
END
holds "the judge: two writers at once" judge_says 1 <<'END'
10 100 x a.0 in
11 101 x b.0 in
12 100 x a.0 out
END
holds "the judge: a writer beside a reader" judge_says 1 <<'END'
10 100 s a.0 in
11 101 x b.0 in
12 101 x b.0 out
13 100 s a.0 out
END
holds "the judge: a reader beside a writer" judge_says 1 <<'END'
10 100 x a.0 in
11 101 s b.0 in
12 101 s b.0 out
13 100 x a.0 at
END
holds "the judge: a writer's token that does not grow" judge_says 1 <<'END'
10 9223372036854775807 x a.0 in
11 9223372036854775806 x b.0 in
END
holds "the judge: a token given twice" judge_says 1 <<'END'
10 100 x a.0 in
11 100 x b.0 in
END
holds "the judge: a reader's token below a writer's" judge_says 1 <<'END'
10 100 x a.0 in
11 99 s b.0 in
END
holds "the judge: a lost update" judge_says 1 <<'END'
10 100 x a.0 at 7
11 101 x b.0 at 7
END
holds "the judge: a reader that saw the counter move" judge_says 1 <<'END'
10 100 s a.0 in
11 100 s a.0 torn
END
holds "the judge: a malformed line" judge_says 1 <<'END'
10 100 a.0 in
END

# ---- Thousands of entries ----------------------------------------------------

# compete ENTRIES: two workers per node make so many entries each, a fifth of them
# shared, and increment a counter.
compete() {
    local node i pids=()
    rm -f counter held
    for node in "${nodes[@]}"; do
        for i in 1 2; do
            "$worker" --socket "$node.socket" --lock counted --log held \
                --who "$node$i" --counter counter --entries "$1" \
                --shared 20 --seed $i --seconds 60 >>summary &
            pids+=($!)
        done
    done
    wait "${pids[@]}"
}

all_came_in() { # ENTRIES
    local wanted=$((2 * ${#nodes[@]} * $1))
    [ "$(awk '{ sub(/.*done=/, ""); sum += $1 } END { print sum }' summary)" \
        = $wanted ] || { cat summary; return 1; }
}

# The counter equals the writes; a worker that was interrupted after writing may
# not have reported it.
counter_is_right() {
    local count wrote lost
    count=$((10#$(cat counter)))
    wrote=$(awk 'NF == 6' held | wc -l)
    lost=$(awk '{ sub(/.*lost=/, ""); sum += $1 } END { print sum }' summary)
    [ "$count" -ge "$wrote" ] && [ "$count" -le $((wrote + lost)) ] ||
        { echo "$count counted, $wrote wrote"; return 1; }
}

# crowd PLACE FAMILY NODES ENTRIES
crowd() {
    local where="$3 nodes, $1, IPv$2"
    place=$1 family=$2
    : >summary
    cluster "$3"
    holds "$where: the nodes agree" start_all
    compete "$4"
    holds "$where: $((2 * $3 * $4)) entries of $((2 * $3)) competing processes" \
        all_came_in "$4"
    holds "$where: never two at once, tokens grow, readers see nothing move" \
        judged held
    holds "$where: no update is lost" counter_is_right
    holds "$where: all stop" end_cluster
}

crowd loopback 4 2 250
crowd loopback 4 5 100
if can_have_namespaces; then
    crowd namespaces 4 3 1200
    crowd namespaces 6 9 60
else
    echo "# left out: network namespaces need root, iproute2 and nftables"
fi

# ---- Partitions --------------------------------------------------------------

# A holder at NODE that writes down when it held the lock, as $holder.
holders=0
hold_at() { # NODE
    holder=at-$1-$((++holders))
    "$fulcrum" lock --socket "$1.socket" work -- "$worker" --command \
        --log work.held --who "$holder" --hold 60000000 2>/dev/null &
    held=$!
    within 10 grep -q "$holder" work.held
}

# Milliseconds from BEGIN until the command succeeds, in $took.
time_until() { # BEGIN COMMAND...
    local began=$1
    shift
    within 20 "$@" || return 1
    now_ms
    took=$((REPLY - began))
}

has_no_lease() {
    [ "$(status "$1" .leased)" = false ]
}

view_stays() { # NODE
    local view
    view=$(status "$1" .view)
    sleep 1
    [ "$(status "$1" .view)" = "$view" ]
}

settled() { # NODE MEMBERS
    members "$1" "$2" && view_stays "$1" && members "$1" "$2"
}

# The time of a holder's last line, in milliseconds.
last_of() { # WHO
    awk -v who="$1" 'index($4, who) == 1 { t = $1 } END { print int(t / 1000) }' \
        work.held
}

still_holds() { # it is writing just now
    local before
    before=$(grep -c "$holder" work.held)
    within 5 sh -c "[ \$(grep -c '$holder' work.held) -gt $before ]"
}

# A cut that began before $cut_at.
cut_now() {
    apply_cuts
    now_ms
    cut_at=$REPLY
}

code() { # EXPECTED COMMAND...
    local expected=$1 got
    shift
    "$@" 2>/dev/null
    got=$?
    [ $got -eq "$expected" ] || { echo "exit $got: $*"; return 1; }
}

code_of() { # EXPECTED: how the holder ends
    code "$1" wait $held
}

# parted NAME NODE OTHER: NODE has just been cut off from a majority to which OTHER
# belongs.  A holder at NODE is stopped, and others go on, never both at once.
parted() {
    local refused next
    lock "$3" work -w 20 -- "$worker" --command --log work.held \
        --who "after-$1" 2>/dev/null &
    next=$!
    holds "$1: the minority has no lease" time_until $cut_at has_no_lease "$2"
    refused=$took
    holds "$1: a holder there is told" code_of 125
    holds "$1: the holder was stopped by the end of the lease" \
        test "$(last_of "$holder")" -le $((cut_at + lease))
    holds "$1: the minority refuses" code 124 lock "$2" work -w 0.2 -- true
    holds "$1: the majority goes on" wait $next
    holds "$1: never two at once" judged work.held
    heal
    now_ms
    holds "$1: healed, all are in one view" time_until "$REPLY" all_agree
    echo "# $1, lease $lease ms: the holder stopped after" \
        "$(($(last_of "$holder") - cut_at)), no lease after $refused," \
        "the next one in after $(($(last_of "after-$1") - cut_at))," \
        "healed in $took ms"
}

if can_have_namespaces; then place=namespaces; else place=loopback; fi
family=6
cluster 5
holds "five nodes agree" start_all
: >work.held

holds "a client holds at b" hold_at b
part a b / c d e
cut_now
parted minority b c

# Nobody hears the node, but it hears everybody: it cannot renew its lease.
holds "a client holds at c" hold_at c
for other in a b d e; do sever c $other; done
cut_now
parted one-way c d

# Two nodes that do not hear each other, while all others hear both: one is left
# out, the other goes on, and so do the rest.
part a / e
cut_now
holds "non-transitive: four go on without one of the two, undisturbed" \
    within 20 settled b 4
heal
holds "non-transitive: healed" within 20 all_agree

# The time of day of some nodes jumps back and forth: nobody notices.  The
# library that does it to them does it to date(1) as well.
echo 3600 >a.clock
holds "a wall clock that jumps: date(1) sees it" test \
    "$(LD_PRELOAD=$wrong_clock WRONG_CLOCK=a.clock date +%s)" -ge \
    $(($(date +%s) + 3599))
holds "a wall clock that jumps: a client holds at b" hold_at b
echo -3600 >b.clock
echo 3600 >c.clock
holds "a wall clock that jumps: no new view" view_stays b
holds "a wall clock that jumps: the holder goes on" still_holds
echo 3600 >b.clock
kill $held
wait $held
holds "a wall clock that jumps: the next client gets in" \
    lock a work -w 10 -- "$worker" --command --log work.held --who after-jump
holds "a wall clock that jumps: never two at once" judged work.held

# Cut and healed again and again, faster than a lease: nobody is stopped for good.
"$worker" --socket c.socket --lock work --log work.held --who flapping \
    --seconds 2 --hold 1000 >summary &
flapping=$!
for i in 1 2 3 4; do
    part a b / c d e
    apply_cuts
    sleep 0.2
    heal
    sleep 0.3
done
wait $flapping
holds "flapping: locks were taken meanwhile" \
    test "$(sed 's/.*done=\([0-9]*\).*/\1/' summary)" -gt 10
holds "flapping: never two at once" judged work.held
holds "flapping: healed" within 20 all_agree
holds "all stop" end_cluster

cluster 4
holds "four nodes agree" start_all
part a b / c d
apply_cuts
holds "half and half: a has no lease" within 20 has_no_lease a
holds "half and half: c has no lease" within 20 has_no_lease c
holds "half and half: nobody gets in" code 124 lock a work -w 0.3 -- true
holds "half and half: nobody gets in on the other side" \
    code 124 lock d work -w 0.3 -- true
heal
holds "half and half: healed" within 20 all_agree
holds "half and half: all stop" end_cluster

# ---- Hostile datagrams -------------------------------------------------------

. "$here/tests/live/siege.sh"

# ---- All at once -------------------------------------------------------------

row_head
for round_seed in ${LIVE_SEEDS:-3}; do
    round "$round_seed" 5
    echo "# $row"
    same "everything at once, seed $round_seed" "" "$failed"
    [ -z "$failed" ] || tell_failure | sed 's/^/# /'
    end_all
done
tap_end
