#!/usr/bin/env bash
# pictures.sh FULCRUM PAGE... - every picture of a page is what its command
# draws, and its words are the picture's title.
#
# A picture is a line ![WORDS](PATH.svg); the next line that is not empty is its
# command, in backticks: `fulcrum ... --svg NAME.svg`, or `fulcrum draw NAME.trace
# -o NAME.svg` of a trace beside the picture.  Pictures without one are left alone.  Silent, with exit status 0, if all agree.  REWRITE=yes draws them
# anew instead, and writes their titles into the pages.
set -eu
fulcrum=$(realpath "$1")
shift
export LC_ALL=C.UTF-8
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# Lines PATH<tab>COMMAND<tab>WORDS of a page; the words may be empty.
pictures_of() {
    awk '
        /^!\[.*\]\([^)]*\.svg\)$/ {
            path = words = $0
            sub(/^.*\]\(/, "", path); sub(/\)$/, "", path)
            sub(/^!\[/, "", words); sub(/\]\([^)]*\)$/, "", words)
            next
        }
        path != "" && /^`fulcrum .* (--svg|-o) [^ ]*\.svg`$/ {
            print path "\t" substr($0, 10, length($0) - 10) "\t" words
        }
        /./ { path = "" }' "$1"
}

# The title of a picture, as a page can say it.
title_of() {
    sed -n "s/^<title[^>]*>\(.*\)<\/title>\$/\1/p" "$1" | head -n 1 |
        sed -e 's/\xc2\xa0/ /g' -e 's/&#39;/'"'"'/g' -e 's/&lt;/</g' \
            -e 's/&gt;/>/g' -e 's/&quot;/"/g' -e 's/&amp;/\&/g'
}

complain() {
    echo "$1"
    failed=1
}

for page; do
    folder=$(dirname "$page")
    while IFS=$'\t' read -r path command words; do
        drawn=$tmp/${command##* }
        case $command in draw*.trace*)
            cp "$(dirname "$folder/$path")"/*.trace "$tmp" ;;
        esac
        (cd "$tmp" && eval "\"$fulcrum\" $command" >said 2>&1) ||
            [ -s "$drawn" ] || {
            complain "$page: 'fulcrum $command' draws nothing"
            cat "$tmp/said"
            continue
        }
        title=$(title_of "$drawn")
        if [ "${REWRITE:-}" = yes ]; then
            mkdir -p "$(dirname "$folder/$path")"
            cp "$drawn" "$folder/$path"
            awk -v path="($path)" -v title="$title" '
                index($0, "![") == 1 && index($0, "]" path) {
                    $0 = "![" title "]" path
                }
                { print }' "$page" >"$tmp/page"
            cmp -s "$tmp/page" "$page" || cp "$tmp/page" "$page"
            continue
        fi
        [ "$words" = "$title" ] ||
            complain "$page: the title of $path is \"$title\""
        cmp -s "$drawn" "$folder/$path" ||
            complain "$folder/$path is not what 'fulcrum $command' draws"
    done < <(pictures_of "$page")
done
[ "$failed" -eq 0 ] || echo "see the difference after: make pictures"
exit "$failed"
