#!/usr/bin/env bash
# properties.sh BUILD - properties that are typed (docs/properties.md): what the problems
# state, restated, is violated in the same networks and by runs of the same length; each
# `property` of a facts.txt; the simulator, replays, and what of a search is left out.
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

tap_end
