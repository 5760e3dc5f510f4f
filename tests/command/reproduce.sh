#!/usr/bin/env bash
# reproduce.sh FULCRUM - the claims of the papers: all of them are there, what is
# wrong with them is said, the verdicts come of measurements, and every
# counterexample can be run again.
#
# Those of claims-long.txt, three quarters of the time, are only looked at: each
# has something to try.  CLAIMS=all tries them as well; make soak does.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/gate.sh
fulcrum=$1
export LC_ALL=C.UTF-8

if ! "$fulcrum" reproduce --help >/dev/null 2>&1; then
    echo "ok - the claims of the papers # SKIP built without SQLite"
    tap_end
fi

# ---- The claims --------------------------------------------------------------

same "every claim of the inventory, in its order" "$(cat tests/command/claims.txt)" \
    "$("$fulcrum" claims)"
same "nothing is wrong with them" \
    "$(wc -l <tests/command/claims.txt) parts of claims, nothing is wrong with them" \
    "$("$fulcrum" claims --check)"

mkdir "$tap_tmp/wrong"
# wrong WORDS SECTION: a file with this section is refused in these words.
wrong() {
    printf '%b\n' "$2" >"$tap_tmp/wrong/a.ini"
    refuses 2 "a.ini, line $1" claims --check --claims "$tap_tmp/wrong"
}
head="[a]\nplace = p\nsays = s\n"
wrong "2: there are place, says" "[a]\ncolour = red"
wrong "4: there is no protocol vitany" "${head}on = vitany\nclaim = holds\ntry = check n=2"
wrong "4: g is neither an option nor a parameter of vitanyi" \
    "${head}on = vitanyi g=1\nclaim = holds\ntry = check n=2"
wrong "6: budget is neither an option of check nor a parameter" \
    "${head}on = vitanyi\nclaim = holds\ntry = check n=2 budget=5"
wrong "5: nothing is tried" "${head}on = vitanyi\nclaim = holds"
# Claims come from anywhere, and are to be measured: they name no files.
echo precious >"$tap_tmp/precious"
small="n=2"
for word in trace svg records output faults strategy replay families; do
    for kind in random search; do
        wrong "6: .*$word" \
            "${head}on = vitanyi\nclaim = messages <= 9\ntry = $kind $small $word=$tap_tmp/precious"
    done
done
for word in "names=$tap_tmp/precious" "names={asc,$tap_tmp/precious}" \
    "until fault=--trace=$tap_tmp/precious" "bounds=\"1' '--trace=$tap_tmp/precious\""; do
    wrong "6: .*precious" \
        "${head}on = vitanyi\nclaim = messages <= 9\ntry = random $small $word"
done
wrong "4: .*without trace" \
    "${head}on = vitanyi trace=$tap_tmp/precious\nclaim = messages <= 9\ntry = random $small"
wrong "4: .*without svg" \
    "${head}reading = r: svg=$tap_tmp/precious\non = vitanyi\nclaim = messages <= 9\ntry = random $small"
wrong "6: .*--trace" \
    "${head}on = vitanyi\nclaim = holds\ntry = check n=2 twin=\"--trace $tap_tmp/precious\""
same "the file is as it was" precious "$(cat "$tap_tmp/precious")"
refuses 2 "no claim begins with 'nobody'" claims nobody
refuses 2 "no claim begins with 'nobody'" reproduce nobody
refuses 2 "not both" reproduce --quick --full

# planned: every part of a claim that is not open from the start is tried with
# --quick, and not only with --full.
planned() {
    local papers
    papers=$(sed 's/-.*//' tests/command/claims.txt | sort -u)
    # shellcheck disable=SC2086 # words on purpose
    "$fulcrum" claims $papers | awk '
        function over() { if (id != "" && !tried) { print id; bad = 1 } }
        /^[^ ]/ { over(); id = $1; tried = 0; parts++ }
        $1 == "try" || $1 == "undecided" { tried = 1 }
        END { over(); print parts " parts"; exit bad }'
}
same "every part has something to try" \
    "$(wc -l <tests/command/claims.txt) parts" "$(planned)"

# ---- Verdicts ----------------------------------------------------------------

sed 's/[.].*//' tests/command/claims.txt | uniq >"$tap_tmp/ids"
grep -v '^#' tests/command/claims-long.txt >"$tap_tmp/long"
same "what takes long is a claim" "" "$(grep -vxFf "$tap_tmp/ids" "$tap_tmp/long")"
[ "${CLAIMS:-}" != all ] || : >"$tap_tmp/long"
mapfile -t chosen < <(grep -vxFf "$tap_tmp/long" "$tap_tmp/ids")

# verdict ID FILE: of the first part.
verdict() {
    jq -r --arg id "$1" '.claims[] | select(.id == $id) | .parts[0].verdict' "$2"
}

