#!/usr/bin/env bash
# lock.sh BUILD [FULCRUM...] - what taking a lock costs at a node of BUILD, beside
# flock(1), and with other commands as well, such as that of an earlier version.
# RUNS=200 of each.
set -u
cd "$(dirname "$0")/.."
. tests/tap.sh
build=$(realpath "$1")
shift
. tests/live/loopback.sh "$build"
cluster 2
start a --init
start b --init
within 15 members a 2 || exit 1
"$build/bench/lock" "$work/a.socket" "$work/file" "${RUNS:-200}" "$fulcrum" "$@"
stop a b
