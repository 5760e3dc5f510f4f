#!/usr/bin/env bash
# run.sh [ROUNDS] - the checker beside Spin on the same models, in one run.
#
# For each model: Spin without reductions and the checker, in turns, each
# ROUNDS times (5 if not given), each on one core.  What counts is CPU time; of
# each, the median is shown, and the least and greatest beside it.  Spin is
# Debian's package; pan is compiled as its manual says for speed.  Spin counts
# its initial state as a transition, the checker does not.
set -euo pipefail
cd "$(dirname "$0")/../.."

rounds=${1:-5}
build=${BUILD:-build}
out=$build/bench/spin
fulcrum=$PWD/$build/fulcrum
case $build in /*) fulcrum=$build/fulcrum out=$build/bench/spin ;; esac
models="chang_roberts dolev_klawe_rodeh"

if ! command -v spin >/dev/null; then
    echo "bench: needs spin; 'apt-get install spin' installs it" >&2
    exit 3
fi
mkdir -p "$out"

# middle FILE: median, least and greatest of the numbers in it.
middle() {
    sort -n "$1" | awk '{ v[NR] = $1 } END {
        printf "%.3f %.3f %.3f", v[int((NR + 1) / 2)], v[1], v[NR] }'
}

make_pan() {
    local model=$1
    (cd "$out" && spin -a "$OLDPWD/bench/spin/$model.pml" &&
        cc -O3 -DSAFETY -DNOREDUCE -DMEMLIM=32000 -w -o "pan_$model" pan.c)
}

# CPU seconds of a command, its output in $out/said.
cpu() {
    local TIMEFORMAT='%U %S'
    { time "$@" >"$out/said" 2>&1; } 2>"$out/time"
    awk '{ printf "%.3f\n", $1 + $2 }' "$out/time"
}

# report WHO STATES TRANSITIONS BYTES FILE
report() {
    local who=$1 states=$2 transitions=$3 bytes=$4
    # shellcheck disable=SC2046
    set -- $(middle "$5")
    printf '  %-10s %10s %11s %9.3f  (%.3f to %.3f) %8.2f %8.1f\n' "$who" \
        "$states" "$transitions" "$1" "$2" "$3" \
        "$(awk "BEGIN { print $states / $1 / 1e6 }")" "$bytes"
}

{
    echo "$(spin -V), $("$fulcrum" version), $rounds rounds, one core"
    echo "$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
    for model in $models; do
        protocol=${model//_/-}
        make_pan "$model" >"$out/made" 2>&1 || { cat "$out/made" >&2; exit 3; }
        : >"$out/pan.times"
        : >"$out/check.times"
        for _ in $(seq "$rounds"); do
            cpu "$out/pan_$model" -m1000000 -w24 >>"$out/pan.times"
            cp "$out/said" "$out/pan.said"
            cpu "$fulcrum" check "$protocol" -n 12 --names asc --json \
                --threads 1 \
                >>"$out/check.times"
            cp "$out/said" "$out/check.said"
        done
        echo
        echo "$protocol, N = 12, names ascending, asynchronous, no reduction"
        echo "  by             states transitions   CPU s  (least to most)     M states/s  bytes/state"
        states=$(awk '/states, stored/ { print $1 }' "$out/pan.said")
        edges=$(awk '/transitions \(/ { print $1 - 1 }' "$out/pan.said")
        bytes=$(awk '/total actual memory/ { print $1 * 1048576 / '"$states"' }' \
            "$out/pan.said")
        report spin "$states" "$edges" "$bytes" "$out/pan.times"
        report fulcrum "$(jq .states "$out/check.said")" \
            "$(jq .transitions "$out/check.said")" \
            "$(jq .bytes_per_state "$out/check.said")" "$out/check.times"
        # shellcheck disable=SC2046
        set -- $(middle "$out/pan.times") $(middle "$out/check.times")
        awk "BEGIN { printf \"  fulcrum is %.1f times as fast\n\", $1 / $4 }"
        [ "$states" = "$(jq .states "$out/check.said")" ] &&
            [ "$edges" = "$(jq .transitions "$out/check.said")" ] ||
            { echo "  the two do not agree" && exit 1; }
    done
}
