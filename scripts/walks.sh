#!/usr/bin/env bash
# walks.sh [-v] BUILD - counts the files of this tree whose code runs on the walks of
# docs/internals.md, as callgrind sees them; headers count when code in them was inlined.
# -v lists them.  It cannot follow a lock, for which valgrind lacks system calls, nor a
# page in a browser.
set -eu
verbose=
[ "$1" != -v ] || { verbose=yes; shift; }
fulcrum=$(realpath "$1/fulcrum-lab") # which `fulcrum` becomes, by cli/front/front.c
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
git ls-files '*.c' '*.h' '*.inc' >"$tmp/tree"
cd "$tmp"

under() { # WALK COMMAND...
    local walk=$1
    shift
    exec valgrind -q --tool=callgrind --callgrind-out-file="$walk.%p" "$@" >/dev/null 2>&1
}

# A path is known by its end: objects may come from a cache that several trees share.
report() { # WALK WORDS
    awk 'NR == FNR { known[$0]; next }
        sub(/^c?f[lie]=\([0-9]+\) /, "") {
            gsub(/\/(\.\/)+/, "/")
            while ($0 != "" && !($0 in known) && sub(/^[^\/]*\//, ""))
                ;
            if ($0 in known) print
        }' tree "$1".[0-9]* | sort -u >files
    echo "$2: $(wc -l <files) files"
    [ -z "$verbose" ] || sed 's/^/    /' files
}

(under sim "$fulcrum" sim chang-roberts --names 3,1,2)
report sim "a message through the simulator"
(under check "$fulcrum" check chang-roberts -n 3 --threads 1)
report check "the same message through the checker"

(under claim "$fulcrum" reproduce v84-linear --quick -o results)
report claim "a claim"
