#!/usr/bin/env bash
# live_soak.sh BUILD [SECONDS [SEED [ROUND]]] - live nodes under fire, round after
# round (tests/live/round.sh): clusters of two to nine nodes, bad links, partitions,
# kills, stops, clocks that jump, a busy machine.  Each round has its own seed,
# counted up from SEED, from which everything is drawn, and lasts ROUND seconds.
# Ctrl-C ends it, and leaves no process and no namespace behind.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
kept=$(realpath "$build")/soak-failed
again="bash tests/live/live_soak.sh $build"
"$build/fulcrum" node --help >/dev/null 2>&1 || {
    echo "# left out: this build has no live runtime"
    exit 0
}
total=${2:-600}
first=${3:-1}
length=${4:-30}
make --no-print-directory BUILD="$build" live-tools || exit 1
. tests/live/cluster.sh
. tests/live/round.sh
cd "$tap_tmp" || exit 1
echo "# seed $first, $total seconds, rounds of $length;" \
    "again: $again $total $first $length"
can_have_namespaces ||
    echo "# no network namespaces (root, iproute2, nftables): loopback alone"

passed=0
entries=0
row_head
end=$((SECONDS + total))
for ((next = first; SECONDS < end; next++)); do
    round $next "$length"
    echo "# $row"
    if [ -z "$failed" ]; then
        passed=$((passed + 1))
    else
        echo "not ok - round $next: $failed"
        echo "#   again: $again $length $next $length"
        tell_failure | sed 's/^/#   /'
        rm -rf "$kept/$next"
        mkdir -p "$kept/$next"
        cp ./*.held ./*.log ./*.ini said judged.* codes "$kept/$next" 2>/dev/null
        echo "#   its logs: $kept/$next"
        tap_failed=1
    fi
    entries=$((entries + $(entries_of counted.held) + $(entries_of work.held)))
    end_all
done
echo "# rounds $((next - first)), of these good $passed; entries $entries"
holds "never two at once, and everything healed, in $((next - first)) rounds" \
    test $passed -eq $((next - first))
tap_end
