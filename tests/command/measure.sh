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
    '[5,7,2,"2/3",2,4]' \
    "$(field '.letters | [.N, .u, .m, .gamma, .s, .k]' raymond-k -n 5 --set k=4 \
        --bounds 2:3:1:4 --competitors 2)"
same "the least and the greatest name have letters" '[3,9]' \
    "$(field '.letters | [.l, .L]' vitanyi --names 4,9,3)"
same "k are those that start an election" '[4,4]' \
    "$(field '.letters | [.s, .k]' chang-roberts -n 9 --wake random:4)"
same "without bounds on time there are no letters for them" '["L","N","k","l","s"]' \
    "$("$fulcrum" check lelann -n 3 --json | jq -c '.letters | keys')"
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
same "all sets of starters: a run for each" '[15,true,[2.13333333333,1,4]]' \
    "$(field '[.runs, .exhaustive, (.initiators | [.mean, .min, .max])]' \
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
refuses 2 "both say which sites" sim central -n 4 --wake sets --competitors 2
refuses 3 "cannot write /dev/full" sim vitanyi -n 4 --records /dev/full --json -o /dev/null
refuses 2 "are too many" sim vitanyi -n 10 --names all --wake sets --runs 9
refuses 2 "takes no --names" sim itai-rodeh -n 4 --names all
refuses 2 "a whole number" sim vitanyi -n 4 --names all:x
refuses 2 "show one run" sim vitanyi -n 4 --names all --trace -
refuses 2 "show one run" sim vitanyi -n 4 --wake sets --svg "$tap_tmp/x.svg"
refuses 2 "by fulcrum sim alone" compare election -n 4 --wake sets
refuses 2 "fulcrum check alone" compare election -n 4 --names all

# ---- Records -----------------------------------------------------------------

# rows TABLE FILE: its rows as JSON, by the names of its first line.
rows() {
    grep "^$1," "$2" | jq -sRc 'split("\n") | map(select(. != "") / ",") |
        .[0] as $head | .[1:] | map([$head, .] | transpose |
            map({key: .[0], value: (.[1] | tonumber? // (if . == "" then null
                else . end))}) | from_entries)'
}

record=("${load[@]}" --runs 4)
"$fulcrum" sim "${record[@]}" --threads 2 --records "$tap_tmp/r.csv" --json >"$tap_tmp/r.json"
rows entry "$tap_tmp/r.csv" >"$tap_tmp/entries"
rows run "$tap_tmp/r.csv" >"$tap_tmp/runs"
same "entries are recorded as they are counted" 'true' \
    "$(jq -s '. as [$e, $j] | def mean(f): ($e | map(f) | add / length);
        def near(a; b): a - b | fabs < 1e-9; ($e | length) == $j.entries and
        near(mean(.messages); $j.messages_per_entry.mean) and
        near(mean(.refusals); $j.refusals.mean) and $j.refusals.mean > 0 and
        near(mean(.enter - .want); $j.granting_delay.mean) and
        near(mean(.overtaken); $j.overtaken.mean) and
        (($e | map(.handoff | values) | add / length) - $j.handoff.mean | fabs < 1e-9) and
        all($e[]; .want <= .wake and .wake <= .ask and .ask <= .enter and
            .enter < .leave and .awake <= 6)' "$tap_tmp/entries" "$tap_tmp/r.json")"
