#!/usr/bin/env bash
# try.sh [BUILD] - follows docs/tutorial.md and the pages beside this script to
# the letter, in one copy of the tree.
#
# BUILD: what has been built there is not built again, except what has changed.
#
# Prints nothing and exits with 0 if the pages show the files beside this script
# as they are, the protocols build without a warning, tests and stories pass, and
# every command on the pages prints what the page says.  Leaves nothing behind.
# REWRITE=yes puts what the commands print and draw now into the pages.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C.UTF-8
built=${1:+$(realpath "$1")}
here=docs/tutorial
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tree
failed=0

fail() {
    echo "docs/tutorial/try.sh: $*" >&2
    exit 1
}

# ---- The pages show the files ------------------------------------------------

# All code blocks of a page that carry this file's name, with an empty line
# between two of them.
shown() {
    awk -v name="$here/$2" '
        /^```/ && inside { inside = 0; next }
        /^```/ { inside = $2 == name; if (inside && seen++) print ""; next }
        inside' "$1"
}

# page PAGE FILE...
pages=()
page() {
    local file page=$1
    pages+=("$page")
    shift
    for file; do
        shown "$page" "$file" >"$tmp/shown"
        cmp -s "$tmp/shown" "$here/$file" ||
            fail "$page does not show $file as it is"
    done
}
page docs/tutorial.md patient.h patient.c
page $here/testing.md test_patient.c patient-good.txt patient-facts.txt patient-page.txt
page $here/message.md census.h census.c
page $here/mutex.md baton.h baton.c
page $here/tree.md echo.h echo.c

# ---- What they show builds ---------------------------------------------------

mkdir "$tree"
git ls-files -z | tar -c --null -T - --ignore-failed-read 2>/dev/null | tar -x -C "$tree"
touch "$tmp/copied"
if [ -n "$built" ]; then
    mkdir "$tree/build"
    cp -Rp "$built/obj" "$tree/build"
fi
for at in election/patient election/census election/echo mutex/baton; do
    mkdir -p "$tree/protocols/$at"
    cp $here/"${at#*/}".[hc] "$tree/protocols/$at"
done
patient=$tree/protocols/election/patient
cp $here/test_patient.c "$patient"
# The page lets `make stories` write the rest of it.
mkdir "$patient/stories"
sed '/^----$/,$d' $here/patient-good.txt >"$patient/stories/good.txt"
for name in echo baton census patient; do
    sed -i "/^#define FC_PROTOCOLS(X)/a\\    X($name) \\\\" "$tree/protocols/all.h"
done

# The caller may itself be a make with settings of its own.
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD
[ -n "$built" ] || export OPT=-O0
export TRIED="patient census baton echo"
make -C "$tree" -j"$(nproc)" >"$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    fail "a protocol does not build"
}

# ---- Their commands print what they say --------------------------------------

for page in "${pages[@]}"; do
    ROOM=$tree bash docs/console.sh "$tree/build/fulcrum" "$page" || failed=1
done

cmp "$patient/stories/good.txt" $here/patient-good.txt >&2 || failed=1

# ---- Their pictures are those of these runs ----------------------------------

# picture NAME COMMAND...
picture() {
    local name=$1
    shift
    "$tree/build/fulcrum" sim "$@" --trace "$tmp/run.trace" >"$tmp/log"
    "$tree/build/fulcrum" draw "$tmp/run.trace" -o "$tmp/run.svg" >"$tmp/log"
    [ "${REWRITE:-}" != yes ] || cp "$tmp/run.svg" "docs/images/$name.svg"
    cmp -s "$tmp/run.svg" "docs/images/$name.svg" || {
        echo "docs/images/$name.svg is not what is drawn now" >&2
        failed=1
    }
}
picture patient patient --names 3,1,4,2
picture baton baton -n 4 --entries 1 --section 3
picture echo echo -n 7 --topology binary --wake 2@0,3@0,5@0

# ---- A protocol is its folder and a line -------------------------------------

# What was added to the tree, or changed in it, besides tables that are written.
changed=$(cd "$tree" && find . -path ./build -prune -o -type f -newer "$tmp/copied" -print |
    sed 's|^\./||' | grep -vE '^(report|[^/]*\.(trace|svg))$' | grep -vE '^(README|docs/(README|firmware|verification))\.md$' |
    grep -vE '^protocols/(election/(patient|census|echo)|mutex/baton)/' || true)
[ "$changed" = protocols/all.h ] || fail "a protocol touched more: $changed"

# Some less, of which one came with the tree: without its folder and its line all of
# it builds, and what is said of protocols is said of the others.  Pages of others
# may still link to its page.
for gone in echo baton census carvalho_roucairol; do
    rm -r "$tree"/protocols/*/$gone
    sed -i "/X($gone)/d" "$tree/protocols/all.h"
done
git -C "$tree" init -q
git -C "$tree" add -N .
make -C "$tree" -j"$(nproc)" >"$tmp/log" 2>&1 && (
    cd "$tree"
    make -s facts P=patient
    export RULES='[Ll]abel|paths|tables|durable|claims|every protocol|functions'
    bash tests/source/truths.sh build && RULES=padding \
        bash tests/source/sources.sh build && RULES= MOST=1000 bash tests/facts.sh build
) >"$tmp/log" 2>&1 || {
    grep -v '^ok' "$tmp/log" >&2
    fail "without $gone not everything is well"
}
! "$tree/build/fulcrum" list | grep -q "${gone//_/-}" || fail "$gone is still there"
exit $failed
