# round.sh - after cluster.sh: one round of everything at once.  A cluster, its
# links and its faults are drawn from a seed; clients compete all the while; then
# everything is healed, and what the holders wrote is judged.
#
# Most hold a lock for a moment, some for longer than a lease: these notice when
# their node is cut off.
#
# Two locks.  "counted" is taken by workers that use the client library and
# increment a counter with no other protection.  "work" is taken by `fulcrum lock`
# commands, and by workers that write down only when they held it; any of these,
# and any of the processes that watch them, is stopped or killed now and then.
#
# Of daemon, client and guard of a command one is always left running, because the
# promise requires it: nothing else could kill the command.

# draw N: a number below N in $REPLY.  No $(): a subshell has its own numbers.
draw() {
    REPLY=$((RANDOM % $1))
}

# one_of WORD...
one_of() {
    draw $#
    shift $REPLY
    REPLY=$1
}

# ---- Setting up --------------------------------------------------------------

draw_cluster() {
    local double reorder late
    one_of 2 3 3 4 5 5 7 9
    size=$REPLY
    one_of loopback namespaces namespaces
    place=$REPLY
    one_of 4 6
    family=$REPLY
    can_have_namespaces || place=loopback
    one_of 300 500 1000
    lease=$REPLY
    busy=0
    draw 6
    if [ "${BUSY:-$REPLY}" = 0 ]; then
        busy=$((8 * $(nproc)))
        lease=1000
    fi
    tau=$((lease / 40 > 10 ? lease / 40 : 10))
    kill=$((busy ? lease / 3 : lease / 5))
    one_of 0 1 1 5 5 20 20 50
    bad_loss=${LOSS:-$REPLY}
    one_of 0 5 20
    double=$REPLY
    one_of 0 10 30
    reorder=$REPLY
    one_of 0 5 20
    late=$REPLY
    delay=$((late + 12)) # what is held back comes up to 10 ms later
    net_is="$place IPv$family, loss $bad_loss%, doubled $double%, held back $reorder%, up to $late ms"
    mishaps=(--mishap seed=$RANDOM
        --mishap duplicate=${double}0000 --mishap reorder=${reorder}0000
        --mishap delay=0:${late}000)
}

# commands NODE NUMBER: asks again and again; its client is in the file client.N.
commands() {
    local i=0 code hold shared=()
    exec 2>/dev/null # where the shell tells of clients that were killed
    RANDOM=$((seed + $2))
    while [ ! -e over ]; do
        shared=()
        [ $((RANDOM % 4)) -ne 0 ] || shared=(--shared)
        hold=$((RANDOM % 50000))
        [ $((RANDOM % 6)) -ne 0 ] || hold=$((3000 * lease))
        "$fulcrum" lock --socket "$1.socket" -w 3 "${shared[@]}" work -- \
            "$worker" --command --log work.held --who "command$2-$i" \
            ${shared:+--shared 100} --hold $hold 2>>client.err &
        echo $! >"client.$2"
        wait $!
        code=$?
        echo $code >>codes
        i=$((i + 1))
        case $code in 3 | 4) sleep 0.1 ;; esac # its node is dead
    done
}

# Two of each kind at least, and one of each at every node.
start_clients() {
    local node i=0
    : >counted.held
    : >work.held
    : >codes
    : >summary
    for node in "${nodes[@]}" "${nodes[@]:0:$((size < 4 ? size : 1))}"; do
        i=$((i + 1))
        "$worker" --socket "$node.socket" --lock counted --log counted.held \
            --who "counts$i" --counter counter --seconds "$seconds" \
            --seed $((seed + i)) --shared 20 --hold 300 \
            --long $((2000 * lease)) >>summary &
        disown $!
        "$worker" --socket "$node.socket" --lock work --log work.held \
            --who "works$i" --seconds "$seconds" --seed $((seed + 50 + i)) \
            --shared 25 --hold 2000 --long $((2000 * lease)) >>summary &
        echo $! >"worker.$i"
        disown $!
        echo 0 >client.$i
        commands "$node" $i &
        disown $!
    done
    clients=$i
    for ((i = 0; i < busy; i++)); do
        while :; do :; done &
        disown $!
    done
}

# ---- What happens ------------------------------------------------------------

# From half a lease to ten, in milliseconds, but not beyond the round's end.
draw_time() {
    draw 96
    REPLY=$((lease / 2 + REPLY * lease / 10))
    [ $REPLY -le $((seconds * 250)) ] || REPLY=$((seconds * 250))
}

seconds_of() { # MILLISECONDS
    printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000))
}