same "who overtook is told: entries between the wish and the entry" 'true' \
    "$(jq '. as $all | all(.[]; . as $x | [$all[] | select(.run == $x.run and
        .node != $x.node and .enter <= $x.enter and .enter >= $x.want) | .node] |
        sort == ($x.by // "" | tostring | [splits(" ") | tonumber?] | sort) and
        length == $x.overtaken and
        ([group_by(.)[] | length] | max // 0) == $x.by_one)' "$tap_tmp/entries")"
same "an entry knows the refusals of the one before" 'true' \
    "$(jq '[group_by(.run, .node)[] | sort_by(.number) | [.[1:], .[:-1]] |
        transpose[] | .[0].before == .[1].refusals] | all' "$tap_tmp/entries")"
same "a run has its seed and its messages by kind" 'true' \
    "$(jq -s '. as [$r, $j] | ($r | map(.seed)) == [11, 12, 13, 14] and
        ($r | map(.messages) | add / 4) == $j.messages.mean and
        ($r | map(.messages_request) | add / 4) == $j.messages.by_kind.request' \
        "$tap_tmp/runs" "$tap_tmp/r.json")"
same "records do not change the run" \
    "$(field .trace_hash "${record[@]}" --hash)" \
    "$(field .trace_hash "${record[@]}" --hash --records "$tap_tmp/h.csv")"
for threads in 1 8; do
    "$fulcrum" sim chang-roberts -n 40 --runs 400 --threads $threads \
        --records "$tap_tmp/r$threads.csv" >/dev/null
done
holds "threads do not show in records" cmp "$tap_tmp/r1.csv" "$tap_tmp/r8.csv"

"$fulcrum" sim vitanyi -n 6 --bounds 1:4:0:3 --seed 3 --trace "$tap_tmp/t" \
    --records "$tap_tmp/n.csv" >/dev/null
same "passes by name are those of the trace" \
    "$("$fulcrum" sim --replay "$tap_tmp/t" --json |
        jq -c '[.amounts | to_entries[] | select(.key | test("^passes[.][0-9]+$")) |
            {name: (.key[7:] | tonumber), passes: .value}] | sort_by(.name)')" \
    "$(rows name "$tap_tmp/n.csv" | jq -c 'map({name, passes}) | sort_by(.name)')"

phases=(spirakis-tampakas -n 5 --bounds 2:3:1:4 --set k=4 --runs 20)
"$fulcrum" sim "${phases[@]}" --records "$tap_tmp/p.csv" --json >"$tap_tmp/p.json"
same "phases: who starts, who is a candidate, and all messages in one of them" 'true' \
    "$(jq -s '. as [$p, $r, $j] | all($p[]; .starts == 5 and .first <= .last and
            .candidates <= 5 and .least_wakeup <= .most_wakeup and
            .messages == .messages_wakeup + .messages_claim + .messages_nexttime +
                .messages_termination) and
        ($p | map(.messages) | add) == ($r | map(.messages) | add) and
        ($p | map(.bits) | add) == ($r | map(.paper_bits) | add) and
        ($p | group_by(.run) | map(length)) == ($r | map(.phases)) and
        ($p | group_by(.run) | all(.[-1].candidates >= 1)) and
        ([$p | group_by(.run)[] | .[:-1][] | .candidates] | all(. != 1)) and
        any($p[]; .phase > 1)' <(rows phase "$tap_tmp/p.csv") \
        <(rows run "$tap_tmp/p.csv") "$tap_tmp/p.json")"
same "a phase has the messages of its tokens, whoever passes them on" '[true,true]' \
    "$("$fulcrum" sim itai-rodeh -n 6 --runs 40 --records "$tap_tmp/i.csv" \
        >/dev/null; rows phase "$tap_tmp/i.csv" |
        jq -c '[any(.[]; .phase > 1), all(.[] | select(.phase > 1);
            .messages_token >= 6 and .starts < 6)]')"
same "the step of the leader, and how many are faster" 'true' \
    "$("$fulcrum" sim vitanyi --names 2,1,3 --clock steps:2,3,4 --bounds 2:4:1:1 \
        --records "$tap_tmp/l.csv" >/dev/null; rows run "$tap_tmp/l.csv" |
        jq '.[0] | [.leader, .step, .faster, .slower] == [1, 3, 1, 1]')"
same "cases are named in their runs" '1 2,2|2 1,1 2' \
    "$("$fulcrum" sim chang-roberts -n 2 --names all --wake sets --records - |
        grep ^run | sed -n '3p;7p' | sed 's/.*,\(.*,.*\)/\1/' | paste -sd'|')"
refuses 3 "cannot write" sim vitanyi -n 4 --records "$tap_tmp/none/x.csv"
refuses 2 "two results cannot both go" sim vitanyi -n 4 --records "$tap_tmp/x" \
    --trace "$tap_tmp/x"
refuses 2 "belong to a simulation" sim --replay "$tap_tmp/t" --records -

# ---- Formulas over records ---------------------------------------------------

# Ascending, 2 starts: 1 is woken last, after three passes; M_1 rests twice in
# each of the others, and a pass takes a step.
same "waking, and the tour of the winner's message" '[3,10]' \
    "$(field '[.values.w.max, .values.t.max]' vitanyi -n 4 --names asc \
        --wake 2@0 --value w=run:waking --value t=run:tour)"

