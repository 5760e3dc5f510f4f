#!/usr/bin/env bash
# cli.sh FULCRUM - the command line: results, error messages, exit codes, files.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=$1
export LC_ALL=C.UTF-8

# field FILTER ARGUMENTS...: a value of the JSON of a simulation.
field() {
    local filter=$1
    shift
    "$fulcrum" sim "$@" --json | jq -c "$filter"
}

# ---- Bad input: one clear sentence, exit 2 or 3 ------------------------------

refuses 2 "no protocol is called 'foo'" sim foo -n 4
refuses 2 "did you mean 'vitanyi'" sim vitany -n 4
refuses 2 "which protocol" sim
refuses 2 "one protocol at a time" sim vitanyi lelann -n 4
refuses 2 "no parameter 'g'" sim vitanyi -n 4 --set g=1
refuses 2 "takes KEY=VALUE" sim vitanyi -n 4 --set f
refuses 2 "not one of const:C" sim vitanyi -n 4 --set f=exp:x
refuses 2 "not one of one|f" sim vitanyi -n 4 --set first-wait=two
refuses 2 "multiples of 0.5" sim vitanyi -n 4 --set f=pow:1.3
refuses 2 "2 to 1000000000" sim vitanyi -n 1
refuses 2 "2 to 1000000000" sim vitanyi -n 0
refuses 2 "2 to 1000000000" sim vitanyi -n -5
refuses 2 "2 to 1000000000" sim vitanyi -n 99999999999999999999
refuses 2 "not 'x'" sim vitanyi -n x
refuses 2 "3 stands twice" sim vitanyi --names 3,1,3
same "equal names are possible on request, and nodes are then counted" \
    "0 2 wake; send #2 token(1) to 0 arrives 1; is candidate" \
    "$("$fulcrum" sim chang-roberts --names equal:1,1,1 --trace - | grep '^0 2 ')"
refuses 2 "a name in --names" sim vitanyi --names 3,0,1
refuses 2 "a name in --names" sim vitanyi --names 3,,1
refuses 2 "a name in --names" sim vitanyi --names 1,1073741824
refuses 2 "lists 3 names, but -n says 4" sim vitanyi -n 4 --names 1,2,3
refuses 2 "at least two" sim vitanyi --names 7
refuses 2 "rmin is above rmax" sim vitanyi -n 4 --bounds 3:2:0:0
refuses 2 "dmin is above dmax" sim vitanyi -n 4 --bounds 2:3:5:4
refuses 2 "rmin is 0" sim vitanyi -n 4 --bounds 0:2:0:0
refuses 2 "four whole numbers" sim vitanyi -n 4 --bounds 1:2:3
refuses 2 "four whole numbers" sim vitanyi -n 4 --bounds 1:2:3:4:5
refuses 2 "four whole numbers" sim vitanyi -n 4 --bounds 1:2:3:9999999999999999
refuses 2 "goes with --clock steps" sim vitanyi -n 2 --phases 0,0
refuses 2 "3 delays for 2 links" sim vitanyi -n 2 --delays 0,1,2
same "each link has its delay, each processor its phase" \
    "0@2 4@6 5@14 14@15 17@26 18@19 34@35" \
    "$("$fulcrum" sim vitanyi --names 1,2,3 --bounds 4:4:0:9 --clock steps:4,4,4 \
        --phases 0,1,2 --delays 2,9,0 --wake 1@0 --until 35 --trace - |
        sed -n 's/^\([0-9]*\) .*; send .* arrives \([0-9]*\).*/\1@\2/p' |
        paste -sd' ')"
refuses 2 "choose sync" sim vitanyi -n 4 --time fast
refuses 2 "belong to --time archimedean" sim vitanyi -n 4 --time sync --bounds 1:2:0:0
refuses 2 "choose fixed" sim vitanyi -n 4 --clock slow
refuses 2 "lists 2 steps for 4" sim vitanyi -n 4 --clock steps:1,2
refuses 2 "choose fifo or any" sim vitanyi -n 4 --links lifo
refuses 2 "choose all, first" sim vitanyi -n 4 --wake some
refuses 2 "nobody is called '9'; the names are 1 to 4" sim vitanyi -n 4 --wake 9@0
refuses 2 "K in --wake random:K" sim vitanyi -n 4 --wake random:5
refuses 2 "does not fit in 62 bits" sim vitanyi --names 70,71
refuses 2 "does not fit in 62 bits" sim vitanyi --names 60,61,62 --bounds 100:200:0:9
refuses 2 "needs bounds" sim vitanyi -n 4 --time async --set f=exp:auto
refuses 2 "takes a whole number" sim vitanyi -n 4 --seed -1
refuses 2 "takes a whole number" sim vitanyi -n 4 --runs 0
refuses 2 "show one run" sim vitanyi -n 4 --runs 2 --trace "$tap_tmp/t"
refuses 2 "no protocol is called" list nobody
refuses 3 "cannot read the table" sim vitanyi -n 4 --set f=table:/nowhere
refuses 3 "GB" sim vitanyi -n 1000000000 --bounds 1:2:0:0 --runs 64 --threads 64
printf '1\n2\nx\n' >"$tap_tmp/table"
refuses 2 "line 3: 'x' is not a wait" sim vitanyi -n 3 --set "f=table:$tap_tmp/table"
printf '1\n2\n' >"$tap_tmp/table"
refuses 2 "fewer lines" sim vitanyi -n 3 --set "f=table:$tap_tmp/table"
printf '2\n4\n8\n' >"$tap_tmp/table"
same "a table of waits is obeyed" "$(field .messages.mean vitanyi -n 3)" \
    "$(field .messages.mean vitanyi -n 3 --set "f=table:$tap_tmp/table")"

# ---- Names from a file -------------------------------------------------------

printf '# clockwise\n5, 3 1\t# three of them\n\n4\r\n' >"$tap_tmp/names"
same "names from a file are those of a list" \
    "$("$fulcrum" sim chang-roberts --names 5,3,1,4 --hash --json | jq -r .trace_hash)" \
    "$("$fulcrum" sim chang-roberts --names "$tap_tmp/names" --hash --json | jq -r .trace_hash)"
