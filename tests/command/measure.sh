#!/usr/bin/env bash
# measure.sh FULCRUM - what a simulation measures, for programs that judge it.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=$1
export LC_ALL=C.UTF-8

# field FILTER ARGUMENTS...: a value of the JSON of a simulation.
field() {
    local filter=$1
    shift
    "$fulcrum" sim "$@" --json | jq -c "$filter"
}

# ---- Letters -----------------------------------------------------------------

same "letters of formulas: bounds, names, parameters, and who competes" \
    '{"N":5,"u":7,"m":2,"gamma":"2/3","s":2,"k":4}' \
    "$(field '.letters | {N, u, m, gamma, s, k}' raymond-k -n 5 --set k=4 \
        --bounds 2:3:1:4 --competitors 2)"
same "the least and the greatest name have letters" '[3,9]' \
    "$(field '.letters | [.l, .L]' vitanyi --names 4,9,3)"
same "k are those that start an election" '[4,4]' \
    "$(field '.letters | [.s, .k]' chang-roberts -n 9 --wake random:4)"
same "without bounds on time there are no letters for them" '["L","N","k","l","s"]' \
    "$("$fulcrum" check lelann -n 3 --json | jq -c '.letters | keys_unsorted | sort')"
same "the worst case has the letters of its own starters" 'true' \
    "$("$fulcrum" worst vitanyi -n 4 --of passes --least --over wake --json |
        jq '.letters.k == (.witness.wake | length) and .letters.N == .nodes')"

# ---- Runs as units -----------------------------------------------------------

load=(maekawa -n 7 --entries 4 --think uniform:1:40 --seed 11)

one_by_one() {
    for seed in 11 12 13 14 15; do
        "$fulcrum" sim "${load[@]}" --seed "$seed" --json
    done | jq -s "map(.$1.mean) | (add / length) as \$mean | [\$mean,
        ((map(. - \$mean | . * .) | add) / (length - 1) | sqrt), length]"
}

# near FIELD: of_runs is what the runs say one by one.
near() {
    jq -n --argjson a "$(field "$1.of_runs | [.mean, .sd, .runs]" "${load[@]}" \
        --runs 5 --threads 2)" --argjson b "$(one_by_one "${1#.}")" -e \
        '[$a, $b] | transpose | all(.[0] - .[1] | fabs < 1e-5) and $a[1] > 0'
}

for field in messages_per_entry granting_delay handoff overtaken; do
    holds "$field of runs is the mean of the means of runs" near ".$field"
done
same "kinds of messages have their extremes" 'true' \
    "$(field '.messages | . as $m | .kinds | to_entries |
        all(.value.mean == $m.by_kind[.key] and .value.min <= .value.mean) and
        any(.value.min < .value.max)' chang-roberts -n 8 --runs 20)"

tap_end
