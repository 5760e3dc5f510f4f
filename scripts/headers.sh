#!/bin/sh
# headers.sh FOLDER - puts what <fulcrum/...> promises into FOLDER/fulcrum, and
# the headers of the tree that it is made of into FOLDER/fulcrum/internal.
#
# The compiler says which those are, so that nobody keeps a list.
set -eu
cd "$(dirname "$0")/.."
folder=$1/fulcrum
umask 022

put() {
    mkdir -p "$(dirname "$2")"
    sed 's|^#include "\([^"]*/[^"]*\)"|#include <fulcrum/internal/\1>|' "$1" >"$2"
    chmod 644 "$2"
}
for header in include/fulcrum/*.h; do
    put "$header" "$folder/${header##*/}"
    ${CC:-cc} -std=c11 -D_GNU_SOURCE -I. -MM "$header"
done | tr -s ' \\' '\n\n' | grep -v '^include/' | grep '\.\(h\|inc\)$' | sort -u |
    while read -r header; do
        put "$header" "$folder/internal/$header"
    done
