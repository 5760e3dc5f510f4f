#!/usr/bin/env bash
# words.sh BUILD - mistakes that the author of a protocol can make (words.txt), and
# the words in which the contract must name each of them.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/source/change.sh
. tests/source/broken.sh
build=$1
list=tests/source/words.txt
unset CMOCKA_TEST_ABORT

# The words stand in a sentence to the author; SHOW=yes shows it.
names_it() {
    local room
    room=$(mktemp -d "$tap_tmp/words.XXXXXX")
    break_contract "$room" "$2" "$3" "$5" "$6" || return 1
    ! says_contract "$room" "$3" || { echo "the contract is kept"; return 1; }
    awk '/^ERROR: / { told = 1 } /^\[/ { told = 0 } told' "$room/said" >"$room/told"
    if grep -qF -e "$4" "$room/told"; then
        [ -z "${SHOW:-}" ] || cat "$room/told"
        return 0
    fi
    cat "$room/said"
    return 1
}

verdict() {
    if names_it "$@" >"$tap_tmp/$number.said" 2>&1; then
        echo "ok - $1: $4"
        sed 's/^/#   /' "$tap_tmp/$number.said"
    else
        echo "not ok - $1: $4"
        tail -n 20 "$tap_tmp/$number.said" | sed 's/^/#   /'
    fi
}

break_each
tap_end