"$fulcrum" reproduce --quick --json -o "$tap_tmp/lab" "${chosen[@]}" >"$tap_tmp/all" \
    2>"$tap_tmp/err"
same "${#chosen[@]} claims are tried" "0 " "$? $(cat "$tap_tmp/err")"
same "and judged, part by part" \
    "$(awk 'FILENAME == ARGV[1] { long[$1]; next } { id = $1; sub(/[.].*/, "", id) }
        !(id in long)' "$tap_tmp/long" tests/command/claims.txt)" \
    "$(jq -r '.claims[] | .id as $id | .parts[] | $id + (if .part == "" then ""
        else "." + .part end)' "$tap_tmp/all")"
same "by every kind of evidence" "argument exact exhaustive random search" \
    "$(jq -r '[.claims[].parts[].evidence | values] | unique | join(" ")' \
        "$tap_tmp/all")"
same "with every verdict" "holds loose repaired undecided violated" \
    "$(jq -r '[.claims[].parts[].verdict] | unique | join(" ")' "$tap_tmp/all")"
undecided=$(jq '[.claims[].parts[] | select(.verdict == "undecided")] | length' \
    "$tap_tmp/all")
holds "few are left open: $undecided" [ "$undecided" -le 12 ]
same "each of them with a reason" 0 \
    "$(jq '[.claims[].parts[] | select(.verdict == "undecided" and
        (.why == null or .why == ""))] | length' "$tap_tmp/all")"
same "each violation has a witness" 0 \
    "$(jq '[.claims[].parts[] | select((.verdict == "violated" or
        .verdict == "repaired") and .witness == null)] | length' "$tap_tmp/all")"