refuses 2 "lists 4 names, but -n says 3" sim vitanyi -n 3 --names "$tap_tmp/names"
printf '5 3\n1 x 4\n' >"$tap_tmp/names"
refuses 2 "names, line 2: 'x' is not a name" sim vitanyi --names "$tap_tmp/names"
printf '5 3\n1073741824\n' >"$tap_tmp/names"
refuses 2 "names, line 2: '1073741824' is not a name" sim vitanyi --names "$tap_tmp/names"
printf '5 3\n\n1 5\n' >"$tap_tmp/names"
refuses 2 "names, line 3: 5 stands twice" sim vitanyi --names "$tap_tmp/names"
printf '# none\n' >"$tap_tmp/names"
refuses 2 "names: there are no numbers in it" sim vitanyi --names "$tap_tmp/names"
refuses 3 "cannot read the names nobody" sim vitanyi --names nobody
refuses 3 "cannot read the names $tap_tmp: Is a directory" sim vitanyi --names "$tap_tmp"

# ---- Steps one by one, and bounds --------------------------------------------

refuses 2 "a step of 5 ticks is not within --bounds 1:4:0:3" \
    sim vitanyi -n 3 --clock steps:1,5,2 --bounds 1:4:0:3
refuses 2 "a step of 1 ticks is not within" \
    sim vitanyi -n 3 --clock steps:2,1,2 --bounds 2:4:0:3
refuses 2 "a step of 1 ticks is not within --bounds 2:3:1:4, the default" \
    sim vitanyi -n 3 --clock steps:2,1,3
refuses 2 "a delay of 5 ticks is not within --bounds 2:3:1:4, the default" \
    sim vitanyi -n 3 --delays 1,2,5
same "processors know the bounds, steps and delays do not narrow them" \
    "1:9:0:3 2:3:1:4" \
    "$("$fulcrum" sim vitanyi -n 3 --clock steps:1,5,2 --bounds 1:9:0:3 --trace - |
        sed -n 's/^bounds //p' | paste -sd' ') $("$fulcrum" sim vitanyi -n 3 \
        --clock steps:2,2,2 --delays 1,1,1 --trace - | sed -n 's/^bounds //p')"

# ---- Files: all or nothing ---------------------------------------------------

refuses 3 "/nowhere/a" sim vitanyi -n 4 --trace /nowhere/a
refuses 3 "/nowhere/a" sim vitanyi -n 4 --svg /nowhere/a
refuses 3 "/nowhere" draw /nowhere
holds "a run writes its trace" "$fulcrum" sim vitanyi --names 2,1,3 \
    --trace "$tap_tmp/run.trace"
holds "a trace becomes a picture" "$fulcrum" draw "$tap_tmp/run.trace"
holds "the picture is beside the trace" test -s "$tap_tmp/run.svg"
same "a picture of a run is that of its trace" \
    "$("$fulcrum" sim vitanyi --names 2,1,3 --svg "$tap_tmp/direct.svg" >"$tap_tmp/x" &&
        sha256sum <"$tap_tmp/direct.svg")" "$(sha256sum <"$tap_tmp/run.svg")"
same "the hash of the report is that of the trace" \
    "$("$fulcrum" sim vitanyi --names 2,1,3 --hash --json | jq -r .trace_hash)" \
    "$(sed -n 's/^hash //p' "$tap_tmp/run.trace")"
head -c 300 "$tap_tmp/run.trace" >"$tap_tmp/cut.trace"
refuses 2 "cut.trace" draw "$tap_tmp/cut.trace"
same "a refused trace leaves no picture" no \
    "$([ -e "$tap_tmp/cut.svg" ] && echo yes || echo no)"
sed 's/wakeup/wakedown/' "$tap_tmp/run.trace" >"$tap_tmp/bad.trace"
refuses 2 "bad.trace" draw "$tap_tmp/bad.trace"
if [ -w /dev/full ]; then
    refuses 3 "/dev/full" draw "$tap_tmp/run.trace" -o /dev/full
    refuses 3 "/dev/full" sim vitanyi -n 4 --trace /dev/full
    "$fulcrum" sim vitanyi -n 4 >/dev/full 2>"$tap_tmp/err"
    same "a full disk behind standard output is exit 3" 3 $?
fi
# A small file system that fills up, where we may mount one.
mkdir "$tap_tmp/tiny"
if mount -t tmpfs -o size=64k tmpfs "$tap_tmp/tiny" 2>/dev/null; then
    refuses 3 "tiny" sim vitanyi -n 3000 --trace "$tap_tmp/tiny/run.trace"
    same "a full disk leaves no partial file" "" "$(ls "$tap_tmp/tiny")"
    umount "$tap_tmp/tiny"
fi

# A limit on the size of files, as batch systems set it.
limited() {
    mkdir -p "$tap_tmp/limited"
    (ulimit -f 1 && exec "$fulcrum" sim vitanyi -n 8 \
        --trace "$tap_tmp/limited/x.trace") >/dev/null 2>"$tap_tmp/said"
    echo "$? $(grep -c 'x.trace: File too large' "$tap_tmp/said")" \
        "$(ls "$tap_tmp/limited")"
}
same "a file beyond the limit of the process is refused and leaves nothing" \
    "3 1 " "$(limited)"

# Characters of the widest line on a screen of $1 columns.
widest() { # COLUMNS ARGUMENTS...: of the diagram of that run
    "$fulcrum" sim "${@:2}" --trace "$tap_tmp/wide.trace" >"$tap_tmp/x" &&
        COLUMNS=$1 "$fulcrum" draw "$tap_tmp/wide.trace" --text --to 150 | wc -L
}
fits() { [ "$(widest "$@")" -le "$1" ] && [ "$(widest "$@")" -gt 60 ]; }
for run in "vitanyi -n 8" "itai-rodeh -n 5" "hirschberg-sinclair -n 8" \
    "bully -n 8" "tree -n 7" "central -n 6 --entries 1" \
    "view-lock -n 5 --entries 1"; do
    # shellcheck disable=SC2086
    holds "text of $run fits 80 columns" fits 80 $run
