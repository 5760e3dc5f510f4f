#!/usr/bin/env bash
# exercises.sh BUILD - fulcrum grade: every exercise of docs/exercises is solved and
# failed through it, students with each other's answers fail, and what is malformed is
# told so.  grade_many.sh does the same with sixty hand-ins, hostile ones among them.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$(realpath "$1")
fulcrum=$build/fulcrum
at=docs/exercises

# marks ARGUMENT...: KEY POINTS of each hand-in, a line each.
marks() {
    "$fulcrum" grade --json "$@" |
        jq -r '.hand_ins[] | "\(.exercise) \(.points)/\(.of) \(.solved)"'
}
# not_yet FILE WORDS: it is not solved, and the table says why.
not_yet() {
    "$fulcrum" grade "$1" >"$tap_tmp/said"
    [ $? -eq 1 ] && grep -q -e "$2" "$tap_tmp/said" || { cat "$tap_tmp/said"; return 1; }
}
# told RULE WORDS TEXT: an answer of that text is refused with those words.
told() {
    printf "$3" >"$tap_tmp/answer.txt"
    holds "$1" not_yet "$tap_tmp/answer.txt" "$2"
}

# ---- Every exercise, solved and failed -----------------------------------------------

all=$(sed -n 's/^key = //p' $at/*.exercise | wc -l)
code=$(grep -l '^\[code\]' $at/*.exercise | wc -l)
for student in ada cora; do
    "$fulcrum" grade --answers --student $student >"$tap_tmp/$student.txt"
    same "the answers for $student are all right" "$((all - code))" \
        "$(marks "$tap_tmp/$student.txt" | grep -c ' true$')"
done
same "those for nobody are, too" $((all - code)) \
    "$("$fulcrum" grade --answers >"$tap_tmp/nobody.txt"
        marks "$tap_tmp/nobody.txt" | grep -c ' true$')"

# A line that makes the answer wrong, and what notices it.
sed 's/^student.*//' "$tap_tmp/nobody.txt" >"$tap_tmp/right"
wrong=(
    "counterexample|step = 8|step = 7|that is where"
    "names|names = 1,2,3,4,5,6|names = 6,5,4,3,2,1|another order takes 27"
    "least|names = 8,9|names = 1,9|wanted are 1000 to 2000"
    "fit|b = 1.0|b = 1.2|a + b ln N"
    "overtake|; P1 reads token(3) from P3|; P1 reads token(9) from P3|there is no move 'P1 reads token(9)"
    "inside|; timer 0 of P1 expires$||nobody meets anybody"
    "window|window = 2|window = 1|two get inside"
    "window|window = 2|window = 3|2 is safe as well"
    "bounds|1:1:0:2|1:1:0:3|two get inside"
    "bounds|1:1:0:2|1:1:0:1|dmax = 2 is safe"
    "bounds|1:1:0:2|1:2:0:2|write 1:1:0:DMAX"
    "late|moves = .*|moves = time passes|nobody meets"
    "torn|moves = .*|moves = time passes; time passes|is whole"
    "deadlock|sites = 4|sites = 3|there is none"
    "deadlock|sites = 4|sites = 5|with 4 sites already"
    "crashes|@0|@900|8 leads"
    "crashes|crash 4|crash 2,4|at most 5 crashes"
    "which-lock|= token-mutex|= naimi-trehel|if all 16"
    "seed|which = 16|which = 1|all goes well"
    "coins|chance = 5/128|chance = 1/26|the fraction is exact"
    "coins|k = 5|k = 6|a smaller k"
)
for row in "${wrong[@]}"; do
    IFS='|' read -r key from to says <<<"$row"
    awk -v key="$key" '/^exercise/ { on = $3 == key } on' "$tap_tmp/right" |
        sed "s|$from|$to|" >"$tap_tmp/wrong.txt"
    holds "exercise $key is not solved by '$to': $says" \
        not_yet "$tap_tmp/wrong.txt" "$says"
done
same "each of them was failed" "$((all - code))" \
    "$(printf '%s\n' "${wrong[@]}" | cut -d'|' -f1 | sort -u | wc -l)"

# ---- Runs by hand ---------------------------------------------------------------------

play() { "$fulcrum" check lelann --names 5,17,42 --links any --play "$@"; }
way=$(play '' --json | jq -r '.way | join(";")')
same "a run by hand says what it breaks, and by which move" "one-leader,agreement 9 of 9" \
    "$(play " $way ; " --json | jq -r '"\(.broken | join(",")) \(.after) of \(.shortest)"')"
same "before that, which moves can be next" "P17 is told: wake" \
    "$(play 'P5 is told: wake' | sed -n 's/^  //p' | head -n 1)"
same "and that there is no other" 2 "$(play 'P9 is told: wake' >"$tap_tmp/play" 2>&1; echo $?)"
holds "it says after how many moves" grep -q 'after 0 moves there is no move .P9' "$tap_tmp/play"

# ---- Copies --------------------------------------------------------------------------

# Of exercises that vary, one student's answers are no other's; the rest are the same.
# (Ada and Cora drew nothing alike: of some exercises there are a few dozen tasks.)
varies=$(grep -l '^\[varies\]' $at/*.exercise | xargs sed -n 's/^key = //p' | sort)
sed 's/^student = ada/student = cora/' "$tap_tmp/ada.txt" >"$tap_tmp/copy.txt"
same "another's answers fail wherever the exercise varies" "$varies" \
    "$(marks "$tap_tmp/copy.txt" | sed -n 's/ .* false$//p' | sort)"
seed=$("$fulcrum" grade --tasks --json --student ada | jq -r '.[0].seed')
told "an answer under another student's seed is refused" "is not that of student 'cora'" \
    "student = cora\nseed = $seed\nexercise = deadlock\nsites = 4\n"
same "under one's own it is marked" "deadlock 4/4 true" \
    "$(printf "student = Ada \nseed = $seed\nexercise = deadlock\nsites = 4\n" >"$tap_tmp/a.txt"
        marks "$tap_tmp/a.txt")"
same "another term has other tasks" no \
    "$(marks --term 2027 "$tap_tmp/ada.txt" | grep -q '^names.*true' && echo yes || echo no)"
holds "whose it is cannot be said in two ways" bash -c \
    '"$1" grade --student bob "$2" | grep -q "it is by student .Ada., not by .bob."' _ "$fulcrum" "$tap_tmp/a.txt"

# ---- Spellings -----------------------------------------------------------------------

for text in 'exercise = names\r\nnames = 1,2,3,4,5,6\r\n' 'Exercise: 2\nNAMES: 1 2 3 4 5 6' \
    '\xef\xbb\xbf exercise=names\n\n- **names**: (1, 2, 3; 4, 5, 6).\n' \
    'exercise = names\rnames = 1,2,3,4,5,6\r'; do
    printf "$text" >"$tap_tmp/spelling.txt"
    same "$(printf '%q' "$text") is accepted" "names 4/4 true" "$(marks "$tap_tmp/spelling.txt")"
done
told "a line that is missing is named" "no line 'names = ...'.*did you mean 'nmaes' in line 2" \
    'exercise = names\nnmaes = 1,2\n'
told "what was read is said, and what is wanted" \
    "line 2: names was read as '1,2'; wanted is the numbers 1,2,3,4,5,6" \
    'exercise = names\nnames = 1,2\n'
told "an answer that is given twice is refused" "twice, in lines 2 and 3" \
    'exercise = window\nwindow = 2\nwindow = 3\n'
told "a command cannot be slipped in" "was read as '1 --json'" \
    'exercise = deadlock\nsites = 1 --json\n'
told "limits of the text are enforced" "a whole number 2..9" 'exercise = deadlock\nsites = 20000\n'
told "what is no text is told how to become one" "save it as UTF-8" 'n\0a\0'
told "what would move a terminal's cursor is not shown" "no exercise '?]0;x??'" \
    'student = \033[31mred\xff\nexercise = \033]0;x\007\xc3\n'
told "what is cut is cut between letters or marked" "names was read as 'ä" \
    "exercise = names\nnames = $(printf 'ä%.0s' $(seq 99))x\n"
told "an unknown exercise is named" "there is no exercise 'nmaes'" 'exercise = nmaes\n'
told "no exercise is told where to say it" "a line 'exercise = KEY'" 'window = 2\n'

# ---- C -------------------------------------------------------------------------------

make --no-print-directory -s BUILD="$build" grade-kit >"$tap_tmp/make" 2>&1 || cat "$tap_tmp/make"
if [ -x /usr/bin/bwrap ]; then
    mkdir "$tap_tmp/c"
    cp $at/eager.c $at/eager.h "$tap_tmp/c"
    cp $at/solutions/baton.c $at/solutions/baton.h "$tap_tmp/c"
    mkdir "$tap_tmp/c/a" "$tap_tmp/c/b"
    cp $at/solutions/eager.c "$tap_tmp/c/a"
    { echo '#include <unistd.h>'; cat $at/solutions/eager.c; } >"$tap_tmp/c/b/eager.c"
    same "C is built and judged in a sandbox, wrong and right at once" \
        "$(printf '%s\n' 'eager 10/10 true' 'eager 0/10 false' 'baton 13/13 true' 'eager 5/10 false')" \
        "$(marks "$tap_tmp/c")"
else
    echo "ok - C is built and judged in a sandbox # SKIP bubblewrap is not installed"
    printf '' >"$tap_tmp/eager.c"
    holds "without a sandbox C is refused" not_yet "$tap_tmp/eager.c" "in a sandbox only"
fi

# ---- Reports -------------------------------------------------------------------------

printf 'exercise = names\nnames = 6,5,4,3,2,1\n' >"$tap_tmp/x.txt"
same "TAP has a line for each rule" "not ok 1" \
    "$("$fulcrum" grade --tap "$tap_tmp/x.txt" | sed -n 's/ - .*//p')"
same "JUnit counts failures" 'tests="1" failures="1"' \
    "$("$fulcrum" grade --junit "$tap_tmp/x.txt" | grep -o 'tests=.*"1"')"
mkdir -p "$tap_tmp/auto/submission"
cp "$tap_tmp/a.txt" "$tap_tmp/x.txt" "$tap_tmp/auto/submission"
sed -i 's/^student.*//; s/^seed.*//' "$tap_tmp/auto/submission/a.txt"
echo '{"id": 1, "users": [{"email": "ada@example.org", "id": 7, "name": "Ada"}]}' \
    >"$tap_tmp/auto/submission_metadata.json"
"$fulcrum" grade --gradescope "$tap_tmp/auto"
same "Gradescope gets a score, and what each rule says" \
    '4 visible passed,passed,failed' \
    "$(jq -r '"\(.score) \(.visibility) \([.tests[].status] | join(","))"' \
        "$tap_tmp/auto/results/results.json")"

# ---- What is handed out --------------------------------------------------------------

make --no-print-directory -s BUILD="$build" handout >"$tap_tmp/make" 2>&1 || cat "$tap_tmp/make"
same "the hand-out has no solutions" "" \
    "$(tar -tf "$build/handout.tar.gz" | grep -i solution)"
tar -xf "$build/handout.tar.gz" -C "$tap_tmp"
same "its program needs nothing, finds the exercises, and has no answers" "names 4/4 true 0" \
    "$(fulcrum=$tap_tmp/fulcrum-exercises/bin/fulcrum; cd /
        printf 'exercise = names\nnames = 1,2,3,4,5,6\n' >"$tap_tmp/h.txt"
        echo "$(marks "$tap_tmp/h.txt") $("$fulcrum" grade --answers | grep -c =)")"
holds "and all exercises" test "$(tar -tf "$build/handout.tar.gz" | grep -c '\.exercise$')" -eq "$all"

# The protocols of the last two are not in this build.
runs() {
    local line code bad=0
    while read -r line; do
        (cd "$tap_tmp" && eval "${line/#fulcrum/$fulcrum}") >/dev/null 2>&1
        code=$?
        [ $code -le 1 ] || { echo "exit $code: $line"; bad=1; }
    done < <("$fulcrum" grade --tasks | sed -n 's/^    \(fulcrum .*\)/\1/p')
    return $bad
}
holds "the commands in the text of the exercises run" runs
tap_end