# stop_for MILLISECONDS PROCESS...: they go on automatically.
stop_for() {
    local time=$1
    shift
    kill -STOP "$@" 2>/dev/null
    (
        sleep "$(seconds_of "$time")"
        kill -CONT "$@"
    ) 2>/dev/null &
    disown $!
}

# A node whose daemon was killed: the daemon has the record locked until it is gone.
start_again() { # NODE
    within 10 dead "${daemon[$1]}" >/dev/null
    start "$1"
}

crash_one() {
    one_of "${nodes[@]}"
    local node=$REPLY
    kill -9 "${daemon[$node]}" 2>/dev/null
    draw "$lease"
    sleep "$(seconds_of $REPLY)"
    start_again "$node"
    crashes=$((crashes + 1))
}

# A client, in $client, with its $number and its $node; 0 if there is none.
draw_client() {
    draw "$clients"
    number=$((REPLY + 1))
    client=$(cat "client.$number")
    node=${nodes[REPLY % size]}
}

# Adds a process to ${whom[@]}, if it is one of this test: the PID of a process that
# has ended may have been reused.
add_ours() {
    grep -q -z -x "FULCRUM_TEST_OF=$net" "/proc/$1/environ" 2>/dev/null &&
        whom+=("$1")
}

# The processes of $client that are told, in ${whom[@]}.
watchers_of() { # client, daemon, guard, command or worker, divided by '-'
    local part child exe
    for part in ${1//-/ }; do
        case $part in
        client) add_ours "$client" ;;
        daemon) add_ours "${daemon[$node]}" ;;
        worker) add_ours "$(cat "worker.$number")" ;;
        guard | command)
            [ "$client" != 0 ] || continue
            # The command is the guard's child, or the client's own if that
            # guard was killed.
            for child in $(children_of "$client") \
                $(for child in $(children_of "$client"); do
                    children_of "$child"
                done); do
                exe=$(readlink "/proc/$child/exe")
                case $part:$exe in
                guard:*/fulcrum | guard:*/fulcrum-node | command:*/worker) add_ours "$child" ;;
                esac
            done
            ;;
        esac
    done
}

# Processes that may be inside just now, or that watch one: alone or together.
stop_some() {
    local whom=() node number client time
    draw_client
    draw_time
    time=$REPLY
    one_of daemon client command guard client-daemon client-guard daemon-guard \
        worker
    watchers_of $REPLY
    [ ${#whom[@]} -eq 0 ] || stop_for "$time" "${whom[@]}"
    stops=$((stops + 1))
}

# A killed process does not come back, except the daemon: a command whose client
# or guard is gone is stopped by those that are left.
kill_some() {
    local whom=() node number client
    draw_client
    one_of client guard command client-guard daemon-guard client-daemon worker
    watchers_of $REPLY
    [ ${#whom[@]} -eq 0 ] || kill -9 "${whom[@]}" 2>/dev/null
    case " ${whom[*]} " in *" ${daemon[$node]} "*) start_again "$node" ;; esac
    kills=$((kills + 1))
}

# The disk of a node is slow for a while.
slow_some() {
    local node
    one_of "${nodes[@]}"
    node=$REPLY
    one_of 10 30 60 120
    echo $REPLY >"$node.disk"
    draw_time
    (
        sleep "$(seconds_of $REPLY)"
        echo 0 >"$node.disk"
    ) &
    disown $!
    slows=$((slows + 1))
}

# Other processes load the machine for a moment: all nodes wake up late.
crowd_in() {
    local i
    [ "$lease" -ge 1000 ] || return # or what must be killed is so too late
    draw_time
    for ((i = 0; i < 4 * $(nproc); i++)); do
        timeout "$(seconds_of $REPLY)" sh -c 'while :; do :; done' &
        disown $!
    done
    crowds=$((crowds + 1))
}

# Half and half, one node alone, one way, or two that do not hear each other.  With
# a small probability the next cut comes before this one is healed.
cut_some() {
    local half=$((size / 2)) one other
    one_of halves alone one-way pair
    case $REPLY in
    halves) part "${nodes[@]:0:half}" / "${nodes[@]:half}" ;;
    alone)
        draw "$size"
        one=${nodes[REPLY]}
        for other in "${nodes[@]}"; do
            [ "$other" = "$one" ] || part "$one" / "$other"
        done
        ;;
    one-way | pair)
        one=$REPLY
        draw "$size"
        other=$REPLY
        draw $((size - 1))
        sever "${nodes[other]}" "${nodes[(other + 1 + REPLY) % size]}"
        [ "$one" = one-way ] ||
            sever "${nodes[(other + 1 + REPLY) % size]}" "${nodes[other]}"
        ;;
    esac
    apply_cuts
    draw_time
    heal_after=$REPLY
    now_ms
    heal_at=$((REPLY + heal_after))
    splits=$((splits + 1))
}

