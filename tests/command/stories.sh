#!/usr/bin/env bash
# stories.sh - every story under tests/stories is a comment that explains it, a
# command, a line "----", and what the command must print.
#
# A command with "--trace -" is compared from the trace's own "----" on.
# ONLY=NAME: only that story.  REWRITE=yes writes down what it prints now: commit
# the difference only if you can explain it.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=${FULCRUM:-${BUILD:-build}/fulcrum}

for story in tests/stories/${ONLY:-*}.txt; do
    name=$(basename "$story" .txt)
    command=$(sed -n '/^----$/q; /^#/!p' "$story" | sed '/^$/d')
    told=$(sed '1,/^----$/d' "$story")
    eval "set -- ${command#fulcrum }"
    now=$("$fulcrum" "$@" 2>&1)
    case $command in
    *"--trace -"*) now=$(printf '%s\n' "$now" |
        sed -n '/^----$/,/^end /p' | sed '1d') ;;
    esac
    if [ "${REWRITE:-}" = yes ]; then
        { sed '/^----$/q' "$story"; printf '%s\n' "$now"; } >"$tap_tmp/new"
        cp "$tap_tmp/new" "$story"
    fi
    same "story $name" "$told" "$now" | head -n 1
    [ "$told" = "$now" ] || {
        tap_failed=1
        diff <(printf '%s\n' "$told") <(printf '%s\n' "$now") | sed 's/^/#   /'
    }
done
tap_end
