#!/usr/bin/env bash
# try.sh [BUILD] - follows docs/tutorial.md to the letter in a folder of its own.
#
# BUILD: what has been built there is not built again, except what has changed.
#
# Says nothing and exits 0 if the text shows the files beside this script as
# they are, the protocol builds, its unit tests and its story pass, and every
# command in the text prints what the text says.  Leaves nothing behind.
# REWRITE=yes puts what the commands print now into the text.
set -eu
cd "$(dirname "$0")/../.."
export LC_ALL=C.UTF-8
built=${1:+$(realpath "$1")}
here=docs/tutorial
text=docs/tutorial.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tree
build=$tree/build

fail() {
    echo "docs/tutorial/try.sh: $*" >&2
    exit 1
}

# All code blocks of the text that carry this file's name, with an empty line
# between two of them.
shown() {
    awk -v name="$1" '
        /^```/ && inside { inside = 0; next }
        /^```/ { inside = $2 == name; if (inside && seen++) print ""; next }
        inside' "$text"
}

# ---- The text shows the files ------------------------------------------------

for file in patient.h patient.c test_patient.c patient-good.txt; do
    shown "$here/$file" >"$tmp/shown"
    cmp -s "$tmp/shown" "$here/$file" ||
        fail "$text does not show $file as it is"
done

# ---- The protocol builds -----------------------------------------------------

mkdir -p "$tree/tests/stories"
cp -Rp Makefile core problems protocols net trace sim check draw live rw cli \
    "$tree"
cp -Rp tests/*.sh tests/command tests/unit "$tree/tests"
if [ -n "$built" ]; then
    mkdir "$build"
    cp -Rp "$built/obj" "$build"
fi
cp $here/patient.[hc] "$tree/protocols/election"
cp $here/test_patient.c "$tree/tests/unit/election"
cp $here/patient-good.txt "$tree/tests/stories"
sed -i '/^#define FC_PROTOCOLS(X)/a\    X(patient) \\' "$tree/protocols/all.h"

# The caller may itself be a make with settings of its own.
unset MAKEFLAGS MAKELEVEL MFLAGS BUILD
optimize=${built:+-O3}
make -C "$tree" -j"$(nproc)" OPT="${optimize:--O0}" BUILD=build build/fulcrum \
    build/tests/test_patient >"$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    fail "the protocol does not build"
}

# ---- Its tests pass ----------------------------------------------------------

"$build/tests/test_patient" >"$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    fail "a unit test failed"
}
FULCRUM=$build/fulcrum bash "$tree/tests/command/stories.sh" >"$tmp/log" 2>&1 || {
    cat "$tmp/log" >&2
    fail "the story is told differently"
}

# ---- The commands of the text print what it says -----------------------------

bash docs/console.sh "$build/fulcrum" "$text"

# ---- The picture is the one of that run --------------------------------------

"$build/fulcrum" sim patient --names 3,1,4,2 --trace "$tmp/run.trace" >/dev/null
"$build/fulcrum" draw "$tmp/run.trace" -o "$tmp/run.svg" >/dev/null
[ "${REWRITE:-}" != yes ] || cp "$tmp/run.svg" docs/images/patient.svg
cmp -s "$tmp/run.svg" docs/images/patient.svg ||
    fail "docs/images/patient.svg is not what is drawn now"
