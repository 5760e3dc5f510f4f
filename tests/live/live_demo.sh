#!/usr/bin/env bash
# live_demo.sh BUILD - the demo with real nodes: it shows what it claims, and
# leaves nothing behind, however it ends.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=$(realpath "$1/fulcrum")
export LC_ALL=C.UTF-8
"$fulcrum" node --help >/dev/null 2>&1 || {
    # Without the live runtime it says so, and does the rest.
    holds "the demo says that live nodes are left out" sh -c \
        '"$1" demo -o "$2" | grep -q "no live runtime"' sh "$fulcrum" "$tap_tmp/demo"
    tap_end
}

# Processes whose working directory is in a folder, guards and commands included.
left_in() {
    local home
    for home in /proc/[0-9]*/cwd; do
        [ "$(readlink "$home" 2>/dev/null)" = "$1" ] && echo "${home//[!0-9]/}"
    done
}

nothing_left() { # FOLDER
    local i
    for i in $(seq 60); do
        [ -z "$(left_in "$1")" ] && return
        sleep 0.05
    done
    for i in $(left_in "$1"); do tr '\0' ' ' <"/proc/$i/cmdline"; echo; done
    return 1
}

says() { # FILE TEXT
    grep -q -e "$2" "$1" || { cat "$1"; return 1; }
}

# ---- To its end --------------------------------------------------------------

out=$tap_tmp/out
holds "the demo ends well" sh -c '"$1" demo -o "$2" live >"$3"' sh \
    "$fulcrum" "$tap_tmp/whole" "$out"
for node in north east south west centre; do
    holds "$node was inside or led" \
        says "$out" " s  $node \(is inside\|leads\), token"
    holds "$node has a lane" says "$out" "^  $node  *.*▒"
done
holds "a holder's node was killed, and others went on" \
    says "$out" 'ms after the kill, [0-9]* ms after'
holds "the leader's node was frozen" says "$out" 'its guard does not'
holds "another node leads after the freeze" \
    says "$out" 'ms after the freeze, [0-9]* ms after'
holds "a frozen machine wrote late, and was refused" \
    says "$out" 'and refuses its token [0-9]'
holds "two were never inside at once" says "$out" '✓ never two inside'
holds "the late write was refused" says "$out" '✓ the late write was refused'
grown() { # the leaders' tokens
    sed -n 's/.* leads, token //p' "$out" | sort -n -c -u
}
holds "epochs of leaders grow" grown
same "no line is wider than 80 columns" "" \
    "$(grep -v -e "$tap_tmp" "$out" | grep -E '^.{81}')"
holds "the picture is complete" says "$tap_tmp/whole/live.svg" '</svg>'
holds "nothing is left" nothing_left "$tap_tmp/whole/live"

# ---- Whose folder it is ------------------------------------------------------

# foreign NAME: a demo in it is refused, and all of it stays as it is.
foreign() {
    local before
    before=$(find "$1" -type f -exec cksum {} + | sort)
    "$fulcrum" demo -o "$1" live >"$tap_tmp/said" 2>&1
    [ $? -eq 3 ] || return 1
    grep -q 'no demo has made' "$tap_tmp/said" || { cat "$tap_tmp/said"; return 1; }
    [ "$before" = "$(find "$1" -type f -exec cksum {} + | sort)" ]
}
mkdir -p "$tap_tmp/mine/live/state" "$tap_tmp/picture"
echo secret >"$tap_tmp/mine/live/cluster.key"
echo record >"$tap_tmp/mine/live/state/north.record"
echo svg >"$tap_tmp/picture/live.svg"
holds "another cluster's key and records are not touched" foreign "$tap_tmp/mine"
holds "a foreign picture is not touched" foreign "$tap_tmp/picture"
rm "$tap_tmp/picture/live.svg"
echo notes >"$tap_tmp/whole/live/notes"
again() {
    "$fulcrum" demo -o "$tap_tmp/whole" live >"$out" || return 1
    [ "$(cat "$tap_tmp/whole/live/notes")" = notes ]
}
holds "a demo can run where one ran before, and files beside it stay" again

holds "an unknown part is refused" sh -c '"$1" demo x; [ $? = 2 ]' sh "$fulcrum"

# ---- Not to its end ----------------------------------------------------------

# begin NAME TEXT: a demo in the background, until it has said TEXT.
begin() {
    local i
    mkdir "$tap_tmp/$1"
    "$fulcrum" demo -o "$tap_tmp/$1" live >"$tap_tmp/$1/out" 2>"$tap_tmp/$1/err" &
    demo=$!
    for i in $(seq 400); do
        grep -q -e "$2" "$tap_tmp/$1/out" && return
        sleep 0.05
    done
    tail -n 3 "$tap_tmp/$1/out" # of both, as all that is shown is 20 lines
    cat "$tap_tmp/$1/err"
    tail -q -n 1 "$tap_tmp/$1"/live/*.log
    return 1
}

holds "a demo is stopped during contention" begin stopped 'is inside'
kill -INT $demo # as Ctrl-C does
wait $demo
same "a stopped demo has exit status 130" 130 $?
holds "a stopped demo says that it cleaned up" \
    says "$tap_tmp/stopped/err" 'so is all that was started'
holds "a stopped demo leaves nothing" nothing_left "$tap_tmp/stopped/live"
holds "a demo is killed while a whole machine is frozen" \
    begin killed 'node, client, guard, command'
kill -9 $demo
wait $demo 2>/dev/null
holds "a killed demo leaves nothing" nothing_left "$tap_tmp/killed/live"
tap_end
