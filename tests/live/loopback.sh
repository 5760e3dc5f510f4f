# loopback.sh BUILD - for tests of live nodes on loopback, to be sourced: a folder
# of their own, clusters, daemons, and a cleanup that leaves no process behind.
fulcrum=$(realpath "$1/fulcrum")
"$fulcrum" node --help >/dev/null 2>&1 || {
    echo "# left out: this build has no live runtime"
    exit 0
}
judge=$PWD/tests/live/live_judge.awk
. tests/live/view.sh
. tests/live/process.sh
. tests/live/steady.sh
work=$tap_tmp/live
mkdir -p "$work"
cd "$work" || exit 1

# An address of loopback for each test, so that their ports do not collide.
host=127.$(($$ / 62500 % 250 + 1)).$(($$ / 250 % 250)).$(($$ % 250 + 1))
declare -A daemon # node -> process

stop_all() {
    local pid
    for pid in "${daemon[@]}" $(jobs -p); do
        kill -CONT "$pid" 2>/dev/null
        kill -9 "$pid" 2>/dev/null
    done
    wait 2>/dev/null
}
trap 'stop_all; rm -rf "$tap_tmp"' EXIT

# ---- Clusters ----------------------------------------------------------------

# cluster N: a configuration of N nodes with fresh ports.
cluster() {
    local names=({a..z} a{a..e}) i=0 port
    rm -rf state ./*.socket cluster.key
    mkdir state
    "$fulcrum" keygen cluster.key || return 1
    printf '%s\n' '[cluster]' "tau = ${tau:-25}ms" "lease = ${lease:-1000}ms" 'kill = 50ms' \
        'delay = 20ms' 'spread = 2000ppm' 'key = cluster.key' 'state = state' \
        'socket = %i.socket' >cluster.ini
    for port in $(shuf -i 20000-31999 -n "$1"); do
        printf '%s\n' "[node ${names[i]}]" "host = $host" "port = $port" \
            >>cluster.ini
        i=$((i + 1))
    done
}

# start NODE [OPTION...]
start() {
    local node=$1
    shift
    "$fulcrum" node -c cluster.ini -i "$node" "$@" 2>>"$node.log" &
    daemon[$node]=$!
    disown $!
}

# end SIGNAL NODE...: they are dead when it returns, and their records not locked.
end() {
    local signal=$1 node
    shift
    for node in "$@"; do kill "-$signal" "${daemon[$node]}" 2>/dev/null; done
    for node in "$@"; do
        within 30 dead "${daemon[$node]}" || return 1
        unset "daemon[$node]"
    done
}
crash() { # NODE
    end KILL "$1"
}
stop() { # NODE...: cleanly
    end TERM "$@"
}

# within SECONDS COMMAND...: it succeeds in the end.
within() {
    local until=$((SECONDS + $1)) pause=5
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || { echo "never: $*"; tail -n 5 ./*.log; return 1; }
        sleep "0.$((pause / 10))$((pause % 10))"
        [ $pause -ge 15 ] || pause=$((pause + 1))
    done
}

# members NODE N: it has a lease in a view of N.
members() {
    has_members "$2" "$fulcrum" status -c cluster.ini -i "$1" --json
}

lock() { # NODE NAME ...
    local node=$1
    shift
    "$fulcrum" lock -c cluster.ini -i "$node" "$@"
}

# code EXPECTED COMMAND...
code() {
    local expected=$1
    shift
    "$@"
    local got=$?
    [ $got -eq "$expected" ] || { echo "exit $got, not $expected: $*"; return 1; }
}

says() { # TEXT COMMAND...
    local text=$1
    shift
    "$@" 2>&1 | grep -q -e "$text"
}
