#!/usr/bin/env bash
# run.sh - builds the benchmark under $BUILD/bench and runs it.
#
#   bash bench/run.sh [options of the benchmark; see --help]
#   make bench BENCH_ARGS='--only ab --rounds 9'
#
# Compiles what it measures itself, with the flags of the Makefile, so that an
# old object or another variant of the library cannot slip in.  CC, OPT and
# CFLAGS mean what they mean there.
set -euo pipefail
cd "$(dirname "$0")/.."

out=${BUILD:-build}/bench
cc=${CC:-cc}
version=$(sed -n 's/^VERSION := *//p' Makefile)
flags="-std=c11 -D_GNU_SOURCE ${OPT:--O3} -g -Wall -Wextra -Wpedantic"
flags="$flags -Wconversion -Wshadow -Werror -I. -pthread"
flags="$flags${CFLAGS:+ $CFLAGS}"
protocols=$(sed -n 's/^ *X(\([a-z_0-9]*\)).*/\1/p' protocols/all.h)

if ! printf '#include <xxhash.h>\n' | $cc -E -x c - >/dev/null 2>&1; then
    echo "bench: needs xxhash.h; 'make deps' installs it" >&2
    exit 3
fi

# One line per object: its name, its source, its own flags.
objects()
{
    for source in core/*.c problems/*.c protocols/*/*.c net/*.c \
        trace/write.c sim/*.c bench/*.c; do
        case $source in
        */typed.c | net/type.c | bench/heap_engine.c) continue ;;
        esac
        echo "${source//\//_} $source"
    done
    for p in $protocols; do
        typed="-DP=$p -DP_SOURCE=\"$(echo protocols/*/"$p".c)\""
        echo "typed_$p sim/typed.c $typed"
    done
    for p in chang_roberts vitanyi; do
        typed="-DP=$p -DP_SOURCE=\"$(echo protocols/*/"$p".c)\""
        echo "heap_$p bench/heap_engine.c $typed"
    done
}

compile()
{
    read -r name source own <<<"$1"
    # shellcheck disable=SC2086
    $cc $flags $own -DFULCRUM_VERSION="\"$version\"" \
        -DBENCH_FLAGS="\"$flags\"" -c "$source" -o "$out/$name.o"
}

# No `set -e` in here: it does not hold in a condition.
build()
{
    mkdir -p "$out" && rm -f "$out"/*.o "$out/bench" || return
    objects | while read -r line; do
        compile "$line" || return
    done || return
    # shellcheck disable=SC2086
    $cc -pthread ${LDFLAGS:-} "$out"/*.o -o "$out/bench" -lm || return
    echo "$cc $flags" >"$out/made"
}

# Nothing newer than the program, and the same flags: it is as it should be.
fresh()
{
    [ -x "$out/bench" ] && [ "$(cat "$out/made" 2>&1)" = "$cc $flags" ] &&
        [ -z "$(find Makefile core problems protocols net trace sim bench \
            -newer "$out/bench" ! -name '*.md' ! -type d)" ]
}

if ! fresh; then
    echo "bench: building in $out" >&2
    build || exit 3
fi
# shellcheck disable=SC2086
exec "$out/bench" ${BENCH_ARGS:-} "$@"
