#!/usr/bin/env bash
# extremes.sh FULCRUM [TABLE...] - the tables of docs/extremes.md: all, which
# take half an hour, or those that are named.
set -eu
cd "$(dirname "$0")/../.."
. docs/tables/page.sh
fulcrum=$1
page=docs/extremes.md
shift
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT

# What a search finds: a line for each quantity, its name, most and least.
# "-": not asked for, or no run comes to that.
amounts() {
    # A property that fails, as some here do, is exit 1.
    "$fulcrum" check "$@" --json >"$room/json" || [ $? = 1 ]
    jq -r 'def of: if . == null then "-" elif .unbounded then "unbounded"
            elif .limit then error(.limit) else .value // "-" end;
        (.quantities // [.quantity])[] | [.name, (.max | of), (.min | of)]
        | @tsv' "$room/json"
}

# most NAME, least NAME: of what amounts() said last.
most() { awk -v q="$1" '$1 == q { print $2 }' "$room/said"; }
least() { awk -v q="$1" '$1 == q { print $3 }' "$room/said"; }
ask() { amounts "$@" >"$room/said"; }

row() {
    local cell
    for cell in "$@"; do printf '| %s ' "$cell"; done
    echo '|'
}

# The bound that a paper states, as the simulator prints it beside its runs.
claim() {
    local cost=$1
    shift
    "$fulcrum" sim "$@" --json | jq -r --arg cost "$cost" \
        '[.claims[] | select(.cost == $cost and (.relation | startswith("mean")
            or . == "on average" | not))][0] | "\(.value) = \(.formula)"'
}

# ---- Mutual exclusion --------------------------------------------------------

small="--set mindelay=1 --set delaystep=0 --set predict=0"

overtaken_row() { # SAID WORDS...
    local links cells=()
    for links in fifo any; do
        ask "${@:2}" --links $links --max overtaken --max overtaken.one
        cells+=("$(most overtaken)" "$(most overtaken.one)")
    done
    row "$1" "${cells[@]}"
}

table_overtaken() {
    row "" "FIFO: all others" "one other" "any order: all others" "one other"
    row --- --: --: --: --:
    for e in 1 2 3 4; do
        overtaken_row "\`ricart-agrawala -n 2 --entries $e\`" \
            ricart-agrawala -n 2 --entries $e
    done
    for e in 1 2 3; do
        overtaken_row "\`ricart-agrawala -n 3 --entries $e\`" \
            ricart-agrawala -n 3 --entries $e
    done
    for b in 1:1:0:1 1:1:1:2; do
        for e in 1 2 3 4 5; do
            overtaken_row "\`archimedean -n 2 --bounds $b --entries $e\`" \
                archimedean -n 2 --bounds $b --entries $e
        done
    done
    for e in 1 2; do
        # shellcheck disable=SC2086
        overtaken_row "\`archimedean -n 3 --bounds 1:1:0:1 --entries $e\`, small" \
            archimedean -n 3 --bounds 1:1:0:1 --entries $e $small
    done
}

delay_row() { # SAID BOUND WORDS...
    local links cells=()
    for links in fifo any; do
        ask "${@:3}" --links $links --max granting-delay --min granting-delay
        cells+=("$(least granting-delay)" "$(most granting-delay)")
    done
    row "$1" "${cells[@]}" "$2"
}

table_ra_delay() {
    row "" "FIFO: least" most "any order: least" most "(n(n+1)/2 − 1)·rmax"
    row --- --: --: --: --: --:
    for n in 2 3; do
        for e in 1 2; do
            for b in 1:1:0:1 1:1:1:2; do
                delay_row "\`ricart-agrawala -n $n --bounds $b --entries $e\`" \
                    $((n * (n + 1) / 2 - 1)) \
                    ricart-agrawala -n $n --bounds $b --entries $e
            done
        done
    done
}

window_row() { # SAID WORDS...
    local said=$1 bound
    shift
    bound=$(claim granting_delay "$@")
    ask "$@" --max granting-delay --min granting-delay --max overtaken
    row "$said" "$(jq -r 'if .verdict == "holds" then "holds" else
        "violated: " + .property end' "$room/json")" \
        "$(least granting-delay)" "$(most granting-delay)" "${bound%% *}" \
        "$(most overtaken)"
}

