#!/usr/bin/env bash
# documents.sh BUILD - every command that a page shows prints what the page says,
# and what pages say of the project as a whole is so.  REWRITE=yes draws the
# terminal of the README anew.  LONG=yes: also commands marked "console long".
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1

# Pages are independent: all cores run their commands, and then each page is
# reported.
pages=(README.md docs/{design,trace,faults,check,check-numbers,extremes,worst,sweep,rehearse}.md protocols/*/*/README.md)
went() { cat "$1" && [ ! -e "$1.bad" ]; }
printf '%s\n' "${pages[@]}" | SAID=$tap_tmp xargs -P "$(nproc)" -I{} sh -c '
    said=$SAID/$(echo "$2" | tr / -)
    env -u REWRITE bash docs/console.sh "$1" "$2" >"$said" 2>&1 || touch "$said.bad"
' sh "$build/fulcrum" {}
for page in "${pages[@]}"; do
    holds "$page shows what its commands print" went "$tap_tmp/${page//\//-}"
done

# What takes long is left to make soak: no page is, as a whole.
short_ones() {
    ! grep -l '^```console long$' "${pages[@]}" | xargs grep -L '^```console$' | grep .
}
holds "every page has blocks that are not long" short_ones

# differs WORD [LONG]: a block with this mark that shows something else is noticed.
differs() {
    printf '```%s\n$ echo one\ntwo\n```\n' "$1" >"$tap_tmp/page.md"
    ! env -u REWRITE LONG="${2:-}" bash docs/console.sh "$build/fulcrum" "$tap_tmp/page.md"
}
holds "what a block shows wrongly is noticed" differs console
holds "in a long one with LONG=yes" differs "console long" yes
holds "and only then" eval '! differs "console long"'

# ---- The project as a whole ----------------------------------------------------

picture=docs/images/terminal.svg
bash docs/terminal.sh "$build/fulcrum" "fulcrum sim vitanyi -n 8" \
    "fulcrum check chang-roberts -n 3 --set loser=stops | tail -n 13" \
    >"$tap_tmp/terminal.svg"
[ "${REWRITE:-}" != yes ] || cp "$tap_tmp/terminal.svg" $picture
holds "the terminal in the README shows what is printed now" \
    diff $picture "$tap_tmp/terminal.svg"

# Commands of live nodes are run by tests/live/live_page.sh and others, the server
# of the page by tests/web/web.sh; a hundred million processors take too long.
# All claims are tried by reproduce.sh; here one is enough without LONG=yes.
toured() {
    local line code bad=0 some=l22-tree
    [ "${LONG:-}" != yes ] || some=
    mkdir -p "$tap_tmp/tour/bin"
    ln -s "$(realpath "$build/fulcrum")" "$tap_tmp/tour/bin/fulcrum"
    while read -r line; do
        (cd "$tap_tmp/tour" && PATH=$tap_tmp/tour/bin:$PATH bash -c "$line") \
            >/dev/null 2>&1
        code=$?
        [ $code -le 1 ] || { echo "exit $code: $line"; bad=1; }
    done < <(sed -n '/^## A tour/,/^## Pro/p' README.md |
        sed -e ':more' -e '/\\$/{N;s/\\\n *//;b more}' |
        sed -n 's/^    \(fulcrum .*\)/\1/p' |
        sed "s/^fulcrum reproduce --quick/& $some/" |
        grep -vE '^fulcrum (keygen|node|lock|status|fence|demo|web)|-n 100000000')
    return $bad
}
holds "the tour in the README runs" toured

same "the README says which protocols are a service" \
    "$(grep -rhoE 'protocols/[a-z]+/[a-z_]+/[a-z_]+\.c"' live | sed 's|.*/||; s|\.c"||' |
        tr _ - | sort -u)" \
    "$(sed -n '/Two are a service/,/^$/p' README.md | grep -oE '`[a-z]+-?[a-z]+`' |
        tr -d '`' | sort -u)"

