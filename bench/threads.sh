#!/usr/bin/env bash
# threads.sh [ROUNDS] [THREADS] - the checker on one thread and on several, in
# one run.
#
# For each search: with --threads 1 and with THREADS (all cores if not given), in
# turns, each ROUNDS times (5 if not given).  Of each, the fastest round is
# shown: wall time, CPU time of all threads, bytes a state.  The ratio says how
# much sooner the result is there.  States, transitions and verdict must agree.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-5}
threads=${2:-$(nproc)}
build=${BUILD:-build}
fulcrum=$build/fulcrum
out=$build/bench/threads
mkdir -p "$out"

# Without time, with time, with faults; with cycles to be looked for.
searches() {
    cat <<'EOF'
chang-roberts -n 12
ricart-agrawala -n 4
suzuki-kasami -n 4 --entries 2 --states 2000000
chang-roberts -n 7 --loss 2 --duplicate 2 --states 2000000
token-ring -n 4 --bounds 1:1:0:1
archimedean -n 3 --bounds 1:1:0:1 --entries 2 --set mindelay=1 --set delaystep=0 --set predict=0
EOF
}

# once THREADS ARGUMENTS...: one line of numbers, and what must agree.
once() {
    local t=$1
    shift
    # A limit is exit 3, a violation 1: both are results here.
    "$fulcrum" check "$@" --threads "$t" --json >"$out/said" || [ $? -ne 2 ]
    jq -r '"\(.wall_seconds) \(.seconds) \(.bytes_per_state)"' "$out/said" \
        >>"$out/times.$t"
    jq -c '[.verdict, .states, .transitions, .terminal, .depth, .steps]' \
        "$out/said" >>"$out/results"
}

echo "$("$fulcrum" version), $rounds rounds, 1 and $threads threads," \
    "load $(cut -d' ' -f1 /proc/loadavg)"
sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1
printf '%10s %9s %9s %9s %9s %7s %7s %7s\n' states 'wall 1' "wall $threads" \
    'CPU 1' "CPU $threads" 'B 1' "B $threads" times
while read -r search; do
    rm -f "$out"/times.* "$out/results"
    for _ in $(seq "$rounds"); do
        # shellcheck disable=SC2086
        once 1 $search
        # shellcheck disable=SC2086
        once "$threads" $search
    done
    if [ "$(sort -u "$out/results" | wc -l)" -ne 1 ]; then
        echo "$search: the two do not agree" >&2
        exit 1
    fi
    # shellcheck disable=SC2046
    set -- $(sort -g "$out/times.1" | head -n 1) \
        $(sort -g "$out/times.$threads" | head -n 1)
    awk -v states="$(head -n 1 "$out/results" | jq '.[1]')" -v w1="$1" \
        -v c1="$2" -v b1="$3" -v w2="$4" -v c2="$5" -v b2="$6" 'BEGIN {
        printf "%10d %9.3f %9.3f %9.3f %9.3f %7.1f %7.1f %7.2f",
            states, w1, w2, c1, c2, b1, b2, w1 / w2 }'
    echo "  $search"
done < <(searches)
