#!/usr/bin/env bash
# try.sh BUILD PROTOCOL - one protocol in seconds: the contract of all protocols, and
# all that is in its folder: unit tests, stories, facts, page and picture.  Of what
# facts.txt says is checked, searches of more than four million states are left out;
# ROWS=all takes them, too.
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
programs="$build/tests/test_contract $build/tests/test_fact_runs $build/tests/test_fact_costs"
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

holds "the contract" contract
for test in $tests; do
    holds "$test" quietly "$build/tests/$test"
done
for story in "$folder"/stories/*.txt; do
    [ -e "$story" ] || continue
    holds "story $(basename "$story" .txt)" \
        quietly env BUILD="$build" bash tests/command/stories.sh "$story"
done

if [ -e "$folder/facts.txt" ]; then
    [ "${ROWS:-}" = all ] && most=all || most=4000000
    REWRITE= MOST=$most bash tests/facts.sh "$build" "$file" || tap_failed=1
    for kind in runs costs; do
        holds "$kind" quietly env FACTS_OF="$name" "$build/tests/test_fact_$kind"
    done
    bash tests/source/breaks.sh "$build" "$file" || tap_failed=1
fi
page=$folder/README.md
if [ -e "$page" ]; then
    holds "its page defines the labels of the code" labels_are_defined "$page"
    holds "the code has the labels of its page" labels_are_used "$page"
    holds "the commands of its page" quietly bash docs/console.sh "$build/fulcrum" "$page"
    holds "its picture" quietly bash docs/pictures.sh "$build/fulcrum" "$page"
fi
tap_end