done
same "and a wide screen is used" yes \
    "$([ "$(widest 200 vitanyi -n 8)" -gt 110 ] && echo yes)"
same "what does not fit beside the lanes stands below" \
    "      M₈, M₃, M₆, M₅, M₄ die" \
    "$(widest 80 vitanyi -n 8 >"$tap_tmp/x"
        "$fulcrum" draw "$tap_tmp/wide.trace" --text | grep '^ *M.* die$' | head -n 1)"

# ---- Standard input and output -----------------------------------------------

same "a trace from standard input is drawn to standard output" \
    "$(sha256sum <"$tap_tmp/run.svg")" \
    "$("$fulcrum" draw - <"$tap_tmp/run.trace" | sha256sum)"
same "and is replayed" "-: 12 events, each as written" \
    "$("$fulcrum" sim --replay - <"$tap_tmp/run.trace" | sed 's/[0-9]* events/12 events/')"
same "a replay is JSON, too" '[true,true,[]]' \
    "$("$fulcrum" sim --replay "$tap_tmp/run.trace" --json |
        jq -c '[.same, .events > 0, .violations]')"
"$fulcrum" sim ricart-agrawala -n 2 --entries 1 --trace "$tap_tmp/ra.trace" >"$tap_tmp/out"
same "a replay shows what an event changes in the state of its node" \
    "    number 1 -> 0, deferred {2} -> {}, role inside -> idle" \
    "$("$fulcrum" sim --replay "$tap_tmp/ra.trace" --states |
        sed -n '/^3 1 leave; /{n;p;}')"
same "of one node alone" "0 1,1 1,2 1,3 1" \
    "$("$fulcrum" sim --replay "$tap_tmp/ra.trace" --states=1 | grep '^[0-9]' |
        cut -d ' ' -f 1,2 | paste -sd ,)"
same "and in JSON" '[20,1,1,{"deferred":["{}","{2}"]}]' \
    "$("$fulcrum" sim --replay "$tap_tmp/ra.trace" --states --json |
        jq -c '.states[3] | [.line, .tick, .node, .changed]')"
same "which is not there unless it is asked for" false \
    "$("$fulcrum" sim --replay "$tap_tmp/ra.trace" --json | jq 'has("states")')"
refuses 2 "has no such node" sim --replay "$tap_tmp/ra.trace" --states=3
refuses 2 "one node alone is --states=NODE" sim --replay "$tap_tmp/ra.trace" --states 1
refuses 2 "says which protocol it is" sim lelann --replay "$tap_tmp/ra.trace"
refuses 2 "give --replay, too" sim lelann --states
refuses 2 "standard input" draw - </dev/null
for what in list "sim vitanyi" "check lelann" "compare election -n 4 --runs 1"; do
    # shellcheck disable=SC2086
    same "fulcrum $what -o FILE is what it prints" \
        "$("$fulcrum" $what | sed '/ CPU/d; /^  memory/d')" \
        "$("$fulcrum" $what -o "$tap_tmp/report" && sed '/ CPU/d; /^  memory/d' "$tap_tmp/report")"
done
same "-o - is the standard output" "$("$fulcrum" list)" "$("$fulcrum" list -o -)"
refuses 3 "cannot write /nowhere/a" list -o /nowhere/a
rm -f "$tap_tmp/report"
refuses 2 "no protocol is called" list nobody -o "$tap_tmp/report"
same "what is refused leaves no file" no \
    "$([ -e "$tap_tmp/report" ] && echo yes || echo no)"
mkdir "$tap_tmp/killed"
"$fulcrum" sim vitanyi -n 3000000 --bounds 2:3:1:4 --trace "$tap_tmp/killed/run.trace" \
    >"$tap_tmp/out" 2>"$tap_tmp/err" &
pid=$!
until_worked $pid
kill -TERM $pid
wait $pid
same "SIGTERM is exit 143" 143 $?
same "SIGTERM leaves nothing behind" "" "$(ls "$tap_tmp/killed")"
if command -v script >/dev/null; then
    same "a dumb terminal gets no colour" 0 \
        "$(TERM=dumb script -qec "$fulcrum sim vitanyi" /dev/null </dev/null | grep -c "$(printf '\033')")"
fi

# ---- Results -----------------------------------------------------------------

same "vitanyi, ascending, all awake: 4N-1, 3N, 4N" '[399,300,400]' \
    "$(field '[.messages.mean,.elected_at.mean,.end.mean]' vitanyi -n 100 --names asc | sed 's/\.0//g')"
same "lelann: kN tokens" 900 \
    "$(field .messages.by_kind.token lelann -n 100 --wake random:9 | sed 's/\.0//')"
same "chang-roberts, worst order" 5050 \
    "$(field .messages.by_kind.token chang-roberts -n 100 --names asc | sed 's/\.0//')"
same "chang-roberts, best order" 199 \
    "$(field .messages.by_kind.token chang-roberts -n 100 --names desc | sed 's/\.0//')"
same "chang-roberts-max elects the greatest" 100 \
    "$(field .leader chang-roberts-max -n 100)"
same "JSON has every field that is promised" true "$(field '[has("protocol",
    "nodes","time","seed","runs","ok","violated","leader","messages",
    "paper_bits","wire_bits","end","elected_at","events","cpu_s",
    "events_per_s","bytes_per_node")] | all' vitanyi -n 10)"
same "a named processor wakes alone" '[1,3]' \
    "$(field '[.initiators.max,.leader]' chang-roberts --names 5,3,1,4 --wake 3@0)"
same "spontaneous wake-ups at their ticks" 2 \
    "$(field .initiators.max vitanyi --names 2,3,1 --wake 3@5,1@5)"
# More than 53 bits, which jq 1.6 and JavaScript round.
seed=9007199254740993
same "sim: a seed survives a reader that rounds numbers" "\"$seed\"" \
    "$("$fulcrum" sim vitanyi -n 4 --seed $seed --json | command jq -c .seed)"
