#!/usr/bin/env bash
# soak_list.sh BUILD [CHANGES [SEED]] - a hundred changes in a row of the list of nodes,
# of the times and of the key, in network namespaces, under contention and fire: nodes
# join, leave, take the place of others that are dead, while some are killed, frozen or
# cut off.  No two hold a lock at once, tokens grow, no update is lost, no change hangs;
# the longest time in which nobody could enter is printed, and what happened then.
#
# At any time at most one node is hit by a fault, since with three nodes no more can be:
# what is promised needs a majority of each list.  Two machines are never told to change
# something at once; but if an order is lost with its node, another node is told.
# FAULTS="none": without faults; or some of kill, freeze, cut, one-way.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
total=${2:-100}
seed=${3:-1}
again="bash tests/live/soak_list.sh $build $total $seed"
kept=$(realpath "$build")/soak-list-failed
"$build/fulcrum" node --help >/dev/null 2>&1 || {
    echo "# left out: this build has no live runtime"
    exit 0
}
make --no-print-directory BUILD="$build" live-tools || exit 1
. tests/live/cluster.sh
. tests/live/round.sh
cd "$tap_tmp" || exit 1
can_have_namespaces || {
    echo "# left out: network namespaces need root, iproute2 and nftables"
    exit 0
}
place=namespaces
family=4
lease=600
tau=20
kill=120
new_ids=50 # at most
listed_max=7
RANDOM=$seed
echo "# $total changes, seed $seed; again: $again"

listed=()           # names of the nodes in the list, in no order
declare -A is_witness=()
hit=                # the node that a fault has hit
when=               # "after": one comes when the order has been given
declare -A made=()  # changes of each kind
declare -A faults=() # and faults
joined=0            # nodes that came
longest=0           # milliseconds of a change, and which
longest_was=

# What happened, for the time in which nobody could enter.
event() {
    now_ms
    echo "$REPLY $*" >>events
}

told() { # NODE WORD...: an operator at its machine
    local node=$1
    shift
    "$fulcrum" cluster "$@" -c "$node.ini" --socket "$node.socket"
}

# Any node of the list that can be told: no witness, not hit, and not NODE.
draw_teller() { # [NODE]
    local node some=()
    for node in "${listed[@]}"; do
        [ "$node" = "${1:-}" ] || [ "$node" = "$hit" ] ||
            [ -n "${is_witness[$node]:-}" ] || some+=("$node")
    done
    one_of "${some[@]}"
    teller=$REPLY
}

# ---- Clients -----------------------------------------------------------------

# Two at each node; they go with it.
start_workers() { # NODE
    local lock more
    for lock in counted work; do
        more=(--counter counter)
        [ $lock = counted ] || more=(--long $((1500 * lease)))
        "$worker" --socket "$1.socket" --lock $lock --log $lock.held \
            --who "$lock-$1" "${more[@]}" \
            --seed $((seed + $((16#$(echo "$1" | md5sum | cut -c1-6))))) \
            --shared 20 --hold 2000 --seconds 100000 \
            >>summary &
        echo $! >>"workers.$1"
        disown $!
    done
}
end_workers() { # NODE
    kill -9 $(cat "workers.$1") 2>/dev/null
}

# ---- Faults ------------------------------------------------------------------

# A fault, and a node, drawn; it comes before the order or after.
draw_fault() {
    one_of ${FAULTS:-kill freeze cut one-way none}
    fault=$REPLY
    one_of "${listed[@]}"
    victim=$REPLY
    one_of before after
    when=$REPLY
    faults[$fault]=$((${faults[$fault]:-0} + 1))
    [ $when = after ] || strike
}

# It ends by itself, except that what is cut is healed by end_fault.
strike() {
    local node
    when=
    hit=$victim
    event "$fault $hit"
    case $fault in
    kill)
        kill -9 "${daemon[$hit]}"
        draw "$lease"
        sleep "$(seconds_of $REPLY)"
        start_again "$hit"
        event "$hit starts again"
        ;;
    freeze)
        draw $((3 * lease))
        stop_for $((lease / 2 + REPLY)) "${daemon[$hit]}"
        ;;
    cut | one-way)
        for node in "${nodes[@]}"; do
            [ "$node" != "$hit" ] || continue
            sever "$hit" "$node"
            [ $fault = one-way ] || sever "$node" "$hit"
        done
        apply_cuts
        ;;
    esac
}
end_fault() {
    [ -z "${daemon[${hit:-none}]:-}" ] || kill -CONT "${daemon[$hit]}" 2>/dev/null
    case ${fault:-} in cut | one-way)
        heal
        event "healed"
        ;;
    esac
    fault=
    hit=
    when=
}

