#!/usr/bin/env bash
# live-soak.sh BUILD [SECONDS [SEED]] - five nodes over bad links; daemons are
# killed and stopped, and clients are stopped, at random.  Every holder appends
# its token to one file, which is judged at the end (see live.sh).
set -u
cd "$(dirname "$0")/.."
. tests/tap.sh
fulcrum=$(realpath "$1/fulcrum")
"$fulcrum" node --help >/dev/null 2>&1 || {
    echo "# left out: this build has no live runtime"
    exit 0
}
seconds=${2:-600}
seed=${3:-1}
judge=$PWD/tests/live-judge.awk
nodes=(a b c d e)
declare -A daemon
cd "$tap_tmp" || exit 1
echo "# seed $seed, $seconds seconds"

stop_all() {
    local pid
    touch over
    for pid in "${daemon[@]}" $(jobs -p); do
        kill -CONT "$pid" 2>/dev/null
        kill -9 "$pid" 2>/dev/null
    done
    wait 2>/dev/null
}
trap 'stop_all; rm -rf "$tap_tmp"' EXIT

start() {
    "$fulcrum" node -c cluster.ini -i "$@" --mishap loss=100000 \
        --mishap duplicate=50000 --mishap reorder=100000 \
        --mishap delay=0:8000 2>>"$1.log" &
    daemon[$1]=$!
    disown $!
}

# client NODE NUMBER: asks again and again; its process is in the file client.N.
client() {
    local i=0
    while [ ! -e over ]; do
        "$fulcrum" lock -w 3 -c cluster.ini -i "$1" work -- \
            sh work.sh "$2.$i" 2>/dev/null &
        echo $! >"client.$2"
        wait $!
        echo $? >>codes
        i=$((i + 1))
        sleep 0.02
    done
}

cat >work.sh <<'END'
n=0
while [ $n -lt $(($$ % 40)) ]; do
    echo "$FULCRUM_TOKEN $1" >>ticks
    sleep 0.01
    n=$((n + 1))
done
echo "$FULCRUM_TOKEN $1" >>ticks
END

mkdir state
"$fulcrum" keygen cluster.key
printf '%s\n' '[cluster]' 'tau = 10ms' 'lease = 300ms' 'kill = 20ms' \
    'delay = 10ms' 'spread = 2000ppm' 'key = cluster.key' 'state = state' \
    'socket = %i.socket' >cluster.ini
ports=($(shuf -i 20000-31999 -n 5))
for i in 0 1 2 3 4; do
    printf '%s\n' "[node ${nodes[i]}]" 'host = 127.0.0.1' "port = ${ports[i]}" \
        >>cluster.ini
done
: >ticks
for node in "${nodes[@]}"; do start "$node" --init; done
sleep 2
for i in 0 1 2 3 4 5 6 7 8 9; do
    client "${nodes[i % 5]}" "$i" &
done

RANDOM=$seed
end=$((SECONDS + seconds))
while [ $SECONDS -lt $end ]; do
    node=${nodes[RANDOM % 5]}
    case $((RANDOM % 3)) in
    0)
        kill -9 "${daemon[$node]}"
        sleep "0.$((RANDOM % 9))"
        start "$node"
        ;;
    1)
        kill -STOP "${daemon[$node]}"
        sleep "$((RANDOM % 2)).$((RANDOM % 9))"
        kill -CONT "${daemon[$node]}"
        ;;
    2)
        stopped=$(cat "client.$((RANDOM % 10))")
        kill -STOP "$stopped"
        sleep "0.$((RANDOM % 9))"
        kill -CONT "$stopped"
        ;;
    esac 2>/dev/null
    sleep "0.$((RANDOM % 5))"
done
touch over
sleep 4
for node in "${nodes[@]}"; do kill -TERM "${daemon[$node]}"; done
sleep 1.5

echo "# entries $(cut -d' ' -f1 ticks | sort -u | wc -l);" \
    "exit codes $(sort codes | uniq -c | awk '{printf "%s: %s, ", $2, $1}')"
holds "never two at once, whoever was killed or stopped" awk -f "$judge" ticks
holds "and they did get in" test "$(grep -c '^0' codes)" -gt "$seconds"
holds "no daemon is left" sh -c '! ls ./*.socket'
tap_end