same "sweep: a seed survives a reader that rounds numbers" "\"$seed\"" \
    "$("$fulcrum" sweep vitanyi --grid n=4,5 --runs 2 --seed $seed --json 2>/dev/null |
        command jq -c '.rows[0].seed')"
same "worst: a seed survives a reader that rounds numbers" "\"$seed\"" \
    "$("$fulcrum" worst vitanyi -n 3 --of messages --budget 5 --seed $seed --json \
        2>/dev/null | command jq -c .seed)"
same "run r of a batch has seed S+r" \
    "$(field .messages.mean vitanyi -n 50 --seed 7)" \
    "$(field .messages.max vitanyi -n 50 --seed 7 --runs 1)"

"$fulcrum" sim lelann -n 6 --time async --links any --runs 300 >"$tap_tmp/out"
same "a broken property is exit 1" 1 $?
holds "a broken property comes with the command that shows it again" \
    grep -q '^again: .*--seed' "$tap_tmp/out"
again=$(sed -n 's/^again: fulcrum //p' "$tap_tmp/out" |
    sed "s|run.trace|$tap_tmp/again.trace|")
# shellcheck disable=SC2086
"$fulcrum" $again >"$tap_tmp/out"
same "that command breaks the property again" 1 $?
holds "the trace names the broken property" grep -q violated "$tap_tmp/again.trace"

holds "--until stops a run" "$fulcrum" sim vitanyi -n 100 --until 50
"$fulcrum" sim chang-roberts-max -n 5 --set coordinator=forwards >"$tap_tmp/out"
same "an elected message that circulates for ever is noticed" 1 $?

# ---- Defaults, and what is not judged ----------------------------------------

same "without -n a ring has 8 nodes, a complete network 5" "8 5" \
    "$(field .nodes vitanyi) $(field .nodes lamport)"
for protocol in $("$fulcrum" list --json | jq -r '.[].protocol'); do
    holds "$protocol runs without options" "$fulcrum" sim "$protocol"
done
same "a list of names needs no -n" 3 "$(field .nodes vitanyi --names 3,1,2)"
same "the command to run again has the number of nodes" \
    "fulcrum sim vitanyi -n 8 --seed 1" "$(field .command vitanyi | jq -r .)"
same "readers and writers have readers" true \
    "$(field '.messages.by_kind["read-request"] > 0' rw-preventive)"
same "unless the writers are fixed" "fulcrum sim rw-preventive -n 5 --set writers=2 --seed 1" \
    "$(field .command rw-preventive --set writers=2 | jq -r .)"
same "an unfinished run is not judged" \
    '["unfinished","unfinished","unfinished"]' \
    "$(field '[.leader_verdict, .claims[].verdict]' vitanyi --until 5)"
same "a finished one is" '["right","within","within"]' \
    "$(field '[.leader_verdict, .claims[].verdict]' vitanyi)"
"$fulcrum" sim vitanyi --until 5 >"$tap_tmp/out"
same "the table of an unfinished run has neither sign" 0 \
    "$(grep -c '[✓✗]' "$tap_tmp/out")"
same "it has dashes" 3 "$(grep -c ' – unfinished$' "$tap_tmp/out")"
same "a bound that is exceeded already is" beyond \
    "$(field '.claims[] | select(.cost == "granting_delay" and
        .relation == "at most") | .verdict' archimedean --until 700 | jq -r .)"
holds "a bound on the mean is called one" grep -q ' mean ≤ 20  2dmax' \
    <("$fulcrum" sim archimedean)
holds "the letters of its formulas are explained" \
    grep -q 's of them compete, g = rmin/rmax' <("$fulcrum" sim archimedean)
holds "the names of a small random ring are told" \
    grep -q '^seed 1, names 1,7,8,3,2,6,5,4$' <("$fulcrum" sim vitanyi)
same "JSON has them, too" '[1,7,8,3,2,6,5,4]' "$(field .names vitanyi)"
same "a large ring's are not listed" null "$(field .names vitanyi -n 17)"
holds "the faults stand in the head" grep -q '^faults: loss 0.5, crash 2@3$' \
    <("$fulcrum" sim vitanyi --fault 'loss 0.5' --fault 'crash 2@3')
holds "what a leader found out is judged" \
    grep -q 'answer .* 8  = processors on the ring  ✓ right' \
    <("$fulcrum" sim ring-size)
holds "what runs for ever is not called unfinished" \
    grep -q '^token-ring runs for ever: watched up to tick' \
    <("$fulcrum" sim token-ring)
same "heartbeats are no messages" true "$(field '.frames.mean > 0 and
    (.messages.mean == (.messages.by_kind | del(.frame) | add))' view-lock)"
same "async breaks what the bully assumes" '["bounded steps and delays"]' \
    "$(field .assumptions_broken bully -n 4 --time async)"
same "links in any order are not what Le Lann assumes" '["FIFO links"]' \
    "$(field .assumptions_broken lelann -n 4 --links any)"
same "a parameter can do without an assumption" '[]' \
    "$(field .assumptions_broken vitanyi -n 4 --links any --set links=any)"

# ---- Width --------------------------------------------------------------------

# widest ARGUMENTS...: columns of the longest line, except the command to repeat.
widest() {
    "$fulcrum" "$@" | grep -v '^again: ' | awk '{ if (length($0) > w) w = length($0) }
        END { print w + 0 }'
}
fits() {
    [ "$(widest "$@")" -le 80 ]
}
holds "the list fits 80 columns" fits list
holds "so does a long head" fits sim rw-preventive --bounds 2:3:1:4 --links any
holds "so does a verdict" fits check chang-roberts
same "COLUMNS is obeyed" yes \
    "$([ "$(COLUMNS=60 widest list)" -le 60 ] && echo yes)"

# ---- Comparing ---------------------------------------------------------------

same "compare runs every election on a ring, cheapest first" true \
    "$("$fulcrum" compare election -n 64 --runs 10 --json |
        jq '(map(.messages_mean) | . == sort) and length >= 8')"
