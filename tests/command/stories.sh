#!/usr/bin/env bash
# stories.sh - every story in the folder of a protocol is a comment that explains it,
# a command, a line "----", and what the command must print.
#
# A command with "--trace -" is compared from the trace's own "----" on.
# stories.sh FILE...: only these.  OF=NAME: only those of that protocol.
# REWRITE=yes writes down what it prints now, and the line "----" if it is missing:
# commit the difference only if you can explain it.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=${FULCRUM:-${BUILD:-build}/fulcrum}

# rewrite STORY NOW: a command that was refused has told no story.
rewrite() {
    if [ $code -gt 1 ] || [ -z "$2" ]; then
        echo "not ok - $1 is as it was: exit $code, and no story"
        printf '%s\n' "$said" | sed 's/^/#   /'
        tap_failed=1
        return
    fi
    { sed '/^----$/,$d' "$1"; echo ----; printf '%s\n' "$2"; } >"$tap_tmp/new"
    cmp -s "$tap_tmp/new" "$1" || { cp "$tap_tmp/new" "$1"; echo "wrote $1"; }
}

of=${OF:-*}
stories=("$@")
[ $# -gt 0 ] || stories=(protocols/*/${of//-/_}/stories/*.txt)
[ -e "${stories[0]}" ] || {
    echo "stories: no file is called ${stories[0]}" >&2
    exit 2
}
for story in "${stories[@]}"; do
    name=${story#protocols/*/}
    name=${name%.txt}
    name=${name/stories\//}
    command=$(sed -n '/^----$/q; /^#/!p' "$story" | sed '/^$/d')
    told=$(sed '1,/^----$/d' "$story")
    eval "words=(${command#fulcrum })"
    said=$("$fulcrum" "${words[@]}" 2>&1)
    code=$?
    now=$said
    case $command in
    *"--trace -"*) now=$(printf '%s\n' "$said" |
        sed -n '/^----$/,/^end /p' | sed '1d') ;;
    esac
    if [ "${REWRITE:-}" = yes ]; then
        rewrite "$story" "$now"
        continue
    fi
    same "story $name" "$told" "$now" | head -n 1
    [ "$told" = "$now" ] || {
        tap_failed=1
        diff <(printf '%s\n' "$told") <(printf '%s\n' "$now") | sed 's/^/#   /'
    }
done
tap_end