# Cut and healed, again and again, faster than a lease.
flap() {
    local i
    for i in 1 2 3 4; do
        part "${nodes[0]}" / "${nodes[@]:1}"
        apply_cuts
        draw "$lease"
        sleep "$(seconds_of $REPLY)"
        heal
        draw $((lease / 2))
        sleep "$(seconds_of $REPLY)"
    done
    splits=$((splits + 4))
}

# The time of day of one node jumps by an hour.
set_clock() {
    one_of "${nodes[@]}"
    local node=$REPLY
    one_of 3600 -3600 0
    echo "$REPLY" >"$node.clock"
    jumps=$((jumps + 1))
}

misfortunes() {
    local end heal_at=0
    now_ms
    end=$((REPLY + seconds * 1000))
    while now_ms && [ $REPLY -lt $end ]; do
        if [ $heal_at -gt 0 ] && [ $REPLY -ge $heal_at ]; then
            heal
            heal_at=0
        fi
        draw 14
        case $REPLY in
        0 | 1) crash_one ;;
        2 | 3 | 4 | 5) stop_some ;;
        6 | 7) [ $heal_at -gt 0 ] || cut_some ;;
        8) set_clock ;;
        9) [ $heal_at -gt 0 ] || flap ;;
        10 | 11) kill_some ;;
        12) slow_some ;;
        13) crowd_in ;;
        esac
        draw 400
        sleep "$(seconds_of $REPLY)"
    done
}

# ---- A round -----------------------------------------------------------------

# All processes are continued, nothing is lost any more, and the nodes agree.
recover() {
    local node
    touch over
    loss=0
    heal
    for node in "${nodes[@]}"; do echo 0 >"$node.disk"; done
    kill -CONT $(descendants_of $$) 2>/dev/null
    healed=$(agreed 60) || return 1
    healed=${healed#agreed }
}

# A lock can be lost at any time, because a machine may be too busy for its lease: a
# client that loses it asks again, and has to get in eventually.
everybody_gets_in() {
    local node tries code
    for node in "${nodes[@]}"; do
        for tries in 1 2 3; do
            lock "$node" counted -w 20 -- true
            code=$?
            [ $code -ne 0 ] || continue 2
            echo "$node: exit $code"
            [ $code -eq 125 ] || return 1
        done
        return 1
    done
}

# round SEED SECONDS: in $row what it was, in $failed what was wrong, if anything.
round() {
    seed=$1
    seconds=$2
    crashes=0 stops=0 kills=0 splits=0 slows=0 crowds=0 jumps=0 healed=? failed=
    RANDOM=$seed
    draw_cluster
    rm -f counter counted.held work.held said judged.*
    cluster "$size" && start_all || failed="they never agreed"
    if [ -z "$failed" ]; then
        loss=$bad_loss
        apply_cuts
        start_clients
        misfortunes
        recover >>said 2>&1 || failed="they did not agree again"
        sleep 1
        [ -n "$failed" ] || everybody_gets_in >>said 2>&1 ||
            failed="not everybody got in again"
        judged counted.held >judged.counted || failed="the lock 'counted'"
        judged work.held >judged.work || failed="the lock 'work'"
        # With half of all messages lost, hardly a view can be made.
        [ $bad_loss -ge 50 ] || [ "$(entries_of counted.held)" -ge "$seconds" ] ||
            failed=${failed:-too few got in}
        end_cluster >>said 2>&1 || failed=${failed:-not all stopped}
    fi
    row=$(printf '%5d %5d %5d %7s %6s %7d %5d %5d %4d %5d %5d %5d %6s  %s%s' \
        "$seed" "$size" "$lease" "$(entries_of counted.held)" \
        "$(entries_of work.held)" $crashes $stops $kills $splits $jumps $slows \
        $crowds "$healed" "$net_is" \
        "$([ $busy = 0 ] || echo ", $busy busy")")
}

row_head() {
    printf '# %5s %5s %5s %7s %6s %7s %5s %5s %4s %5s %5s %5s %6s  %s\n' seed \
        nodes lease counted worked crashes stops kills cuts jumps slow busy \
        healed links
}

# What helps to find the reason of a failure.
tell_failure() {
    head -n 20 judged.counted judged.work said
    cat relay.out 2>/dev/null
    tail -n 20 ./*.log
}