table_windows() {
    row "" verdict least most "2dmax + 2(n−1)mindelay" overtaken
    row --- --- --: --: --: --:
    for b in 1:1:0:1 1:1:1:2 1:2:0:1; do
        for w in 1 2 3 4 5 6 auto paper; do
            # shellcheck disable=SC2086
            window_row "\`-n 2 --bounds $b --set window=$w\`, small" \
                archimedean -n 2 --bounds $b --set window=$w $small
        done
    done
    for b in 1:1:0:1 1:1:1:2; do
        for e in 1 2 3 4; do
            window_row "\`-n 2 --bounds $b --entries $e\`" \
                archimedean -n 2 --bounds $b --entries $e
        done
        window_row "\`-n 3 --bounds $b\`" archimedean -n 3 --bounds $b
    done
    for w in 1 2 3 4 auto paper; do
        # shellcheck disable=SC2086
        window_row "\`-n 3 --bounds 1:1:0:1 --set window=$w\`, small" \
            archimedean -n 3 --bounds 1:1:0:1 --set window=$w $small
    done
}

# ---- Vitányi -----------------------------------------------------------------

# Formulas of the report for names 1 to N and f(i) = 2^i: N, u and m in; (1) for
# name i, (2), (3), (4), 2N + 3Nu/m, and Nu(2^l + 2).
formulas() {
    awk -v n="$1" -v u="$2" -v m="$3" -v name="${4:-1}" 'BEGIN {
        for (i = 1; i <= n; i++) {
            sum += 1 / 2 ^ i
            bits += log(i) / log(2) / 2 ^ i
        }
        all = n * u * 3 / m
        printf "%.1f %.1f %.1f %.1f %d %d\n", all / 2 ^ name, 2 * n + all * sum,
            2 * n + all * bits, 3 * n + all * (sum - 1 / 2), 2 * n + all,
            n * u * 4
    }'
}

# Every placement, every set of starters at every moment.  M_l, the winner, and
# sleepwell: N messages of a bit each follow the election, one of them in the
# step of the winner.
vitanyi_case() { # N SAID U WORDS...
    local n=$1 said=$2 u=$3 i quantities=() passes=""
    shift 3
    for ((i = 1; i <= n; i++)); do
        quantities+=(--max "passes.$i@elected" --min "passes.$i@elected")
    done
    ask vitanyi -n "$n" --names all --wake any "$@" \
        --max messages@elected --min messages@elected \
        --max paper-bits@elected --min paper-bits@elected \
        --max elected-after --min elected-after "${quantities[@]}"
    read -r _ two three four linear time <<<"$(formulas "$n" "$u" 1)"
    row "$n, $said" \
        "$(($(least messages@elected) + n - 1)) to $(($(most messages@elected) + n - 1))" \
        "$two" "$four" "$linear" "$((5 * n))" \
        "$(($(least paper-bits@elected) + n - 1)) to $(($(most paper-bits@elected) + n - 1))" \
        "$three" "$(least elected-after) to $(most elected-after)" "$time" \
        >>"$room/vitanyi"
    for ((i = 1; i <= n; i++)); do
        read -r one _ <<<"$(formulas "$n" "$u" 1 "$i")"
        passes+=" $(least "passes.$i@elected") to $(most "passes.$i@elected") of $one;"
    done
    row "$n, $said" "${passes% ;}" | sed 's/; |$/ |/' >>"$room/names"
}

vitanyi_cases() {
    [ ! -e "$room/vitanyi" ] || return 0
    for n in 2 3 4 5; do
        vitanyi_case $n lockstep 1 --time sync
    done
    for n in 2 3 4 5; do
        vitanyi_case $n "units {1,2}" 2 --bounds 1:2:0:0
    done
    for n in 2 3 4; do
        vitanyi_case $n "units {1,2}, drifting" 2 --bounds 1:2:0:0 --clock drift
    done
}

table_vitanyi() {
    vitanyi_cases
    row N passes "(2)" "(4)" "2N + 3Nu/m" 5N bits "(3)" \
        "ticks to the election" "Nu(2^l + 2)"
    row --- --: --: --: --: --: --: --: --: --:
    cat "$room/vitanyi"
}

