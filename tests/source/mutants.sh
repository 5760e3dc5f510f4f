#!/usr/bin/env bash
# mutants.sh BUILD | --table - every rule of the live locks is needed as it is
# written: each line of mutants.txt changes one place of the source, and the test
# that it names must notice.
#
# Only the changed unit is compiled; it stands before the library when the test
# is linked, so that the library's own is not taken.  --table prints the list for
# docs/verification.md, which must have it as it is.
set -u
cd "$(dirname "$0")/../.."
list=tests/source/mutants.txt

# each COMMAND: calls it with RULE FILE UNIT TEST WHAT OLD NEW.
each() {
    local line head old=
    while IFS= read -r line; do
        case $line in
        '- '*) old=${line#- } ;;
        '+ '*)
            IFS='|' read -r rule file unit test what <<<"$head"
            "$1" "$(echo $rule)" "$(echo $file)" "$(echo $unit)" \
                "$(echo $test)" "$(echo $what)" "$old" "${line#+ }"
            ;;
        '' | '#'*) ;;
        *) head=$line ;;
        esac
    done <$list
}

row() { echo "| $1 | $5 | \`$4\` |"; }
if [ "$1" = --table ]; then
    echo '| rule | changed so that | noticed by |'
    echo '|---|---|---|'
    set -f
    each row
    exit
fi

. tests/tap.sh
. tests/source/change.sh
build=$1
cc=${CC:-cc}
flags="-std=c11 -D_GNU_SOURCE -DFULCRUM_LIVE -O0 -w -pthread"
libs="-lcmocka -lm -pthread"
# The tests that notice are compiled once.
make -j"$(nproc)" BUILD="$build" $(awk -F' *[|] *' '$4 ~ /^test_/ && !seen[$4]++ { print $4 }' \
    tests/source/mutants.txt | while read -r test; do
    echo "$build/obj/$(find tests/unit protocols -name "$test.c" | sed 's/c$/o/')"
done) >/dev/null
[ -e "$build/liblive.a" ] &&
    libs="$build/liblive.a $build/libfulcrum.a $libs -luv -lsodium -linih -ljansson"

# A test that ends in the middle leaves processes that it has forked.
kill_all_of() { # PROGRAM
    find /proc -maxdepth 2 -name exe -lname "$1*" 2>/dev/null | cut -d/ -f3 |
        xargs -r kill -KILL 2>/dev/null
}

# One mutant, in a folder of its own; prints the result.
try() {
    local file=$2 unit=$3 test=$4 old=$6 new=$7 room
    room=$(mktemp -d "$tap_tmp/mutant.XXXXXX")
    mkdir -p "$room/${file%/*}"
    changed "$file" "$old" "$new" >"$room/$file" || return 1
    [ -e "$room/$unit" ] || { mkdir -p "$room/${unit%/*}" && cp "$unit" "$room/$unit"; }
    # shellcheck disable=SC2086
    $cc $flags -I"$room" -I. -c "$room/$unit" -o "$room/unit.o" &&
        $cc $([ "${unit##*/}" = "$test.c" ] ||
            find "$build/obj/tests/unit" "$build/obj/protocols" -name "$test.o") "$room/unit.o" \
            "$build/libfulcrum.a" -o "$room/test" $libs || {
        echo "it cannot be built"
        return 1
    }
    timeout 60 "$room/test" >"$room/said" 2>&1
    local code=$?
    kill_all_of "$room/test"
    if [ $code -eq 0 ]; then
        echo "$test does not notice"
        return 1
    fi
    rm -rf "$room"
}

# As many at a time as there are cores: most take a second, some wait for a while.
number=0
begin() {
    number=$((number + 1))
    { if try "$@" >"$tap_tmp/$number.said" 2>&1; then
        echo "ok - $1: $5"
    else
        echo "not ok - $1: $5"
        sed 's/^/#   /' "$tap_tmp/$number.said"
    fi; } >"$tap_tmp/$number.tap" &
    while [ "$(jobs -rp | wc -l)" -ge "$(nproc)" ]; do wait -n; done
}
set -f
each begin
wait
set +f
for n in $(seq $number); do cat "$tap_tmp/$n.tap"; done
table_is_there() {
    bash tests/source/mutants.sh --table | while IFS= read -r line; do
        grep -qxF "$line" docs/verification.md || { echo "missing: $line"; exit 1; }
    done
}
holds "docs/verification.md has the table" table_is_there
! grep -q '^not ok' "$tap_tmp"/*.tap && tap_end
