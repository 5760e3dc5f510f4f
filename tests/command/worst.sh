#!/usr/bin/env bash
# worst.sh FULCRUM - fulcrum worst: witnesses that repeat, the same result on any
# number of threads, what is refused, Ctrl-C.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=$1
export LC_ALL=C.UTF-8

# repeats QUANTITY FILTER ARGUMENTS...: the command of the witness gives the same
# number, which FILTER finds in the JSON of a simulation.
repeats() {
    local of=$1 filter=$2 value command
    shift 2
    "$fulcrum" worst "$@" --of "$of" --json >"$tap_tmp/worst" || return 1
    value=$(jq .value "$tap_tmp/worst")
    command=$(jq -r .witness.command "$tap_tmp/worst")
    [ "$value" != null ] && [ "${command#fulcrum sim }" != "$command" ] || return 1
    # The words of the command, quotes and all.
    eval "set -- ${command#fulcrum sim }"
    "$fulcrum" sim "$@" --json >"$tap_tmp/sim"
    [ "$(jq "$filter == $value" "$tap_tmp/sim")" = true ] ||
        { echo "$command: $(jq "$filter" "$tap_tmp/sim") is not $value"; return 1; }
}

few="--budget 600"
for least in "" --least; do
    # shellcheck disable=SC2086
    {
        holds "a ring $least" repeats passes .messages.max vitanyi -n 9 $few $least
        holds "delays, speeds $least" repeats end .end.max \
            vitanyi -n 6 --bounds 2:5:1:4 $few $least
        holds "phases $least" repeats messages.M .messages.by_kind.M vitanyi -n 6 \
            --bounds 4:6:0:3 --over names,wake:9,speeds,delays,phases $few $least
        holds "links in both directions $least" repeats elected-at .elected_at.max \
            franklin -n 5 --bounds 1:2:0:1 $few $least
        holds "a tree, and seeds $least" repeats end .end.max tree -n 7 \
            --bounds 1:1:0:3 --over names,delays,seed $few $least
        holds "a complete network $least" repeats granting-delay \
            .granting_delay.max ricart-agrawala -n 3 --bounds 1:2:0:2 --entries 2 \
            $few $least
        holds "coins $least" repeats messages .messages.max itai-rodeh -n 4 \
            --over wake,seed:50 $few $least
        holds "parameters $least" repeats paper-bits .paper_bits.max vitanyi -n 5 \
            --over names,f,first-wait $few $least
    }
done
same "steps, phases and delays are those of the command" true \
    "$("$fulcrum" worst vitanyi -n 6 --of end --bounds 4:6:0:3 \
        --over names,speeds,delays,phases --budget 600 --json |
        jq '.witness | (.steps | map(tostring) | join(",")) as $steps |
            (.phases | map(tostring) | join(",")) as $phases |
            (.delays | map(tostring) | join(",")) as $delays |
            .command | contains(" --clock steps:\($steps) --phases \($phases)" +
                " --delays \($delays)")')"
holds "names that are given stay, and random ones as well" \
    repeats messages .messages.max vitanyi -n 6 --names desc:3 --budget 600
holds "random names are those of the seed" repeats messages .messages.max \
    vitanyi -n 6 --over wake --seed 5 --budget 600
holds "and stay if the seed varies" repeats end .end.max vitanyi -n 6 \
    --over wake,seed --bounds 1:4:0:4 --seed 5 --budget 600
holds "names of a list are placed anew" repeats messages .messages.max vitanyi \
    --names 9,4,2,7 --over names
same "the names of a list are those of the witness" "2,4,7,9" \
    "$(jq -r '.witness.names | sort | map(tostring) | join(",")' "$tap_tmp/worst")"

# ---- What is reported --------------------------------------------------------

same "all placements of four, all awake, and rotations once" \
    "[true,6,16,true]" \
    "$("$fulcrum" worst vitanyi -n 4 --of passes --over names --json |
        jq -c '[.exhaustive, .tried, .value, .bound.within]')"
same "all sets of nodes that start, of all placements" "[true,90]" \
    "$("$fulcrum" worst lelann -n 4 --of messages --over names,wake:0 --json |
        jq -c '[.exhaustive, .tried]')"
same "all cases of one seed are not all there are" "[false,5]" \
    "$("$fulcrum" worst itai-rodeh -n 2 --of messages --json |
        jq -c '[.exhaustive, .tried]')"
holds "and that is told" grep -q 'all cases of this seed$' \
    <("$fulcrum" worst itai-rodeh -n 2 --of messages)
same "JSON has what is promised" true \
    "$("$fulcrum" worst vitanyi -n 12 --of passes --budget 99 --json |
        jq '[has("value","bound","exhaustive","tried","witness")] | all')"
same "a bound that is exceeded is beyond" "[false,\"2N + 3Nu/m\"]" \
    "$("$fulcrum" worst vitanyi -n 100 --of passes --budget 50 --json |
        jq -c '[.bound.within, .bound.formula]')"
for budget in 1 7 50 100 999; do
    same "a budget of $budget is kept" true \
        "$("$fulcrum" worst vitanyi -n 9 --of passes --budget $budget --json |
            jq ".tried <= $budget and .tried > $budget * 3 / 4 and .value > 20")"
done
same "a run that was stopped is not within a bound" null \
    "$("$fulcrum" worst vitanyi -n 9 --of passes --until 5 --budget 100 --json |
        jq .bound.within)"
same "a run that does not come to it is no result" "[null,null]" \
    "$("$fulcrum" worst vitanyi -n 4 --of elected-at --fault 'loss 1' --budget 50 \
        --json | jq -c '[.value, .witness]')"
