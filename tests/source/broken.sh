# broken.sh - to be read by a script that breaks protocols as a list says, and looks
# at what the contract says of them.  Wants tap.sh, change.sh, $build and $list.

cc=${CC:-cc}
flags="-std=c11 -D_GNU_SOURCE -O0 -w -pthread"
libs="-lcmocka -lm -pthread"

# each COMMAND: calls it for every entry of $list with RULE FILE PROTOCOL WHAT OLD NEW.
each() {
    local line head='' old='' new=''
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '#'* | '') continue ;;
        '- '*) old+=${old:+$'\n'}${line#- } ;;
        '+ '*) new+=${new:+$'\n'}${line#+ } ;;
        *)
            [ -z "$head" ] || call "$1" "$head" "$old" "$new"
            head=$line old='' new=''
            ;;
        esac
    done <"$list"
    call "$1" "$head" "$old" "$new"
}

call() {
    IFS='|' read -r rule file protocol what <<<"$2"
    "$1" "$(echo $rule)" "$(echo $file)" "$(echo $protocol)" "$(echo $what)" \
        "$3" "$4"
}

# break_contract ROOM FILE PROTOCOL OLD NEW: the contract with this protocol, broken
# there, is ROOM/contract.
break_contract() {
    local room=$1 file=$2 name=$3 source
    source=$(find protocols -path "*/$name/$name.c")
    mkdir -p "$room/${file%/*}" "$room/${source%/*}"
    cp "$source" "$room/$source"
    changed "$file" "$4" "$5" >"$room/$file" || return 1
    # shellcheck disable=SC2086
    $cc $flags -I"$room" -I. "-DP=$name" "-DP_SOURCE=\"$room/$source\"" \
        -c net/typed.c -o "$room/typed.o" &&
        $cc $flags -I"$room" -I. -c "$room/$source" -o "$room/unit.o" &&
        $cc "$build"/obj/tests/unit/net/test_contract.o "$room/typed.o" \
            "$room/unit.o" "$build/libfulcrum.a" -o "$room/contract" $libs
}

# says_contract ROOM PROTOCOL: whether it is kept; ROOM/said is what it says.
says_contract() {
    CONTRACT_OF=${2//_/-} timeout 60 "$1/contract" >"$1/said" 2>&1
}

# Entries at once, as many as there are processors; $number counts them.
number=0
begin() {
    number=$((number + 1))
    verdict "$@" >"$tap_tmp/$number.tap" &
    [ "$(jobs -rp | wc -l)" -lt "$(nproc)" ] || wait -n
}

# break_each: calls `verdict` as above, and prints what it printed in order.
break_each() {
    local i
    set -f
    each begin
    wait
    set +f
    for ((i = 1; i <= number; i++)); do
        cat "$tap_tmp/$i.tap"
        grep -q '^not ok' "$tap_tmp/$i.tap" && tap_failed=1
    done
}
