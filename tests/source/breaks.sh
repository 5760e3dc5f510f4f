#!/usr/bin/env bash
# breaks.sh BUILD [PROTOCOL] - every protocol is broken as its facts.txt says, once at
# least and in a subtle way, and must be caught: by the contract, which judges P_sane()
# after every step; or else by its unit tests; or else by the checker.  Prints which
# it was.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/protocols.sh
. tests/source/change.sh
. tests/source/broken.sh
build=$1

# The facts as a list that broken.sh reads; `where_is` finds the file.
list=$tap_tmp/list
for name in ${2:-$(protocols_listed)}; do
    awk -v name="$name" '
        $1 == "broken" { rule = $2; sub(/^broken *[^ ]+ */, ""); print rule " | | " name " | " $0 }
        /^[-+] / { print }' "$(protocol_folder "$name")/facts.txt"
done >"$list"

# where_is FRAGMENT FOLDER: the file of this protocol that has it.
where_is() {
    local file
    for file in $(sources_of "$2/README.md"); do
        OLD=$1 awk '{ text = text $0 "\n" }
            END { exit !index(text, ENVIRON["OLD"]) }' "$file" && echo "$file" && return
    done
    echo "$2 has no file with this: $1" >&2
    return 1
}

# Prints which test noticed, or what went wrong.
try() {
    local name=$3 room test file
    room=$(mktemp -d "$tap_tmp/break.XXXXXX")
    file=$(where_is "$5" "$(protocol_folder "$name")") || return 1
    break_contract "$room" "$file" "$name" "$5" "$6" || return 1
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

break_each
tap_end