same "no election fails in a comparison" 0 \
    "$("$fulcrum" compare election -n 5,33 --runs 50 --bounds 2:5:1:6 --json |
        jq 'map(.violated) | add')"
holds "compare draws" "$fulcrum" compare election -n 4,16,64 --runs 5 \
    --svg "$tap_tmp/compare.svg"
holds "the comparison is a picture" grep -q '</svg>' "$tap_tmp/compare.svg"
same "a table for each size" 3 \
    "$("$fulcrum" compare election -n 4,8,16 --runs 2 | grep -c '^elections on the same rings of')"
refuses 3 "cannot write /nowhere/x.svg" compare mutex -n 200 --svg /nowhere/x.svg
holds "a comparison tells its faults" grep -q '^faults: loss 0.01$' \
    <("$fulcrum" compare election -n 4 --runs 1 --fault 'loss 0.01')
holds "it fits 80 columns" fits compare election -n 10,1000 --runs 2
holds "so does that of mutual exclusion" fits compare mutex -n 8 --runs 1
same "heartbeats stand beside the messages of an entry" true \
    "$("$fulcrum" compare mutex -n 4 --runs 1 --json | jq 'map(select(.protocol == "view-lock"))
        | all(.frames_per_entry > 0) and (map(.messages_per_entry) | max < 99)')"
holds "demo writes where it is told" "$fulcrum" demo -o "$tap_tmp/shown" elections
holds "and draws" grep -q '</svg>' "$tap_tmp/shown/vitanyi.svg"
refuses 2 "compare what" compare
refuses 2 "what is 'extra'?" compare mutex -n 4 extra
refuses 2 "how many processors" compare election
refuses 2 "there is no option --frob; see 'fulcrum compare mutex --help'" \
    compare mutex --frob
refuses 2 "needs a value; see 'fulcrum compare election --help'" compare election -n
refuses 2 "is not for all" compare election -n 4 --set f=1
refuses 2 "is for fulcrum compare mutex" compare election -n 4 --load 1
refuses 2 "whole number from 2 to 256" compare mutex -n 1000
refuses 2 "whole number from 1 to 8" compare mutex -n 8 --load 1,9
same "compare runs all mutual exclusion, cheapest first" true \
    "$("$fulcrum" compare mutex -n 8 --runs 2 --entries 5 --json |
        jq '(map(select(.competitors == 8) | .messages_per_entry)
            | . == sort) and (map(.violated) | add == 0)')"
holds "compare draws mutual exclusion" "$fulcrum" compare mutex -n 8 --runs 1 \
    --entries 3 --load 1,2,4,8 --svg "$tap_tmp/mutexes.svg"
frames() { # the picture of a lock that sends them, drawn at once and later
    "$fulcrum" sim view-lock -n 3 --entries 1 --trace "$tap_tmp/lock.trace" \
        --svg "$tap_tmp/lock.svg" "$@" >"$tap_tmp/x" &&
        "$fulcrum" draw "$tap_tmp/lock.trace" "$@" -o "$tap_tmp/later.svg" >"$tap_tmp/x" &&
        cmp "$tap_tmp/lock.svg" "$tap_tmp/later.svg" &&
        grep -c "class='m frame" "$tap_tmp/lock.svg"
}
same "frames are drawn only on demand" "1 yes" \
    "$(frames) $([ "$(frames --frames)" -gt 3 ] && echo yes)" # 1: in the key
refuses 2 "give --svg, too" sim vitanyi -n 3 --frames
holds "the comparison of mutual exclusion is a picture" \
    grep -q 'messages an entry' "$tap_tmp/mutexes.svg"

# ---- Work --------------------------------------------------------------------

refuses 2 "is about mutual exclusion" sim vitanyi -n 4 --entries 3
refuses 2 "say how many steps" sim ricart-agrawala -n 4 --think exp
refuses 2 "say how many steps" sim ricart-agrawala -n 4 --section uniform:5:1
refuses 2 "a chance is from 0 to 1" sim rw-preventive -n 4 --shared 2
refuses 2 "raymond has none" sim raymond -n 4 --shared 0.5
refuses 2 "whole number from 1 to 4" sim ricart-agrawala -n 4 --competitors 5
refuses 2 "both say which sites take part" sim ricart-agrawala -n 4 --competitors 2 \
    --wake first
refuses 2 "whole number from 1 to" sim ricart-agrawala -n 4 --entries 0
same "entries, messages and refusals of each" '[300,8,8,8,0,0,true]' \
    "$(field '[.entries, .messages_per_entry.mean, .messages_per_entry.min,
        .messages_per_entry.max, .refusals.mean, .overlaps, .token_monotone]' \
        ricart-agrawala -n 5 --entries 100 --competitors 3 --think exp:50 \
        --section uniform:1:9 --bounds 2:3:1:4 | sed 's/\.0//g')"
same "JSON has every field that is promised of entries" true "$(field '[has(
    "entries","messages_per_entry","messages_for_no_entry","refusals",
    "granting_delay","handoff",
    "overtaken","overlaps","token_monotone","attempts","torn")] | all' \
    ricart-agrawala -n 3)"
same "messages are those of entries plus those for no entry" \
    true "$(field '.messages_for_no_entry > 0 and
    ([.messages.mean * .runs - .messages_for_no_entry, .messages_per_entry.mean * .entries]
    | .[0] - .[1] | fabs < 0.001)' raymond -n 7 --entries 3 --runs 20)"
same "alone, an entry takes two delays and the steps of n-1 replies" 23 \
    "$(field .granting_delay.max ricart-agrawala -n 5 --competitors 1 \
        --bounds 1:1:10:10 | sed 's/\.0//')"

# ---- Faults ------------------------------------------------------------------

