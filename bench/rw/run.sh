#!/usr/bin/env bash
# run.sh - builds the benchmark of the register under $BUILD/bench and runs it.
#
#   make bench-rw BENCH_ARGS='--rounds 3 --seconds 0.05 --svg attempts.svg'
#
# The tables are Markdown; docs/rw.md shows those of one run.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=${BUILD:-build}/bench
cc=${CC:-cc}
mkdir -p "$out"
# ck and liburcu are headers of others: as system headers they may be what they
# are, and macros with empty arguments are ISO C.
# shellcheck disable=SC2086
$cc -std=c11 -D_GNU_SOURCE ${OPT:--O3} -g -Wall -Wextra -Wconversion -Wshadow \
    -Werror -I. -pthread ${CFLAGS:-} bench/rw/*.c -o "$out/bench-rw" -lurcu -lm
echo "# $($cc --version | head -n 1), $(uname -srm)"
exec "$out/bench-rw" "$@"
