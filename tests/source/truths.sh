#!/usr/bin/env bash
# truths.sh BUILD - what comments and pages say of the tree, as far as a script
# can tell: labels of rules, names of files, options, verdicts.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/protocols.sh
[ $# -eq 1 ] || { echo "usage: bash tests/source/truths.sh BUILD" >&2; exit 2; }
fulcrum=$1/fulcrum

pages() {
    git ls-files README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md 'docs/*.md' \
        'protocols/*.md'
}

# ---- Labels of rules ---------------------------------------------------------

# One protocol, one prefix; two protocols, two.
prefixes_are_unique() {
    local page
    for page in protocols/*/*/README.md; do
        grep -ohE '\b[A-Z]{2,3}-[A-Z]?[0-9]{1,2}\b' $(sources_of "$page") /dev/null |
            sed 's/-.*//' | sort -u | sed "s|\$| $page|"
    done >"$tap_tmp/prefixes"
    ! { cut -d' ' -f1 "$tap_tmp/prefixes" | sort | uniq -d
        cut -d' ' -f2 "$tap_tmp/prefixes" | sort | uniq -d; } | grep .
}

for page in protocols/*/*/README.md; do
    [ -n "$(sources_of "$page")" ] || continue
    holds "$page defines the labels of its code" labels_are_defined "$page"
    holds "the code has the labels of $page" labels_are_used "$page"
done
holds "a prefix of labels belongs to one protocol" prefixes_are_unique

# The live locks say V4 for VL-V4, and have rules of their own in
# docs/live-inside.md.
live_label='([FKLPVW][0-9]|R[89])'
live_labels_own() {
    sed -nE "s/^\| ($live_label) \|.*/\1/p" docs/live-inside.md | sort
}
live_labels_defined() {
    { labels_defined protocols/mutex/view_lock/README.md | sed 's/VL-//'
        live_labels_own; } | sort
}
live_labels_used() {
    grep -ohE "\b$live_label\b" "$@" $(git ls-files live cli tests/unit/live \
        tests/source/mutants.txt tests/command/rehearse.txt tests/command/cluster.txt \
        docs/rehearse.md docs/live.md 'docs/live-*.md' \
        ':!docs/live-inside.md' man/fulcrum-rehearse.1) | sort -u
}
live_labels_are_defined() {
    ! comm -23 <(live_labels_used "$@") <(live_labels_defined) | grep .
}
undefined_is_noticed() {
    echo 'so says K0' >"$tap_tmp/page.md"
    ! live_labels_are_defined "$tap_tmp/page.md"
}
live_labels_are_used() {
    ! comm -13 <(live_labels_used) <(live_labels_own) | grep .
}
live_labels_are_defined_once() {
    ! live_labels_defined | uniq -d | grep .
}
holds "docs/live-inside.md and view-lock's page define the labels of the live locks" \
    live_labels_are_defined docs/live-inside.md
holds "a label of theirs that is not defined is noticed" undefined_is_noticed
holds "each is defined once" live_labels_are_defined_once
holds "the labels of docs/live-inside.md are used" live_labels_are_used

# A label is defined on a page, so a protocol of the table has one.
protocols_have_pages() {
    ! protocols_listed "$1" | while read -r name; do
        [ -e "$(protocol_folder "$name")/README.md" ] || echo "$name has no README.md"
    done | grep .
}
holds "every protocol has a page" protocols_have_pages protocols/all.h

# ---- Names of files ----------------------------------------------------------

# What the reader of a tutorial is to write, and what is made or installed.
not_in_the_tree='patient|SOURCE|FAMILY|(census|baton|echo|eager)\.[ch]|election/eager|^build/|^docs/images/'
rooms=$(git ls-files '[a-z]*/*' | sed 's|/.*||' | sort -u | paste -sd'|')
endings='c|h|inc|sh|md|txt|mk|awk|svg|ini|tsv|ts|mjs|css|html'

# Paths with a folder, from the root or from the page.
paths_exist() {
    local bad=0 where path
    while IFS=: read -r where line path; do
        [ -e "$path" ] || [ -e "$(dirname "$where")/$path" ] ||
            [ -e "$(dirname "$where")/../$path" ] ||
            { echo "$where:$line: no $path"; bad=1; }
    done < <(grep -onP \
        "(?<!usr/)\b($rooms)/[A-Za-z0-9_./-]*\.($endings)(\.\w+)?\b" "$@" /dev/null |
        grep -vE ":[0-9]+:.*($not_in_the_tree)")
    return $bad
}

# A name without a folder, in a comment: a file of the same room, or of one that
# everybody knows.
bare_names_exist() {
    local room
    ! for room in $(git ls-files '*.c' '*.h' '*.inc' | grep -vE '^docs/|^tests/' |
        sed 's|/.*||' | sort -u); do
        git ls-files "$room" core problems net trace |
            sed 's|.*/||' | sort -u >"$tap_tmp/names"
        git ls-files "$room" | grep -E '\.(c|h|inc)$' | xargs awk '
            FILENAME == ARGV[1] { known[$0]; next }
            !/^( \*|\/\*|     *\*|.*\/\* )/ { next }
            {
                rest = $0
                while (match(rest, /(^|[ (])[a-z][a-z_0-9]+\.(c|h|inc)/)) {
                    name = substr(rest, RSTART, RLENGTH)
                    rest = substr(rest, RSTART + RLENGTH)
                    sub(/^[ (]/, "", name)
                    if (rest !~ /^[A-Za-z0-9_]/ && !(name in known))
                        print FILENAME ": no " name
                }
            }' "$tap_tmp/names"
    done | grep .
}

# Paths in backticks, with or without an ending: folders, patterns, programs.
quoted_paths_exist() {
    local bad=0 where line path
    while IFS=: read -r where line path; do
        path=${path//\`/}
        path=${path%/}
        compgen -G "$path" >/dev/null ||
            compgen -G "$(dirname "$where")/$path" >/dev/null ||
            { echo "$where:$line: no $path"; bad=1; }
    done < <(grep -onE "\`($rooms)/[^\` ]*\`" "$@" /dev/null |
        grep -vE ":[0-9]+:.*($not_in_the_tree)")
    return $bad
}

# Enumerators, traits and structs of the interface, in backticks.
interface_exists() {
    ! grep -ohE '`(FC|ELECTION|MUTEX)_[A-Z_]+`|`fc_[a-z_]+`' "$@" /dev/null |
        tr -d '`' | sort -u | while read -r word; do
        git grep -qw -e "$word" -- core problems || echo "no $word"
    done | grep .
}

# The anchors that a page offers, as Git hosts make them from its headings.
anchors_of() {
    sed -nE 's/^#+ //p' "$1" | tr '[:upper:]' '[:lower:]' |
        sed -E 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Links to other pages, to files, and to headings.
links_lead_somewhere() {
    local bad=0 where line link page
    while IFS=: read -r where line link; do
        link=${link#](}
        link=${link%)}
        page=$where
        [ -z "${link%%#*}" ] || page=$(dirname "$where")/${link%%#*}
        [ -e "$page" ] || { echo "$where:$line: no $link"; bad=1; continue; }
        case $link in
        *'#'*)
            anchors_of "$page" | grep -qxF -e "${link#*#}" ||
                { echo "$where:$line: no heading for $link"; bad=1; }
            ;;
        esac
    done < <(awk '
        FNR == 1 { block = 0 }
        /^```/ { block = !block }
        { for (rest = $0; !block && match(rest, /\]\([^):]+\)/); rest = substr(rest, RSTART + RLENGTH))
            print FILENAME ":" FNR ":" substr(rest, RSTART, RLENGTH) }' "$@")
    return $bad
}

# Each of the checks must fail on a page that is wrong in one place.
notices() {
    printf '# A page\n\n%s\n' "$2" >"$tap_tmp/page.md"
    ! "$1" "$tap_tmp/page.md"
}

holds "a protocol without a page is noticed" \
    notices protocols_have_pages '    X(no_such_protocol)'
holds "a path that does not exist is noticed" \
    notices paths_exist 'See live/host/nothing'.c
holds "a folder that does not exist is noticed" \
    notices quoted_paths_exist 'See `live/nowhere/`.'
holds "a link to a missing page is noticed" \
    notices links_lead_somewhere 'See [that](nowhere.md).'
holds "a link to a missing heading is noticed" \
    notices links_lead_somewhere 'See [that](#another-page).'

holds "a word of the interface that does not exist is noticed" \
    notices interface_exists 'See `FC_NO_SUCH_TRAIT`.'
holds "words of the interface on pages exist" interface_exists $(pages)
holds "paths on pages exist" paths_exist $(pages)
holds "paths in backticks on pages exist" quoted_paths_exist $(pages)
holds "links on pages lead somewhere" links_lead_somewhere $(pages)
holds "paths in man pages exist" paths_exist $(git ls-files man)
holds "paths in sources exist" paths_exist \
    $(git ls-files '*.c' '*.h' '*.inc' '*.sh' '*.ts' '*.mjs' |
        grep -v '^docs/tutorial')
holds "files that comments name are in their room" bare_names_exist

# ---- Names of functions ------------------------------------------------------

# A function that a comment or a page names with () is somewhere in code, perhaps
# pasted together, as raymond and _step are; P_step() and X_view() are those of any
# protocol and problem.  Some are the system's, or the reader's.
functions_elsewhere='adjtime uv_async_send exit printf my_clock stop_this_node'
functions_exist() {
    ! git ls-files '*.c' '*.h' '*.inc' | xargs awk -v elsewhere="$functions_elsewhere" '
        function look(text, where,    name) {
            while (match(text, /[A-Za-z_][A-Za-z0-9_]*\(\)/)) {
                name = substr(text, RSTART, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
                said[where ": no " name "()"] = name
            }
        }
        function read(code,    word, n) {
            n = split(code, word, /[^A-Za-z0-9_]+/)
            while (n > 0) {
                known[word[n]]
                sub(/^[a-z]+/, "", word[n])
                ending[word[n--]]
            }
        }
        function is_known(name,    at) {
            if (name in known) return 1
            if (name ~ /^[PX]_/) return substr(name, 2) in ending
            for (at = length(name); at > 1; at--)
                if (substr(name, at) in known && substr(name, 1, at - 1) in known &&
                    substr(name, at, 1) == "_")
                    return 1
            return 0
        }
        BEGIN { n = split(elsewhere, word); while (n > 0) known[word[n--]] }
        FILENAME ~ /[.](md|1|3|5)$/ { look($0, FILENAME ":" FNR); next }
        {
            rest = $0
            while (rest != "") {
                at = index(rest, comment ? "*/" : "/*")
                part = at ? substr(rest, 1, at - 1) : rest
                rest = at ? substr(rest, at + 2) : ""
                if (comment) look(part, FILENAME ":" FNR)
                else read(part)
                if (at) comment = !comment
            }
        }
        END { for (i in said) if (!is_known(said[i])) print i }' "$@" | sort | grep .
}
holds "a function that does not exist is noticed" \
    notices functions_exist 'See sim_no_such_function().'
holds "functions that comments and pages name exist" functions_exist \
    $(pages | grep -vE '^CHANGELOG|^docs/(tutorial|exercises)')

# ---- Words that hide the thing -----------------------------------------------

# A comment names the number, the parameter or the process: these words make its reader
# look for them.
riddles='([Ss]o many|[Ll]ikewise|[Ww]hoever|NULL, or what is not true)'
comments_are_plain() {
    ! awk -v riddles="(^|[^a-z])$riddles([^a-z]|\$)" '
        FNR == 1 { comment = 0 }
        {
            rest = $0
            while (rest != "") {
                at = index(rest, comment ? "*/" : "/*")
                part = at ? substr(rest, 1, at - 1) : rest
                rest = at ? substr(rest, at + 2) : ""
                if (comment) {
                    sub(/^ *\* ?/, "", part)
                    text = text " " part
                }
                if (!at) continue
                comment = !comment
                if (comment) { text = ""; line = FNR }
                else if (match(text, riddles))
                    print FILENAME ":" line ":" substr(text, RSTART, RLENGTH)
            }
        }' "$@" | grep .
}
has_a_riddle() {
    printf '/* Reads at most so\n * many bytes. */\n' >"$tap_tmp/riddle.h"
    ! comments_are_plain "$tap_tmp/riddle.h"
}
holds "comments name the thing" comments_are_plain $(git ls-files \
    core problems protocols net trace rw sim check lab draw live cli web api include bench docs/examples |
    grep -E '\.(c|h|inc)$' | grep -v /test_)
holds "a riddle over two lines is noticed" has_a_riddle

# ---- The glossary ------------------------------------------------------------

# A word of ours is still in the files that the glossary names for it.
words_are_there() {
    local bad=0 words where word
    while IFS='|' read -r _ words _ where _; do
        word=$(sed -E 's/^ *([A-Za-z-]+).*/\1/' <<<"$words")
        where=$(grep -oE "\`($rooms)/[^\`* ]*\`" <<<"$where" | tr -d '`')
        # shellcheck disable=SC2086
        [ -z "$where" ] || git grep -qi -e "$word" -- $where ||
            { echo "no $word in $where"; bad=1; }
    done < <(grep '^| ' "$1")
    return $bad
}
holds "words of the glossary are where it says" words_are_there docs/glossary.md
holds "a word that is gone is noticed" \
    notices words_are_there '| wombat | marsupial | `check/store/tree.h` |'

# ---- The walks ---------------------------------------------------------------

# The lists of files in docs/internals.md: a walk and its count, then its files by
# folder.  All are there, and are as many as the list and the table say.
walks_are_counted() {
    awk '
        function judge() {
            if (walk != "" && found != said) {
                print walk ": " found " files, not " said; bad = 1
            }
        }
        /^## / { here = $0 == "## How long the walks are"; next }
        !here { next }
        /^\| / && split($0, cell, "|") && cell[4] ~ /[0-9]/ { table[++rows] = cell[4] + 0 }
        /^```/ { block = !block; next }
        !block { next }
        /^[a-z]/ { judge(); walk = $1; said = $2; found = 0; in_list[++walks] = $2; next }
        {
            for (i = 2; i <= NF; i++) {
                found++
                if (seen[walk, $1 $i]++) { print walk ": twice " $1 $i; bad = 1 }
                if (system("test -f " $1 $i) != 0) { print "no " $1 $i; bad = 1 }
            }
        }
        END {
            judge()
            for (i = 1; i <= walks; i++)
                if (table[i] != in_list[i]) { print "the table has " table[i]; bad = 1 }
            exit bad || walks != 5 || rows != 5
        }' "$1"
}
one_file_more() {
    sed 's|^    cli/lock/ |&nothing.c |' docs/internals.md >"$tap_tmp/walks.md"
    ! walks_are_counted "$tap_tmp/walks.md"
}
holds "the walks of docs/internals.md are as long as it says" \
    walks_are_counted docs/internals.md
holds "a file that is not there is noticed" one_file_more

# ---- The map of the tree -----------------------------------------------------

# Folders with sources, two levels deep: each is in the map of docs/design.md, a
# room at the beginning of a line, its folders there or in the lines below.
folders_are_on_the_map() {
    sed -n '/^```text/,/^```$/p' docs/design.md | awk '
        FILENAME == "-" && /^[a-z]/ {
            room = $1
            for (i = 1; i <= NF && $i ~ /^[a-z]+\/$/; i++) known[$i]
        }
        FILENAME == "-" {
            gsub(/[:;,]/, " ")
            for (i = 1; i <= NF; i++) {
                sub(/\/.*/, "/", $i)
                known[room $i]
            }
            next
        }
        !($0 in known) { print "docs/design.md does not have " $0; bad = 1 }
        END { exit bad }' - "$1"
}
git ls-files '*.c' '*.h' '*.inc' '*.ts' '*.sh' | grep -vE '^(docs|bench|[.])' |
    grep -oE '^([a-z]+/){1,2}' |
    sed -E 'p; s|/.*|/|' | sort -u >"$tap_tmp/folders"
echo live/nowhere/ >"$tap_tmp/nowhere"
not_on_the_map() { ! folders_are_on_the_map "$tap_tmp/nowhere"; }
holds "a folder that is not on the map is noticed" not_on_the_map
holds "folders are on the map of docs/design.md" folders_are_on_the_map "$tap_tmp/folders"

# And the other way round.
map_has_folders_alone() {
    local bad=0 room folder
    while read -r room folder; do
        [ -d "$folder" ] || [ -d "$room$folder" ] ||
            { echo "docs/design.md has $room$folder"; bad=1; }
    done < <(sed -n '/^```text/,/^```$/p' "$1" | awk '
        /^[a-z]/ { room = $1 }
        { for (i = 1; i <= NF; i++) if ($i ~ /^[a-z]+\/[,;:.]?$/) {
            sub(/[,;:.]$/, "", $i); print room, $i } }')
    return $bad
}
sed 's|^tests/ .*|& nowhere/|' docs/design.md >"$tap_tmp/map.md"
holds "the map has no other folders" map_has_folders_alone docs/design.md
holds "one that is gone is noticed" eval '! map_has_folders_alone "$tap_tmp/map.md"'

# The map of the README has the folders of the root.
on_the_readme() { # FOLDERS
    sed -n '/^## The source tree/,/^Includes/p' README.md | sed -n 's/^    \([a-z].*\)/\1/p' |
        grep -oE '^([a-z]+/ )*[a-z]+/' | tr ' ' '\n' | sort >"$tap_tmp/readme"
    diff <(sort "$1") "$tap_tmp/readme"
}
git ls-files '[a-z]*/*' | sed 's|/.*|/|' | sort -u >"$tap_tmp/rooms"
echo nowhere/ | cat "$tap_tmp/rooms" - >"$tap_tmp/one_more"
holds "the map of the README has the folders of the root" on_the_readme "$tap_tmp/rooms"
holds "one that it lacks is noticed" eval '! on_the_readme "$tap_tmp/one_more"'

# ---- Tables of the design ----------------------------------------------------

# words_are_in FILE: each line of the standard input stands there in backticks.
words_are_in() {
    local bad=0 word
    while read -r word; do
        grep -qF "\`$word\`" "$1" || { echo "no $word"; bad=1; }
    done
    return $bad
}
lacks() { ! words_are_in "$1"; }
sites() {
    grep -oE 'struct fc_[a-z]+ \*me' net/site.h | sed 's/ \*me//'
}
effects() {
    sed -n '/^struct fc_effects {/,/^ *\/\* What follows/p' core/fc.h |
        sed -nE 's/^    [a-z0-9_]+ ([a-z_]+);.*/\1/p' | grep -vx unused
}
properties() {
    "$fulcrum" list --json | jq -r '.[].properties[]' | sort -u
}
grep '^|' docs/design.md >"$tap_tmp/tables"
holds "docs/design.md has all sites" words_are_in "$tap_tmp/tables" < <(sites)
holds "docs/design.md has all effects" words_are_in "$tap_tmp/tables" < <(effects)
holds "docs/design.md has all properties" words_are_in docs/design.md < <(properties)
holds "a word that it does not have is noticed" \
    lacks docs/design.md < <(echo struct fc_nowhere)

# Durable protocols, by their traits or by those that they take from another.
durable() {
    sed -e ':more' -e '/\\$/{N;s/\\\n//;b more}' protocols/*/*/*.h | awk '
        $1 == "#define" && $2 ~ /_traits$/ {
            name = $2
            $1 = $2 = ""
            gsub(/ /, "")
            traits[name] = $0
        }
        END {
            for (name in traits)
                if ((traits[name] in traits ? traits[traits[name]] : traits[name]) ~ \
                    /FC_DURABLE/)
                    print name
        }' | sed 's/_traits$//; s/_/-/g' | sort
}
durable_said() {
    tr '\n' ' ' <docs/design.md | grep -oE 'is durable \([^)]*\)' | grep -oE '`[^`]*`' |
        tr -d '`' | sort
}
holds "docs/design.md says which protocols are durable" diff <(durable_said) <(durable)

# A star with too many links is refused with the number that a node may have.
links_are_said() {
    local bad=0 name most
    tr '\n' ' ' <"$1" | grep -oE 'at most 64 links[^.;]*' >"$tap_tmp/said" || return 1
    for name in $("$fulcrum" list --json |
        jq -r '.[] | select(.topology == "tree") | .protocol'); do
        most=$("$fulcrum" sim "$name" -n 5000 --topology star 2>&1 |
            sed -nE 's/.*: ([0-9]+) at most$/\1/p')
        ! grep -vw -e "${most:-a number}" "$tap_tmp/said" ||
            { echo "$1: $name $most"; bad=1; }
    done
    return $bad
}
for page in docs/design.md man/fulcrum-sim.1; do
    holds "$page says how many links a node may have" links_are_said "$page"
done

# tests/source/layers.txt, and the tables that people read: a line for each room, with
# the rooms that it may include; and one for each folder of a room that is judged inside.
layers() {
    sed -nE 's/^([a-z/]+): */\1 /p' tests/source/layers.txt
}
layers_said() {
    local all
    all=$(layers | cut -d' ' -f1 | grep -v / | tr '\n' ' ')
    sed -nE '/^\| (room|folder) \| may include \|/,/^$/p' "$1" | awk -F'|' -v all="$all" '
        function words(text,    list) {
            while (match(text, /`[a-z\/]+`/)) {
                list = list " " substr(text, RSTART + 1, RLENGTH - 2)
                text = substr(text, RSTART + RLENGTH)
            }
            return list
        }
        /^\| `/ {
            n = split(words($2), room, " ")
            sub(/:.*/, "", $3)
            for (i = 1; i <= n; i++) {
                below = words($3)
                if ($3 ~ /everything except/) {
                    except = below " " room[i] " "
                    below = ""
                    m = split(all, each, " ")
                    for (j = 1; j <= m; j++)
                        if (index(except, " " each[j] " ") == 0)
                            below = below " " each[j]
                }
                print room[i] below
            }
        }'
}
sorted() { # each line, and its words after the first
    awk '{ print $1; for (i = 2; i <= NF; i++) print $1, $i }' | sort
}
layers_are_said() {
    diff <(layers_said "$1" | sorted) <(layers | sorted)
}
layer_more() {
    sed 's/^| `draw` | `net`/&, `sim`/' docs/design.md >"$tap_tmp/page.md"
    ! layers_are_said "$tap_tmp/page.md"
}
inner_layer_more() {
    sed 's/`draw\/text` | `svg`/&, `chart`/' docs/design.md >"$tap_tmp/page.md"
    ! layers_are_said "$tap_tmp/page.md"
}
holds "a layer that is only in one of two tables is noticed" layer_more
holds "so is a folder of a room" inner_layer_more
holds "docs/design.md has the tables of layers.txt" layers_are_said docs/design.md

# ---- Files that name one protocol --------------------------------------------

named=$(git grep -lE 'suzuki[-_]kasami' -- ':!*.svg' ':!docs/internals.md' ':!tests/source/truths.sh' | wc -l)
holds "docs/internals.md says how many files name suzuki-kasami" \
    grep -qE "^$named files do \(\`git grep" docs/internals.md

# ---- Options -----------------------------------------------------------------

# Without examples of other verbs.
help_of() {
    "$fulcrum" "$@" --help |
        sed "/\(^ *\|: \|\`\)fulcrum [a-z]* /{/fulcrum $1/!d}"
}

for verb in $("$fulcrum" --help | sed -nE 's/^  ([a-z]+)  .*/\1/p'); do
    help_of "$verb" >"$tap_tmp/help.$verb"
done
for problem in election mutex; do
    help_of compare "$problem"
done >"$tap_tmp/help.compare"
help_of check cluster >>"$tap_tmp/help.check"

# Commands that pages show, one a line: what goes on behind a backslash is on it,
# what other programs get is not.  The verbs check and compare have two sets of options.
commands_shown() {
    sed -e ':more' -e '/\\$/{N;s/\\\n[>[:space:]]*/ /;b more}' "$1" |
        grep -oE 'fulcrum [a-z]+( [^|;)`]*)?' | sed -E 's/ -- .*//; s/ (>|&&) .*//'
}

options_exist() {
    local bad=0 verb rest option
    while read -r _ verb rest; do
        [ -e "$tap_tmp/help.$verb" ] || continue
        for option in $(grep -oE -- '(^| )--[a-z][a-z-]*' <<<"$rest"); do
            grep -q -e "$option\b" "$tap_tmp/help.$verb" ||
                { echo "fulcrum $verb has no $option"; bad=1; }
        done
    done < <(commands_shown "$1")
    return $bad
}

# A man page has the options of its verb, no more and no fewer.
manual_has_the_options() {
    diff <(grep -oE '^\.(It|Op) Fl .*' "man/fulcrum-$1.1" |
        grep -oE 'Fl -[a-z][a-z-]*' | sed 's/Fl -/--/' | sort -u | grep -vx -e --help) \
        <(grep -oE -- '(^| )--[a-z][a-z-]*' "$tap_tmp/help.$1" | tr -d ' ' |
            sort -u | grep -vx -e --help)
}

for page in $(pages); do
    holds "$page shows options that there are" options_exist "$page"
done
for verb in check compare draw live sim; do
    holds "the manual of $verb has its options" manual_has_the_options "$verb"
done

# ---- Verdicts ----------------------------------------------------------------

# The tables of verdicts are those that lab/verdicts.tsv gives.
tables_are_those_of_the_lab() {
    local copy=$tap_tmp/copy page bad=0
    rm -rf "$copy"
    mkdir -p "$copy/lab" "$copy/docs"
    cp README.md "$copy"
    cp docs/*.md "$copy/docs"
    cp --parents protocols/*/*/README.md "$copy"
    cp "$1" "$copy/lab/verdicts.tsv"
    bash docs/tables/verdicts.sh pages "$copy" || return 1
    for page in README.md docs/lab.md protocols/*/*/README.md; do
        cmp -s "$page" "$copy/$page" || { echo "$page: make verdicts"; bad=1; }
    done
    return $bad
}
holds "verdicts on pages are those of lab/verdicts.tsv" \
    tables_are_those_of_the_lab lab/verdicts.tsv
turned_over() {
    sed 's/	violated	/	holds	/' lab/verdicts.tsv >"$tap_tmp/turned"
    ! tables_are_those_of_the_lab "$tap_tmp/turned"
}
holds "verdicts that have changed are noticed" turned_over

# So are those that the folders of the protocols give.
tables_are_those_of_the_folders() {
    local copy=$tap_tmp/folders page bad=0
    rm -rf "$copy"
    mkdir -p "$copy/docs"
    cp README.md "$copy"
    cp docs/*.md "$copy/docs"
    cp --parents protocols/*/*/facts.txt protocols/all.h "$copy"
    [ $# -eq 0 ] || sed -i "$1" "$copy/protocols/election/lelann/facts.txt"
    bash docs/tables/protocols.sh "$copy" || return 1
    for page in README.md docs/*.md; do
        cmp -s "$page" "$copy/$page" || { echo "$page: make facts"; bad=1; }
    done
    return $bad
}
holds "tables of protocols are those of their folders" tables_are_those_of_the_folders
notices_facts() { ! tables_are_those_of_the_folders "$1"; }
for kind in messages page board holds; do
    holds "a fact $kind that has changed is noticed" \
        notices_facts "s/^$kind .*/&0/"
done

# A claim that is new, or says something else, has not been judged.
claims_said() {
    "$fulcrum" claims "$@" '' | awk '/^[a-z]/ { id = $1 }
        sub(/^  says +/, "") { print id "\t" $0 }'
}
holds "lab/verdicts.tsv has all claims, as they are said now" \
    diff <(claims_said) <(tail -n +2 lab/verdicts.tsv | cut -f1,3)

# A few are judged here, most by tests/command/reproduce.sh.
judged_as_written() {
    "$fulcrum" reproduce --quick --json "$@" | bash docs/tables/verdicts.sh rows \
        >"$tap_tmp/rows"
    [ "$(wc -l <"$tap_tmp/rows")" -gt $# ] &&
        ! grep -vxFf lab/verdicts.tsv "$tap_tmp/rows"
}
if "$fulcrum" reproduce --help >/dev/null 2>&1; then
    holds "the lab says what lab/verdicts.tsv says" judged_as_written \
        l22-cr-best l16-cr-worst
fi

claims_exist() {
    ! grep -ohE '`(st89|v84|l16|l22)-[a-z0-9-]+(\.[a-z])?`' "$@" /dev/null | tr -d '`' |
        sort -u | while read -r id; do
        cut -f1 lab/verdicts.tsv | grep -qE "^$id(\.[a-z])?\$" || echo "no claim $id"
    done | grep .
}
holds "a claim that does not exist is noticed" \
    notices claims_exist 'See `v84-no-such-claim`.'
holds "claims on pages exist" claims_exist $(pages)

# What is said of claims outside these tables has the command beside it, in the
# same section: a console block, a table that a script makes, or a command in the
# same row.  On the pages of protocols that is so of every verdict; but the idea,
# the rules and the switches speak of what a rule is for.
verdict='(holds?|violated|violates|violations?|refuted|loose|not decided)'
claim='(st89-|v84-|l16-|l22-|[Cc]laims?|claimed|[Ll]emma|[Tt]heorem|[Pp]apers?|[Ll]ecture)'
verdicts_are_shown() {
    awk -v verdict="(^|[^a-z])($verdict${2:+|broken})([^a-z]|\$)" -v any="${2:-}" \
        -v claim="(^|[^a-z])$claim([^a-z]|\$)" '
        function judge() {
            if (said != "" && !shown) { print section ":" said; bad = 1 }
            said = ""; shown = 0
        }
        function paragraph() {
            if (text ~ verdict && (any || text ~ claim) &&
                text !~ /`[a-z-]+ -n [0-9].*`/ && section !~ except)
                said = said "\n  " text
            if (text ~ /^ \|.*\| *(verdict|judged) *\|/) {
                print section ": a table of verdicts that no script makes:" text
                bad = 1
            }
            text = ""
        }
        BEGIN { except = "^## (The idea|The .*rules|The .*switch)" }
        /^<!-- table / { paragraph(); table = 1; shown = 1 }
        /^<!-- end / { table = 0; next }
        table { next }
        /^```/ { paragraph(); block = !block; shown = shown || /^```console/; next }
        block || /^    / { next }
        /^## / { paragraph(); judge(); section = $0; next }
        /^$|^(\||- |[0-9]+\. )/ { paragraph() }
        { text = text " " $0 }
        END { paragraph(); judge(); exit bad }' "$1"
}
holds "a verdict that is typed is noticed" \
    notices verdicts_are_shown 'The bound of Lemma 6 holds.'
holds "a table of verdicts that is typed is noticed" \
    notices verdicts_are_shown '| statement | measured | verdict |'

# The pages of the lab and on style say what verdicts are, and verification.md is
# written by make facts.
for page in $(pages | grep -vxE 'CHANGELOG.md|docs/(facts|lab|style|verification|playground).md'); do
    case $page in protocols/*) any=yes ;; *) any= ;; esac
    holds "$page shows what its verdicts rest on" verdicts_are_shown "$page" $any
done
tap_end
