#!/usr/bin/env bash
# sources.sh BUILD - rules about the sources themselves.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/protocols.sh
. tests/source/change.sh
build=$1

# All C sources of a room.
of() {
    git ls-files "$1" | grep -E '\.(c|h|inc)$'
}

includes_point_down() {
    local room=$1 below=$2 bad=0 file included
    while read -r file; do
        while read -r included; do
            case " $room $below " in
            *" ${included%%/*} "*) ;;
            *)
                echo "$file includes $included"
                bad=1
                ;;
            esac
        done < <(sed -n 's/^#include "\(.*\)"/\1/p' "$file")
    done < <(of "$room" | grep -v '^protocols/.*/test_')
    return $bad
}

# Inside a room: what its files that match WHICH include of its folders.
inner_includes_point_down() { # ROOM WHICH FOLDERS
    local bad=0 file included
    while read -r file; do
        while read -r included; do
            case " $3 " in
            *" ${included%%/*} "*) ;;
            *)
                echo "$file includes $1/$included"
                bad=1
                ;;
            esac
        done < <(sed -nE "s|^#include \"$1/([^\"]*/.*)\"|\1|p" "$file")
    done < <(of "$1" | grep -E "$2")
    return $bad
}

# inner_rows TABLE: each folder that has a row, with itself and with those it may include.
inner_rows() {
    tr -d : <"$1" | awk '$1 ~ /^[a-z]+\// {
        room = $1
        sub(/\/.*/, "", room)
        print $1, $1
        for (i = 2; i <= NF; i++)
            print $1, room "/" $i
    }'
}
judged_rooms() { # TABLE
    inner_rows "$1" | cut -d/ -f1 | sort -u
}

# A room with rows has one for each of its folders with sources, and their includes can
# go in no circle.
folders_are_known() { # TABLE
    local room
    for room in $(judged_rooms "$1"); do
        diff <(inner_rows "$1" | tr ' ' '\n' | grep "^$room/" | sort -u) \
            <(of "$room" | sed -nE "s|^($room/[^/]+)/.*|\1|p" | sort -u) || return 1
    done
    inner_rows "$1" | tsort
}

# Every folder with sources is a room of the table.
rooms_are_known() {
    local bad=0 room
    for room in $(git ls-files '*.c' '*.h' | sed -n 's|/.*||p' | sort -u); do
        case $room in bench | docs | include | tests) continue ;; esac
        grep -q "^$room:" tests/source/layers.txt ||
            { echo "$room stands in no line of layers.txt"; bad=1; }
    done
    return $bad
}

only_freestanding_headers() {
    ! grep -n '^#include <' $(of core) $(of problems) $(of protocols | grep -v /test_) |
        grep -v -e '<stdint.h>' -e '<stddef.h>' -e '<stdbool.h>'
}

# What the pure layers give each other.
pure_sources | sed "s|^|$build/obj/|; s|c\$|o|" | xargs nm --defined-only | awk 'NF == 3 {print $3}' >"$tap_tmp/given"
printf '%s\n' memcpy memset memmove memcmp _GLOBAL_OFFSET_TABLE_ >>"$tap_tmp/given"

# What an object needs from outside: only that and four functions.
asks_for_nothing() {
    local unknown
    unknown=$(nm -u "$1" | awk '{print $2}' |
        grep -v -x -F -f "$tap_tmp/given")
    [ -z "$unknown" ] || { echo "$1 needs: $unknown"; return 1; }
}

# Constants with pointers in them are in .data.rel.ro, which is not writable.
has_no_writable_data() {
    ! objdump -h "$1" | awk '$2 ~ /^\.(data|bss)$/ && $3 !~ /^0+$/' | grep .
}

# What decides in a live node, or in a node of `fulcrum live`, is told the time and
# what has arrived: of the C library it needs memory and texts.
live_deciding() {
    git ls-files 'live/desk/*.c' 'live/mode/*.c' 'live/node/*.c' live/common/effect.c \
        live/wire/courier.c live/wire/parcel.c live/process/watch.c 'live/play/host*.c' live/play/post.c
}
has_no_clock() { # OBJECT
    local unknown
    unknown=$(nm -u "$1" | awk '{print $2}' |
        grep -vE '^((mem|str)[a-z]+|v?snprintf|[cm]alloc|realloc|free|abort|__assert_fail|__popcount[a-z0-9]+|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_|json_[a-z_]+)$' |
        grep -v -x -F -f "$tap_tmp/given" -f "$tap_tmp/given-live")
    [ -z "$unknown" ] || { echo "$1 needs: $unknown"; return 1; }
}

