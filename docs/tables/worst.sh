#!/usr/bin/env bash
# worst.sh FULCRUM [PAGE] - the table of docs/worst.md: for each u/m the most
# passes of Vitanyi's election that 'fulcrum worst' finds.  About two minutes.
set -eu
cd "$(dirname "$0")/../.."
fulcrum=$1
page=${2:-docs/worst.md}
budget=20000
. docs/tables/page.sh

# row RATIO NODES WORDS WORDS: the bound, and for each list of options the passes
# and passes/N, in bold if they are beyond the bound; "-": nothing.
row() {
    local ratio=$1 nodes=$2 speeds=$3 delays=$4 cells=() bound words said
    for words in "$speeds" "$delays"; do
        [ -n "$words$delays" ] || [ ${#cells[@]} -eq 0 ] || { cells+=("-"); continue; }
        # shellcheck disable=SC2086
        said=$("$fulcrum" worst vitanyi -n "$nodes" --of passes $words \
            --budget $budget --seed 1 --json 2>/dev/null)
        cells+=("$(jq -r '"\(.value), \(.value / .nodes * 1000 | round / 1000)" as
            $cell | if .bound.within then $cell else "**\($cell)**" end' <<<"$said")")
        bound=$(jq -r '.bound.value * 10 | round / 10' <<<"$said")
    done
    echo "| $ratio | $nodes | $bound | ${cells[0]} | ${cells[1]} |"
}

passes() {
    echo '| u/m | N | 2N + 3Nu/m | speeds vary | delays and phases vary |'
    echo '|---|--:|--:|--:|--:|'
    phases="--over names,wake,delays,phases"
    while read -r ratio speeds delays; do
        for n in 25 50 100 200 400; do
            row "$ratio" $n "${speeds:+--bounds $speeds}" \
                "${delays:+--bounds $delays $phases}"
        done
    done <<'END'
1
1.1 10:11:0:0 20:20:0:2
1.25 4:5:0:0 20:20:0:5
1.5 2:3:0:0 20:20:0:10
2 1:2:0:0 20:20:0:20
END
}

passes | table "$page" passes