# ---- Changes -----------------------------------------------------------------

list_at() { # NODE: sorted
    told "$1" members --json 2>/dev/null |
        jq -r 'select(.configuration.joint | not) | .configuration.list | sort | join(" ")'
}
times_at() { # NODE
    told "$1" members --json 2>/dev/null |
        jq -r 'select(.configuration.joint | not)
            | "\(.configuration.lease_us) \(.configuration.tau_us)"'
}

# is_so WANTED COMMAND...: at a node that answers.
is_so() {
    local wanted=$1
    shift
    [ "$("$@")" = "$wanted" ]
}

# change WANTED QUERY WORD...: is ordered until it is so, at one node or another; false:
# it hangs.  A node that is hit may take the order with it.
change() {
    local wanted=$1 query=$2 until=$((SECONDS + 120)) began
    shift 2
    now_ms
    began=$REPLY
    event "change: $*"
    if [ "$when" = after ]; then # it may hit the one that was told
        draw_teller "${leaves:-}"
        told "$teller" "$@" >said 2>&1
        draw $((2 * lease))
        sleep "$(seconds_of $REPLY)"
        strike
    fi
    while :; do
        draw_teller "${leaves:-}"
        is_so "$wanted" "$query" "$teller" && break
        timeout 60 "$fulcrum" cluster "$@" -w 20 -c "$teller.ini" \
            --socket "$teller.socket" >said 2>&1 && continue
        { echo "$teller: $*"; cat said; } >>refusals
        [ $SECONDS -lt $until ] || {
            echo "hangs: $*"
            cat said
            return 1
        }
        sleep 0.3
    done
    now_ms
    took=$((REPLY - began))
    event "changed in $took ms"
    if [ $took -gt $longest ]; then
        longest=$took
        longest_was="$*, ${fault:-no fault}${hit:+ at $hit}"
    fi
}

sorted() {
    printf '%s\n' "$@" | sort | paste -sd' '
}

# A new machine, which joins and waits; in $new.
new_machine() { # [OPTION...]
    joined=$((joined + 1))
    new=n$joined
    make_machine "$new" || return 1
    nodes+=("$new")
    echo 0 >"$new.clock"
    echo 0 >"$new.disk"
    new_place=$(address "${machine[$new]}" $family):7400
    draw_teller
    told "$teller" add "$new" "$new_place" "$@" --ini >"$new.ini" || return 1
    if [ -n "${last_id:-}" ]; then sed -i "/^\[node $new\]/,\$s/^id = .*/id = $last_id/" "$new.ini"; fi
    start "$new" --init
    within 30 waits_at "$teller" "$new"
}
waits_at() { # NODE NEW
    told "$1" members | grep -q "^$2 .* waits "
}

# One that has left stops, and its machine goes.
farewell() { # NODE
    local node=$1 i
    kill -CONT "${daemon[$node]}" 2>/dev/null
    [ "$fault" = kill ] || [ "$hit" != "$node" ] || end_fault
    within 60 dead "${daemon[$node]}" || return 1
    end_workers "$node"
    unset "daemon[$node]" "is_witness[$node]"
    rm -f "$node.socket" # of one that was killed
    for i in "${!nodes[@]}"; do [ "${nodes[i]}" != "$node" ] || unset "nodes[i]"; done
    nodes=("${nodes[@]}")
    for i in "${!listed[@]}"; do [ "${listed[i]}" != "$node" ] || unset "listed[i]"; done
    listed=("${listed[@]}")
    ip netns delete "$net-$node"
    for i in "${!networked[@]}"; do
        [ "${networked[i]}" != "$node" ] || unset "networked[i]"
    done
    networked=("${networked[@]}")
}

