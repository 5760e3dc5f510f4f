#!/usr/bin/env bash
# documents.sh BUILD - every command that a page shows prints what the page says.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1

# Pages are independent: all cores run their commands, and then each page is
# reported.
pages=(README.md docs/{design,trace,faults,check}.md docs/protocols/*.md)
went() { cat "$1" && [ ! -e "$1.bad" ]; }
printf '%s\n' "${pages[@]}" | ROOM=$tap_tmp xargs -P "$(nproc)" -I{} sh -c '
    said=$ROOM/$(echo "$2" | tr / -)
    bash docs/console.sh "$1" "$2" >"$said" 2>&1 || touch "$said.bad"
' sh "$build/fulcrum" {}
for page in "${pages[@]}"; do
    holds "$page shows what its commands print" went "$tap_tmp/${page//\//-}"
done

tap_end
