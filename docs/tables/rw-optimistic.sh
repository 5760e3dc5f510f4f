#!/bin/bash
# rw-optimistic.sh - the table of protocols/shared/rw_optimistic/README.md: the greatest
# expected attempts of a read with the paper's waits.
#
#     docs/tables/rw-optimistic.sh build/fulcrum [PAGE]
#
# It takes about a minute.

set -eu
fulcrum=$(realpath "${1:-build/fulcrum}")
page=${2:-protocols/shared/rw_optimistic/README.md}
. "$(dirname "$0")/page.sh"

attempts() {
    echo '| γ | words | states | greatest expectation | 2/γ + 1 | endless failure |'
    echo '|---|--:|--:|--:|--:|---|'
    for words in 1 2; do
        for gamma in 1:1 4:5 3:4 2:3 1:2 1:3 1:4; do
            [[ $words == 2 && $gamma =~ ^(4:5|3:4|1:3|1:4)$ ]] && continue
            "$fulcrum" check rw-optimistic -n 2 --bounds $gamma:0:0 \
                --clock drift --set writes=always --set words=$words \
                --set modulus=4 --set waits=paper --expect attempts \
                --no-cycles --json |
                jq -r --arg gamma ${gamma/:/\/} --arg words $words '
                    .expect.max as $m | ($gamma / "/" | map(tonumber)) as $g |
                    [($gamma | if . == "1/1" then "1" else . end), $words,
                     .states,
                     (if $m.infinite then "infinite" elif $m.most then
                        ($m.most * 10000 | round / 10000)
                      else "more than \($m.least | floor)" end),
                     (2 * $g[1] / $g[0] + 1 | . * 100 | round / 100),
                     (if $m.infinite then "yes" else "no" end)] |
                    "| \(map(tostring) | join(" | ")) |"'
        done
    done
}

attempts | table "$page" attempts