# What a link or a name in the list of documents leads to.
all_listed() {
    ! { git ls-files 'docs/*.md' ':(glob)docs/examples/*.c' | grep -v '^docs/README.md$' |
        while read -r page; do
            grep -qF "](${page#docs/})" docs/README.md || echo "$page"
        done
        git ls-files man | while read -r page; do
            name=${page#man/}
            grep -qF "\`${name%.*}(${name##*.})\`" docs/README.md || echo "$page"
        done; } | grep .
}
holds "docs/README.md lists every page and manual page" all_listed

version=$(sed -n 's/^VERSION := //p' Makefile)
same "the command has the version of the Makefile" "fulcrum $version" \
    "$("$build/fulcrum" --version)"
same "the library has it" "Version: $version" "$(grep Version "$build/fulcrum.pc")"
released=$(sed -nE "s/^## $version \(([0-9]{4}(-[0-9]{2}){2})\)\$/\1/p" CHANGELOG.md)
# What is not released yet may stand before it.
same "the changelog begins with it, and its date" "## $version ($released)" \
    "$(grep -v "^## Unreleased$" CHANGELOG.md | grep -m 1 "^## ")"
same "debian/changelog has the version" "$version" \
    "$(sed -n '1s/^fulcrum (\(.*\)) .*/\1/p' debian/changelog)"
same "CITATION.cff has both" "version: $version
date-released: \"$released\"" "$(grep -E '^(version|date-released):' CITATION.cff)"

# docs/releases.txt: each version that the changelog closes, its date, and the commit
# that set it.  A release cannot name itself: as long as nothing follows it, its line
# may be missing.
closed() {
    sed -nE 's/^## ([0-9.]+) \((.*)\)$/\1 \2/p' "$1" | sed 's/not released/-/'
}
releases_are_listed() { # CHANGELOG RELEASES
    awk '!/^#/ { print $1, $2 }' "$2" >"$tap_tmp/listed"
    closed "$1" >"$tap_tmp/closed"
    if git diff HEAD^ HEAD -- Makefile 2>/dev/null | grep -q '^+VERSION := ' &&
        ! grep -qF "$(head -n 1 "$tap_tmp/closed")" "$tap_tmp/listed"; then
        sed -i 1d "$tap_tmp/closed"
    fi
    diff "$tap_tmp/closed" "$tap_tmp/listed"
}
# A clone without all of its history has some of these commits.
releases_set_their_version() { # RELEASES
    local bad=0 version commit
    while read -r version _ commit; do
        git cat-file -e "$commit^{commit}" 2>/dev/null || {
            [ -n "$shallow" ] || { echo "$version: no commit $commit"; bad=1; }
            continue
        }
        git show --format= "$commit" -- Makefile | grep -qx "+VERSION := $version" ||
            { echo "$commit does not set version $version"; bad=1; }
    done < <(grep -v '^#' "$1")
    return $bad
}
shallow=
[ "$(git rev-parse --is-shallow-repository 2>/dev/null)" = false ] || shallow=yes
holds "docs/releases.txt has the releases of the changelog" \
    releases_are_listed CHANGELOG.md docs/releases.txt
holds "and the commits that set their versions" releases_set_their_version docs/releases.txt
grep -v "^0.3" docs/releases.txt >"$tap_tmp/fewer.txt"
sed -E "s/ [0-9a-f]{40}/ $(git rev-parse HEAD 2>/dev/null)/" docs/releases.txt >"$tap_tmp/other.txt"
holds "a release without a line is noticed" \
    eval "! releases_are_listed CHANGELOG.md $tap_tmp/fewer.txt"
[ -n "$shallow" ] || holds "a commit that sets no version is noticed" \
    eval "! releases_set_their_version $tap_tmp/other.txt"

# A report: what is committed cannot be mended.
git log --no-merges -n 100 --format=%s 2>/dev/null | {
    odd=0
    while read -r subject; do
        echo "$subject" >"$tap_tmp/subject"
        sh scripts/hooks/commit-msg "$tap_tmp/subject" 2>/dev/null || odd=$((odd + 1))
    done
    echo "# $odd of the last hundred commits have a subject of another form"
}
for subject in 'check: refuse ids that do not fit a memo key' 'live, docs: name the cgroup'; do
    echo "$subject" >"$tap_tmp/subject"
    holds "the hook takes: $subject" sh scripts/hooks/commit-msg "$tap_tmp/subject"
done
for subject in 'Fixed it' 'check: refuse ids.' 'check:' \
    'check: a number that has no room in a question is refused before'; do
    echo "$subject" >"$tap_tmp/subject"
    holds "the hook refuses: $subject" \
        eval "! sh scripts/hooks/commit-msg $tap_tmp/subject 2>/dev/null"
done

for file in .github/workflows/check.yml .gitlab-ci.yml; do
    holds "$file runs make check" grep -qE -- '- (run: )?make check$' $file
done

tap_end
