#!/usr/bin/env bash
# network.sh BUILD - what is judged of a whole network: each predicate is broken
# once and caught by its name, by the checker, the simulator and a replay; what
# ends without a bound on requests; and the notice of a crash.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/protocols.sh
build=$1
fulcrum=$build/fulcrum
export LC_ALL=C.UTF-8

# field FILTER ARGUMENTS...: a value of the JSON of a search.
field() {
    local filter=$1
    shift
    "$fulcrum" check "$@" --json | jq -c "$filter"
}

# ---- Predicates ----------------------------------------------------------------

short='--set mindelay=1 --set delaystep=0 --set predict=0'
# PROTOCOL loses PREDICATE, and a fault or a variant that breaks it.
facts loses | tr -s ' ' >"$tap_tmp/broken"
while read -r protocol _ name how; do
    # shellcheck disable=SC2086
    same "$protocol $how breaks $name" "violated $name" \
        "$("$fulcrum" check "$protocol" --only "$name" $how --json \
            --trace "$tap_tmp/run.trace" |
            jq -r '.verdict + " " + (.property // "" | sub(" .*"; ""))')"
    # A loss has no line of its own: it is one of the sending, and so earlier.
    holds "$protocol $how: a replay finds $name as well" \
        sh -c "'$fulcrum' sim --replay '$tap_tmp/run.trace' | grep -q 'violated: $name,'"
done <"$tap_tmp/broken"

# Those of a phase (spirakis-tampakas) are stated where phases are counted, and
# have tests of their own.
stated='.[] | select(.predicates != [] and .protocol != "spirakis-tampakas")'
# PROTOCOL found PROPERTY, what makes runs find it, and the runs, which find nothing
# without that.
found_by() {
    eval "set -- $1"
    "$fulcrum" sim "$@" --json | jq -r '[.violations[].property] | join(",")'
}
facts found | tr -s ' ' >"$tap_tmp/found"
while read -r protocol _ name key how; do
    same "$protocol --set $key: runs find $name" "$name" \
        "$(found_by "$protocol $how --set $key")"
    same "$protocol, not --set $key: the same runs find nothing" "" \
        "$(found_by "$protocol $how")"
done <"$tap_tmp/found"

same "every predicate is broken once" "" "$(comm -3 \
    <(cut -d' ' -f1,3 "$tap_tmp/broken" | sort -u) \
    <("$fulcrum" list --json |
        jq -r "$stated | .protocol + \" \" + .predicates[].name" | sort -u))"

same "predicates are judged where nothing is said" \
    "✓ holds: exclusion, token-grows, everyone-enters, ends, debts, order" \
    "$("$fulcrum" check ricart-agrawala -n 2 | grep holds)"
same "not where there are faults" "" \
    "$("$fulcrum" check archimedean -n 2 --bounds 1:1:0:1 --crashes 1 $short |
        grep debts)"
same "nor of variants of which they are not stated" "violated: exclusion" \
    "$("$fulcrum" check archimedean -n 2 --bounds 1:1:0:1 --set window=1 $short |
        sed -n 's/^✗ //p')"
same "what the print says of itself holds of two sites" '"holds"
"holds"' "$(for name in flags paid; do
        field .verdict archimedean -n 2 --bounds 1:1:0:1 --entries 2 \
            --set rules=printed --only $name
    done)"
same "numbers that are noted stay less than n apart" '"holds"' \
    "$(field .verdict archimedean -n 2 --bounds 1:1:0:1 --entries any \
        --set modulus=8 $short --only numbers)"
same "the sentence is told" \
    "✗ violated outside its assumptions: one-token (\"there is one token, at a site" \
    "$("$fulcrum" check naimi-trehel --loss 1 --only one-token | grep violated)"
refuses 2 "sees every move" check ricart-agrawala -n 2 --only debts --reduce
same "--reduce leaves them out" "" \
    "$("$fulcrum" check ricart-agrawala -n 2 --reduce | grep debts)"
same "symmetric states are judged like all" '["violated",2]' \
    "$(field '[.verdict, .steps]' naimi-trehel --loss 1 --only queue --symmetry)"
same "threads make no difference" \
    "$(field .states ricart-agrawala --entries 2 --threads 1)" \
    "$(field .states ricart-agrawala --entries 2 --threads 2)"