table_names() {
    vitanyi_cases
    row N "passes of names 1, 2, …: least to most, of (1)"
    row --- ---
    cat "$room/names"
}

# Everybody who starts does so at once: every set of starters, every placement.
table_vitanyi_end() {
    local n case said u words low high set i who
    row N "ticks to the last message" "Nu(2^l + 2)"
    row --- --: --:
    for case in "lockstep;1;--time sync" "units {1,2};2;--bounds 1:2:0:0"; do
        IFS=';' read -r said u words <<<"$case"
        for n in 2 3 4; do
            low=999999 high=0
            for ((set = 1; set < 1 << n; set++)); do
                who=
                for ((i = 0; i < n; i++)); do
                    ((set >> i & 1)) && who+=${who:+,}$((i + 1))
                done
                # shellcheck disable=SC2086
                ask vitanyi -n $n --names all --wake "$who" $words --max end \
                    --min end
                [ "$(least end)" -ge "$low" ] || low=$(least end)
                [ "$(most end)" -le "$high" ] || high=$(most end)
            done
            row "$n, $said" "$low to $high" $((n * u * 4))
        done
    done
}

# ---- Elections in phases -----------------------------------------------------

election_row() { # PROTOCOL N
    local p=$1 n=$2 bound cells=()
    bound=$(claim messages "$p" -n "$n" --wake all)
    # The verdict is not asked for: the fewer states it takes, the better.
    ask "$p" -n "$n" --names all --reduce --no-cycles --max messages \
        --min messages --max phases --min phases
    cells=("$(least messages) to $(most messages)" "$bound"
        "$(least phases) to $(most phases)")
    if [ "$n" -le 5 ]; then
        ask "$p" -n "$n" --names all --wake any --max messages --min messages
        cells+=("$(least messages) to $(most messages)")
    else
        cells+=("")
    fi
    ask "$p" -n "$n" --names all --time sync --max elected-at --max end \
        --min end
    cells+=("$(most elected-at)" "$(least end) to $(most end)")
    if [ "$n" -le 5 ]; then
        ask "$p" -n "$n" --names all --wake any --time sync \
            --max elected-after --min elected-after
        cells+=("$(most elected-after)")
    else
        cells+=("")
    fi
    row "\`$p -n $n\`" "${cells[@]}"
}

table_elections() {
    row "" messages "at most" phases "any start: messages" \
        "lockstep: elected at" "end at" "any start: elected after"
    row --- --: --: --: --: --: --: --:
    for p in franklin peterson hirschberg-sinclair; do
        for n in 2 3 4 5 6; do
            election_row $p $n
        done
    done
}

# ---- The anonymous ring ------------------------------------------------------

spread_row() { # N BOUNDS WORDS...
    local n=$1 bounds=$2 rmax dmax
    shift 2
    IFS=: read -r _ rmax _ dmax <<<"$bounds"
    ask spirakis-tampakas -n "$n" --bounds "$bounds" --set k=1 "$@" \
        --max spread --min spread
    row "\`-n $n --bounds $bounds --set k=1 $*\`" "$(least spread)" \
        "$(most spread)" $((n * (dmax + rmax)))
}

table_spread() {
    row "" least most "n(dmax + rmax)"
    row --- --: --: --:
    for rules in repaired bit "printed --set wake-sender=later"; do
        for wake in all any; do
            # shellcheck disable=SC2086
            {
                spread_row 2 1:1:0:1 --set rules=$rules --wake $wake
                spread_row 2 1:2:0:1 --clock drift --set rules=$rules --wake $wake
                spread_row 3 1:1:0:1 --set rules=$rules --wake $wake
            }
        done
    done
    for n in 3 4; do
        spread_row $n 1:2:0:1 --set rules=hop --wake all
    done
    spread_row 3 1:2:0:1 --clock drift --set rules=repaired --wake all
}

# ---- Into the page -----------------------------------------------------------

# shellcheck disable=SC2048
for name in ${*:-overtaken ra_delay windows vitanyi names vitanyi_end elections \
    spread}; do
    "table_$name" | table "$page" "$name"
    echo "$name" >&2
done
