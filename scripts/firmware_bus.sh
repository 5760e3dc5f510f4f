#!/bin/sh
# firmware_bus.sh FOLDER build      - builds the trial of docs/examples/firmware/bus for
#                                     this machine, and the counting of its frames.
# firmware_bus.sh FOLDER table PAGE - puts what they count into a page.
#
# CC and FLAGS are those of the tree; make firmware-bus says all of that.
set -eu
cd "$(dirname "$0")/.."
folder=$1
bus=docs/examples/firmware/bus
rules="protocols/mutex/view_lock.c protocols/mutex/view_lock_table.c core/*.c problems/*.c"

built() { # NAME SOURCES OPTION...
    name=$1
    sources=$2
    shift 2
    # shellcheck disable=SC2086 # lists
    ${CC:-cc} -std=c11 -O2 ${WARN:-} -I. "$@" $sources $rules -o "$folder/$name"
}

build() {
    mkdir -p "$folder"
    node="$bus/node.c $bus/frames.c $bus/record.c"
    built trial "$bus/trial.c $bus/world.c $node" -DVIEW_LOCK_NODES=4
    built load8 "$bus/load.c $bus/frames.c" -DVIEW_LOCK_NODES=8
    built load64 "$bus/load.c $bus/frames.c" -DVIEW_LOCK_NODES=8 -DBUS_FRAME=64
}

load() {
    echo "| boards | tau, ms | lease, ms | bytes a letter | CAN: frames/s | load | at rest | CAN-FD: frames/s | load | at rest |"
    echo "|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    "$folder/load64" >"$folder/load64.rows"
    "$folder/load8" | paste -d ' ' - "$folder/load64.rows" | awk '
        { printf "| %s | %s | %s | %s | %s | %s %% | %s %% | %s | %s %% | %s %% |\n",
            $1, $2, $3, $4, $5, $6, $7, $12, $13, $14 }'
}

# Of the trial: how often a fault makes a board write its record.
wear() {
    echo "| faults a day | writes a year, each board | two slots of 10 000 erases last |"
    echo "|---:|---:|---:|"
    "$folder/trial" | awk '
        /record writes/ { writes = $(NF - 2) }
        / faults,/ { for (i = 1; i <= NF; i++) if ($i == "faults,") faults = $(i - 1) }
        END {
            each = writes / faults / 3
            for (day = 1; day <= 100; day *= 10)
                printf "| %d | %.0f | %.1f years |\n", day, each * day * 365,
                    20000 / (each * day * 365)
            printf "\nIn the trial a fault costs each board %.1f writes.\n", each
        }'
}

table() {
    load >"$folder/load.table"
    wear >"$folder/wear.table"
    awk -v folder="$folder" '
        match($0, /^<!-- (load|wear) -->/) {
            print
            name = folder "/" $2 ".table"
            while ((getline line <name) > 0) print line
            skip = 1
        }
        /^<!-- end -->/ { skip = 0 }
        !skip' "$1" >"$folder/page"
    cat "$folder/page" >"$1"
}

build
case $2 in
build) ;;
table) table "$3" ;;
esac