same "a value is that of the records, and of runs as units" 'true' \
    "$("$fulcrum" sim "${record[@]}" --value 'x=entry:refusals/awake' --json |
        jq --argjson e "$(cat "$tap_tmp/entries")" '.values.x as $x |
        ($e | map(select(.awake > 0))) as $some |
        def near(a; b): a - b | fabs < 1e-9;
        def mean: add / length;
        $x.count == ($some | length) and
        $x.left_out == ($e | length) - $x.count and $x.left_out > 0 and
        near($x.mean; $some | map(.refusals / .awake) | mean) and
        near($x.of_runs.mean; $some | group_by(.run) |
            map(map(.refusals / .awake) | mean) | mean) and
        near($x.max; $some | map(.refusals / .awake) | max) and
        $x.of_runs.runs == 4')"
same "threads do not show in values" \
    "$(field .values "${load[@]}" --runs 30 --value a=entry:1/messages --threads 1)" \
    "$(field .values "${load[@]}" --runs 30 --value a=entry:1/messages --threads 2)"
same "the case with the greatest value is a command" 'true' \
    "$(value=$(field .values.a chang-roberts -n 5 --names all \
        --value 'a=name:passes*name')
    eval "\"\$fulcrum\" $(jq -r '.max_case[8:]' <<<"$value") --json" |
        jq ".values.a.max == $(jq .max <<<"$value")")"
same "values know f and the letters of the network" '[16,16]' \
    "$(field '.values.a | [.min, .max]' vitanyi -n 4 --names asc \
        --value 'a=run:sum(f(i)) - f(L) + 2 + 0*messages')"
refuses 2 "write NAME=TABLE:FORMULA" sim vitanyi -n 4 --value a
refuses 2 "the tables of vitanyi are run, name" sim vitanyi -n 4 --value a=entry:1
refuses 2 "no letter 'x'; columns of name are name, place" sim vitanyi -n 4 \
    --value a=name:x
refuses 2 "two are called a" sim vitanyi -n 4 --value a=run:1 --value a=run:2
refuses 2 "belong to a simulation" sim --strategy x --value a=run:1

# ---- Bits that take time, loads that change ----------------------------------

same "a link carries one message after the other, bit by bit" \
    "0@4 0@10 4@13 10@20 13@23 23@27" \
    "$("$fulcrum" sim lelann --names 1,9 --bits 3 --trace "$tap_tmp/b" >/dev/null
    sed -n 's/^\([0-9]*\) .*; send .* arrives \([0-9]*\).*/\1@\2/p' "$tap_tmp/b" |
        paste -sd' ')"
same "a run with bits replays" true \
    "$("$fulcrum" sim --replay "$tap_tmp/b" --json | jq .same)"
same "messages beyond dmax are late; without bits nobody is" '[6,[],0]' \
    "$(field '[.faults.late, .claims, (.end.max - 27)]' lelann --names 1,9 --bits 3)"
same "what bits cost is added to each delay" true \
    "$(jq -n --argjson a "$(field .end.max chang-roberts --names 1,2,3,4 --wake 1@0 \
        --bounds 1:1:6:6)" --argjson b "$(field .end.max chang-roberts \
        --names 1,2,3,4 --wake 1@0 --bounds 1:1:6:6 --bits 5)" '$b == $a + 8 * 5')"
"$fulcrum" sim central -n 2 --entries 40 --think jump:1:50:60 --wake 2@0 \
    --records "$tap_tmp/jump" >/dev/null
same "a load jumps with the time, and back" true \
    "$(rows entry "$tap_tmp/jump" | jq '[.[1:], .[:-1]] | transpose |
        map([.[1].leave, .[0].want - .[1].leave]) |
        all(.[1] == if .[0] % 120 < 60 then 1 else 50 end) and
        ([.[][1]] | unique == [1, 50])')"
same "a load drifts" true \
    "$("$fulcrum" sim central -n 2 --entries 30 --think drift:1:50:300 --wake 2@0 \
        --records "$tap_tmp/drift" >/dev/null; rows entry "$tap_tmp/drift" |
        jq '[.[1:], .[:-1]] | transpose | map([.[1].leave % 600, .[0].want - .[1].leave]) |
        all((if .[0] < 300 then .[0] else 600 - .[0] end) as $t |
            (.[1] - (1 + 49 * $t / 300) | fabs) <= 0.5)')"
same "such a load is not drawn" '[]' "$(field .drawn central -n 2 --think jump:1:9:50)"
refuses 2 "drift:1:90:500" sim central -n 2 --think drift:1:2
refuses 2 "bits takes a whole number" sim vitanyi -n 4 --bits 0

tap_end
