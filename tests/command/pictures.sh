#!/usr/bin/env bash
# pictures.sh BUILD - pictures of every kind: drawn as the pages show them, all
# text inside the frame, no text over another, no sign twice in a key, and the
# same in a program that knows neither themes nor variables.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$(realpath "$1")
fulcrum=$build/fulcrum
room=$tap_tmp/room
mkdir "$room"

# ---- On the pages ------------------------------------------------------------

holds "pictures are what the commands below them draw" \
    bash docs/pictures.sh "$fulcrum" docs/pictures.md docs/live-protocols.md \
    protocols/*/*/README.md
missing() {
    local page count=0
    for page in protocols/*/*/README.md; do
        grep -q "](run.svg)" "$page" || echo "$page"
        count=$((count + 1))
    done
    [ "$count" -gt 0 ] || echo "no pages"
}
same "every protocol's page has a diagram" "" "$(missing)"
same "every picture of the pages is small" "" \
    "$(find docs/images protocols -name '*.svg' -size +60k)"

# ---- Every kind --------------------------------------------------------------

# picture NAME ARGUMENTS...: exit status 1 is a violation, which is to be seen.
picture() {
    local name=$1
    shift
    (cd "$room" && "$fulcrum" "$@" --svg "$name.svg" >/dev/null 2>"$name.err")
    [ $? -le 1 ] && [ -s "$room/$name.svg" ] || sed "s/^/# $name: /" "$room/$name.err"
}
picture arrows sim vitanyi -n 8
picture claims sim hirschberg-sinclair -n 8
picture entries sim maekawa -n 5 --entries 2
picture windows sim archimedean -n 5 --entries 3
picture lines sim maekawa -n 5
picture lanes sim lelann -n 40
picture density sim lamport -n 20
picture shares sim chang-roberts -n 1000
picture tree sim raymond -n 8 --entries 2
picture attempts sim rw-optimistic -n 4 --entries 3
picture readers sim rw-preventive -n 4 --shared 0.6 --entries 2
picture losses sim lelann -n 5 --fault 'loss 0.1'
picture copies sim ricart-agrawala -n 3 --entries 2 --fault 'duplicate 0.5'
picture crashes sim view-lock -n 4 --entries 3 --fault 'crash 2@30' \
    --fault 'restart 2@70' --fault 'pause 3@40:9'
picture inside sim archimedean -n 2 --bounds 1:3:2:2 --clock steps:3,1 \
    --entries 1 --section 40 --set mindelay=4 --set rules=printed
picture steps check lamport -n 2 --links any
picture elections compare election -n 10,30,100 --runs 3
picture one-size compare election -n 8 --runs 2
picture mutexes compare mutex -n 9 --load 1,3,9 --runs 1 --entries 3
"$fulcrum" sim vitanyi -n 5 --trace "$room/run.trace" >/dev/null
"$fulcrum" draw "$room/run.trace" --dark -o "$room/dark.svg" >/dev/null
cp docs/images/live.svg "$room/timeline.svg"

looks_right() { LC_ALL=C awk -f tests/command/pictures.awk "$1"; }
for file in "$room"/*.svg protocols/*/*/run.svg; do
    holds "${file#"$room/"}: text in the frame and apart, signs of a key differ" \
        looks_right "$file"
done

# ---- What they say -----------------------------------------------------------

# says PICTURE WORDS, says_not PICTURE WORDS
says() { holds "$1 says: $2" grep -qF -e "$2" "$room/$1.svg"; }
says_not() { holds "$1 does not say: $2" sh -c '! grep -qF -e "$1" "$2"' sh "$2" "$room/$1.svg"; }
holds "lines are lines" grep -q "<path class='m tell v1 hair'" "$room/lines.svg"
says losses ', seed 1, 3 messages lost<'
says losses '>lost on its way<'
says crashes ', 1 crash, 1 restart, 1 pause<'
says_not crashes 'lease=0'
says steps '>step 0<'
says steps '>events in their order; there is no time<'
says_not steps 'seed'
says_not steps 'ticks'
says tree '>the tree<'
says attempts '3 attempts at most'
says attempts '>a new attempt, and its number<'
says claims 'probe(name, hops to go)'
says elections 'messages a processor'
says elections 'paper: kN + N<'
says elections 'N log'

# Only draw has -o.
no_place() {
    "$fulcrum" sim vitanyi -n 3 --svg /no/place.svg 2>&1 >/dev/null |
        grep 'cannot write /no/place.svg: .*choose another place$'
}
holds "a picture that cannot be written is refused" no_place

# ---- Rendered ----------------------------------------------------------------

if ! command -v rsvg-convert >/dev/null; then
    echo "# SKIPPED: rsvg-convert is missing, so no picture is rendered; make deps"
    echo "ok - pictures are rendered # SKIP no rsvg-convert"
    tap_end
fi

# The colours that a renderer arrives at, of which an empty or black picture has
# one or two.
colours() {
    rsvg-convert -f svg "$1" |
        grep -oE '(fill|stroke)(="|:)rgb\([^)]*\)' | sed 's/.*rgb/rgb/' |
        sort -u | wc -l
}
# Without variables it is the same picture.
is_plain() {
    sed -E 's/;(fill|stroke):var\([^)]*\)//g' "$1" >"$tap_tmp/plain.svg"
    ! grep -q 'var(' "$tap_tmp/plain.svg" || return 1
    rsvg-convert "$1" -o "$tap_tmp/one.png" &&
        rsvg-convert "$tap_tmp/plain.svg" -o "$tap_tmp/two.png" &&
        cmp "$tap_tmp/one.png" "$tap_tmp/two.png"
}
has_colours() {
    local count
    count=$(colours "$1")
    echo "$count colours"
    [ "$count" -ge 6 ]
}
for file in "$room"/*.svg; do
    name=$(basename "$file")
    holds "$name: rendered in its colours" has_colours "$file"
    holds "$name: needs no variables" is_plain "$file"
done

tap_end
