#!/usr/bin/env bash
# rw.sh BUILD - the readers-writers register: as shipped its reads are never torn,
# and damage of many kinds is detected.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
cc=${CC:-cc}
warn="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -pthread"
c11="-std=c11 -D_GNU_SOURCE -O2 $warn"

holds "the tools of the register build" make -j"$(nproc)" --no-print-directory \
    BUILD="$build" rw-tools "$build/fulcrum_rw.h"

# ---- Compilers ---------------------------------------------------------------

cat >"$tap_tmp/use.c" <<'END'
#include "fulcrum_rw.h"
struct pose {
    double at[3];
    char frame[5];
};
RW_DEFINE(place, struct pose);
int main()
{
    struct pose p = {{1, 2, 3}, "abcd"}, q;
    struct rw_writer w;
    if (rw_open(&w, &place) != RW_OK || rw_write(&w, &p) != RW_OK)
        return 1;
    rw_close(&w);
    return rw_read(&place, &q) == 1 && q.at[2] > 2 ? 0 : 1;
}
END
cp "$tap_tmp/use.c" "$tap_tmp/use.cc"

# uses COMPILER FLAGS...: a program that uses the installed header.
uses() {
    # shellcheck disable=SC2086
    "$@" $warn -I"$build" -o "$tap_tmp/use" && "$tap_tmp/use"
}
for compiler in gcc clang; do
    for opt in -O0 -O3; do
        holds "C11 by $compiler $opt" uses "$compiler" -std=c11 $opt \
            -D_POSIX_C_SOURCE=200809L "$tap_tmp/use.c"
    done
done
for compiler in g++ clang++; do
    for opt in -O0 -O3; do
        holds "C++17 by $compiler $opt" uses "$compiler" -std=c++17 $opt \
            "$tap_tmp/use.cc"
    done
done
without_posix() {
    ! $cc -std=c11 -I"$build" -c "$tap_tmp/use.c" -o "$tap_tmp/use.o" \
        2>"$tap_tmp/err" && grep -q 'needs POSIX' "$tap_tmp/err"
}
holds "without POSIX the header says what it needs" without_posix

# Every C block of the page is a program, or the body of one.
snippets() {
    local n
    awk -v at="$tap_tmp/snippet" '
        /^```c$/ { n++; inside = 1; next }
        /^```/ { inside = 0 }
        inside { print >(at n ".c") }
        END { print n + 0 >(at "s") }' docs/rw.md
    n=$(cat "$tap_tmp/snippets")
    [ "$n" -gt 0 ] || return 1
    ln -s "$(realpath "$build")" "$tap_tmp/fulcrum" # as installed
    for i in $(seq "$n"); do
        # shellcheck disable=SC2086
        $cc $c11 -Wno-unused -I"$tap_tmp" -c "$tap_tmp/snippet$i.c" \
            -o "$tap_tmp/snippet.o" || return 1
    done
}
holds "what docs/rw.md shows compiles" snippets

# ---- Everything that the memory model allows ---------------------------------

for model in model model-words; do
    holds "$model: no outcome is torn" "$build/rw/$model" 3 3 2
    holds "$model: nor with more writes" "$build/rw/$model" 2 6 2
done