refuses 2 "no fault 'explode'; there are crash, restart" sim vitanyi -n 4 --fault 'explode 3@4'
refuses 2 "did you mean 'crash'" sim vitanyi -n 4 --fault 'crahs 3@4'
refuses 2 "nobody is called '9'; the names are 1 to 4" sim vitanyi -n 4 --fault 'crash 9@4'
refuses 2 "the names are 5,3,9" sim vitanyi --names 5,3,9 --fault 'crash 1@4'
refuses 2 "the positions are 0 to 3" sim itai-rodeh -n 4 --fault 'crash 4@4'
refuses 2 "a chance is from 0 to 1, not 1.5" sim vitanyi -n 4 --fault 'loss 1.5'
refuses 2 "write it as 'crash NAME@TICK'" sim vitanyi -n 4 --fault 'crash 3'
refuses 2 "write it as 'late P:TICKS'" sim vitanyi -n 4 --fault 'late 0.5'
refuses 2 "a whole number up to 2^40, not 'x'" sim vitanyi -n 4 --fault 'pause 3@x:1'
refuses 2 "before it begins" sim vitanyi -n 4 --fault 'cut 3@9:4'
refuses 2 "more than 255 characters follow 'crash'" \
    sim vitanyi -n 4 --fault "crash $(printf '1,%.0s' {1..130})@40"
refuses 3 "cannot read the faults" sim vitanyi -n 4 --faults /nowhere
printf 'crash 2@3\nloss x\n' >"$tap_tmp/faults"
refuses 2 "line 2: 'loss x'" sim vitanyi -n 4 --faults "$tap_tmp/faults"
same "faults come from standard input, too" 1 \
    "$(echo 'crash 2@3' | "$fulcrum" sim vitanyi -n 4 --faults - --json | jq .faults.crashes)"
refuses 2 "write it as 'lose NAME#K'" sim vitanyi -n 4 --fault 'lose 2'
refuses 2 "counted from 1" sim vitanyi -n 4 --fault 'lose 2#0'
refuses 2 "at least one tick" sim vitanyi -n 4 --fault 'delay 2#1:0'
refuses 2 "nobody is called" sim vitanyi -n 4 --fault 'delay 9#1:5'
# fates: the fate of every message of a run, in the order of sending.
fates() {
    "$fulcrum" sim chang-roberts --names 1,2,3 "$@" --trace - |
        grep -o 'to [123] \(lost\|arrives [0-9]*\)' | head -n 4 | tr '\n' ';'
}
same "one message is lost, and no other" \
    "to 2 arrives 1;to 3 lost;to 1 arrives 1;to 3 arrives 2;" \
    "$(fates --fault 'lose 2#1')"
same "one message takes so many ticks, and no other; it goes before chance" \
    "to 2 arrives 7;to 3 lost;to 1 lost;to 3 lost;" \
    "$(fates --fault 'loss 1' --fault 'delay 1#1:7')"
same "the second message of a node" \
    "to 2 arrives 1;to 3 arrives 1;to 1 arrives 1;to 3 lost;" \
    "$(fates --fault 'lose 2#2')"
"$fulcrum" sim vitanyi -n 8 --names asc --fault 'loss 0.5' >"$tap_tmp/out"
same "a lost message breaks an election that needs it" 1 $?
holds "the report names the broken assumption" \
    grep -q 'assumption broken: reliable links' "$tap_tmp/out"
"$fulcrum" sim view-lock -n 3 --bounds 8:10:1:50 --fault 'loss 0.1' \
    --fault 'duplicate 0.1' --fault 'reorder 0.1' --fault 'late 0.1:90' \
    --fault 'pause 2@900:500' --fault 'crashes-blank 1' \
    --fault 'cut 3@2000:3000' >"$tap_tmp/out"
same "the live lock survives every kind of fault" 0 $?
same "the live lock tolerates all seven kinds" 7 \
    "$(grep -c '^tolerated: .*([1-9][0-9]*)$' "$tap_tmp/out")"
holds "a tolerated fault is not called a broken assumption" \
    sh -c '! grep -q "assumption broken" "$1"' sh \
    "$tap_tmp/out"
"$fulcrum" sim ricart-agrawala -n 3 --bounds 2:3:1:4 --fault 'late 0.9:90' \
    --fault 'crash 2@60' >"$tap_tmp/out"
holds "a protocol that stands any delay tolerates late messages" \
    grep -q '^tolerated: messages late (' "$tap_tmp/out"
holds "a protocol that does not tolerate crashes says so" \
    grep -q '^assumption broken: nodes that do not crash (' "$tap_tmp/out"
"$fulcrum" sim bully -n 8 --wake 3@0 --fault 'crash 8@0' >"$tap_tmp/out"
holds "the bully tolerates crashes" grep -q '^tolerated: crashes (1)' \
    "$tap_tmp/out"

for verb in "" list sim draw demo compare; do
    # shellcheck disable=SC2086
    "$fulcrum" $verb --help >"$tap_tmp/help" 2>&1
    same "fulcrum $verb --help works" 0 $?
    holds "the help of fulcrum $verb has an example" \
        grep -q -i -e 'example' -e 'try:' "$tap_tmp/help"
done

# ---- Options: errors, manual, completion -------------------------------------

refuses 2 "no verb 'siim'; did you mean 'sim'" siim
refuses 2 "'VITANYI' is a protocol" VITANYI
refuses 2 "no verb 'xyzzy'; 'fulcrum help'" help xyzzy
refuses 2 "did you mean 'vitanyi'" sim VITANYI
refuses 2 "did you mean 'ricart-agrawala'" sim ricart
refuses 2 "no protocol is called 'null'; 'fulcrum list'" sim null
refuses 2 "given as --fault 'loss 0.1'" sim lelann --loss 0.1
refuses 2 "given as --fault 'lose 2#1'" sim lelann --lose
refuses 2 "given as --fault 'reorder'" check lelann --reorder
refuses 2 "did you mean --json" list --josn
refuses 2 "neither such a tree nor such a file; choose path, star" \
    sim raymond --topology cube
refuses 2 "more than the 4 sites" sim raymond-k -n 4 --set k=9
refuses 2 "name two files" sim vitanyi --svg "$tap_tmp/a" --trace "$tap_tmp/a"
refuses 3 "cannot write /nowhere/x.svg" sim vitanyi -n 20000000 --svg /nowhere/x.svg
refuses 2 "about 1e+18 messages here" sim lelann -n 1000000000
refuses 2 "how many ticks to run" sim lamport -n 200 --entries 1000000000
holds "--until runs it all the same" "$fulcrum" sim lelann -n 5000000 --until 1
for help in -h --help "help sim" "sim -h"; do
    # shellcheck disable=SC2086
    holds "fulcrum $help helps" "$fulcrum" $help