same "probabilities can be asked of one" '"1/1"' \
    "$(field .worst.exact itai-rodeh -n 2 --only tokens --duplicate 1 --worst)"

sim() { "$fulcrum" sim "$@" --json | jq -c '[.violations[].property]'; }
same "the simulator judges them" '["one-token"]' \
    "$(sim token-mutex -n 5 --fault 'loss 0.05' --judge --runs 20 --set idle=rests |
        jq -c 'map(select(. == "one-token"))')"
same "and only on request" '["everyone-enters"]' \
    "$(sim token-mutex -n 5 --fault 'loss 0.05' --runs 20 --set idle=rests |
        jq -c 'map(select(. != "ends"))')"
time_of() { # an election that counts steps needs clocks of one speed
    [ "$1" = itai-rodeh-sync ] && echo sync || echo archimedean
}
for protocol in $("$fulcrum" list --json | jq -r "$stated | .protocol"); do
    same "$protocol: they hold in larger networks" '[]' \
        "$(sim "$protocol" -n 7 --time "$(time_of "$protocol")" --runs 4 --judge)"
done
refuses 2 "states no predicates" sim bully -n 3 --judge
same "the command that does it again has --judge" 1 \
    "$("$fulcrum" sim lelann -n 3 --judge | grep -c 'again: .* --judge')"

# ---- Without a bound ------------------------------------------------------------

refuses 2 "its numbers grow" check ricart-agrawala -n 2 --entries any
refuses 2 "its numbers grow" check archimedean -n 2 --entries any
refuses 2 "entries" check ricart-agrawala -n 2 --entries many
refuses 2 "entries" check ricart-agrawala -n 2 --entries 0
same "with wrapped numbers a search ends: nobody starves" '["holds",2223]' \
    "$(field '[.verdict, .states]' archimedean -n 2 --bounds 1:1:0:1 --entries any \
        --set modulus=3 $short)"
always="--set writes=always --set words=1"
same "a register that is written without a pause starves its readers" \
    '["violated","everyone-reads"]' \
    "$(field '[.verdict, .property]' rw-optimistic -n 2 --bounds 1:2:0:0 \
        --entries any $always --set modulus=4 --set waits=none)"
same "a pause after each write is enough" '"holds"' \
    "$(field .verdict rw-optimistic -n 2 --bounds 1:2:0:0 --entries any $always \
        --set modulus=3)"
same "so does a writer that stops in the middle" '["violated","everyone-reads"]' \
    "$(field '[.verdict, .property]' rw-optimistic -n 2 --crashes 1 --victims 1 \
        --set words=1)"
same "a counter that wraps too soon lets a torn read through" \
    '["violated","no-torn-read"]' \
    "$(field '[.verdict, .property]' rw-optimistic -n 2 --bounds 1:2:0:0 $always \
        --set words=2 --set modulus=2 --set waits=none)"
same "with drifting clocks a section has an end" '"holds"' \
    "$(field .verdict central -n 3 --bounds 1:2:0:1 --clock drift)"

# ---- The notice of a crash ------------------------------------------------------

bully="bully -n 3 --bounds 1:1:0:1"
same "without a notice nobody elects after a death" '["violated","right-leader, elected"]' \
    "$(field '[.verdict, .property]' $bully --crashes 1)"
same "with one they do" '["holds",681]' \
    "$(field '[.verdict, .states]' $bully --crashes 2 --notice)"
same "it may come before the last words of the dead" \
    '["violated","right-leader, elected"]' \
    "$(field '[.verdict, .property]' bully -n 3 --bounds 1:2:0:2 --clock drift \
        --crashes 2 --notice)"
"$fulcrum" check $bully --crashes 1 --restarts same --notice \
    --trace "$tap_tmp/notice.trace" >"$tap_tmp/said"
holds "a run with one is replayed" "$fulcrum" sim --replay "$tap_tmp/notice.trace"
same "the report says so" 1 \
    "$(tr -s '\n ' ' ' <"$tap_tmp/said" | grep -c 'up to 1 crash with restarts (same) and a notice')"
refuses 2 "needs --crashes" check bully -n 3 --notice
refuses 2 "asks at any time" check lamport -n 3 --crashes 1 --notice
refuses 2 "do not commute" check bully -n 3 --crashes 1 --notice --reduce
refuses 2 "withhold the notice" check spirakis-tampakas -n 2 --crashes 1 --notice --worst

tap_end
