#!/usr/bin/env bash
# lint.sh BUILD - clang-tidy and cppcheck over all sources, shell included.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh

# LINT_ALL=yes: the tests too, and every path that the analyser would follow by
# default.  This takes many times as long; make lint and make soak set it.
nodes=1000
[ "${LINT_ALL:-}" != yes ] || nodes=225000
flags="-std=c11 -D_GNU_SOURCE -I. -Xclang -analyzer-config -Xclang max-nodes=$nodes"
# The headers of MPI are not among those of the system; if there are none, what
# needs them is left out.
mpi=$(pkg-config --cflags mpi-c 2>/dev/null)
flags="$flags ${mpi//-I/-isystem}"
export flags

files() {
    git ls-files '*.c' | grep -v -e '/typed.c$' -e ^bench -e ^docs \
        -e ^web/libc -e ^web/module |
        { [ -n "$mpi" ] && cat || grep -v ^lab/mpi; } |
        { [ "${LINT_ALL:-}" = yes ] && cat || grep -vE '^tests|/test_'; }
}

tidy_all() {
    files | xargs -P "$(nproc)" -n 12 sh -c \
        'clang-tidy --quiet "$@" -- $flags "-DFULCRUM_VERSION=\"x\"" 2>/dev/null' sh
}

# What is compiled for the page only, against the libc of the page, whose types
# and parameters are as the standard has them.
tidy_page() {
    ln -sf /usr/include/xxhash.h "$tap_tmp/xxhash.h"
    git ls-files 'web/libc/*.c' 'web/module/*.c' |
        xargs -P "$(nproc)" -n 4 sh -c 'clang-tidy --quiet \
            --checks=-cert-fio38-c,-misc-non-copyable-objects,-readability-non-const-parameter,-bugprone-branch-clone \
            "$@" -- $flags --target=wasm32 -nostdlibinc -mbulk-memory \
            -DFULCRUM_WEB -Iweb/libc/include "-isystem$xxhash" \
            "-DFULCRUM_VERSION=\"x\"" 2>/dev/null' sh
}
export xxhash=$tap_tmp

# What xargs runs for one protocol.
tidy_one='clang-tidy --quiet sim/typed.c net/typed.c -- $flags \
    "-DFULCRUM_VERSION=\"x\"" "-DP=$1" "-DP_SOURCE=\"$(echo protocols/*/$1/$1.c)\"" 2>/dev/null'

# One protocol for each kind that the engines tell apart: topology, problem,
# clocks, memory.  The others differ only within their own file.
tidy_typed() {
    printf '%s\n' vitanyi franklin tree itai_rodeh token_ring raymond \
        archimedean rw_optimistic view_lock |
        xargs -P "$(nproc)" -n 1 sh -c "$tidy_one" sh
}

cppcheck_all() {
    cppcheck --quiet --error-exitcode=1 --std=c11 -I. --inline-suppr \
        --enable=warning,portability --suppress=missingIncludeSystem \
        -D_GNU_SOURCE '-DFULCRUM_VERSION="x"' core problems draw cli \
        $(git ls-files protocols net trace sim lab check web/serve |
            grep "\\.c$" | grep -vE "typed|/test_")
}

holds "clang-tidy has no complaint" tidy_all
holds "clang-tidy has no complaint about the engines" tidy_typed
holds "clang-tidy has no complaint about the module of the page" tidy_page
# It does not read the headers of the system, where these come from.
cppcheck_register() {
    cppcheck --quiet --error-exitcode=1 --std=c11 -I. --inline-suppr \
        --enable=warning,portability --suppress=missingIncludeSystem \
        -D_GNU_SOURCE -DCLOCK_MONOTONIC=1 -DATOMIC_LLONG_LOCK_FREE=2 rw
}

# Macros for lists come from the system's header, which it must be shown.
cppcheck_live() {
    local queue
    queue=$(echo '#include <sys/queue.h>' | ${CC:-cc} -E -x c - |
        sed -n 's/^# 1 "\(.*queue.h\)".*/\1/p' | head -n 1)
    cppcheck --quiet --error-exitcode=1 --std=c11 -I. --inline-suppr \
        --enable=warning,portability --suppress=missingIncludeSystem \
        -D_GNU_SOURCE -DFULCRUM_LIVE ${queue:+--include="$queue"} live
}

holds "cppcheck has no complaint" cppcheck_all
holds "cppcheck has no complaint about the live runtime" cppcheck_live
holds "cppcheck has no complaint about the register" cppcheck_register
tap_end