done
same "help VERB is VERB --help" "$("$fulcrum" compare mutex --help)" \
    "$("$fulcrum" help compare mutex)"
same "-V is --version" "$("$fulcrum" --version)" "$("$fulcrum" -V)"
refuses 2 "no option --treads; did you mean --threads" sim lelann --treads 2
refuses 2 "no option --quiet; see 'fulcrum sim --help'" sim lelann --quiet
refuses 2 "may be any of --pauses, --pause-max" check lelann --pau 1
refuses 2 "no option -x" list -x
refuses 2 "seed needs a value" sim lelann --seed
refuses 2 "json takes no value" sim lelann --json=yes
same "the command to run again quotes what a shell would expand" \
    "fulcrum sim lelann -n 3 --set announce=no --fault 'loss 0.5' --seed 1" \
    "$(field .command lelann -n 3 --set announce=no --fault 'loss 0.5' | jq -r .)"

# The manual describes exactly the options of the table, and its synopsis has
# every option in one of its spellings.
manual_agrees() {
    local bad=0 spelling page=man/fulcrum-$1.1
    "$fulcrum" completion options | sed -n "s/^$1 //p" >"$tap_tmp/table"
    awk '/^\.It Fl/ { for (i = 2; i < NF; i++) if ($i == "Fl") print "-" $(i + 1) }' \
        "$page" | sort -u >"$tap_tmp/described"
    tr ' ' '\n' <"$tap_tmp/table" | sort -u | diff - "$tap_tmp/described" || bad=1
    awk '/^\.Sh/ { inside = $2 == "SYNOPSIS" }
        inside { for (i = 2; i <= NF; i++)
            if ($(i - 1) ~ /^\.?Fl$/ || $i ~ /^-[a-z]/) print "-" $i }' \
        "$page" >"$tap_tmp/synopsis"
    while read -r spelling; do
        [ "$spelling" = "-h --help" ] && continue
        tr ' ' '\n' <<<"$spelling" | grep -q -x -F -f "$tap_tmp/synopsis" ||
            { echo "the synopsis has no $spelling"; bad=1; }
    done <"$tap_tmp/table"
    return $bad
}
for verb in $("$fulcrum" completion options | cut -d' ' -f1 | sort -u); do
    holds "the manual of fulcrum $verb has its options" manual_agrees "$verb"
done
same "fulcrum(1) leads to the page of every verb" \
    "$(find man -name 'fulcrum-*.1' | sed 's|man/||; s|[.]1$||' | sort)" \
    "$(sed -n '/^.Sh DESC/,/^.Sh ENV/s/^[.]Xr \(fulcrum-[a-z]*\) 1 [.]$/\1/p' \
        man/fulcrum.1 | sort)"
same "fulcrum-list(1) has the problems that there are" \
    "$("$fulcrum" list --json | jq -r '.[].problem' | sort -u)" \
    "$(sed -n '/^.It Li problem$/,/^.It Li topology$/s/^[.]Ql \([a-z]*\).*/\1/p' \
        man/fulcrum-list.1 | sort)"

