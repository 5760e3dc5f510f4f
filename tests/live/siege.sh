# siege.sh - after cluster.sh: an attacker on the path between a and b, and on the
# network, without the key.
#
# Three nodes on loopback.  What a and b say to each other passes `hostile`,
# which keeps copies; it sends to b from another address.

# The state of node b that nothing without the key may change.
state_of_b() {
    status b '[.view, .maxv, .members, .inc, .leased,
        (.peers[] | [.name, .inc, .view, .ready])]'
}

# What b has refused so far, by counter.
refused_by_b() { # COUNTER...
    local list
    list=$(printf ' + .link.%s' "$@")
    status b "[.peers[] | 0$list] | add"
}

order() { # COMMAND: the answer of hostile in $REPLY
    echo "$*" >&8
    read -r REPLY <&7
}

siege_files() {
    local ports=($(shuf -i 20000-31999 -n 5))
    local node
    for node in a b c; do
        cluster_part >$node.ini
        node_part a "$host" "${ports[$([ $node = b ] && echo 4 || echo 0)]}" \
            >>$node.ini
        node_part b "$host" "${ports[$([ $node = a ] && echo 3 || echo 1)]}" \
            >>$node.ini
        node_part c "$host" "${ports[2]}" >>$node.ini
    done
    rm -f hostile.in hostile.out
    mkfifo hostile.in hostile.out
    "$hostile" --seed 5 --host "$host" "${ports[3]}:${ports[1]}" "${ports[4]}:${ports[0]}" \
        <hostile.in >hostile.out 2>hostile.err &
    disown $!
    exec 8>hostile.in 7<hostile.out
}

# refuses KIND COUNTER...: all of 200 are counted, once each, and nothing else
# changes.
refuses() {
    local kind=$1 before after counted
    shift
    before=$(state_of_b)
    counted=$(refused_by_b "$@")
    order "send $kind 200"
    [ "$REPLY" = "sent 200" ] || { echo "hostile says: $REPLY"; return 1; }
    within 5 all_counted $((counted + 200)) "$@" || return 1
    after=$(state_of_b)
    [ "$before" = "$after" ] || { echo "$before became $after"; return 1; }
}

all_counted() { # NUMBER COUNTER...
    local wanted=$1
    shift
    [ "$(refused_by_b "$@")" = "$wanted" ]
}

# What c has sent to b, and b has heard of c.
sent_by_c() {
    status c '.peers[] | select(.name == "b") | .link.sent'
}
heard_of_c() {
    status b '.peers[] | select(.name == "c") | .link.received'
}

# The workers at a and b, while four processes flood b.
work_under_flood() { # KIND
    local i
    flood_sent=0
    for i in 1 2 3 4; do echo "flood $1 1" >&8; done
    rm -f held
    "$worker" --socket a.socket --lock flooded --log held --who a \
        --seconds 1 --hold 100 >a.flooded &
    "$worker" --socket b.socket --lock flooded --log held --who b \
        --seconds 1 --hold 100 >b.flooded
    wait $!
    for i in 1 2 3 4; do
        read -r REPLY <&7
        flood_sent=$((flood_sent + ${REPLY#sent }))
    done
}

# flooded KIND: locks are granted at b meanwhile, and move between nodes; no node
# is left out of the view, and hardly a frame of c is lost.
flooded() {
    local view sent heard
    view=$(status b .view)
    sent=$(sent_by_c)
    heard=$(heard_of_c)
    work_under_flood "$1"
    sleep 0.2
    sent=$(($(sent_by_c) - sent))
    heard=$(($(heard_of_c) - heard))
    echo "$flood_sent sent in 1 s; of $sent frames of c $heard arrived;" \
        "$(cat a.flooded b.flooded | tr '\n' ' ')"
    judged held || return 1
    [ "$(sed 's/.*done=\([0-9]*\).*/\1/' b.flooded)" -ge 3 ] || return 1
    [ "$(status b .view)" = "$view" ] || return 1
    [ "$heard" -ge $((sent - sent / 10 - 5)) ]
}

# Like holds, but says what it saw.
shows() {
    holds "$@"
    sed 's/^/# /' "$tap_tmp/.held"
}

place=none
cluster 3
place=loopback
siege_files
holds "with an attacker between them a and b agree" start_all
holds "replayed datagrams are refused and counted" refuses replay replayed unproven
holds "datagrams with one bit flipped are refused and counted" \
    refuses flip odd forged
holds "truncated datagrams are refused and counted" refuses cut odd forged
holds "lengthened datagrams are refused and counted" refuses long odd
holds "garbage is refused and counted" refuses garbage odd
holds "a true header with garbage behind it is refused and counted" \
    refuses nearly forged
holds "datagrams sealed with another key are refused and counted" refuses key forged
shows "a flood of garbage does not stop the service" flooded garbage
shows "a flood of replayed datagrams does not" flooded replay
shows "a flood of forged datagrams does not" flooded nearly
holds "after the siege all nodes stop" end_cluster
exec 8>&- 7<&-
