#!/bin/bash
# spirakis-tampakas.sh - the tables of protocols/election/spirakis_tampakas/README.md that
# take too long for a console block: Lemma 6, exactly, in one phase and in whole
# runs; in lock step beside a million simulated runs.
#
#     docs/tables/spirakis-tampakas.sh build/fulcrum [PAGE]
#
# It takes some ten minutes; ROWS=FILE also shows rows as they come.

set -euo pipefail
set +o pipefail # a violation is what is looked for, and exit status 1
fulcrum=$(realpath "${1:-build/fulcrum}")
page=${2:-protocols/election/spirakis_tampakas/README.md}
. "$(dirname "$0")/page.sh"

k_max=30         # the paper's
states_max=60000  # a search beyond that is the last of its row

alone="--set rules=printed --set next-timer-forwards=no
    --set stale-claim=absorbed --set full-buffer=detect
    --set lost-claim=detect --set termination=all --set final-wait=period"

# options of a reading: repaired, printed, or one switch of the print
reading() {
    case $1 in
    repaired) echo "--set rules=repaired" ;;
    printed) echo "--set rules=printed" ;;
    *) echo "$alone $(printf -- ' --set %s' ${1//,/ })" ;;
    esac
}

# options of clocks
clocks() {
    case $1 in
    "lock step") echo "--bounds 1:1:1:1" ;;
    "fixed 1/"*) echo "--bounds 1:${1#*/}:1:1 --clock fixed" ;;
    "varying 1/"*) echo "--bounds 1:${1#*/}:1:1 --clock drift" ;;
    esac
}

# least, most, states of the greatest probability of two leaders, given two
# candidates in the first phase
worst() {
    timeout 300 "$fulcrum" check spirakis-tampakas "$@" --given candidates=2 \
        --only one-leader --no-cycles --symmetry --states 3000000 --worst \
        --json |
        jq -r 'if .worst then [.worst.least, .worst.most, .states]
               else [-1, -1, .states] end | @tsv' || true
}

# three significant digits
short() {
    awk -v x="$1" 'BEGIN {
        printf((x == 0 ? "%d" : x < 0.001 ? "%.2e" : "%.3g"), x) }'
}

row() {
    local name=$1 n=$2 clock=$3 k=0 least most states above=- last=0 whole
    local -A at=([1]=- [2]=- [4]=- [8]=-)
    local common
    common="-n $n $(clocks "$clock") $(reading "$name")"
    while ((k < k_max)); do
        k=$((k + 1))
        read -r least most states < <(worst $common --set k=$k --set phases=1) ||
            break
        [[ $least == -1 ]] && break
        last=$k
        at[$k]=$(short "$least")
        if [[ $above == - ]] &&
            awk -v p="$least" -v k=$k 'BEGIN { exit !(p > 0.75 ^ k) }'; then
            above=$k
        fi
        ((states > states_max)) && break
    done
    read -r whole _ _ < <(worst $common --set k=2) || whole=-1
    [[ ${whole:--1} == -1 ]] && whole=– || whole=$(short "$whole")
    printf '| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n' \
        "$name" "$n" "$clock" "${at[1]}" "${at[2]}" "${at[4]}" "${at[8]}" \
        "$last" "${at[$last]:-–}" "$above" "$whole" | sed 's/| - /| – /g'
}

head='| rules | n | clocks | k = 1 | 2 | 4 | 8 | last k | there | first k above | whole runs, k = 2 |
|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|'

lemma_6() {
    echo "$head"
    printf '| (3/4)^k | | | 0.75 | 0.562 | 0.316 | 0.1 | %s | %s | | |\n' \
        $k_max "$(short "$(awk -v k=$k_max 'BEGIN { print 0.75 ^ k }')")"
    for name in repaired printed; do
        for n in 2 3 4; do
            for clock in "lock step" "fixed 1/2" "fixed 1/3" "fixed 1/4" \
                "varying 1/2" "varying 1/3" "varying 1/4"; do
                row $name $n "$clock"
            done
        done
    done
}

readings() {
    echo "$head"
    for name in coins=k wake-sender=detector next-timer-forwards=yes \
        window=sliding stale-claim=after stale-claim=before \
        full-buffer=nothing lost-claim=nothing \
        full-buffer=nothing,lost-claim=nothing termination=awake coins=k-1 \
        final-wait=steps final-wait=time; do
        for clock in "lock step" "varying 1/2"; do
            row $name 2 "$clock"
        done
    done
}

# Runs of one phase, not given anything: exactly, and by a million runs.
simulated() {
    echo '| rules | n | k | exactly | 10^6 runs | 99.9 % interval |'
    echo '|---|--:|--:|--:|--:|---|'
    for name in repaired printed; do
        for n in 2 3 4; do
            for k in 1 2 4 8; do
                local common exact runs
                common="-n $n --bounds 1:1:1:1 $(reading $name) --set k=$k
                    --set phases=1"
                exact=$("$fulcrum" check spirakis-tampakas $common --symmetry \
                    --only one-leader --worst --json | jq -r .worst.exact)
                runs=$("$fulcrum" sim spirakis-tampakas $common --runs 1000000 \
                    --json | jq '[.violations[] |
                    select(.property == "one-leader").runs] | add // 0')
                awk -v name=$name -v n=$n -v k=$k -v e="$exact" -v f="$runs" '
                    BEGIN {
                        split(e, part, "/"); p = f / 1e6; d = 3.2905267
                        z = d * d / 1e6; m = (p + z / 2) / (1 + z)
                        h = d * sqrt(p * (1 - p) / 1e6 + z / 4e6) / (1 + z)
                        x = part[1] / part[2]
                        printf "| %s | %s | %s | %s = %.6f | %s | %.6f to %.6f%s |\n",
                            name, n, k, e, x, f, m - h, m + h,
                            (x < m - h || x > m + h) ? ", not within" : ""
                    }'
            done
        done
    done
}

for part in simulated readings lemma_6; do
    [[ -n ${ONLY:-} && $ONLY != "$part" ]] && continue
    $part | tee "${ROWS:-/dev/null}" | table "$page" ${part/_/-}
done
