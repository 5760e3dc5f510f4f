#!/usr/bin/env bash
# cluster.sh FULCRUM [few] - fulcrum check cluster: no run of the smallest cluster
# with few departures breaks anything, and their counts are the same everywhere;
# rules that are left out are missed with as few departures as the page says; what
# is found can be shown again; what is refused.  "few": less, for slow builds.
# CLUSTER_TIME: the seconds to spend on two departures of any kind.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=$1
few=${2:-}
export LC_ALL=C.UTF-8
rules=tests/command/cluster.txt

cluster() {
    "$fulcrum" check cluster "$@" 2>&1
}
json() { # without what is said of a search that takes long
    "$fulcrum" check cluster "$@" --json 2>/dev/null
}

# ---- All rules -----------------------------------------------------------------

# counts OPTIONS...: verdict, and of each number of departures the points, the runs,
# those that merged, and the ends.
counts() {
    json "$@" | jq -c '[.verdict, (.levels[] |
        [.points, .runs, .merged, .ends])]'
}
same "one departure" \
    '["holds",[0,1,0,1],[341,1760,427,1333]]' "$(counts)"
same "none, and nothing that may happen" '["holds",[0,1,0,1]]' \
    "$(counts --departures 0 --faults none)"
if [ -z "$few" ]; then
    same "links that are cut twice" \
        '["holds",[0,1,0,1],[95,116,8,108],[3445,4169,597,3572]]' \
        "$(counts --departures 2 --faults cut --time 6)"
    same "daemons that are killed twice" \
        '["holds",[0,1,0,1],[135,140,23,117],[6519,6728,1744,4984]]' \
        "$(counts --departures 2 --faults kill --time 6)"
fi
same "a change of the list" '["holds",[0,1,0,1],[98,246,195,51]]' \
    "$(counts --faults change)"
[ -n "$few" ] || holds "and one that is cut" cluster --departures 2 --time 5 --faults change,cut
refuses 2 "it is none of this search" check cluster --faults key
[ -z "${CLUSTER_TIME:-}" ] ||
    holds "two departures of any kind" cluster --departures 2 --time "$CLUSTER_TIME"

# ---- Each rule left out --------------------------------------------------------

# missed RULE DEPARTURES PROPERTY KINDS OPTIONS...: with one departure less nothing
# is found, of the kinds that the options allow; then this, by these departures.
missed() {
    local rule=$1 departures=$2 property=$3 kinds=$4 got
    shift 4
    got=$(json --departures "$departures" "$@" --without "$rule" |
        jq -r '[.violation.property, (.violation.departures | length),
            ([.violation.departures[].kind] | join(", "))] | join("|")')
    [ "$got" = "$property|$departures|$kinds" ] || { echo "got $got"; return 1; }
}
while IFS='|' read -r rule departures property kinds options; do
    kinds=$(sed 's/^ *//; s/ *$//' <<<"$kinds")
    # shellcheck disable=SC2086
    holds "$rule is missed with$departures departures" \
        missed $rule $departures $property "$kinds" $options
    [ $departures -le 1 ] || options="--departures $(echo $departures) $options"
    # shellcheck disable=SC2086
    holds "and stands in docs/rehearse.md" grep -qF \
        "| $(echo $rule) | $(echo $departures) | ${kinds:-none} | \`$(echo --without $rule $options)\` |" \
        docs/rehearse.md
done < <(grep -v -e '^#' -e '^$' "$rules" | sed "${few:+/^[LV]/!d}")

# ---- The command ---------------------------------------------------------------

again() {
    local command
    command=$(cluster --without V3 | sed -n 's/^again: fulcrum //p')
    eval "set -- $command"
    "$fulcrum" "$@" >"$tap_tmp/again"
    [ $? -eq 1 ] && grep -q "171:lost  a to b: a datagram is lost" "$tap_tmp/again" &&
        grep -q "VIOLATED: b with token" "$tap_tmp/again"
}
holds "the line again: shows the violation" again
holds "and what a calm run is can be seen" eval \
    'cluster --replay calm | grep -q "b: inside lock 0 with token"'
cluster --without V3 -o "$tap_tmp/report"
same "a violation ends with 1" 1 $?
holds "and its report goes to a file" grep -q "violated with 1 departure" "$tap_tmp/report"
[ -n "$few" ] || holds "memory that is used up ends it with what is known" eval \
    'cluster --departures 3 --memory 1 >"$tap_tmp/out"; [ $? -eq 3 ] &&
    grep -q "holds in every run of 8 s with at most 1 departure:" "$tap_tmp/out" &&
    grep -q "^? incomplete with at most 2 departures: memory is exhausted" "$tap_tmp/out"'
refuses 2 "there is no such rule" check cluster --without L9
refuses 2 "there is no 'fire'" check cluster --faults fire
refuses 2 "is not what a violation prints" check cluster --replay 17:lots
refuses 2 "is not what a violation prints" check cluster --replay 17:lost,16:lost
holds "a point that a run has not is named" eval \
    'cluster --replay 99999:lost | grep -q "at point 99999 there is no .lost. in this run"'
refuses 2 "take one" check cluster --replay calm --json
refuses 2 "is not an option" check cluster north
refuses 2 "no option -n; see 'fulcrum check cluster --help'" check cluster -n 3
refuses 2 "no option -y; see 'fulcrum check --help'" check lelann -y
refuses 2 "departures" check cluster --departures 9
holds "the help of check names it" eval \
    '"$fulcrum" check --help | grep -q "fulcrum check cluster"'
holds "and help check cluster tells of it" eval \
    '"$fulcrum" help check cluster | grep -q -e "--departures D"'
same "its options are completed" "--departures" \
    "$("$fulcrum" completion words check cluster --dep | cut -f1)"
same "and its name" "cluster" "$("$fulcrum" completion words check clu | cut -f1)"

"$fulcrum" check cluster --departures 4 >"$tap_tmp/out" 2>/dev/null &
interrupt $!
wait $!
same "Ctrl-C ends it with what is known" "130 yes" \
    "$? $(grep -q '^? incomplete.*: stopped' "$tap_tmp/out" && echo yes)"

tap_end