for threads in 1 2 7; do
    "$fulcrum" worst vitanyi -n 14 --of passes --budget 2000 --threads $threads \
        >"$tap_tmp/by$threads"
done
holds "two threads find what one finds" cmp "$tap_tmp/by1" "$tap_tmp/by2"
holds "seven threads find what one finds" cmp "$tap_tmp/by1" "$tap_tmp/by7"
holds "the command to search again is the last line" \
    grep -q '^again: fulcrum worst vitanyi -n 14 --of passes --budget 2000 --seed 1$' \
    "$tap_tmp/by1"
same "seconds become runs, which are told" 1 \
    "$("$fulcrum" worst vitanyi -n 8 --of passes --budget 0.05s |
        grep -c '^again: .* --budget [0-9]* ')"

# ---- The smallest ring -------------------------------------------------------

"$fulcrum" worst chang-roberts -n 9 --of messages --than 5*N --budget 3000 --json \
    >"$tap_tmp/than"
same "a size that exceeds a formula is exit 0" 0 $?
# All start, ascending against the links: N(N+1)/2, and N to announce.
same "chang-roberts has more than 5N messages from 8 on" \
    "[8,44,[[9,true],[8,true],[7,false]]]" \
    "$(jq -c '[.nodes, .value,
        (.sizes | map(select(.nodes > 6) | [.nodes, .exceeds]))]' \
        "$tap_tmp/than")"
"$fulcrum" worst chang-roberts -n 6 --of messages --than 5*N --budget 100 \
    >"$tap_tmp/out"
same "no such size is exit 1" 1 $?
holds "no such size is said" grep -q 'no such size' "$tap_tmp/out"
"$fulcrum" worst lelann -n 4 --of messages --than N^2-1 --over names \
    >"$tap_tmp/out"
holds "a smallest size by all cases" grep -q '^ *2 .* all 1 .* beyond' "$tap_tmp/out"

# ---- What is refused ---------------------------------------------------------

refuses 2 "which protocol" worst
refuses 2 "did you mean 'vitanyi'" worst vitany --of passes
refuses 2 "what of it" worst vitanyi -n 4
refuses 2 "of vitanyi there are messages, .*kinds of messages are wakeup, M" \
    worst vitanyi -n 4 --of entries
refuses 2 "of central there are" worst central -n 4 --of passes
refuses 2 "choose from names, .*or a parameter: f, first-wait" \
    worst vitanyi -n 4 --of passes --over nmes
refuses 2 "choose from" worst vitanyi -n 4 --of passes --over ,
refuses 2 "'wake:3' comes twice" worst vitanyi -n 4 --of passes \
    --over wake:3,names,wake
refuses 2 "'f' comes twice" worst vitanyi -n 4 --of passes --over f,f
refuses 2 "its nodes have none" worst itai-rodeh -n 4 --of messages --over names
refuses 2 "they are 1 to N" worst central -n 4 --of messages --over names
refuses 2 "say within which bounds" worst vitanyi -n 4 --of passes --over speeds
refuses 2 "say within which bounds" worst vitanyi -n 4 --of passes --over delays \
    --bounds 1:2:1:1
refuses 2 "both say which nodes start" worst vitanyi -n 4 --of passes --over wake --wake all
refuses 2 "both say what they are" worst vitanyi -n 4 --of passes --over speeds \
    --bounds 1:2:0:0 --clock drift
refuses 2 "no phase" worst vitanyi -n 4 --of passes --over phases
refuses 2 "steps that are given" worst vitanyi -n 4 --of passes --over phases \
    --bounds 2:3:0:0 --clock drift
refuses 2 "under \[values\]" worst rw-optimistic -n 2 --of attempts --over words
refuses 2 "last tick of --over" worst vitanyi -n 4 --of passes --over wake:x
refuses 2 "whole number from 1" worst vitanyi -n 4 --of passes --budget 0
refuses 2 "seconds such as 30s" worst vitanyi -n 4 --of passes --budget xs
refuses 2 "seconds such as 30s" worst vitanyi -n 4 --of passes --budget -3s
refuses 2 "no letter 'x'; letters here are N, u" worst vitanyi -n 4 --of passes \
    --than x
refuses 2 "division by 0" worst vitanyi -n 4 --of passes --than N/0
refuses 2 "leave out the list of names" worst vitanyi --names 1,2,3 --of passes \
    --than N
refuses 2 "at most 100000" worst vitanyi -n 200000 --of passes
refuses 3 "cannot read the families /nowhere" worst vitanyi -n 4 --of passes \
    --families /nowhere
printf '[mine]\nplaces = 3\n' >"$tap_tmp/families"
refuses 2 "line 2: there are place, order" worst vitanyi -n 4 --of passes \
    --families "$tap_tmp/families"
printf '[values]\nf =\n' >"$tap_tmp/families"
refuses 2 "no values are listed" worst vitanyi -n 4 --of passes --over f \
    --families "$tap_tmp/families"
: >"$tap_tmp/empty"
refuses 3 "it is empty" worst vitanyi -n 4 --of passes --families "$tap_tmp/empty"
refuses 2 "is not for all protocols" compare election -n 4 --delays 1,1,1,1

# ---- Ctrl-C ------------------------------------------------------------------

"$fulcrum" worst vitanyi -n 40 --of passes --budget 100000000 >"$tap_tmp/out" \
    2>"$tap_tmp/err" &
pid=$!
until_worked $pid
interrupt $pid
wait $pid
same "Ctrl-C is exit 130" 130 $?
holds "Ctrl-C prints the worst so far" grep -q '^witness: fulcrum sim vitanyi' \
    "$tap_tmp/out"
holds "and says so" grep -q 'stopped early' "$tap_tmp/out"
tap_end
