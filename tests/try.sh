#!/usr/bin/env bash
# try.sh BUILD PROTOCOL - one protocol in seconds: the contract of all protocols,
# its unit tests, its stories, and the rows of docs/verification.md that take
# less than 5 seconds each.  ROWS=all takes the others, too.
#
#     make try P=ricart-agrawala
set -u
cd "$(dirname "$0")/.."
. tests/tap.sh
. tests/protocols.sh
build=$1
name=${2//_/-}
file=${name//-/_}
jobs=$(nproc)

folder=$(protocol_folder "$name")
if [ ! -e "$folder/$file.c" ]; then
    echo "try: no protocol is called '$name'; 'fulcrum list' shows them all" >&2
    exit 2
fi
if ! protocols_listed | grep -qxF "$file"; then
    echo "try: protocols/all.h has no X($file)" >&2
    exit 2
fi
if protocols_listed | sort | uniq -d | grep -qxF "$file"; then
    echo "try: protocols/all.h has X($file) twice" >&2
    exit 2
fi
tests=$(find "$folder" -name 'test_*.c' -exec basename {} .c \; | sort)
programs=$build/tests/test_contract
for test in $tests; do
    programs="$programs $build/tests/$test"
done
# shellcheck disable=SC2086
make -j"$jobs" --no-print-directory BUILD="$build" all $programs \
    >"$tap_tmp/make" 2>&1 || {
    grep -E -A 5 'error|warning|\*\*\*' "$tap_tmp/make" >&2
    exit 1
}

quietly() {
    "$@" >"$tap_tmp/said" 2>&1 || { tail -n 20 "$tap_tmp/said"; return 1; }
}

# Of what the contract says, the sentences to the author.
contract() {
    has_no_padding . "$file" || return 1
    CONTRACT_OF=$name "$build/tests/test_contract" >"$tap_tmp/said" 2>&1 && return 0
    awk '/^ERROR: / { told = 1; sub(/^ERROR: /, "") }
        /^\[/ { told = 0 }
        told { print; any = 1 }
        END { exit !any }' "$tap_tmp/said" || tail -n 20 "$tap_tmp/said"
    return 1
}

# Said as on the page: verdict, states, transitions, terminal states.
row() {
    local arguments=$1 told=$2 now
    # shellcheck disable=SC2086
    now=$("$build/fulcrum" check $arguments --json 2>/dev/null |
        jq -r '"\(.verdict) \(.states) \(.transitions) \(.terminal)"')
    [ "$told" = "$now" ] || { echo "told: $told"; echo "now:  $now"; return 1; }
}

holds "the contract" contract
for test in $tests; do
    holds "$test" quietly "$build/tests/$test"
done
for story in "$folder"/stories/*.txt; do
    [ -e "$story" ] || continue
    holds "story $(basename "$story" .txt)" \
        quietly env BUILD="$build" bash tests/command/stories.sh "$story"
done
while IFS='|' read -r _ command verdict states transitions terminal _ took _; do
    command=${command# \`}
    command=${command%\` }
    case $command in "$name "*) ;; *) continue ;; esac
    [ "${ROWS:-}" = all ] || [ "${took%%.*}" -lt 5 ] || continue
    verdict=${verdict# }
    holds "check $command" row "$command" \
        "$(echo ${verdict%%[: ]*} $states $transitions $terminal)"
done < <(sed -n 's/  */ /gp' docs/verification.md | grep '^| `')
tap_end
