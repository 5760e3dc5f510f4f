#!/usr/bin/env bash
# breaks.sh BUILD - every protocol is broken once in a subtle way (breaks.txt),
# and must be caught: by the contract, which judges P_sane() after every step; or
# else by its unit tests; or else by the checker.  Prints which it was.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/source/change.sh
. tests/source/broken.sh
build=$1
list=tests/source/breaks.txt
# Prints which test noticed, or what went wrong.
try() {
    local name=$3 room test
    room=$(mktemp -d "$tap_tmp/break.XXXXXX")
    break_contract "$room" "$2" "$name" "$5" "$6" || return 1
    if ! says_contract "$room" "$name"; then
        sed -n 's/^ERROR: [a-z-]*: \(".*"\) is not so$/sane: \1/p' "$room/said" |
            grep . || echo "the contract"
        return 0
    fi
    for test in $(find protocols -path "*/$name/test_*.c" | sort); do
        # shellcheck disable=SC2086
        $cc $flags -I"$room" -I. "$test" "$room/typed.o" "$room/unit.o" \
            "$build/libfulcrum.a" -o "$room/test" $libs || continue
        timeout 120 "$room/test" >"$room/said" 2>&1 ||
            { echo "$(basename "$test" .c)"; return 0; }
    done
    # shellcheck disable=SC2086
    $cc $flags -I. tests/source/mutant.c "$room/typed.o" "$room/unit.o" \
        "$build/libfulcrum.a" -o "$room/check" -lm &&
        timeout 120 "$room/check" "${name//_/-}" 3 >"$room/said" 2>&1 &&
        grep -q '^violated' "$room/said" &&
        { sed 's/^violated/the checker:/' "$room/said"; return 0; }
    echo "nobody noticed"
    return 1
}

verdict() {
    if try "$@" >"$tap_tmp/$number.said" 2>&1; then
        echo "ok - $1: $4: noticed by $(tail -n 1 "$tap_tmp/$number.said")"
    else
        echo "not ok - $1: $4"
        sed 's/^/#   /' "$tap_tmp/$number.said"
    fi
}

every_protocol_is_broken() {
    local bad=0 name
    for name in $(sed -n 's/^ *X(\([a-z_0-9]*\)).*/\1/p' protocols/all.h); do
        grep -q "| $name |" $list || { echo "nothing breaks $name"; bad=1; }
    done
    return $bad
}

break_each
holds "every protocol is broken once" every_protocol_is_broken
tap_end
