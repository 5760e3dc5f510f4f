# cluster.sh - for tests of live nodes: source it with $build set, in a folder of
# its own.  Clusters on loopback or in network namespaces, what can be done to
# their nodes and links, and a cleanup that leaves nothing behind.
#
#     place=namespaces family=6
#     cluster 5                  # nodes a b c d e, a file and a key
#     start_all                  # and they agree
#     sever a b; apply_cuts        # b hears nothing of a any more
#     heal
#     end_cluster

. "$(dirname "${BASH_SOURCE[0]}")/view.sh"
. "$(dirname "${BASH_SOURCE[0]}")/process.sh"
fulcrum=$(realpath "$build/fulcrum")
worker=$(realpath "$build/tests/live/worker")
hostile=$(realpath "$build/tests/live/hostile")
agree=$(realpath "$build/tests/live/agree")
wrong_clock=$(realpath "$build/tests/live/wrongclock.so")
slow_disk=$(realpath "$build/tests/live/slowdisk.so")
relay=$(realpath "$build/fulcrum-relay")
intervals=$(realpath "$(dirname "${BASH_SOURCE[0]}")/live_intervals.awk")

place=loopback # or namespaces; none: files are made elsewhere
family=4       # or 6
tau=20         # milliseconds
lease=800
kill=120
delay=10
mishaps=()     # options of every node
net=fulcrum-$$ # what the namespaces are called
# An address of loopback that no other test has: ports cannot be in use there.
host=127.$(($$ / 62500 % 250 + 1)).$(($$ / 250 % 250)).$(($$ % 250 + 1))
nodes=()
networked=()    # nodes that have a namespace
declare -A machine # its number, of which its addresses are made
declare -A port # of each node
declare -A daemon
declare -A cuts # "a b": what a sends does not reach b
loss=0          # percent of what is sent, from apply_cuts on

# ---- Time and processes ------------------------------------------------------

