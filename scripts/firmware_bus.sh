#!/bin/sh
# firmware_bus.sh FOLDER PAGE - what view-lock costs on a bus, and how often it writes
# its record, as tables: put into a page, between their marks.
#
# FOLDER has the trial of docs/examples/firmware/bus, and what counts its frames; make
# firmware-load says all of that.
set -eu
cd "$(dirname "$0")/.."
folder=$1
page=$2

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
    !skip' "$page" >"$folder/page"
cat "$folder/page" >"$page"
