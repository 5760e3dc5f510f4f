#!/usr/bin/env bash
# facts.sh BUILD [PROTOCOL] - what facts.txt of each protocol, or of this one, says that
# `fulcrum check` finds: verdict, states, transitions, terminal states, depth; and that
# each of its lines is a fact (docs/facts.md).
#
# MOST=STATES: searches of more states are left out (100000; "all").
# REWRITE=yes writes down what comes out; a new fact has its arguments alone.
set -u
cd "$(dirname "$0")/.."
. tests/tap.sh
. tests/protocols.sh
build=$1
most=${MOST:-100000}

# Lines of facts.txt as "KIND STATES TRANSITIONS TERMINAL DEPTH BROKEN ARGUMENTS"; BROKEN
# is "-" where it holds, and all of them are where nothing was written down yet.
columns() {
    awk '{
        arguments = substr($0, match($0, / -/) + 1)
        if ($2 ~ /^-/)
            print $1, "- - - - -", arguments
        else
            print $1, $2, $3, $4, $5, $1 == "holds" ? "-" : $6, arguments
    }'
}

# What is to be tried: all of them but long searches.
short() {
    awk -v most="$most" 'most == "all" || $2 == "-" || $2 <= most'
}

# found PROTOCOL: the same lines, as they come out now.
found() {
    local name=$1 kind rest arguments
    while read -r kind _ _ _ _ _ arguments; do
        # shellcheck disable=SC2086
        timeout "${LIMIT:-600}" "$build/fulcrum" check "$name" $arguments --json 2>"$tap_tmp/why" ||
            [ $? -eq 1 ] || jq -n --rawfile why "$tap_tmp/why" '{verdict: ($why | rtrimstr("\n"))}'
    done | jq -r '"\(.verdict) \(.states) \(.transitions) \(.terminal) \(.steps // .depth
        ) \((.property // "-") | gsub(", "; ","))"'
}

# as_written PROTOCOL: prints the differences.
as_written() {
    local name=$1
    facts 'holds|violated' "$name" | cut -d' ' -f2- | columns | short >"$tap_tmp/told"
    [ -s "$tap_tmp/told" ] || return 0
    found "${name//_/-}" <"$tap_tmp/told" >"$tap_tmp/now"
    cut -d' ' -f7- "$tap_tmp/told" | paste -d' ' "$tap_tmp/now" - >"$tap_tmp/found"
    diff "$tap_tmp/told" "$tap_tmp/found"
}

# as_typed PROTOCOL: the same of properties that are typed: "typed holds TEXT  ARGUMENTS",
# "typed violated STEPS TEXT  ARGUMENTS"; prints the differences.
as_typed() {
    local name=${1//_/-} wanted text arguments found
    while IFS='|' read -r wanted text arguments; do
        # shellcheck disable=SC2086
        found=$("$build/fulcrum" check "$name" $arguments --only property \
            --property "$text" --json 2>&1 |
            jq -r '.verdict + if .steps then " \(.steps)" else "" end' 2>&1)
        [ "$found" = "$wanted" ] || echo "$text  $arguments: $wanted, and is: $found"
    done < <(facts typed "$1" | sed -nE \
        's/^[^ ]+ typed (holds|violated +[0-9]+) +(.*[^ ])  +(-.*)$/\1|\2|\3/; s/^(violated) +/\1 /; p')
}

# rewrite PROTOCOL: a verdict is what the author expects, and stays.
rewrite() {
    local file
    file=$(protocol_folder "$1")/facts.txt
    as_written "$1" >/dev/null
    [ -s "$tap_tmp/told" ] || return 0
    if ! diff <(cut -d' ' -f1 "$tap_tmp/told") <(cut -d' ' -f1 "$tap_tmp/found") >/dev/null; then
        echo "not what $file says:"
        diff "$tap_tmp/told" "$tap_tmp/found"
        return 1
    fi
    awk -v most="$most" -v found="$tap_tmp/found" '
        $1 != "holds" && $1 != "violated" { print; next }
        $2 !~ /^-/ && most != "all" && $2 > most { print; next }
        {
            arguments = substr($0, match($0, / -/) + 1)
            getline line <found
            split(line, is, " ")
            printf "%-8s %10s %12s %9s %6s  %s%s\n", $1, is[2], is[3], is[4], is[5],
                is[6] == "-" ? "" : is[6] "  ", arguments
        }' "$file" >"$tap_tmp/new"
    cmp -s "$tap_tmp/new" "$file" || { cp "$tap_tmp/new" "$file"; echo "wrote $file"; }
}

# Kinds that there are; and those without which a protocol is not described.
well_formed() {
    local file
    file=$(protocol_folder "$1")/facts.txt
    [ -e "$file" ] || { echo "there is no $file"; return 1; }
    awk -v known="how by messages page board wire about with holds violated typed found loses runs costs broken" \
        -v wanted="how by messages page runs broken" '
        BEGIN { for (i = split(known, word); i > 0; i--) is[word[i]] }
        /^(#|$)/ { next }
        /^[-+] / && last == "broken" { next }
        { last = $1; seen[$1]++ }
        !($1 in is) { print FILENAME ":" FNR ": no fact is called " $1; bad = 1 }
        END {
            for (i = split(wanted, word); i > 0; i--)
                if (!(word[i] in seen)) { print FILENAME ": nothing on " word[i]; bad = 1 }
            if (!(("holds" in seen) || ("violated" in seen))) {
                print FILENAME ": nothing is checked"; bad = 1 }
            exit bad
        }' "$file"
}

# shellcheck disable=SC2086
for name in ${2:-$(protocols_listed)}; do
    if [ "${REWRITE:-}" = yes ]; then
        rewrite "$name" || tap_failed=1
        continue
    fi
    holds "each line of facts.txt of ${name//_/-} is a fact" well_formed "$name"
    holds "what is checked of ${name//_/-} is as its facts.txt says" as_written "$name"
    ! facts typed "$name" | grep -q . ||
        same "what is typed of ${name//_/-} is so" "" "$(as_typed "$name")"
done
tap_end