# completed LINE: what bash makes of it, on one line.
completed() {
    PATH=$(cd "$(dirname "$fulcrum")" && pwd):$PATH bash --norc -c '
        . <(fulcrum completion bash)
        COMP_LINE=$1 COMP_POINT=${#1}
        line=${1//=/ = } line=${line//:/ : } # as bash cuts it
        read -ra COMP_WORDS <<<"$line"
        [[ $1 == *" " ]] && COMP_WORDS+=("")
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        _fulcrum
        echo "${COMPREPLY[*]}"' bash "$1"
}
same "verbs complete" "sim sweep status" "$(completed "fulcrum s")"
same "a hidden verb does not complete" "compare" "$(completed "fulcrum com")"
same "protocols complete" "raymond-k raymond" "$(completed "fulcrum sim raym")"
same "options complete" "--names --nodes" \
    "$(completed "fulcrum sim lelann --n" | tr ' ' '\n' | sort | paste -sd' ')"
same "values of choices complete" "sync" \
    "$(completed "fulcrum check lelann -n 3 --time s")"
same "values complete after '=', too" "archimedean async" \
    "$(completed "fulcrum sim lelann --time=a")"
same "parameters complete" "first-wait=" \
    "$(completed "fulcrum sim vitanyi --set fi")"
same "values of parameters complete" "one f" \
    "$(completed "fulcrum sim vitanyi --set first-wait=")"
same "values complete up to what is to be filled in" \
    "const: pow: exp: exp:auto scaled: minimal table:" \
    "$(completed "fulcrum sim vitanyi -n 8 --set f=")"
same "values complete after a colon" \
    "auto" "$(completed "fulcrum sim vitanyi --set f=exp:a")"
same "properties complete" "exclusion everyone-enters ends" \
    "$(completed "fulcrum check lamport --only e")"
same "properties complete after a comma, too" "exclusion,token-grows" \
    "$(completed "fulcrum check lamport --only exclusion,t")"
same "what is not a choice does not complete" "" \
    "$(completed "fulcrum check lamport --section ")"
same "files complete" "Makefile" "$(completed "fulcrum draw Makef")"
same "what is refused is not offered" \
    "" "$(completed "fulcrum compare mutex --compe")"
if command -v zsh >/dev/null; then
    "$fulcrum" completion zsh >"$tap_tmp/_fulcrum"
    holds "zsh reads its completion" zsh -n "$tap_tmp/_fulcrum"
fi

# ---- The key of live nodes, where they are built -----------------------------

if "$fulcrum" help | grep -q keygen; then
    holds "keygen writes a key" "$fulcrum" keygen "$tap_tmp/key"
    same "a key is for its owner alone" "600 65" "$(stat -c '%a %s' "$tap_tmp/key")"
    (umask 0 && "$fulcrum" keygen "$tap_tmp/other")
    same "a key is private whatever the umask is" \
        600 "$(stat -c %a "$tap_tmp/other")"
    holds "no two keys are the same" test \
        "$(cat "$tap_tmp/key")" != "$(cat "$tap_tmp/other")"
    before=$(cat "$tap_tmp/key")
    refuses 3 "there is a file already" keygen "$tap_tmp/key"
    same "a refused keygen leaves the key as it was" \
        "$before" "$(cat "$tap_tmp/key")"
    refuses 3 "No such file" keygen /nowhere/key
    refuses 2 "name one file" keygen
    refuses 2 "name one file" keygen "$tap_tmp/a" "$tap_tmp/b"
    for words in cluster "cluster key" "cluster key add" "cluster version" \
        "cluster members" "cluster show" "cluster add" "cluster remove" \
        "cluster replace" "cluster set" "cluster cancel"; do
        holds "fulcrum $words --help has an example" \
            sh -c '"$1" $2 --help | grep -q Example' sh "$fulcrum" "$words"
    done
    holds "the usage of a part has the name of the whole" sh -c \
        '"$1" cluster key --help | grep -q "^usage: fulcrum cluster key list"' sh "$fulcrum"
    refuses 2 "say what: there are members, show, add" cluster
    refuses 2 "not 'nothing'" cluster nothing
    refuses 2 "NAME HOST:PORT" cluster add west
    refuses 2 "one word too many" cluster remove west east
    refuses 2 "not lease=TIME or tau=TIME" cluster set kill=2s
    refuses 2 "a dry run has nothing to wait for" cluster remove west --dry-run -w 1
    refuses 2 "only prints a file" cluster add west h:7400 --ini --json
    same "each part completes with its own options" "--ini" \
        "$(completed "fulcrum cluster add west h:1 --in")"
    same "and with its own words" "list" "$(completed "fulcrum cluster key l")"
    refuses 2 "list, add, use and drop, not 'lose'" cluster key lose
    refuses 2 "name the file" cluster key add
    refuses 2 "one word too many" cluster key add a b
    refuses 2 "are for drop" cluster key add --force "$tap_tmp/key"
    refuses 2 "does not wait" cluster key drop --at 2090-01-01T00:00 -w 1
    refuses 4 "no node answers" cluster key list --socket /nowhere/socket
    for words in version members show "remove west" "set lease=1s" cancel; do
        # shellcheck disable=SC2086
        refuses 4 "no node answers" cluster $words --socket /nowhere/socket
    done
    holds "fulcrum keygen --help has an example" \
        sh -c '"$1" keygen --help | grep -q Example' sh "$fulcrum"
fi

# ---- Progress and Ctrl-C -----------------------------------------------------

same "a progress line only on a terminal" "" \
    "$("$fulcrum" sim vitanyi -n 20000 --runs 30 2>&1 >"$tap_tmp/out" |
        grep -v 'still running after')"
"$fulcrum" sim vitanyi -n 2000 --runs 10000000 >"$tap_tmp/out" 2>"$tap_tmp/err" &
pid=$!
until_worked $pid
interrupt $pid
wait $pid
same "Ctrl-C is exit 130" 130 $?
holds "Ctrl-C prints the runs completed so far" \
    grep -q 'runs completed' "$tap_tmp/out"
holds "Ctrl-C prints their statistics" grep -q '^  messages' "$tap_tmp/out"
# The clock on the wall is set back by an hour while somebody waits; one run goes on
# for minutes.
set_back() {
    local looks pid
    cc -shared -fPIC tests/live/wrongclock.c -o "$tap_tmp/wrongclock.so" || return 1
    echo 3600 >"$tap_tmp/hour"
    LD_PRELOAD=$tap_tmp/wrongclock.so WRONG_CLOCK=$tap_tmp/hour \
        "$fulcrum" sim token-mutex -n 10 --entries 100000000 >/dev/null 2>&1 &
    pid=$!
    until_worked $pid
    interrupt $pid
    for looks in {1..200}; do
        [ -e "/proc/$pid/exe" ] || break
        sleep 0.1
    done
    kill -KILL $pid 2>/dev/null
    wait $pid
    [ $? -eq 130 ]
}
holds "Ctrl-C is heard when the clock was set back" set_back
if command -v script >/dev/null; then
    script -qefc "echo \$\$ >'$tap_tmp/pid'; exec '$fulcrum' sim vitanyi -n 2000 \
        --runs 10000000 --threads 1" /dev/null >"$tap_tmp/out" </dev/null &
    while ! grep -q ' of 10000000' "$tap_tmp/out" && kill -0 $! 2>/dev/null; do
        sleep 0.1
    done
    interrupt "$(cat "$tap_tmp/pid")"
    wait $!
    holds "progress shows on a terminal" grep -q ' of 10000000' "$tap_tmp/out"
fi
# ---- Files without an end ----------------------------------------------------

# soon WORDS COMMAND...: it ends with a sentence, in little memory.
soon() {
    local words=$1 said
    shift
    said=$(timeout 20 /usr/bin/env "$@" 2>&1 >/dev/null)
    echo "$said"
    [ "$(wc -l <<<"$said")" -eq 1 ] && grep -q -e "$words" <<<"$said"
}
for words in "draw" "sim --replay" "sim --strategy" "sim vitanyi --names" \
    "sim tree -n 4 --topology" "sim vitanyi -n 4 --faults" \
    "worst vitanyi --of messages --families"; do
    # shellcheck disable=SC2086 # words on purpose
    holds "fulcrum $words refuses /dev/zero at once" \
        soon 'it has a zero byte' "$fulcrum" $words /dev/zero
done
holds "fulcrum draw refuses endless lines by the first" \
    soon 'more than 1000 lines' sh -c "yes 'fulcrum-trace 1' | '$fulcrum' draw -"
holds "fulcrum draw refuses an endless line by its begin" \
    soon 'this is not a trace' sh -c "tr '\\0' a </dev/zero | '$fulcrum' draw -"

tap_end
