#!/usr/bin/env bash
# run.sh [FILE] - runs every command of commands.txt, and writes a table of what
# came out.  Exit 1 if a verdict is not the one that is expected there.
# ONLY=WORD: only commands with this word; the other lines stay as they are.
set -u
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
out=${1:-docs/verification.md}
limit=${LIMIT:-600}
failed=0
new=$(mktemp)
trap 'rm -f "$new"' EXIT

{
    echo '# What is verified'
    echo
    echo 'Each row is one command `fulcrum check …`, run to completion. *holds*'
    echo 'means: in every behaviour that the command allows, for this number of'
    echo 'nodes. Where a property is violated, the depth is the length of the'
    echo 'shortest counterexample; add `--trace run.trace` to get it, and'
    echo '`fulcrum sim --replay run.trace` to replay it event by event.'
    echo '[check.md](check.md) says exactly what is tried.'
    echo
    echo 'This page is written by `make verification` from'
    echo '[verification/commands.txt](verification/commands.txt), which has the'
    echo 'expected verdicts; seconds are CPU time.'
    while IFS= read -r line; do
        case $line in
        '## '*)
            printf '\n%s\n\n' "$line"
            echo '| command | verdict | states | transitions | terminal | depth | seconds |'
            echo '|---|---|--:|--:|--:|--:|--:|'
            continue
            ;;
        '' | '#'*) continue ;;
        esac
        expected=${line%% *}
        arguments=${line#* }
        if [ -n "${ONLY:-}" ] && [ "${arguments#*"$ONLY"}" = "$arguments" ]; then
            grep -F "| \`$arguments\` |" docs/verification.md
            continue
        fi
        # shellcheck disable=SC2086
        said=$(timeout "$limit" "$build/fulcrum" check $arguments --json 2>/dev/null)
        verdict=$(jq -r .verdict <<<"$said" 2>/dev/null || echo none)
        if [ "$verdict" != "$expected" ]; then
            echo "NOT AS EXPECTED ($expected): fulcrum check $arguments: $verdict" >&2
            failed=1
        fi
        jq -r --arg c "$arguments" '"| `\($c)` | \(.verdict)\(
            if .property then ": " + .property else "" end) | \(.states) | \(
            .transitions) | \(.terminal) | \(.steps // .depth) | \(
            .seconds * 100 | round / 100) |"' <<<"$said" 2>/dev/null
    done <docs/verification/commands.txt
    printf '\n## Each rule of the live locks, changed\n\n'
    echo 'What a test does not notice is not tested. Each row is one change of'
    echo 'the source, listed in `tests/source/mutants.txt`; `make check` makes each of'
    echo 'them and runs the test, which must fail.'
    echo
    bash tests/source/mutants.sh --table
} >"$new"
[ $failed -eq 0 ] && cp "$new" "$out" && echo "wrote $out"
[ $failed -eq 0 ] || cat "$new" >"${TMPDIR:-/tmp}/verification.failed"
exit $failed
