#!/usr/bin/env bash
# properties.sh BUILD - properties that are typed (docs/properties.md): what the problems
# state, restated, is violated in the same networks and by runs of the same length; the
# simulator, replays, and what of a search is left out.  Those of facts.txt are judged by
# tests/facts.sh.
#
# MOST=STATES: searches of more states are left out (1500; "all").
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/protocols.sh
build=$1
most=${MOST:-1500}
fulcrum=$build/fulcrum
export LC_ALL=C.UTF-8

# found PROTOCOL ARGUMENTS...: what a search says, in JSON.
found() {
    timeout "${LIMIT:-600}" "$fulcrum" check "$@" --json 2>/dev/null
    case $? in
    0 | 1 | 3) ;;
    *) echo '{"verdict": "refused"}' ;;
    esac
}

# judged: verdicts and the lengths of runs, of what found() said.
judged() {
    jq -r '"\(.verdict) \(.steps // "-")"'
}

# ---- What the problems state ------------------------------------------------------

# rows: PROTOCOL ARGUMENTS, of what is checked.  A problem whose sites enter in
# numbers, and one whose rule is about nodes that come back, have other properties.
rows() {
    facts 'holds|violated' | awk -v most="$most" '
        /^(raymond-k|token-ring|rw-optimistic) / || /--(restarts|max|min|expect)/ { next }
        $3 ~ /^[0-9]+$/ && (most == "all" || $3 <= most) {
            arguments = substr($0, match($0, / -/))
            gsub(/--only [^ ]*/, "", arguments)
            print $1 arguments }' | sort -u
}

problems=$("$fulcrum" list --json | jq -r '.[] | .protocol + " " + .problem')
while read -r protocol arguments; do
    while read -r _ name text; do
        echo "$protocol $arguments, $name" >&3
        # shellcheck disable=SC2086
        found "$protocol" $arguments --states 20000 --only "$name" >&4
        # shellcheck disable=SC2086
        found "$protocol" $arguments --states 20000 --only property --property "$text"
    done < <(grep "^$(sed -n "s/^$protocol //p" <<<"$problems") " tests/command/properties.txt)
done < <(rows) 3>"$tap_tmp/rows" 4>"$tap_tmp/stated" >"$tap_tmp/typed"
judged <"$tap_tmp/stated" | paste -d, "$tap_tmp/rows" - >"$tap_tmp/was"
judged <"$tap_tmp/typed" | paste -d, "$tap_tmp/rows" - >"$tap_tmp/now"
holds "what problems state has the same verdict and length if it is typed" \
    diff "$tap_tmp/was" "$tap_tmp/now"
holds "in more than a hundred networks and cases, none of them refused" \
    sh -c "! grep refused '$tap_tmp/was' && [ $(grep -c violated "$tap_tmp/was") -gt 20 ] &&
        [ $(grep -c holds "$tap_tmp/was") -gt 100 ]"

# ---- Reports, traces, and the rest of a search -------------------------------------

revived='revived: never: some i: lost(i) then leader(i)'
"$fulcrum" check peterson -n 3 --property "$revived" --json --trace "$tap_tmp/run.trace" \
    >"$tap_tmp/json"
same "a violation has name and sentence apart, and the shortest run" \
    'revived|never: some i: lost(i) then leader(i)|14' \
    "$(jq -r '"\(.violated[0].name)|\(.violated[0].sentence)|\(.steps)"' "$tap_tmp/json")"
holds "the trace marks the step" grep -q 'is leader.*; violated revived' "$tap_tmp/run.trace"
same "a replay judges it again, where the trace has it" \
    "✗ violated: revived, line $(grep -n 'violated revived' "$tap_tmp/run.trace" | cut -d: -f1)" \
    "$("$fulcrum" sim --replay "$tap_tmp/run.trace" --judge "$revived" | grep violated)"
"$fulcrum" sim lelann -n 3 --trace "$tap_tmp/quiet.trace" >"$tap_tmp/report"
same "a replay does so in what comes later, at its end" 'violated: later-2,' \
    "$("$fulcrum" sim --replay "$tap_tmp/quiet.trace" --judge 'later: eventually: some i: leader(i)' \
        --judge 'later-2: every i: candidate(i) leads-to leader(i)' | grep -o 'violated: [^ ]*')"

# The checker and the simulator of one network, all of whose runs are tried by both.
for text in 'never: some i: lost(i) then leader(i)' 'always: count i: leader(i) <= 1' \
    'always: flying(token) < 3' 'never: some i: candidate(i) then lost(i)' \
    'every i: candidate(i) leads-to leader(i)' 'eventually: every i: candidate(i)' \
    'always: over implies flying(token) = 0' 'always: every i: next(name(i)) = name(i)'; do
    same "sim and check agree on $text" \
        "$("$fulcrum" check lelann -n 3 --names all --time sync --only property \
            --property "$text" --json | jq .verdict | grep -c violated)" \
        "$("$fulcrum" sim lelann -n 3 --names all --judge "$text" --json |
            jq '.violations[].property' | sort -u | grep -c property)"
done
same "a crash is a step of the simulator" "violated property" \
    "$("$fulcrum" sim lelann -n 3 --names asc --time async --fault 'crash 2@1' \
        --judge 'never: some i: not down(i) then down(i)' | grep -o 'violated property')"
same "--judge without a text is the predicates of the protocol" "violated alone" \
    "$("$fulcrum" sim chang-roberts -n 3 --judge --fault 'duplicate 1' --names asc --runs 20 |
        grep -o 'violated alone' | head -n 1)"

# left_out OPTION PROTOCOL TEXT: what a report says of an option that is left out.
left_out() {
    "$fulcrum" check "$2" "$1" --only property --property "$3" | grep -c "without $1"
}
same "--reduce is left out, and said so" 1 \
    "$(left_out --reduce chang-roberts 'always: flying(token) < 9')"
same "--symmetry is kept where nodes are alike to it" 0 \
    "$(left_out --symmetry central 'always: count i: inside(i) <= 1')"
same "--symmetry is left out where they are not" 1 \
    "$(left_out --symmetry central 'never: inside(1) and inside(2)')"
same "--reduce loses no violation: it is as without" \
    "$(found chang-roberts -n 4 --property 'never: some i: candidate(i) then lost(i)' | judged)" \
    "$(found chang-roberts -n 4 --property 'never: some i: candidate(i) then lost(i)' --reduce |
        judged)"

refuses 2 'leave out --worst' check itai-rodeh --worst --property 'always: 1'
refuses 2 'leave out --max' check lelann --max messages --property 'always: 1'
refuses 2 'kept differently' sim view-lock -n 3 --judge 'always: 1'
same "help lists roles, fields with their words, messages, predicates" 4 \
    "$("$fulcrum" check chang-roberts --property help |
        grep -cE '^  (candidate\(i\)|status\(i\)|flying\(KIND\)|holds\(PREDICATE\)) ')"
same "what comes later is open where runs are cut off" "" \
    "$("$fulcrum" check lelann --time sync --until 2 --property 'eventually: over' |
        grep '^✓' | grep -o 'property')"

tap_end
