#!/usr/bin/env bash
# grade.sh NUMBER ANSWER [BUILD] - grades an answer to one of the exercises in
# README.md: a text file with lines "key = value", or the .c file of a protocol
# (with its .h beside it, if that was changed).
#
# Every line says what was looked at.  Exit: 0 solved, 1 not yet, 2 used wrongly.
# The answers are not in here: fulcrum finds out whether yours is right.
set -u
number=${1:-}
answer=$(realpath -- "${2:-}" 2>/dev/null)
cd "$(dirname "$0")/../.." || exit 3
. tests/tap.sh
build=$(realpath "${3:-build}")
fulcrum=$build/fulcrum

wrong_usage() {
    echo "$1; usage: docs/exercises/grade.sh NUMBER ANSWER [BUILD]" >&2
    exit 2
}
case $number in [1-9] | 10) ;; *) wrong_usage "exercises are numbered 1 to 10" ;; esac
[ -f "$answer" ] || wrong_usage "there is no file '${2:-}'"
[ -x "$fulcrum" ] || wrong_usage "there is no $fulcrum: run make first"
command -v jq >/dev/null || wrong_usage "grading needs jq: run make deps"

# must RULE COMMAND...: as holds, and fails if anything has failed so far.
must() {
    holds "$@"
    [ $tap_failed -eq 0 ]
}

# ---- Answers in text ---------------------------------------------------------

# get KEY: what the answer says of it.
get() {
    sed -n "s/^ *$1 *= *//p" "$answer" | sed 's/ *$//' | head -n 1
}

# is_number KEY, is_list KEY, is_protocol KEY
is_number() { get "$1" | grep -Exq '[0-9]+(\.[0-9]+)?'; }
is_list() { get "$1" | grep -Exq '[0-9]+(,[0-9]+)*'; }
is_protocol() { "$fulcrum" list "$(get "$1")" >/dev/null 2>&1; }

# ask JQ ARGUMENT...: what fulcrum says in JSON, whatever its verdict.
ask() {
    local filter=$1
    shift
    "$fulcrum" "$@" --json 2>/dev/null | jq -r "$filter"
}

# given WORDS ALLOWED: splits the command of the answer into `arguments`, if it
# begins with these words and has no option that is not allowed.
given() {
    local word
    read -r -a arguments <<<"$(get command)"
    [ "${arguments[*]:0:3}" = "fulcrum $1" ] ||
        { echo "the command must begin with 'fulcrum $1'"; return 1; }
    arguments=("${arguments[@]:1}")
    for word in "${arguments[@]}"; do
        case $word in -*)
            case " $2 " in *" $word "*) ;; *)
                echo "$word is not allowed here"
                return 1 ;;
            esac ;;
        esac
    done
}

# below A B, close A B: compare numbers; close means within 3 %.
below() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a ~ /^[0-9]/ && a + 0 < b + 0) }' ||
        { echo "it is '$1', and should be below $2"; return 1; }
}
close() {
    awk -v a="$1" -v b="$2" \
        'BEGIN { d = a - b; exit !(a > 0 && (d < 0 ? -d : d) <= 0.03 * b) }' ||
        { echo "predicted $1, measured $2"; return 1; }
}

# ---- Protocols ---------------------------------------------------------------

# Builds the answer as protocol NAME in a copy of the tree, which is kept for the
# next time.
protocol() {
    local name=$1 room=$2 tree=$build/grade header=${answer%.c}.h
    mkdir -p "$tree/build" "$tree/tests"
    cp -Rpu Makefile core problems protocols net trace sim check lab draw live api rw bench \
        cli include "$tree"
    tar -c --exclude=node_modules web | tar -x -C "$tree"
    [ -d "$tree/build/obj" ] || cp -Rp "$build/obj" "$tree/build"
    sed '/^#define FC_PROTOCOLS(X)/a\    X(eager) \\\n    X(baton) \\' \
        protocols/all.h >"$tap_tmp/all.h"
    put "$tap_tmp/all.h" "$tree/protocols/all.h"
    mkdir -p "$tree/protocols/election/eager" "$tree/protocols/mutex/baton"
    put docs/exercises/eager.h "$tree/protocols/election/eager/eager.h"
    put docs/tutorial/baton.h "$tree/protocols/mutex/baton/baton.h"
    for other in docs/exercises/eager.c:election/eager docs/tutorial/baton.c:mutex/baton; do
        local file=${other%:*}
        [ "$(basename "$file")" = "$name.c" ] ||
            put "$file" "$tree/protocols/${other#*:}/$(basename "$file")"
    done
    put "$answer" "$tree/protocols/$room/$name/$name.c"
    [ ! -f "$header" ] || put "$header" "$tree/protocols/$room/$name/$name.h"
    fulcrum=$tree/build/fulcrum
    env -u MAKEFLAGS -u MAKELEVEL -u BUILD make -C "$tree" -j"$(nproc)" \
        TRIED="eager baton" build/fulcrum build/fulcrum-lab >"$tap_tmp/make" 2>&1 || {
        grep -E -A 3 'error|\*\*\*' "$tap_tmp/make"
        return 1
    }
}
# A file that is the same keeps its time, and what depends on it is not rebuilt.
put() { cmp -s "$1" "$2" || cp "$1" "$2"; }

