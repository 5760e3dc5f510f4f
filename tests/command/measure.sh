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
same "the seed of the run with the most is told" 'true' \
    "$("$fulcrum" sim chang-roberts -n 20 --runs 30 --json |
        jq -r '.messages | [.min_case, .max_case][]' |
        while read -r _ command; do "$fulcrum" $command --json; done |
        jq -s --argjson all "$(field .messages chang-roberts -n 20 --runs 30)" \
            '.[0].messages.mean == $all.min and .[1].messages.mean == $all.max')"

# ---- All cases ---------------------------------------------------------------

same "all placements: the mean of Chang and Roberts is N*H_N + N, exactly" \
    '[120,true,16.4166666667,14,20,"within"]' \
    "$(field '[.runs, .exhaustive, .messages.mean, .messages.min, .messages.max,
        (.claims[] | select(.relation == "on average") | .verdict)]' \
        chang-roberts -n 5 --names all)"
same "all sets of starters: a run for each" '[15,true,{"mean":2.13333333333,"min":1,"max":4}]' \
    "$(field '[.runs, .exhaustive, (.initiators | {mean, min, max})]' \
        vitanyi -n 4 --names asc --wake sets)"

cases=(vitanyi -n 3 --bounds 2:3:1:4 --links any)

# Every case in its own words.
each_case() {
    for names in 1,2,3 1,3,2 2,1,3 2,3,1 3,1,2 3,2,1; do
        for wake in 1@0 2@0 1@0,2@0 3@0 1@0,3@0 2@0,3@0 1@0,2@0,3@0; do
            for seed in 5 6; do
                "$fulcrum" sim vitanyi --names "$names" --wake "$wake" \
                    --bounds 2:3:1:4 --links any --seed "$seed" --hash --json
            done
        done
    done
}
each_case >"$tap_tmp/cases"
"$fulcrum" sim "${cases[@]}" --names all --wake sets --runs 2 --seed 5 --hash \
    --json >"$tap_tmp/all"
same "placements, starters and seeds multiply; each is run once" 'true' \
    "$(jq -s '.[-1] as $all | .[:-1] | length == $all.runs and
        all($all.end, $all.messages, $all.paper_bits; .sd > 0) and
        (map(.end.mean) | min == $all.end.min and max == $all.end.max and
            (add / length - $all.end.mean | fabs < 1e-9)) and
        (map(.messages.mean) | add / length - $all.messages.mean | fabs < 1e-9)' \
        "$tap_tmp/cases" "$tap_tmp/all")"
same "the case that has the most is a command" 'true' \
    "$("$fulcrum" $(jq -r .end.max_case "$tap_tmp/all" | cut -d' ' -f2-) --json |
        jq ".end.mean == $(jq .end.max "$tap_tmp/all")")"
same "what else is drawn from the seed is told, and not exhaustive" \
    '[false,["steps","phases","delays"]]' \
    "$(jq -c '[.exhaustive, .drawn]' "$tap_tmp/all")"
same "coins are drawn, too" '[false,["coins"]]' \
    "$(field '[.exhaustive, .drawn]' itai-rodeh -n 3 --wake sets)"
same "a list of steps and delays leaves nothing to be drawn" '[true,[]]' \
    "$(field '[.exhaustive, .drawn]' vitanyi -n 3 --names all --clock steps:2,3,3 \
        --delays 1,2,4)"
same "threads do not show in all cases" \
    "$(field 'del(.cpu_s, .events_per_s)' "${cases[@]}" --names all --hash --threads 1)" \
    "$(field 'del(.cpu_s, .events_per_s)' "${cases[@]}" --names all --hash --threads 2)"
same "the worst of all placements is what fulcrum worst finds" \
    "$("$fulcrum" worst vitanyi -n 6 --of messages --over names --json | jq .value)" \
    "$(field .messages.max vitanyi -n 6 --names all)"
same "names may begin higher" '[4,8]' \
    "$(field '.letters | [.l, .L]' vitanyi -n 5 --names all:4)"
holds "people are told how many there are" \
    grep -q '^all 24 placements with all 15 sets of starters, seed 1$' \
    <("$fulcrum" sim vitanyi -n 4 --names all --wake sets)
# Exit 1: a violation, and its case.
"$fulcrum" sim central -n 3 --wake sets --fault 'crash 1@0' --json >"$tap_tmp/broken"
same "a violation is shown by its case" \
    '"fulcrum sim central -n 3 --wake 2@0 --fault '"'crash 1@0'"' --seed 1"' \
    "$(jq '.violations[0].case' "$tap_tmp/broken")"
refuses 2 "at most 10 processors" sim vitanyi -n 11 --names all
refuses 2 "at most 24" sim vitanyi -n 25 --wake sets
refuses 2 "are too many" sim vitanyi -n 10 --names all --wake sets --runs 9
refuses 2 "takes no --names" sim itai-rodeh -n 4 --names all
refuses 2 "a whole number" sim vitanyi -n 4 --names all:x
refuses 2 "show one run" sim vitanyi -n 4 --names all --trace -
refuses 2 "show one run" sim vitanyi -n 4 --wake sets --svg "$tap_tmp/x.svg"
refuses 2 "by fulcrum sim alone" compare election -n 4 --wake sets
refuses 2 "fulcrum check alone" compare election -n 4 --names all

tap_end
