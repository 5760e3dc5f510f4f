#!/usr/bin/env bash
# determinism.sh BUILD OTHER... - the same seed gives the same result: any number of
# threads, each engine, that of the benchmark, too, and every other build.  make check
# has gcc with -O3 in BUILD and clang with little or none of its optimizer beside it;
# make soak adds gcc -O0.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
shift

setups=(
    "vitanyi -n 50 --runs 20"
    "vitanyi -n 50 --runs 20 --bounds 3:7:2:9 --clock drift"
    "vitanyi -n 30 --runs 20 --time async --links any --set links=any"
    "vitanyi -n 40 --runs 20 --bounds 2:9:0:5 --set f=exp:2.2"
    "vitanyi -n 40 --runs 20 --set f=pow:1.5 --wake random"
    "vitanyi -n 400 --runs 20 --set f=const:1"
    "vitanyi -n 300 --runs 20 --set f=minimal --wake random:9"
    "lelann -n 20 --runs 20 --bounds 1:4:0:3"
    "chang-roberts -n 60 --runs 20 --bounds 1:64:0:3 --clock adversary"
    "chang-roberts-max -n 60 --runs 20 --wake random:7 --time async"
    "archimedean -n 6 --runs 10 --think exp:20 --bounds 1:3:0:5 --clock drift"
    "view-lock -n 4 --runs 5 --bounds 8:10:1:50 --section uniform:1:9"
    "rw-optimistic -n 4 --runs 10 --bounds 1:2:0:0 --clock drift"
)

# All results of a binary, without what depends on the machine.
results() {
    local setup
    for setup in "${setups[@]}"; do
        # shellcheck disable=SC2086 # words on purpose
        "$1" sim $setup --hash --threads "$2" --json |
            grep -v -e cpu_s -e events_per_s -e bytes_per_node
    done | sha256sum
}

# Results that do not depend on the engine either.
counts() {
    local setup
    for setup in "${setups[@]}"; do
        # shellcheck disable=SC2086
        "$1" sim $setup --engine "$2" --json | grep -v -e cpu_s \
            -e events_per_s -e bytes_per_node -e '"engine"' -e queue_max
    done | sha256sum
}

reference=$(results "$build/fulcrum" 1)
for threads in 2 3 8; do
    same "one thread and $threads give the same" "$reference" \
        "$(results "$build/fulcrum" $threads)"
done
same "the two engines give the same" "$(counts "$build/fulcrum" auto)" \
    "$(counts "$build/fulcrum" general)"
# It compares them with a heap, and ends with 1 if they differ.
bench() {
    make --no-print-directory BUILD="$build" "$build/bench/bench" &&
        "$build/bench/bench" --only abd --nodes-max 1000 --rounds 1
}
holds "the benchmark runs, and its three engines give the same" bench
for other; do
    same "the build in $other gives the same" "$reference" \
        "$(results "$other/fulcrum" 2)"
done
tap_end