# What files of a folder of live/ give each other has the name of the folder, or of one of
# its files, in front; what they give others has live_.
names_say_where() { # FOLDER OBJECT...
    local words
    words=$(git ls-files "$1" | sed 's|.*/||; s|[._].*||' | sort -u | tr '\n' '|')
    ! nm -A --defined-only "${@:2}" | awk '$2 ~ /^[TDBRC]$/ {print $1, $3}' |
        grep -vE " (live|${1##*/}|${words%|})s?(_|$)"
}
live_names_say_where() {
    local bad=0 folder
    for folder in $(git ls-files 'live/*.c' | sed 's|/[^/]*$||' | sort -u); do
        names_say_where "$folder" $(git ls-files "$folder/*.c" | sed "s|^|$build/obj/|; s|c\$|o|") || bad=1
    done
    return $bad
}

compiles_alone() {
    ${CC:-cc} -std=c11 -ffreestanding -O0 -Wall -Wextra -Wpedantic -I. -c "$1" \
        -o "$tap_tmp/alone.o"
}

fails() { ! "$@"; }

# A protocol with these lines about its traits.
compiles_with_traits() {
    printf '%s\n' '#include "core/word.h"' '#include "problems/election.h"' \
        'struct toy { uint32_t n; }; struct toy_params { uint32_t n; };' \
        '#define toy_msg fc_word' '#define toy_site fc_named' \
        '#define toy_problem election' '#define toy_topology FC_RING' \
        '#define toy_timers 0' "$@" 'FC_PROTOCOL(toy);' |
        ${CC:-cc} -std=c11 -I. -x c -fsyntax-only -
}

formatted() {
    git ls-files '*.c' '*.h' '*.inc' | xargs clang-format --dry-run -Werror
}

# 80 columns, no tabs, no trailing blanks; functions of at most 70 lines and files
# of at most 900.
tidy() {
    local bad=0 file
    while read -r file; do
        awk -v file="$file" '
            { plain = $0; gsub(/[\200-\277]/, "", plain) } # UTF-8 by letter
            length(plain) > 80 { print file ":" NR ": too long"; bad = 1 }
            /\t/ { print file ":" NR ": tab"; bad = 1 }
            / $/ { print file ":" NR ": blank at the end"; bad = 1 }
            /^{$/ { start = NR }
            /^}$/ && start { if (NR - start > 70) {
                print file ":" start ": function too long"; bad = 1 }
                start = 0 }
            END { if (NR > 900) { print file ": too long a file"; bad = 1 }
                exit bad }' "$file" || bad=1
    done < <(git ls-files '*.c' '*.h' '*.inc')
    return $bad
}

# Perhaps with two ideas; this is no failure.
long_files() {
    git ls-files '*.c' '*.h' '*.inc' | xargs wc -l |
        awk '$1 > 600 && $2 != "total" { print "# " $2 " has " $1 " lines" }'
}

# What is opened, but for net/outside: FILE and how many times, as in opens.txt.
opens() {
    git ls-files '*.c' '*.h' '*.inc' | grep -vE '^(net/outside|bench/|docs/|include/|tests/|web/libc/)' |
        xargs grep -oHE '(^|[^_a-zA-Z0-9>.])(open|openat|openat2|fopen|freopen|creat)\(' |
        cut -d: -f1 | sort | uniq -c | awk '{ print $2, $1 }'
}
# An open that is in no line of the table goes through net/outside.h, or says in the
# table why it need not.
opens_are_known() { # TABLE
    diff <(awk -F' *[|] *' '!/^#/ && NF == 3 { print $1, $2 }' "$1" | sort) <(opens | sort)
}

while IFS=: read -r room below; do
    case $room in
    '#'* | '') ;;
    */*)
        holds "includes of $room point down only" \
            inner_includes_point_down "${room%/*}" "^$room/" "${room#*/} $below"
        ;;
    *) holds "includes of $room point down only" includes_point_down "$room" "$below" ;;
    esac
done <tests/source/layers.txt
for room in $(judged_rooms tests/source/layers.txt); do
    holds "headers of $room include none of its folders" \
        inner_includes_point_down "$room" "^$room/[^/]*\\.h$" ""
done
holds "one include more inside a room would be noticed" \
    fails inner_includes_point_down draw ^draw/chart/ chart
holds "every room is in the table of layers" rooms_are_known
holds "every folder of a judged room is in it, and none includes itself by others" \
    folders_are_known tests/source/layers.txt