# proven ARGUMENT...: the checker finds no violation, and has seen all.
proven() {
    local verdict
    verdict=$(ask .verdict check "$@")
    [ "$verdict" = holds ] || {
        "$fulcrum" check "$@" | sed -n '/violated/,$p'
        return 1
    }
}

# ---- The exercises -----------------------------------------------------------

exercise_1() {
    "$fulcrum" check chang-roberts -n 3 --set loser=stops >"$tap_tmp/run"
    violated() {
        [ -n "$(get property)" ] &&
            grep '✗ violated' "$tap_tmp/run" | grep -qw -- "$(get property)"
    }
    dies() {
        is_number step && is_number at &&
            grep -q "^ *$(get step)\. $(get at) reads token(1).*dies" "$tap_tmp/run"
    }
    holds "the property is one that the run violates" violated
    holds "that is where the token of 1 dies" dies
}

exercise_2() {
    placement() { is_list names && [ "$(get names | tr , '\n' | sort -n | xargs)" = \
        "1 2 3 4 5 6 7 8" ]; }
    must "the names 1 to 8, each once" placement || return
    same "no placement takes more messages" 44 \
        "$(ask .messages.max sim chang-roberts --names "$(get names)")"
}

exercise_3() {
    per_processor() { # PROTOCOL
        ask '.messages.mean / .nodes' sim "$1" -n 3000 --runs 50 --seed 4711
    }
    fits() {
        is_number "$2" && is_number "${3:-$2}" && close \
            "$(awk -v a="$(get "$2")" -v b="$(get "${3:-none}")" \
                'BEGIN { print a + b * log(3000) }')" "$(per_processor "$1")"
    }
    holds "a + b ln N predicts chang-roberts for N = 3000" fits chang-roberts a b
    holds "c predicts vitanyi for N = 3000" fits vitanyi c
}

exercise_4() {
    two_leaders() {
        given "sim lelann" "-n --nodes --names --time --links --bounds --seed" &&
            [ "$(ask '[.violations[].property] | index("one-leader") != null' \
                "${arguments[@]}")" = true ]
    }
    holds "a single run of lelann has two leaders" two_leaders
}

exercise_5() {
    stuck() {
        given "check maekawa" "-n --nodes --set --entries" &&
            [ "$(ask .property "${arguments[@]}")" = everyone-enters ]
    }
    smallest() {
        local n
        n=$(ask .nodes "${arguments[@]}") &&
            proven maekawa -n $((n - 1)) --set rules=printed
    }
    must "the printed rules let sites wait for ever" stuck &&
        holds "with one site less they do not" smallest
}

exercise_6() {
    faults() {
        sed -n 's/^ *fault *= *//p' "$answer" >"$tap_tmp/faults"
        [ -s "$tap_tmp/faults" ] &&
            ! grep -Evx 'crash [1-8]@[0-9]+' "$tap_tmp/faults"
    }
    must "the faults are crashes" faults || return
    same "3 leads in the end" 3 \
        "$(ask .leader sim bully -n 8 --wake 1@0 --faults "$tap_tmp/faults")"
    holds "no crash is in vain" [ "$(wc -l <"$tap_tmp/faults")" -eq 5 ]
}

exercise_7() {
    cheapest() { # KEY COMPETITORS
        is_protocol "$1" && [ "$(get "$1")" = "$(ask "map(select(.competitors == $2))
            | min_by(.messages_per_entry).protocol" compare mutex -n 16 \
            --load "$2" --entries 20 --section 5 --runs 3)" ]
    }
    holds "no lock takes fewer messages if one of 16 wants it" cheapest alone 1
    holds "no lock takes fewer messages if all 16 want it" cheapest together 16
}

exercise_8() {
    chance() { # K
        ask ".worst.$2" check spirakis-tampakas -n 2 --time sync --set k="$1" --worst
    }
    rare() { is_number k && below "$(chance "$(get k)" most)" 0.05; }
    least() { ! below "$(chance $(($(get k) - 1)) most)" 0.05 >/dev/null; }
    must "two leaders are less likely than 1 in 20" rare || return
    holds "a smaller k does not suffice" least
    same "the chance is exact" "$(chance "$(get k)" exact)" "$(get chance)"
}

exercise_9() {
    cheap() { below "$(ask .messages.mean sim eager -n 200 --runs 200)" 1500; }
    must "it builds" protocol eager election || return
    holds "proven for 4 nodes, all placements" proven eager -n 4 --names all
    holds "proven for any set of initiators, at any time" \
        proven eager -n 4 --names all --wake any
    holds "proven for links in any order" \
        proven eager -n 4 --names all --wake any --links any
    holds "it costs what Chang and Roberts' election costs" cheap
}

exercise_10() {
    cheap() { below "$(ask .messages_per_entry.mean sim baton -n 8 --entries 100 \
        --section 5 --think exp:20)" 3; }
    must "it builds" protocol baton mutex || return
    holds "proven for 3 sites without faults" proven baton -n 3 --links any
    holds "proven for 3 sites and a copied message" \
        proven baton -n 3 --links any --duplicate 1
    holds "proven for 2 sites, 2 entries each, 2 copies" \
        proven baton -n 2 --entries 2 --links any --duplicate 2
    holds "three messages an entry" cheap
}

"exercise_$number"
if [ $tap_failed -eq 0 ]; then
    echo "exercise $number: solved"
else
    echo "exercise $number: not yet"
fi
tap_end
