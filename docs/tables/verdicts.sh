#!/usr/bin/env bash
# verdicts.sh - the verdicts of the lab, as README.md and the pages show them.
#
#     fulcrum reproduce --quick --json | docs/tables/verdicts.sh rows
#     docs/tables/verdicts.sh pages [ROOT]
#
# rows: a line for each part of a claim, for lab/verdicts.tsv.  pages: the tables
# between <!-- table verdicts --> and <!-- end verdicts --> of README.md, of
# docs/lab.md and of the protocols, made from that file; `make verdicts` does both.
set -eu
tables=$(cd "$(dirname "$0")" && pwd)

rows() {
    printf '%s\t' claim protocols says finding verdict of
    echo evidence
    jq -r '.claims[] | .id as $id | .parts[] |
        [$id + (if .part == "" then "" else "." + .part end),
         (.protocols | join(",")), .says, .finding, .verdict,
         (if .verdict == "repaired" then .repair
          elif .verdict == "loose" then "×" + (.factor * 100 | round / 100 | tostring)
          else .reading // "" end),
         .evidence // "none"] | map(gsub("[\t\n]"; " ")) | join("\t")'
}

# What the tables share: the columns of a line, as Markdown and in its signs.
columns='
    BEGIN {
        FS = "\t"
        sign["holds"] = "✓ holds"; sign["loose"] = "~ loose"
        sign["violated"] = "✗ violated"; sign["repaired"] = "+ repaired"
        sign["undecided"] = "? not decided"
    }
    function text(words) { gsub(/[|*_<]/, "\\\\&", words); return words }
    function row() {
        printf "| `%s` | %s | %s | %s%s | %s |\n", $1, text($3), text($4),
            sign[$5], $6 == "" ? "" : " (" text($6) ")", $7
    }
    function head() {
        print "| claim | the paper says | measured | verdict | evidence |"
        print "|---|---|---|---|---|"
    }
    NR == 1 { next }'

# The claims that are about a protocol.
of_protocol() {
    cat <<'END'
What papers claim of it, judged by `fulcrum reproduce --quick`; in brackets the
reading of the print, the repair, or the factor by which a bound is loose. `fulcrum
reproduce CLAIM` shows one claim whole, with its counterexample.

END
    awk -v name="$1" "$columns"'
        NR == 2 { head() }
        index("," $2 ",", "," name ",") { row() }' lab/verdicts.tsv
}

# title PREFIX: the paper whose claims begin so.
papers='st89 v84 l16 l22'
title() {
    case $1 in
    st89) echo "Spirakis and Tampakas 1989" ;;
    v84) echo "Vitányi 1984" ;;
    l16) echo "lecture 16" ;;
    l22) echo "lecture 22" ;;
    esac
}

# How many of each verdict: a line for each paper, and one for all.
counts() {
    local paper
    echo '| | parts of claims | hold | loose | violated | hold after a repair | not decided |'
    echo '|---|--:|--:|--:|--:|--:|--:|'
    for paper in $papers ''; do
        awk -v paper="$paper" -v title="$(title "$paper")" "$columns"'
            index($1, paper (paper == "" ? "" : "-")) == 1 { n[$5]++; all++ }
            END {
                printf "| %s | %d | %d | %d | %d | %d | %d |\n",
                    paper == "" ? "all" : title, all, n["holds"], n["loose"],
                    n["violated"], n["repaired"], n["undecided"]
            }' lab/verdicts.tsv
    done
}

# What does not hold as printed and has no repair, paper by paper.
bad() {
    local paper
    for paper in $papers; do
        grep -qE "^$paper-.*	(violated|undecided)	" lab/verdicts.tsv || continue
        echo "### $(title "$paper" | sed 's/^l/L/')"
        echo
        awk -v paper="$paper-" "$columns"'
            NR == 2 { head() }
            index($1, paper) == 1 && $5 ~ /violated|undecided/ { row() }' lab/verdicts.tsv
        echo
    done
}

pages() {
    local name
    cd "$1"
    . "$tables/page.sh"
    counts | table README.md verdicts
    bad | table docs/lab.md verdicts
    for name in $(cut -f2 lab/verdicts.tsv | tail -n +2 | tr , '\n' | sort -u); do
        of_protocol "$name" | table "$(echo protocols/*/"${name//-/_}"/README.md)" verdicts
    done
}

case ${1:-} in
rows) rows ;;
pages) pages "${2:-$tables/../..}" ;;
*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