welcome() { # NODE
    listed+=("$1")
    start_workers "$1"
}

witness_or_not() {
    witness=()
    [ ${#is_witness[@]} -gt 0 ] || { draw 4 && [ $REPLY -gt 0 ]; } || witness=(--witness)
}

do_add() {
    witness_or_not
    new_machine "${witness[@]}" || return 1
    draw_fault
    change "$(sorted "${listed[@]}" "$new")" list_at add "$new" "$new_place" \
        "${witness[@]}" || return 1
    [ ${#witness[@]} -eq 0 ] || is_witness[$new]=yes
    welcome "$new"
}

# The one that leaves is drawn; never the last two that can hold a lock.
draw_leaver() {
    local node some=()
    for node in "${listed[@]}"; do
        [ -n "${is_witness[$node]:-}" ] && some+=("$node")
    done
    for node in "${listed[@]}"; do
        [ -n "${is_witness[$node]:-}" ] ||
            [ $((${#listed[@]} - ${#is_witness[@]})) -lt 3 ] || some+=("$node")
    done
    one_of "${some[@]}"
    leaves=$REPLY
}

without() { # NODE: the others
    printf '%s\n' "${listed[@]}" | grep -v -x "$1"
}

do_remove() {
    draw_leaver
    draw_fault
    change "$(sorted $(without "$leaves"))" list_at remove "$leaves" || return 1
    farewell "$leaves"
}

# Half of them are dead for good: the disk is gone, and no other may be hit.
do_replace() {
    draw_leaver
    witness=()
    [ -z "${is_witness[$leaves]:-}" ] || witness=(--witness)
    hit=$leaves
    new_machine "${witness[@]}" || return 1
    hit=
    draw 2
    if [ $REPLY = 0 ]; then
        hit=$leaves
        fault=disk
        faults[disk]=$((${faults[disk]:-0} + 1))
        event "disk of $leaves"
        kill -9 "${daemon[$leaves]}"
        rm -f "state/$leaves".*
    else
        draw_fault
    fi
    change "$(sorted $(without "$leaves") "$new")" list_at replace "$leaves" \
        "$new" "$new_place" "${witness[@]}" || return 1
    farewell "$leaves" || return 1
    [ ${#witness[@]} -eq 0 ] || is_witness[$new]=yes
    welcome "$new"
}

do_times() {
    local new_lease new_tau
    one_of 500 600 800 1000
    new_lease=$REPLY
    one_of 15 20 25
    new_tau=$REPLY
    draw_fault
    change "${new_lease}000 ${new_tau}000" times_at set "lease=${new_lease}ms" \
        "tau=${new_tau}ms" || return 1
    lease=$new_lease
}

# Node by node; who is hit is told when that is over.
do_key() {
    local node
    "$fulcrum" keygen "key.$count"
    draw_fault
    event "key"
    [ "$when" != after ] || strike
    sleep 0.5
    end_fault
    for node in "${listed[@]}"; do
        within 20 told "$node" key add "key.$count" || return 1
        sed -i "s/^key = .*/&\nkey = key.$count/" "$node.ini"
    done
    for node in "${listed[@]}"; do
        within 60 told "$node" key drop -w 10 || return 1
        sed -i "0,/^key = /{/^key = /d}" "$node.ini"
    done
}

# Which kind it may be now.
draw_kind() {
    local some=(times key)
    [ $joined -ge $new_ids ] || [ ${#listed[@]} -ge $listed_max ] || some+=(add add)
    [ $joined -ge $new_ids ] || some+=(replace replace)
    [ ${#listed[@]} -le 3 ] || some+=(remove remove)
    one_of "${some[@]}"
}

one_change() {
    leaves=
    fault=
    took=0
    draw_kind
    kind=$REPLY
    "do_$kind" || return 1
    end_fault
    made[$kind]=$((${made[$kind]:-0} + 1))
    within 60 all_listed || return 1
}

# Everybody has a lease in a view of all, and the same list.
all_listed() {
    local node
    for node in "${listed[@]}"; do
        if [ -n "${is_witness[$node]:-}" ]; then
            is_so "$(sorted "${listed[@]}")" list_at "$node" || return 1
        else
            members "$node" $((${#listed[@]} - ${#is_witness[@]})) || return 1
        fi
    done
}

# ---- The longest time in which nobody could enter ----------------------------

# gap LOG: its milliseconds, its beginning and its end: no holder has written a line,
# and then somebody came in.
gap() {
    sort -n -k1,1 "$1" | awk '
        NR > 1 && $5 == "in" && $1 - last > most { most = $1 - last; from = last; to = $1 }
        { last = $1 }
        END { printf "%.0f %.0f %.0f\n", most / 1000, from / 1000, to / 1000 }'
}

tell_gap() { # LOG
    local most from to
    read -r most from to < <(gap "$1")
    echo "# the lock '${1%.held}': nobody entered for $most ms; from 2 s before to its end:"
    awk -v from=$((from - 2000)) -v to="$to" -v began="$from" \
        '$1 >= from && $1 <= to { printf "#   %+d ms:", $1 - began; $1 = ""; print }' events
}

# ---- All of it ---------------------------------------------------------------

cluster 3 || exit 1
listed=("${nodes[@]}")
holds "three nodes agree" start_all
: >events
: >refusals
: >counted.held
: >work.held
: >summary
for node in "${listed[@]}"; do start_workers "$node"; done
failed=
for ((count = 1; count <= total; count++)); do
    one_change >said.change 2>&1 || {
        failed="change $count: $kind"
        cat said.change
        break
    }
    echo "$count $kind $took ${#listed[@]}" >>changes
done
holds "of $total changes in a row none hangs${failed:+: not $failed}" test -z "$failed"

if [ -z "$failed" ]; then
    last_id=63
    draw_leaver
    fault=
    hit=
    holds "a node joins with the last number" do_replace
    draw_teller
    holds "there is no 65th" eval '! told "$teller" add more 198.18.46.250:7400 -w 20 \
        >said 2>&1 && grep -q "all 64 numbers of nodes are used up; stop all nodes" said'
fi
touch over
end_fault
sleep 1
holds "in the end all agree" within 60 all_listed
for node in "${listed[@]}"; do
    [ -n "${is_witness[$node]:-}" ] ||
        holds "$node gets in" lock "$node" counted -w 20 -- true
done
for node in "${!daemon[@]}"; do end_workers "$node"; done
for lock in counted work; do
    holds "the lock '$lock': never two at once, tokens grow, no update lost" \
        judged $lock.held
done
echo "# $((count - 1)) changes:$(for k in "${!made[@]}"; do
    printf ' %s %d,' "$k" "${made[$k]}"; done) $joined new ids;" \
    "faults:$(for k in "${!faults[@]}"; do printf ' %s %d' "$k" "${faults[$k]}"; done)"
echo "# entries: counted $(entries_of counted.held), work $(entries_of work.held);" \
    "orders refused or lost: $(grep -c '^[a-z0-9]*: ' refusals)"
echo "# the slowest change took $longest ms: $longest_was; half of them" \
    "$(awk '$3 { print $3 }' changes | sort -n | awk '{ t[NR] = $1 }
        END { print t[int((NR + 1) / 2)] }') ms or less"
tell_gap counted.held
tell_gap work.held
if [ $tap_failed -ne 0 ]; then
    rm -rf "$kept"
    mkdir -p "$kept"
    cp ./*.held ./*.log ./*.ini events refusals changes said* "$kept" 2>/dev/null
    echo "# its logs: $kept; again: $again"
fi
holds "all nodes stop" end_cluster
tap_end
