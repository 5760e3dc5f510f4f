#!/bin/sh
# abi.sh BUILD LIBRARY - says what has changed in what a library promises: its
# functions, their types, and the enumerations and structures in them.
# REWRITE=yes abi.sh BUILD LIBRARY - writes that down anew, in api/: not if
# a program that was linked before would fail, while the library has the same number
# (api/api.mk).
set -eu
cd "$(dirname "$0")/.."
library=$2
described=api/$library.xml
file=$(echo "$1/$library".so.?)
promised="--headers-dir include/fulcrum --drop-private-types --exported-interfaces-only"

soname() {
    sed -n "s/.*soname='\([^']*\)'.*/\1/p" "$1"
}
changes() {
    abidiff --no-architecture --no-added-syms --headers-dir2 include/fulcrum \
        --drop-private-types --exported-interfaces-only "$described" "$file"
}
if [ "${REWRITE:-}" = yes ]; then
    if [ -e "$described" ] && [ "$(soname "$described")" = "$(basename "$file")" ]; then
        changes || {
            echo "abi.sh: programs must be compiled anew: $library needs another number" >&2
            exit 1
        }
    fi
    # shellcheck disable=SC2086 # options
    exec abidw $promised --no-architecture --no-corpus-path --no-show-locs \
        --no-comp-dir-path --no-elf-needed --type-id-style hash --out-file "$described" "$file"
fi
abidiff --no-architecture --headers-dir2 include/fulcrum --drop-private-types \
    --exported-interfaces-only "$described" "$file"
