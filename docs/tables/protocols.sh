#!/usr/bin/env bash
# protocols.sh [ROOT] - the tables that the folders of the protocols give: those of
# README.md, docs/README.md, docs/firmware.md and docs/verification.md between
# <!-- table NAME --> and <!-- end NAME -->.  Nobody edits them: `make facts` writes
# them from each facts.txt (docs/facts.md).
set -eu
tables=$(cd "$(dirname "$0")" && pwd)
cd "${1:-$tables/../..}"
. "$tables/page.sh"
. "$tables/../../tests/protocols.sh"

# family NAME: election, mutex, shared.
family() { basename "$(dirname "$(protocol_folder "$1")")"; }

# fact KIND NAME: what it says, without its name and kind.
fact() { facts "$1" "$2" | cut -d' ' -f3-; }

# overview FAMILIES HEAD: a row for each.
overview() {
    local name
    echo "| name | $2 | by | messages |"
    echo "|---|---|---|---|"
    for name in $(protocols_listed); do
        case " $1 " in *" $(family "$name") "*) ;; *) continue ;; esac
        [ -n "$(fact how "$name")" ] || continue
        echo "| [\`${name//_/-}\`]($(protocol_folder "$name")/README.md) | $(fact how "$name") | $(
            fact by "$name") | $(fact messages "$name") |"
    done
}

pages() {
    echo '| page | |'
    echo '|---|---|'
    facts page | while read -r name _ says; do
        echo "| [$name](../$(protocol_folder "$name")/README.md) | $says |"
    done
}

sizes() {
    echo '| protocol | code | with table | state | parameters | event, outbox | packet | stack |'
    echo '|---|---:|---:|---:|---:|---:|---:|---:|'
    facts board | awk '{ printf "| %s |", $1
        for (i = 3; i <= NF; i++) printf " %s |", $i
        print "" }'
}

# What is checked of each protocol, under the headings of its facts.
checks() {
    local name
    for name in $(protocols_listed); do
        facts 'about|holds|violated' "$name" | awk -v folder="$(protocol_folder "$name")" '
            function head() {
                if (headed++) return
                print ""
                print "| command | verdict | states | transitions | terminal | depth |"
                print "|---|---|--:|--:|--:|--:|"
            }
            NR == 1 { printf "%s## [%s](../%s/README.md)\n", "\n", $1, folder }
            $2 == "about" { sub(/^[^ ]+ about /, ""); print "\n### " $0; headed = 0; next }
            {
                head()
                arguments = substr($0, match($0, / -/) + 1)
                verdict = $2
                if ($2 == "violated") { verdict = verdict ": " $7; gsub(/,/, ", ", verdict) }
                printf "| `%s %s` | %s | %s | %s | %s | %s |\n", $1, arguments, verdict,
                    $3, $4, $5, $6
            }'
    done
}

overview election problem | table README.md elections
overview "mutex shared" how | table README.md mutexes
sed -i "s|<!-- protocols -->[0-9]*<!-- end -->|<!-- protocols -->$(protocols_listed |
    wc -l)<!-- end -->|" README.md
pages | table docs/README.md protocols
sizes | table docs/firmware.md sizes
checks | tail -n +2 | table docs/verification.md checks
