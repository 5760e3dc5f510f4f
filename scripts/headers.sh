#!/bin/sh
# headers.sh FOLDER - puts the headers of the libraries into FOLDER/fulcrum, and beside
# them those that protocols are written in.
#
# The latter are the tree's own, with the same names below fulcrum/: with
# -I FOLDER/fulcrum a protocol compiles as it is.
set -eu
cd "$(dirname "$0")/.."
folder=$1/fulcrum
umask 022

mkdir -p "$folder/core" "$folder/problems"
for header in include/fulcrum/*.h core/*.h core/*.inc problems/*.h; do
    to=$folder/${header#include/fulcrum/}
    sed 's|^#include "\([^"]*/[^"]*\)"|#include <fulcrum/\1>|' "$header" >"$to"
    chmod 644 "$to"
done