# Milliseconds of the clock that the nodes use, in $REPLY.
now_ms() {
    read -r REPLY _ </proc/uptime
    REPLY=$((10#${REPLY/./} * 10))
}

# children_of PROCESS
children_of() {
    local of=$1
    cat /proc/[0-9]*/stat 2>/dev/null | awk -v of="$of" '
        { pid = $1; sub(/.*\) /, ""); if ($2 == of) print pid }'
}

# All processes that this shell has started, and their descendants.
descendants_of() {
    local child
    for child in $(children_of "$1"); do
        echo "$child"
        descendants_of "$child"
    done
}

# Also processes whose parents are gone: they have this in their environment.
export FULCRUM_TEST_OF=$net
all_of_us() {
    descendants_of $$
    grep -l -z -x "FULCRUM_TEST_OF=$net" /proc/[0-9]*/environ 2>/dev/null |
        sed 's|/proc/\([0-9]*\)/environ|\1|' | grep -v -x $$
}

end_all() {
    local pids i
    touch over
    for i in {1..50}; do
        pids=$(all_of_us)
        # Of the processes that look for others none is left to be killed.
        kill -CONT $pids 2>/dev/null
        kill -9 $pids 2>/dev/null || break
    done
    wait 2>/dev/null
    daemon=()
    end_network
}

# For EXIT; Ctrl-C ends here as well.
leave_nothing() {
    end_all
    cd / && rm -rf "$tap_tmp"
}
trap leave_nothing EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# within SECONDS COMMAND...: it succeeds in the end.  After a long wait it
# looks less often: each look is some processes.
within() {
    local until=$((SECONDS + $1)) pause=2
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || {
            echo "never: $*"
            tail -n 5 ./*.log
            return 1
        }
        sleep "0.0$pause"
        [ $pause -ge 9 ] || pause=$((pause + 1))
    done
}

# ---- Networks ----------------------------------------------------------------

can_have_namespaces() {
    [ "$(id -u)" = 0 ] && command -v ip nft >/dev/null &&
        ip netns add "$net-try" 2>/dev/null && ip netns delete "$net-try"
}

# The address of the I-th node, from 1, in namespaces.
address() { # I FAMILY
    if [ "$2" = 6 ]; then echo "fd46:7563::$1"; else echo "198.18.46.$1"; fi
}

# make_machine NODE: a namespace, with a cable to the switch, and the next number.
make_machine() {
    local node=$1
    machines=$((machines + 1))
    machine[$node]=$machines
    ip netns add "$net-$node" || return 1
    networked+=("$node")
    ip -n "$net-switch" link add "to-$node" type veth \
        peer name eth0 netns "$net-$node"
    ip -n "$net-switch" link set "to-$node" master switch up
    ip -n "$net-$node" address add "$(address $machines 4)/24" dev eth0
    ip -n "$net-$node" address add "$(address $machines 6)/64" dev eth0 nodad
    ip -n "$net-$node" link set lo up
    ip -n "$net-$node" link set eth0 up
}

# A machine for each node, and the switch, which has a namespace, too: this
# machine's own network is not touched.
make_network() {
    local node
    ip netns add "$net-switch" || return 1
    networked=(switch)
    machines=0
    ip -n "$net-switch" link add switch type bridge
    ip -n "$net-switch" link set switch up
    for node in "${nodes[@]}"; do make_machine "$node" || return 1; done
}

# Filters go with their namespace.
end_network() {
    local node
    for node in "${networked[@]}"; do
        ip netns delete "$net-$node" 2>/dev/null
    done
    networked=()
}

# in_place NODE COMMAND...: becomes the command, where the node is.
in_place() {
    local node=$1
    shift
    if [ $place = namespaces ]; then
        exec ip netns exec "$net-$node" "$@"
    else
        exec "$@"
    fi
}

# ---- Clusters ----------------------------------------------------------------

cluster_part() {
    printf '%s\n' '[cluster]' "tau = ${tau}ms" "lease = ${lease}ms" \
        "kill = ${kill}ms" "delay = ${delay}ms" 'spread = 2000ppm' \
        'key = cluster.key' 'state = state' 'socket = %i.socket'
}

# node_part NAME HOST PORT
node_part() {
    printf '%s\n' "[node $1]" "host = $2" "port = $3"
}

# On loopback each node reaches each other by a port of the relay; therefore it
# has its own file.
relayed_files() {
    local ports=($(shuf -i 20000-31999 -n $((${#nodes[@]} * ${#nodes[@]}))))
    local node other at=0 paths=()
    for node in "${nodes[@]}"; do
        port[$node]=${ports[at]}
        at=$((at + 1))
    done
    for node in "${nodes[@]}"; do
        cluster_part >"$node.ini"
        for other in "${nodes[@]}"; do
            if [ "$other" = "$node" ]; then
                node_part "$node" "$host" "${port[$node]}"
            else
                node_part "$other" "$host" "${ports[at]}"
                port[$node,$other]=${ports[at]}
                paths+=("${ports[at]}:${port[$other]}")
                at=$((at + 1))
            fi
        done >>"$node.ini"
    done
    rm -f relay.in
    mkfifo relay.in
    "$relay" --control --host "$host" --seed "${seed:-1}" "${paths[@]}" \
        <relay.in >relay.out &
    exec 9>relay.in
}

plain_files() {
    local node other
    for node in "${nodes[@]}"; do
        cluster_part >"$node.ini"
        for other in "${nodes[@]}"; do
            node_part "$other" "$(address "${machine[$other]}" $family)" 7400
        done >>"$node.ini"
    done
}

# cluster N: N nodes that have never run.
cluster() {
    local names=(a b c d e f g h i) i
    rm -rf state ./*.socket ./*.ini ./*.log ./*.clock ./*.disk cluster.key over
    mkdir state
    nodes=("${names[@]:0:$1}")
    daemon=()
    cuts=()
    loss=0
    "$fulcrum" keygen cluster.key || return 1
    case $place in
    namespaces)
        make_network || return 1
        plain_files
        ;;
    loopback) relayed_files ;;
    esac
    for i in "${nodes[@]}"; do
        echo 0 >"$i.clock"
        echo 0 >"$i.disk"
    done
}

# start NODE [OPTION...]
start() {
    local node=$1
    shift
    LD_PRELOAD=$wrong_clock:$slow_disk WRONG_CLOCK=$node.clock \
        SLOW_DISK=$node.disk in_place "$node" \
        "$fulcrum" node -c "$node.ini" -i "$node" "${mishaps[@]}" "$@" \
        2>>"$node.log" &
    daemon[$node]=$!
    disown $!
}

start_all() {
    local node
    for node in "${nodes[@]}"; do start "$node" --init; done
    for node in "${nodes[@]}"; do
        within 20 members "$node" ${#nodes[@]} || return 1
    done
}

# Stops the nodes cleanly; then removes their namespaces.
end_cluster() {
    local node
    for node in "${nodes[@]}"; do kill -TERM "${daemon[$node]}"; done
    within 10 sh -c '! ls ./*.socket' || return 1
    end_all
}

# status NODE FILTER: what jq says of it.
status() {
    "$fulcrum" status --socket "$1.socket" --json 2>/dev/null | jq -c "$2"
}

# members NODE N: it has a lease in a view of N.
members() {
    has_members "$2" "$fulcrum" status --socket "$1.socket" --json
}

all_agree() {
    local node
    for node in "${nodes[@]}"; do members "$node" ${#nodes[@]} || return 1; done
}

# agreed SECONDS: the same by one process that starts no other, for starved
# machines; prints how many milliseconds it took.
agreed() {
    local node sockets=()
    for node in "${nodes[@]}"; do sockets+=("$node.socket"); done
    "$agree" "$1" "${sockets[@]}"
}

lock() { # NODE NAME ...
    local node=$1
    shift
    "$fulcrum" lock --socket "$node.socket" "$@"
}

# ---- Cuts --------------------------------------------------------------------

# sever FROM TO: one way.  Takes effect with apply_cuts.
sever() {
    cuts["$1 $2"]=1
}

# part NODE... / NODE...: nodes before the slash hear nothing of the rest.
part() {
    local here=() one other
    while [ "$1" != / ]; do
        here+=("$1")
        shift
    done
    shift
    for one in "${here[@]}"; do
        for other in "$@"; do
            sever "$one" "$other"
            sever "$other" "$one"
        done
    done
}

# The filter of one node: the peers from which it hears nothing.  For IPv6 only the
# nodes' own port, because neighbour discovery uses datagrams as well.
filter_of() {
    local from
    echo 'table inet fire'
    echo 'delete table inet fire'
    echo 'table inet fire { chain in {'
    echo 'type filter hook input priority 0'
    for from in "${nodes[@]}"; do
        [ -n "${cuts["$from $1"]:-}" ] || continue
        echo "ip saddr $(address "${machine[$from]}" 4) drop"
        echo "ip6 saddr $(address "${machine[$from]}" 6) udp dport 7400 drop"
    done
    [ $loss = 0 ] ||
        echo "udp dport 7400 numgen random mod 100 < $loss drop"
    printf '}\n}\n'
}

apply_cuts() {
    local node pair ports=
    if [ $place = namespaces ]; then
        for node in "${nodes[@]}"; do
            filter_of "$node" | ip netns exec "$net-$node" nft -f - || return 1
        done
        return
    fi
    echo heal >&9
    echo "loss $loss" >&9
    for pair in "${!cuts[@]}"; do ports+=" ${port[${pair/ /,}]}"; done
    [ -z "$ports" ] || echo "cut$ports" >&9
}

# The loss stays.
heal() {
    cuts=()
    apply_cuts
}

# ---- Judging -----------------------------------------------------------------

# judged LOG: no two holders at once, tokens and counts grow.
judged() {
    sort -s -n -k1,1 "$1" | awk -f "$intervals"
}

entries_of() { # LOG
    awk '{print $4}' "$1" | sort -u | wc -l
}
