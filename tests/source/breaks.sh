#!/usr/bin/env bash
# breaks.sh BUILD - every protocol is broken once in a subtle way (breaks.txt),
# and must be caught: by the contract, which judges P_sane() after every step; or
# else by its unit tests; or else by the checker.  Prints which it was.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/source/change.sh
build=$1
list=tests/source/breaks.txt
cc=${CC:-cc}
flags="-std=c11 -D_GNU_SOURCE -O0 -w -pthread"
libs="-lcmocka -lm -pthread"

# each COMMAND: calls it with RULE FILE PROTOCOL WHAT OLD NEW.
each() {
    local line head='' old='' new=''
    while IFS= read -r line; do
        case $line in
        '#'* | '') continue ;;
        '- '*) old+=${old:+$'\n'}${line#- } ;;
        '+ '*) new+=${new:+$'\n'}${line#+ } ;;
        *)
            [ -z "$head" ] || call "$1" "$head" "$old" "$new"
            head=$line old='' new=''
            ;;
        esac
    done <$list
    call "$1" "$head" "$old" "$new"
}

call() {
    IFS='|' read -r rule file protocol what <<<"$2"
    "$1" "$(echo $rule)" "$(echo $file)" "$(echo $protocol)" "$(echo $what)" \
        "$3" "$4"
}

# Prints which test noticed, or what went wrong.
try() {
    local file=$2 name=$3 old=$5 new=$6 room source test
    room=$(mktemp -d "$tap_tmp/break.XXXXXX")
    source=$(find protocols -name "$name.c")
    mkdir -p "$room/${file%/*}" "$room/${source%/*}"
    cp "$source" "$room/$source"
    changed "$file" "$old" "$new" >"$room/$file" || return 1
    # shellcheck disable=SC2086
    $cc $flags -I"$room" -I. "-DP=$name" "-DP_SOURCE=\"$room/$source\"" \
        -c net/typed.c -o "$room/typed.o" &&
        $cc $flags -I"$room" -I. -c "$room/$source" -o "$room/unit.o" &&
        $cc "$build"/obj/tests/unit/net/test_contract.o "$room/typed.o" \
            "$room/unit.o" "$build/libfulcrum.a" -o "$room/contract" $libs ||
        return 1
    if ! CONTRACT_OF=${name//_/-} timeout 60 "$room/contract" >"$room/said" 2>&1; then
        sed -n 's/^ERROR: [a-z-]*: \(".*"\) is not so$/sane: \1/p' "$room/said" |
            grep . || echo "the contract"
        return 0
    fi
    for test in $(find tests/unit -name "test_$name*.c" | sort); do
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

number=0
begin() {
    number=$((number + 1))
    { if try "$@" >"$tap_tmp/$number.said" 2>&1; then
        echo "ok - $1: $4: noticed by $(tail -n 1 "$tap_tmp/$number.said")"
    else
        echo "not ok - $1: $4"
        sed 's/^/#   /' "$tap_tmp/$number.said"
    fi; } >"$tap_tmp/$number.tap" &
    [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
}

every_protocol_is_broken() {
    local bad=0 name
    for name in $(sed -n 's/^ *X(\([a-z_0-9]*\)).*/\1/p' protocols/all.h); do
        grep -q "| $name |" $list || { echo "nothing breaks $name"; bad=1; }
    done
    return $bad
}

set -f
each begin
wait
set +f
for ((i = 1; i <= number; i++)); do
    cat "$tap_tmp/$i.tap"
    grep -q '^not ok' "$tap_tmp/$i.tap" && tap_failed=1
done
holds "every protocol is broken once" every_protocol_is_broken
tap_end