sed '/^draw\/text:/d' tests/source/layers.txt >"$tap_tmp/layers"
holds "a folder without a row would be noticed" fails folders_are_known "$tap_tmp/layers"
sed 's/^draw\/svg:/& chart/' tests/source/layers.txt >"$tap_tmp/layers"
holds "a circle of folders would be noticed" fails folders_are_known "$tap_tmp/layers"
holds "files from outside come in by net/outside.h, or opens.txt says why not" \
    opens_are_known tests/source/opens.txt
sed 's/^web\/serve.*//' tests/source/opens.txt >"$tap_tmp/opens"
holds "one more would be noticed" fails opens_are_known "$tap_tmp/opens"
holds "pure layers include only three freestanding headers" \
    only_freestanding_headers
for source in $(pure_sources); do
    object=$build/obj/${source%.c}.o
    holds "$source compiles freestanding" compiles_alone "$source"
    holds "$source needs nothing from outside" asks_for_nothing "$object"
    holds "$source has no variables of its own" has_no_writable_data "$object"
done

nm --defined-only "$build"/obj/{live/*,net}/*.o | awk 'NF == 3 {print $3}' >"$tap_tmp/given-live"
for source in $(live_deciding); do
    holds "$source has no clock, no file and no socket" has_no_clock "$build/obj/${source%.c}.o"
done
holds "names that files of live/ share say whose they are" live_names_say_where
holds "others would be noticed" fails names_say_where live/door "$build/obj/live/desk/desk_line.o"
holds "a clock would be noticed" fails has_no_clock "$build/obj/live/daemon/driver.o"

# on_a_board COMPILER FLAGS...: every protocol builds without an operating system;
# tests/command/firmware.sh does it for Arm.
on_a_board() {
    local source
    for source in $(pure_sources); do
        "$@" -std=c11 -ffreestanding -I. -Os -Wall -Wextra -Wpedantic \
            -Wconversion -Wshadow -Werror -DFC_WAIT_POWERS=64 -c "$source" \
            -o "$tap_tmp/board.o" || return 1
    done
}
holds "protocols build for 32-bit x86" on_a_board gcc -m32 \
    -Wno-maybe-uninitialized # mistaken at -Os
holds "a protocol says its traits" \
    compiles_with_traits '#define toy_traits (FC_CLOCKED | FC_READS_ALL)'
holds "one that does not say them does not compile" fails compiles_with_traits
holds "one that misspells them does not compile" \
    fails compiles_with_traits '#define toy_traits (FC_CLOKED | FC_READS_ALL)'
# A protocol whose messages are words of $1 kinds, kind 0 included.
compiles_with_kinds() {
    printf '%s\n' '#include "core/word.h"' 'enum { toy_wire = fc_word_wire };' \
        "FC_WORD_MESSAGES(toy, $1, 1u << 1)" | ${CC:-cc} -std=c11 -I. -x c -fsyntax-only -
}
holds "a word has room for three kinds" compiles_with_kinds 4
holds "a fourth does not compile" fails compiles_with_kinds 5
# What has no name is a hole; as large as one is, nobody sees it from outside.
a_hole_is_noticed() {
    local header=protocols/election/lelann/lelann.h
    mkdir -p "$tap_tmp/$(dirname $header)"
    changed $header "    uint8_t unused;
" "" >"$tap_tmp/$header" && has_no_padding "$tap_tmp" peterson && # of another
        ! has_no_padding "$tap_tmp" peterson lelann >"$tap_tmp/said" &&
        grep -q "^lelann: struct lelann, the state, has padding" "$tap_tmp/said"
}
same "no protocol is listed twice" "" "$(protocols_listed | sort | uniq -d)"
holds "states, messages and views have no padding" has_no_padding . $(protocols_listed)
holds "a hole in a state is noticed" a_hole_is_noticed
# large_tests: of those that are not optimized, the objects show who asks.  The
# plain build has those of few.
large_tests() {
    nm -A "$build"/asan/obj/{tests/unit/*,protocols/*/*}/test_*.o >"$tap_tmp/names" || return 1
    ! <"$tap_tmp/names" \
        sed -n 's|.*/\(test_.*\)\.o:.* is_sanitized$|\1|p' |
        grep -vxFf "$build/tests/large"
}
holds "tests that do less under sanitizers also run without" large_tests
holds "sources are formatted" formatted
holds "sources are tidy" tidy
long_files
tap_end