# damaged FILE SED: a copy of the sources with one defect.
damaged() {
    rm -rf "$tap_tmp/damaged"
    mkdir -p "$tap_tmp/damaged/rw"
    cp rw/*.[ch] "$tap_tmp/damaged/rw/"
    sed -i "$2" "$tap_tmp/damaged/rw/$1"
    ! cmp -s "rw/$1" "$tap_tmp/damaged/rw/$1" || { echo "sed: no change"; return 1; }
}

# found FENCES FILE SED: the model finds a wrong outcome.
found() {
    local code
    damaged "$2" "$3" || return 1
    # shellcheck disable=SC2086
    $cc $c11 -DRW_FENCES="$1" -I"$tap_tmp/damaged" rw/model.c \
        -o "$tap_tmp/model" || return 1
    "$tap_tmp/model"
    code=$?
    [ $code -eq 1 ]
}
reader='/^RW_HOT bool rw_try/,/^}/'
writer='/^static inline void rw_publish/,/^}/'
swap='{s/head->v1/head->v_/;s/head->v2/head->v1/;s/head->v_/head->v2/}'
register=fulcrum_rw.h
for fences in 1 0; do
    for who in reader writer; do
        holds "model finds swapped counters of the $who ($fences)" \
            found $fences $register "${!who}$swap"
    done
    holds "model finds v2 read without acquire ($fences)" \
        found $fences $register "$reader s/v2, acquire/v2, relaxed/"
    holds "model finds v2 written without release ($fences)" \
        found $fences $register "$writer s/count, release/count, relaxed/"
done
holds "model finds a missing acquire fence" \
    found 1 $register "$reader s/RW_BARRIER(acquire);//"
holds "model finds a missing release fence" \
    found 1 $register "$writer s/RW_BARRIER(release);//"
holds "model finds words read without acquire" \
    found 0 machine.h 's/RW_LOAD(cell, acquire)/RW_LOAD(cell, relaxed)/'
holds "model finds words written without release" \
    found 0 machine.h 's/(cell, value, release)/(cell, value, relaxed)/'
holds "model finds a reader that accepts nothing" \
    found 1 $register "$reader s/== t;/== t + 99;/"

# ---- The real thing ----------------------------------------------------------

sizes="--size 8 --size 13 --size 64 --size 200 --size 4096"
for how in "" --signals --processes "--processes --signals"; do
    # shellcheck disable=SC2086
    holds "no torn read: threads or processes $how" "$build/rw/validate" \
        $how $sizes --reads 100000 --seconds 1
    for scheme in writer none paper; do
        # shellcheck disable=SC2086
        holds "nor with chaos in between: $scheme $how" \
            "$build/rw/validate-chaos" $how --size 13 --size 512 \
            --scheme $scheme --reads 10000 --seconds 0.1
    done
done

# sees SED: the validator sees a torn read in a damaged register.  It ends with the
# first one, mostly within milliseconds; but a second passes without any if the
# machine stands still meanwhile.
sees() {
    damaged $register "$1" || return 1
    # shellcheck disable=SC2086
    $cc $c11 -DCHAOS -I"$tap_tmp/damaged" "$tap_tmp"/damaged/rw/validate*.c \
        -o "$tap_tmp/validate" || return 1
    "$tap_tmp/validate" --scheme none --size 512 --reads 1e12 --seconds 60 \
        >"$tap_tmp/seen"
    [ $? -eq 1 ] && grep -q 'torn=[1-9]' "$tap_tmp/seen" || {
        cat "$tap_tmp/seen"
        return 1
    }
}
holds "swapped counters of the reader: torn reads are seen" \
    sees "$reader$swap"
holds "swapped counters of the writer: torn reads are seen" \
    sees "$writer$swap"

holds "100 kills: consistent or RW_DEAD, and repaired" \
    "$build/rw/validate" --kills 100 --scheme none --size 4096
holds "50 kills with chaos, the writer pausing" \
    "$build/rw/validate-chaos" --kills 50 --size 128

# ---- Second opinions ---------------------------------------------------------

for kind in thread address,undefined; do
    other=$build/rw-${kind%%,*}
    for compiler in gcc clang; do
        holds "a build for $kind by $compiler" make --no-print-directory \
            -j"$(nproc)" CC=$compiler BUILD="$other-$compiler" OPT=-O1 \
            SANITIZE=$kind "$other-$compiler/rw/validate" \
            "$other-$compiler/rw/validate-chaos"
        for how in "" --processes; do
            for tool in validate validate-chaos; do
                holds "$kind by $compiler: $tool $how" \
                    "$other-$compiler/rw/$tool" $how --signals --size 13 \
                    --size 512 --reads 20000 --seconds 0.1
            done
        done
    done
done
valgrind_on() {
    valgrind -q --error-exitcode=9 --leak-check=full --trace-children=yes \
        --fair-sched=try "$@"
}
for how in "" --processes; do
    holds "valgrind: $how" valgrind_on "$build/rw/validate" $how --signals \
        --size 13 --size 512 --reads 3000 --seconds 1
    holds "valgrind, with chaos: $how" valgrind_on "$build/rw/validate-chaos" \
        $how --size 13 --size 512 --reads 1000 --seconds 0.5
done
tap_end
