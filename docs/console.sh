#!/usr/bin/env bash
# console.sh FULCRUM FILE... - every command that a page shows prints what the
# page says.
#
# Looks at the blocks marked "console": a line that begins with "$ " is a
# command, lines with "> " continue it, the rest is what it prints.  Silent, with
# exit status 0, if all outputs agree.  REWRITE=yes writes what the commands print
# now into the pages instead: commit the difference only if you can explain it.
# Blocks marked "console long" take seconds each: they are run with LONG=yes, as by
# make soak, and rewritten with the others.
# ROOM=FOLDER: the commands run there, and not in an empty folder.
set -eu
fulcrum=$(realpath "$1")
shift
export LC_ALL=C.UTF-8
docs=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# Pages do not show how fast a machine is.
steady() {
    sed -e 's/, [0-9.]* s CPU.*//' -e 's/ *$//' \
        -e '/: still running after /d' -e '/ states after [0-9]* s, and /d'
}

# Cuts a page into command.N and said.N.
cut_up() {
    awk -v at="$2" -v long="${REWRITE:-}${LONG:-}" '
        /^```/ && inside { inside = 0; next }
        /^```console long$/ && !long { next }
        /^```console/ { inside = 1; next }
        !inside { next }
        /^\$ / { n++; file = at "/said." n; printf "" >file }
        /^[$>] / { print substr($0, 3) >(at "/command." n); next }
        { print >file }' "$1"
}

# Puts the page together again, with now.N in the place of said.N.
put_together() {
    awk -v at="$2" '
        function flush(line) {
            while (n && (getline line <(at "/now." n)) > 0)
                print line
            close(at "/now." n)
            waiting = 0
        }
        /^```/ && inside { if (waiting) flush(); inside = 0; print; next }
        /^```console/ { inside = 1; waiting = 0; print; next }
        !inside { print; next }
        /^\$ / { if (waiting) flush(); n++; waiting = 1; print; next }
        /^> / { print; next }' "$1"
}

# run N FOLDERS: runs a command, with the programs of these folders before others.
run() {
    (cd "${ROOM:-$desk/room}" && PATH=$2:$PATH bash "$desk/command.$1") \
        2>&1 </dev/null | steady >"$desk/now.$1" || true
}

as_said() {
    cmp -s <(steady <"$desk/said.$1") "$desk/now.$1"
}

# Readers have jq; gojq starts ten times as fast, and sorts keys.  What comes out
# differently is run once more, with jq.
for page; do
    page=$(realpath "$page")
    desk=$(mktemp -d -p "$tmp")
    cut_up "$page" "$desk"
    mkdir "$desk/room" "$desk/bin" "$desk/quick"
    ln -s "$fulcrum" "$desk/bin/fulcrum"
    ln -s "$docs" "${docs%/*}/protocols" "$desk/room"
    gojq=$(command -v gojq) && ln -s "$gojq" "$desk/quick/jq"
    for ((n = 1; ; n++)); do
        [ -e "$desk/command.$n" ] || break
        if [ "${REWRITE:-}" = yes ]; then
            run $n "$desk/bin"
            continue
        fi
        run $n "$desk/quick:$desk/bin"
        as_said $n || ! grep -qw jq "$desk/command.$n" || run $n "$desk/bin"
        as_said $n || {
            echo "$page: another output of"
            sed 's/^/    /' "$desk/command.$n"
            diff "$desk/said.$n" "$desk/now.$n" || true
            failed=1
        } >&2
    done
    if [ "${REWRITE:-}" = yes ]; then
        put_together "$page" "$desk" >"$desk/page"
        cmp -s "$desk/page" "$page" || cp "$desk/page" "$page"
    fi
done
exit $failed