# again: every witness has its value when its command is run once more.
again() {
    local command field value got bad=0
    while read -r command && read -r field && read -r value; do
        eval "set -- ${command#fulcrum }"
        # A kind of message may have a dot in its name; numbers are compared.
        got=$("$fulcrum" "$@" --json 2>/dev/null | jq -c --arg field "$field" \
            --argjson value "$value" 'getpath($field | split(".") |
                map(tonumber? // .)) | if . == $value then "as told" else . end')
        [ "$got" = '"as told"' ] ||
            { echo "$command: $field is $got, not $value"; bad=1; }
    done < <(jq -r '.claims[].parts[] | .witness | select(. != null) |
        .command, .field, (.value | tojson)' "$tap_tmp/all")
    return $bad
}
holds "every witness can be run again" again

# ---- Nothing is written down beforehand --------------------------------------

# turned CLAIM SED FROM TO: with the files of claims edited, the verdict turns.
turned() {
    rm -rf "$tap_tmp/edited"
    cp -r lab/claims "$tap_tmp/edited"
    sed -i "$2" "$tap_tmp/edited"/*.ini
    "$fulcrum" reproduce --quick --json --claims "$tap_tmp/edited" "$1" \
        >"$tap_tmp/turned" 2>/dev/null
    [ "$(verdict "$1" "$tap_tmp/all")" = "$3" ] &&
        [ "$(verdict "$1" "$tap_tmp/turned")" = "$4" ] ||
        { verdict "$1" "$tap_tmp/all"; verdict "$1" "$tap_tmp/turned"; return 1; }
}
holds "a bound that is weakened" turned v84-time \
    's/^claim   = end <= N\*u\*(2^l + 2)$/claim   = end <= 9*N*u*(2^l + 2)/' \
    violated loose
holds "a number that is stale when the sleep is over" turned st89-mutex-safe \
    's/^repair  = repaired: rules=repaired$/& number=early/' repaired violated
holds "the two counters of the register, swapped" turned st89-opt-detect \
    's/^reading = asked: writes=asked$/& order=swapped/' holds violated

# ---- Once more, interrupted, compared ----------------------------------------

bare() {
    command jq -S 'del(.. | .seconds?)' "$1"
}
some=(l22-lelann l22-cr l22-bully) # a hundred experiments
"$fulcrum" reproduce --quick --json "${some[@]}" -j 1 >"$tap_tmp/one"
"$fulcrum" reproduce --quick --json "${some[@]}" -j 3 >"$tap_tmp/two"
same "two runs with one seed are the same but for seconds" \
    "$(bare "$tap_tmp/one" | md5sum)" "$(bare "$tap_tmp/two" | md5sum)"

# The last of these experiments waits at the gate.
gate_words '--until 424242'
mkdir "$tap_tmp/gated"
cat >"$tap_tmp/gated/a.ini" <<END
[a-first]
place = p
says  = s
on    = lelann
claim = holds
try   = random n=2..9 runs=3
[a-last]
place = p
says  = s
on    = lelann
claim = holds
try   = random n=3 until=424242 runs=3
END
gated=(reproduce --claims "$tap_tmp/gated" a-first a-last)

# killed: what was done before a kill -9 is not done again.
killed() {
    local lab=$tap_tmp/killed rows
    open_gate
    "$fulcrum" "${gated[@]}" --json >"$tap_tmp/whole" || return 1
    shut_gate
    "$fulcrum" "${gated[@]}" -j 1 -o "$lab" >/dev/null 2>&1 &
    until_at_gate $! echo $!
    kill -9 $!
    wait $! 2>/dev/null
    open_gate
    rows=$(sqlite3 "$lab/lab.db" 'SELECT count(*) FROM experiment')
    [ "$rows" = 8 ] || { echo "$rows experiments were made"; return 1; }
    sqlite3 "$lab/lab.db" "UPDATE experiment SET complaint = 'old'"
    "$fulcrum" "${gated[@]}" --json -o "$lab" >"$tap_tmp/after" || return 1
    [ "$(sqlite3 "$lab/lab.db" "SELECT count(*) FROM experiment WHERE
        complaint = 'old'")" = "$rows" ] &&
        [ "$(bare "$tap_tmp/after" | md5sum)" = "$(bare "$tap_tmp/whole" | md5sum)" ]
}
if command -v sqlite3 >/dev/null; then
    holds "kill -9 loses the experiment in progress, and no other" killed
else
    echo "ok - kill -9 # SKIP sqlite3 is not installed"
fi

# rebuilt: what another build has measured is measured again.
rebuilt() {
    local lab=$tap_tmp/rebuilt
    cp "$fulcrum-lab" "$tap_tmp/other" && echo >>"$tap_tmp/other" || return 1
    "$fulcrum" reproduce --quick l22-tree -o "$lab" >/dev/null || return 1
    "$tap_tmp/other" reproduce --quick l22-tree -o "$lab" >/dev/null || return 1
    [ "$(sqlite3 "$lab/lab.db" 'SELECT count(DISTINCT version),
        count(*) / count(DISTINCT command) FROM experiment')" = "2|2" ]
}
if command -v sqlite3 >/dev/null; then
    holds "answers of another build are not taken for ours" rebuilt
fi

stopped() {
    local code
    shut_gate
    "$fulcrum" "${gated[@]}" -o "$tap_tmp/stopped" >/dev/null 2>"$tap_tmp/err" &
    until_at_gate $! echo $!
    interrupt $!
    wait $!
    code=$?
    open_gate
    [ "$code" = 130 ] && grep -q 'the same command goes on here' "$tap_tmp/err" ||
        { echo "exit $code"; cat "$tap_tmp/err"; return 1; }
}
holds "Ctrl-C" stopped
unset LD_PRELOAD
same "a notebook does not differ from itself" "  0 differ" \
    "$("$fulcrum" reproduce --quick -o "$tap_tmp/lab" --diff "$tap_tmp/lab/lab.db" \
        "${chosen[@]}" | tail -n 1 | cut -d, -f1)"

# Copies of the notebook with a verdict of a claim that is not judged now: one can
# be read, and of the other only what stands before that verdict.
against() {
    "$fulcrum" reproduce --quick -o "$tap_tmp/lab" --diff "$1" "${chosen[@]}"
}
only_there() {
    local copy=$tap_tmp/copy.db
    sqlite3 "$tap_tmp/lab/lab.db" "VACUUM INTO '$copy'" &&
        sqlite3 "$copy" "INSERT INTO verdict (claim, part, verdict, reading, measured)
            VALUES ('zz', 'b', 'holds', hex(zeroblob(20000)), 7)" &&
        against "$copy" >"$tap_tmp/only" && tail -n 2 "$tap_tmp/only" &&
        grep -qx '  zz.b: not judged now; was holds, 7' "$tap_tmp/only" &&
        grep -qx '  0 differ, .* are the same, 0 are new, 1 are only there' "$tap_tmp/only"
}
is_damaged() {
    local copy=$tap_tmp/copy.db size
    size=$(sqlite3 "$copy" 'PRAGMA page_size; PRAGMA journal_mode = delete' | head -n 1)
    head -c $((5 * size)) /dev/zero | tr '\0' '\377' |
        dd of="$copy" bs="$size" seek=$(($(stat -c %s "$copy") / size - 5)) \
            conv=notrunc status=none
    against "$copy" >"$tap_tmp/damaged" 2>"$tap_tmp/err"
    [ $? = 3 ] && grep -q 'copy.db: database disk image is malformed' "$tap_tmp/err" ||
        { tail -n 3 "$tap_tmp/damaged" "$tap_tmp/err"; return 1; }
}
if command -v sqlite3 >/dev/null; then
    holds "a verdict that is only in the other notebook is told and counted" only_there
    holds "a notebook that cannot be read to its end is refused: exit 3" is_damaged
fi

refuses 2 "has no sweep" plot "$tap_tmp/lab/lab.db"

tap_end
