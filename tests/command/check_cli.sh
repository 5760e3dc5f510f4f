#!/usr/bin/env bash
# check_cli.sh BUILD [PLAIN] - fulcrum check: verdicts, stories, traces, limits, exit
# codes; and that protocols with a mistake in them are caught.  PLAIN is a build
# without sanitizers, if BUILD has them.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
plain=${2:-$1}
fulcrum=$build/fulcrum
export LC_ALL=C.UTF-8

# field FILTER ARGUMENTS...: a value of the JSON of a search.
field() {
    local filter=$1
    shift
    "$fulcrum" check "$@" --json | jq -c "$filter"
}

# exits CODE RULE ARGUMENTS...
exits() {
    local code=$1 rule=$2
    shift 2
    "$fulcrum" check "$@" >"$tap_tmp/out" 2>"$tap_tmp/err"
    same "$rule" "$code" $?
}

# ---- Bad input ---------------------------------------------------------------

refuses 2 "which protocol" check
refuses 2 "did you mean 'lelann'" check lelan -n 3
refuses 2 "at most 16" check lelann -n 17
refuses 2 "its states are large: 6 nodes at most" check view-lock -n 7
refuses 2 "nobody is called '9'; the names are 1 to 3" check lelann -n 3 --wake 9
refuses 2 "not one of one-leader" check lelann -n 3 --only leader
refuses 2 "needs bounds" check lelann -n 3 --late 1
refuses 2 "raymond has none" check raymond -n 3 --shared
refuses 2 "more than the 3 sites" check raymond-k -n 3 --set k=4
refuses 2 "choose same or blank" check bully -n 3 --crashes 1 --restarts new
refuses 2 "needs --crashes" check bully -n 3 --restarts same
refuses 2 "rings without names" check lelann -n 3 --symmetry
refuses 2 "exclude token-grows" check central -n 3 --duplicate 1 --symmetry
refuses 2 "takes no --names" check itai-rodeh -n 3 --names all
refuses 2 "asks at any time" check ricart-agrawala -n 3 --wake any
refuses 2 "async does not have" check view-lock -n 3 --time async
refuses 2 "give the last tick to try with --until" check view-lock -n 3 --time sync
refuses 2 "drifting ones are not tried" \
    check view-lock -n 3 --bounds 1:2:0:1 --clock drift --until 9
refuses 2 "6 nodes at most" check view-lock -n 7 --time sync --until 9
refuses 2 "'P9' is not one of nothing|P1" check view-lock -n 3 --time sync --set without=P9
refuses 2 "no tick at which to stop" check lelann -n 3 --until 9
refuses 2 "pauses are tried already" check lelann -n 3 --pauses 1
refuses 2 "--pause-max" check lelann -n 3 --time sync --pauses 1
refuses 2 "--cut-max" check lelann -n 3 --time sync --cuts 1
refuses 2 "needs --pauses" check lelann -n 3 --time sync --pause-max 2
refuses 2 "--faults-from needs --until" \
    check bully -n 3 --time sync --crashes 1 --faults-from 3
refuses 2 "nothing happens to these" check lelann -n 3 --victims 1
refuses 2 "64 shared cells" check rw-optimistic -n 2 --time sync --set words=63
refuses 2 "takes a whole number" check lelann -n 3 --states 0
refuses 2 "takes a whole number" check lelann -n 3 --threads 0
refuses 2 "takes a whole number" check lelann -n 3 --threads 65
refuses 3 "/nowhere/a" check lelann -n 3 --links any --trace /nowhere/a
refuses 3 "cannot read" sim --replay /nowhere

# ---- Verdicts ----------------------------------------------------------------

exits 0 "what holds is exit 0" chang-roberts -n 4 --names all --wake any
holds "a search that holds names the properties" \
    grep -q '^✓ holds: one-leader, agreement' "$tap_tmp/out"
exits 1 "what is violated is exit 1" lelann -n 3 --links any
holds "a violation is told step by step" \
    grep -q '^   9\. 1 reads token(1)' "$tap_tmp/out"
same "the last line is the command that shows it again" \
    "again: fulcrum check lelann -n 3 --links any --trace run.trace" \
    "$(tail -n 1 "$tap_tmp/out")"
exits 3 "a limit is exit 3" chang-roberts -n 8 --states 100
holds "a search that hits a limit gives no verdict" \
    grep -q '^? incomplete: the limit on states' "$tap_tmp/out"
exits 3 "so is the end of memory" chang-roberts -n 10 --memory 1
holds "an incomplete search shows what was found so far" \
    grep -q '^  states  *[1-9]' "$tap_tmp/out"
exits 0 "up to a tick is exit 0" view-lock -n 3 --time sync --until 9 \
    --set tau=3 --set lease=5
holds "a search up to a tick says up to which" \
    grep -q '^✓ holds for all runs of up to 9 ticks: exclusion' "$tap_tmp/out"
holds "a search up to a tick does not judge what comes later" \
    sh -c '! grep -q "^✓.*everyone-enters" "$1"' sh "$tap_tmp/out"
same "JSON has the last tick, too" '[9,"unknown"]' "$(field '[.until,.cycles]' \
    view-lock -n 3 --time sync --until 9 --set tau=3 --set lease=5)"
exits 0 "too few ticks to elect are exit 0" vitanyi -n 3 --time sync --until 2
holds "a search that elects nobody warns" grep -q \
    '^  warning: no run reached "elected", so this result is vacuous' "$tap_tmp/out"
same "if all runs end before the last tick, the result is as without one" \
    '[null,"none"]' \
    "$(field '[.until,.cycles]' chang-roberts -n 3 --time sync --until 99)"
same "only the named sites ask" '[2,6,20]' \
    "[$(for who in 1 1,2 1,2,3; do
        field .terminal ricart-agrawala -n 3 --wake $who
    done | paste -sd,)]"
same "JSON has every field that is promised" true "$(field '[has("verdict",
    "property","states","transitions","terminal","depth","seconds",
    "states_per_s","bytes_per_state","trace")] | all' lelann -n 3 --links any \
    --trace "$tap_tmp/a.trace")"
same "every placement is tried" '[24,"holds"]' \
    "$(field '[.placements,.verdict]' chang-roberts -n 5 --names all)"
placed() {
    field .states chang-roberts -n 4 --names "$1" --wake 2,3
}
same "the nodes that start have the same names in every placement" \
    "$(for names in 2,3,4 2,4,3 3,2,4 3,4,2 4,2,3 4,3,2; do
        placed "1,$names"
    done | awk '{ sum += $1 } END { print sum }')" "$(placed all)"
struck() {
    field .states chang-roberts -n 3 --names "$1" --crashes 1 --victims 2 --only one-leader
}
same "the victims have the same names in every placement" \
    "$(($(struck 1,2,3) + $(struck 1,3,2)))" \
    "$(struck all)"
refuses 2 "nobody is called '9'; the names are 1,2,3" check lelann -n 3 --names all --wake 1,9
same "the same states in other halves: odd and even rings" '[27,80,254,842]' \
    "[$(for n in 3 4 5 6; do field .states chang-roberts -n $n; done |
        paste -sd,)]"

# ---- What a protocol assumes -------------------------------------------------

# With nothing said, no protocol is accused; the one that errs by design says so.
# With sanitizers these searches are slow, and show nothing that others do not.
fulcrum=$plain/fulcrum
for protocol in $("$fulcrum" list --json | jq -r '.[].protocol'); do
    if [ "$protocol" != spirakis-tampakas ]; then
        exits 0 "$protocol holds as it is checked by default" "$protocol"
    fi
done
fulcrum=$build/fulcrum
exits 1 "a protocol that may err does" spirakis-tampakas
holds "it says with what probability" \
    grep -q 'errs with a probability that falls with k; --worst computes' \
    <(tr '\n' ' ' <"$tap_tmp/out" | tr -s ' ')
same "three nodes, and the time that is assumed" \
    "fulcrum check archimedean -n 3 --bounds 1:1:1:2 --states 9" \
    "$(field .command archimedean --states 9 | jq -r .)"
same "without bounds where none are assumed" \
    "fulcrum check archimedean -n 3 --set rules=proven --states 9" \
    "$("$fulcrum" check archimedean --set rules=proven --states 9 --json |
        jq -r .command | sed 's/ --states 9 --set rules=proven/ --set rules=proven --states 9/')"
exits 1 "outside its assumptions is exit 1, too" bully --time async
holds "the verdict says so" \
    grep -q '^✗ violated outside its assumptions: one-leader' "$tap_tmp/out"
holds "and which" grep -q '^  it assumes bounded steps and delays$' "$tap_tmp/out"
same "JSON says which" '["FIFO links"]' \
    "$(field .assumptions_broken lelann --links any)"
same "within them it says nothing" '[]' \
    "$(field .assumptions_broken chang-roberts --set loser=stops)"
same "faults that are not tolerated break them" \
    '["reliable links","nodes that do not crash"]' \
    "$(field .assumptions_broken chang-roberts --loss 1 --crashes 1)"
same "those that are tolerated do not" '[]' \
    "$(field .assumptions_broken bully --crashes 1)"
same "equal names are not those of an election" \
    '["violated","one-leader",["distinct names"]]' \
    "$(field '[.verdict, .property, .assumptions_broken]' \
        chang-roberts --names equal:1,1)"
same "unequal clocks are not those of ring-size" \
    '["clocks of one speed and links of one delay"]' \
    "$(field .assumptions_broken ring-size -n 2 --bounds 2:3:1:1)"
exits 3 "a search without end can be limited" itai-rodeh --set rounds=yes \
    --time sync --memory 20
holds "it is said at once that there is no end" \
    grep -q 'the number of the round grows for ever' "$tap_tmp/err"
smaller='still to be looked at; smaller: fewer processors (-n)'
"$fulcrum" check lamport -n 4 --threads 1 >"$tap_tmp/out" 2>"$tap_tmp/err" &
pid=$!
while ! grep -q "$smaller" "$tap_tmp/err" && kill -0 $pid 2>/dev/null; do
    sleep 0.1
done
interrupt $pid
wait $pid
holds "a long search says how to make it smaller, even in a pipe" \
    grep -q "$smaller" "$tap_tmp/err"
exits 0 "nothing to draw is not an error" chang-roberts --svg "$tap_tmp/no.svg"
holds "but it is told" grep -q 'nothing was written to .*no.svg' "$tap_tmp/err"
same "and nothing is left" no "$([ -e "$tap_tmp/no.svg" ] && echo yes || echo no)"
refuses 3 "cannot write /nowhere/x.svg" check lamport -n 5 --svg /nowhere/x.svg
refuses 3 "it is a directory" check lamport -n 5 --trace /
refuses 2 "name two files" check lelann --svg "$tap_tmp/a" --trace "$tap_tmp/a"

# ---- The simulator's words for faults ----------------------------------------

# means WORDS OPTIONS: with these faults it is the search with these options.
means() {
    same "--fault '$1' is $2" \
        "$("$fulcrum" check bully $2 --json --states 9 | jq -r .command)" \
        "$("$fulcrum" check bully --fault "$1" --json --states 9 | jq -r .command)"
}
means loss "--loss 1"
means "loss 2" "--loss 2"
means "duplicate 3" "--duplicate 3"
means crash "--crashes 1"
means "crash 2,3" "--crashes 2 --victims 2,3"
means "crashes 2" "--crashes 2 --restarts same"
means "crashes-blank 1" "--crashes 1 --restarts blank"
means "late 4" "--late 4"
means "pause 2:5" "--pauses 1 --pause-max 5 --victims 2"
means "cut :5" "--cuts 1 --cut-max 5"
means reorder "--links any"
refuses 2 "neither a tick nor a chance" check bully --fault 'loss 0.1'
refuses 2 "write it as 'crash \[NAME,...\]'" check bully --fault 'crash 2@5'
refuses 2 "nobody is called '9'" check bully --fault 'crash 9'
refuses 2 "did you mean 'crash'" check bully --fault 'crahs'
refuses 2 "there are crash, restart, restart-blank, pause" check bully --fault explode
refuses 2 "both say to which nodes" check bully --fault 'crash 1' --victims 2

# ---- Threads -----------------------------------------------------------------

# on THREADS ARGUMENTS...: all that is printed except times and memory, and the
# trace.
on() {
    local threads=$1
    shift
    "$fulcrum" check "$@" --threads "$threads" --trace "$tap_tmp/t.trace" |
        sed '/^  \(seconds\|wall\|memory\) /d'
    cat "$tap_tmp/t.trace"
}
same "JSON has the threads and both times" '[2,true,true]' \
    "$(field '[.threads,.seconds>0,.wall_seconds>0]' chang-roberts -n 9 \
        --threads 2)"
same "a small search stays on one thread" 1 \
    "$(field .threads chang-roberts -n 5 --threads 4)"
for what in "chang-roberts-max -n 5 --wake any --set coordinator=forwards" \
    "bully -n 3 --bounds 1:2:0:2 --clock drift --crashes 1"; do
    # shellcheck disable=SC2086
    alone=$(on 1 $what)
    holds "$what is violated" grep -q '✗ violated' <<<"$alone"
    for threads in 2 3 8; do
        # shellcheck disable=SC2086
        same "$what: the same on $threads threads" "$alone" \
            "$(on "$threads" $what)"
    done
done

# ---- Fewer orders, and probabilities -----------------------------------------

refuses 2 "--reduce is not for" check token-ring -n 3 \
    --time sync --reduce
refuses 2 "is not for token-ring" check token-ring -n 3 --time sync --worst
refuses 2 "one placement" check lelann -n 3 --names all --worst
same "--reduce finds the same end in fewer states" '["holds",103,1,77]' \
    "$(field '[.verdict, .states, .terminal, .reduced]' chang-roberts -n 12 \
        --reduce)"
same "--reduce finds the shortest violation" '["violated",11,true]' \
    "$(field '[.verdict, .steps, .shortest]' chang-roberts -n 3 \
        --set drop=smaller --reduce)"
same "without --reduce JSON does not mention it" '[null,null]' \
    "$(field '[.reduced, .shortest]' chang-roberts -n 3)"
exits 1 "a run without end is found with --reduce" chang-roberts-max -n 3 \
    --set coordinator=forwards --reduce
holds "a reduced search says that there may be a shorter run" \
    grep -q "may be a shorter run" \
    "$tap_tmp/out"
same "--worst is exact" '["1/6","0/1",false]' \
    "$(field '[.worst.exact, .best.exact, .endless_counts]' \
        spirakis-tampakas -n 2 --bounds 1:2:0:1 --set k=1 --only one-leader \
        --worst)"
same "--given is conditional" '["1/2","candidates=2"]' \
    "$(field '[.worst.exact, .best.given]' \
        spirakis-tampakas -n 2 --time sync --set k=1 --only one-leader \
        --worst --given candidates=2)"
same "--expect is exact" '["messages","139/12","139/12"]' \
    "$(field '.expect | [.name, .max.exact, .min.exact]' \
        spirakis-tampakas -n 2 --time sync --set k=1 --expect messages)"
same "--expect says what is infinite" '[true,true]' \
    "$(field '.expect | [.max.infinite, .min.infinite]' \
        spirakis-tampakas -n 2 --bounds 1:1:0:1 --set rules=printed \
        --set k=1 --expect messages)"
same "a reader whose waits are seen can be made to fail for ever" '[true,"1/1"]' \
    "$(field '.expect | [.max.infinite, .min.exact]' \
        rw-optimistic -n 2 --bounds 1:2:0:0 --clock drift --set words=1 \
        --set waits=paper --set writes=always --set modulus=4 \
        --expect attempts)"
same "--max of what is given" '[0,"draws.1=0"]' \
    "$(field '.quantity.max | [.value, .given]' \
        spirakis-tampakas -n 2 --time sync --set k=1 --set phases=1 \
        --max messages.claim --given draws.1=0)"
st="spirakis-tampakas -n 2 --bounds 1:2:0:1 --clock drift --set k=2"
for ask in "--worst --only one-leader" "--expect end --given candidates=1"; do
    "$fulcrum" check $st $ask --strategy "$tap_tmp/strategy" >/dev/null
    same "--strategy attains what is said: $ask" \
        "$(jq -c '[.worst // .expect.max, .best // .expect.min] | map(.exact)' \
            <<<"$("$fulcrum" check $st $ask --json)")" \
        "$("$fulcrum" sim --strategy "$tap_tmp/strategy" --runs 20000 --json |
            jq -c 'select(.max.within and .min.within) |
                [.max.attains.exact, .min.attains.exact]')"
done
holds "a run of a scheduler is a trace" "$fulcrum" sim \
    --strategy "$tap_tmp/strategy" --seed 3 --trace "$tap_tmp/played"
holds "which the simulator repeats" "$fulcrum" sim --replay "$tap_tmp/played"
refuses 2 "line 1: it does not begin" sim --strategy "$0"
sed '2s/.*/command rm -r here/' "$tap_tmp/strategy" >"$tap_tmp/other"
refuses 2 "line 2: this is not a command" sim --strategy "$tap_tmp/other"
sed '2s/$/ -o elsewhere/' "$tap_tmp/strategy" >"$tap_tmp/other"
refuses 2 "no option -o" sim --strategy "$tap_tmp/other"
sed '5s/.*/0 crash 0 > 1/' "$tap_tmp/strategy" >"$tap_tmp/other"
refuses 2 "line 5: this cannot happen here" sim --strategy "$tap_tmp/other"
sed '5s/>.*/> 999999/' "$tap_tmp/strategy" >"$tap_tmp/other"
refuses 2 "line 5: it leads to an act" sim --strategy "$tap_tmp/other"
ring="spirakis-tampakas --bounds 1:1:1:2 --set phases=1 --given candidates=1"
same "one candidate and two look alike without a counter" \
    '["violated","told-apart",true]' \
    "$(field '[.verdict, .property, .reached]' $ring -n 2 --set k=1 \
        --twin '--given candidates=2' --trace "$tap_tmp/one")"
holds "a run of each network is written" "$fulcrum" sim --replay "$tap_tmp/one"
holds "that of the other beside it" "$fulcrum" sim --replay "$tap_tmp/one.twin"
# What node 0 is told and does, without the numbers of messages.
seen() {
    sed -n '/^[0-9]* 0 /{s/ *#[0-9]*//g; s/ arrives [0-9]*//; p}' "$1"
}
same "with the same history, which the traces show" "$(seen "$tap_tmp/one")" \
    "$(seen "$tap_tmp/one.twin")"
same "hops tell them apart" '["holds",null,true,4]' \
    "$(field '[.verdict, .property, .reached, .twin.nodes]' $ring -n 4 \
        --set rules=hop --twin '--given candidates=2')"
refuses 2 "only options of the network" check $ring -n 2 --twin --json
refuses 2 "a quote is open" check $ring -n 2 --twin "--given 'candidates=2"
refuses 2 "there are 2 nodes" check $ring -n 2 --twin '--given candidates=3'
refuses 2 "leave out --worst" check $ring -n 2 --twin '--worst'
refuses 2 "elections and mutual exclusion" check token-ring --twin '-n 2'
same "a limit leaves it open" '["incomplete","the limit on states is reached"]' \
    "$(field '[.verdict, .limit]' $ring -n 4 --twin '--given candidates=2' \
        --states 300)"
same "so does one on memory" '["incomplete","memory is exhausted"]' \
    "$(field '[.verdict, .limit]' hirschberg-sinclair -n 5 --twin '-n 6' --memory 4)"
same "so does a first step that cannot be followed" \
    '["incomplete","it sets a timer of more than 2^31 steps, and every tick is tried"]' \
    "$(field '[.verdict, .limit]' vitanyi --names 40,41 --set first-wait=f \
        --bounds 1:1:0:0 --twin '--names 40,42')"
# little_memory KB...: with each of these the command ends by itself.
little_memory() {
    local kb code
    for kb in "$@"; do
        (ulimit -v "$kb" && "$fulcrum" check hirschberg-sinclair -n 6 --twin '-n 7')
        code=$?
        [ $code -lt 128 ] || { echo "with $kb kB: exit $code"; return 1; }
    done
}
if ! nm "$fulcrum" | grep -q __asan_init; then # it needs terabytes of addresses
    holds "so does memory, however little" little_memory 15000 20000 25000 40000
fi
refuses 2 "up to the scheduler" check spirakis-tampakas -n 2 --time sync \
    --crashes 1 --worst --given candidates=1
refuses 2 "it never comes to that" check spirakis-tampakas -n 2 --time sync \
    --worst --given draws.3=1
refuses 2 "there are 2 nodes" check spirakis-tampakas -n 2 --given candidates=3
refuses 2 "say draws.V=C" check itai-rodeh -n 2 --given candidates=1
refuses 2 "leave out --reduce" check itai-rodeh -n 2 --reduce \
    --given draws.1=1
refuses 2 "an amount of each wait" check lamport -n 2 --expect overtaken
refuses 2 "no such quantity" check lelann -n 2 --expect fun
refuses 2 "ask for one of them" check lelann -n 2 --strategy "$tap_tmp/strategy"
refuses 2 "phases are counted" check spirakis-tampakas -n 2 --only good-phase
exits 0 "a good phase is not given up" spirakis-tampakas -n 3 --time sync \
    --set k=1 --set phases=2 --only good-phase,old-phase,silence
for broken in good-phase:window=sliding silence:window=sliding \
    old-phase:stale-claim=after; do
    exits 1 "${broken#*:} breaks ${broken%:*}" spirakis-tampakas -n 3 \
        --bounds 1:2:0:1 --set k=2 --set phases=2 --set rules=printed \
        --set next-timer-forwards=no --set stale-claim=absorbed \
        --set final-wait=period --set "${broken#*:}" --only "${broken%:*}"
done
exits 0 "candidates of one speed are in step" spirakis-tampakas -n 2 \
    --bounds 1:2:1:1 --set k=2 --set phases=1 --only in-step
exits 1 "candidates whose speeds vary are not" spirakis-tampakas -n 2 \
    --bounds 1:2:1:1 --clock drift --set k=2 --set phases=1 --only in-step
exits 1 "--worst keeps the verdict" spirakis-tampakas -n 2 --time sync \
    --set k=1 --only one-leader --worst
holds "--worst prints how probable a violation is" \
    grep -q "at most .* exactly 1/6$" \
    "$tap_tmp/out"
exits 0 "--worst where nothing fails" spirakis-tampakas -n 2 --time sync \
    --set k=1 --set rules=hop --worst
holds "--worst prints a probability of 0" grep -q "at most  *0$" "$tap_tmp/out"
holds "the command to run again has the options of the search" grep -q -- \
    "--worst --set k=1" "$tap_tmp/out"
exits 1 "--worst of all properties" spirakis-tampakas -n 2 --set k=1 --worst
holds "what may fail fits into 80 columns" \
    awk 'length > 80 && !/^again/ { bad = 1 } END { exit bad }' "$tap_tmp/out"

# ---- Quantities --------------------------------------------------------------

refuses 2 "no such quantity here; of lelann there are messages, messages.KIND" \
    check lelann -n 3 --max overtaken
refuses 2 "no message is of this kind" check lelann -n 3 --max messages.reply
refuses 2 "it counts ticks" check lelann -n 3 --max end
refuses 2 "of ricart-agrawala there are .*entries, queue" \
    check ricart-agrawala -n 3 --max phases
refuses 2 "of spirakis-tampakas there are .*leaders, phases, spread" \
    check spirakis-tampakas -n 2 --max queue
refuses 2 "states that --symmetry merges" check central -n 3 --symmetry \
    --max overtaken
# Chang and Roberts: at most n(n+1)/2 + n, at least 2n-1 + n.
same "lelann always sends n*n + n messages" '[12,12]' \
    "$(field '.quantity | [.max.value, .min.value]' lelann -n 3 --names all \
        --max messages --min messages)"
same "chang-roberts: the extremes of all placements" \
    '["messages",14,[1,2,3,4],11,[1,4,3,2]]' \
    "$(field '.quantity | [.name, .max.value, .max.witness.names,
        .min.value, .min.witness.names]' chang-roberts -n 4 --names all \
        --max messages --min messages)"
same "coins may fall badly for ever: unbounded" '[true,null,2]' \
    "$(field '.quantity.max | [.unbounded, .value, .witness.repeats_from]' \
        itai-rodeh -n 2 --set rounds=no --max messages)"
same "no run of a ring that always has a token ends" '[null,null]' \
    "$(field '.quantity.min | [.value, .witness]' token-ring -n 3 --time sync \
        --min messages)"
# Several at once: each is reported, in the order of the options.
same "several quantities, each with its extremes" \
    '[["messages",12,null],["paper-bits",null,15],null]' \
    "$(field '[(.quantities[] | [.name, .max.value, .min.value]), .quantity]' \
        lelann -n 3 --max messages --min paper-bits --max messages)"
same "both extremes of one stand together" \
    '[["messages",24,24],["queue",2,0],["entries",6,null]]' \
    "$(field '[.quantities[] | [.name, .max.value, .min.value]]' \
        ricart-agrawala -n 3 --entries 2 --max messages --max queue \
        --max entries --min queue --min messages)"
exits 0 "a command with several can be run again" lelann -n 2 --max messages \
    --max paper-bits
holds "and has them all" grep -q \
    'again: .* --max messages --max paper-bits --trace run.trace' "$tap_tmp/out"
same "the trace is of the first" '["t"]' \
    "$(field '[.quantities[].max.witness.trace | values]' lelann -n 2 \
        --max messages --max paper-bits --trace "$tap_tmp/t" |
        sed "s,$tap_tmp/,,")"
# The verdict stops at the violation; what is measured goes on, to the limit.
exits 1 "--depth ends a measurement" lelann -n 3 --links any --depth 9 \
    --max messages
holds "and nothing is claimed" grep -q "not found: the limit on depth" \
    "$tap_tmp/out"
same "most phases, and fewest" '[2,1]' \
    "$(field '.quantity | [.max.value, .min.value]' peterson -n 4 --wake any \
        --max phases --min phases)"
same "readers try at least once, writers do not count" '[4,1]' \
    "$(field '.quantity | [.max.value, .min.value]' rw-optimistic -n 2 \
        --set writes=asked --set words=1 --max attempts --min attempts)"
same "phases without end" true "$(field .quantity.max.unbounded \
    spirakis-tampakas -n 2 --set k=1 --max phases)"

exits 1 "--max keeps the verdict" lelann -n 3 --links any --max messages
exits 3 "an amount beyond a limit is not found" lelann -n 3 --states 5 \
    --max messages
exits 0 "--min shows its run" lelann -n 3 --min messages
holds "and how to see it again" grep -q \
    'again: .* --min messages --trace run.trace' "$tap_tmp/out"

# Each extreme is a trace, which comes to the same amount when it is replayed.
attains() {
    local name=$1 value
    shift
    value=$(field .quantity.max.value "$@" --max "$name" \
        --trace "$tap_tmp/q.trace")
    same "$1: the run has as much, $name" "$value" \
        "$("$fulcrum" sim --replay "$tap_tmp/q.trace" --json |
            jq -c ".amounts[\"$name\"]")"
}
for name in messages messages.token paper-bits passes.2; do
    attains "$name" chang-roberts -n 4 --names all --wake any
done
for name in messages end elected-at; do
    attains "$name" vitanyi -n 3 --names all --bounds 1:2:1:1
done
for name in messages@elected paper-bits@elected passes.2@elected \
    messages.M@elected elected-after; do
    attains "$name" vitanyi -n 3 --names all --bounds 1:2:0:0 --wake any
done
attains end-after vitanyi -n 3 --names all --bounds 1:2:0:0 --wake 2
refuses 2 "no such quantity here" check vitanyi -n 3 --max end@elected
refuses 2 "no such quantity here" check central -n 3 --max messages@elected
attains messages bully -n 3 --crashes 1
attains messages central -n 4 --symmetry
attains messages lelann -n 3 --loss 1
for name in granting-delay overtaken overtaken.one; do
    attains "$name" ricart-agrawala -n 3 --time sync
    attains "$name" archimedean -n 2
done
# The others have runs without end, no queue, or need other networks.
mutexes=$("$fulcrum" list --json | jq -r '.[] | select(.problem == "mutex") | .protocol' |
    grep -vxE 'token-mutex|naimi-trehel|archimedean|rw-preventive|view-lock')
for name in queue entries; do
    for p in $mutexes; do
        attains "$name" "$p" -n 3
    done
    attains "$name" archimedean -n 2
    attains "$name" rw-preventive -n 2
    attains "$name" view-lock -n 2 --until 28
done
for p in peterson dolev-klawe-rodeh franklin hirschberg-sinclair; do
    attains phases "$p" -n 4 --names all
done
attains leaders lelann -n 3 --links any
attains spread spirakis-tampakas -n 2 --set k=2 --bounds 1:2:0:1 --clock drift \
    --wake any
attains attempts rw-optimistic -n 3 --set writes=asked --set words=1

# ---- Traces ------------------------------------------------------------------

small="--set mindelay=1 --set delaystep=0 --set predict=0"
# Every violation is a trace that the simulator replays, and that can be drawn.
shows() {
    local rule=$1
    shift
    "$fulcrum" check "$@" --trace "$tap_tmp/v.trace" >"$tap_tmp/out"
    same "$rule: violated" 1 $?
    "$fulcrum" sim --replay "$tap_tmp/v.trace" >"$tap_tmp/again"
    holds "$rule: the simulator runs it again" \
        grep -q 'each as written' "$tap_tmp/again"
    holds "$rule: and it can be drawn" "$fulcrum" draw "$tap_tmp/v.trace" \
        -o "$tap_tmp/v.svg"
}
shows "a torn read" rw-optimistic -n 2 --bounds 1:2:0:0 --clock drift \
    --entries 2 --set words=2 --set writes=asked --set order=swapped
holds "a torn read: the story has its loads and stores" \
    grep -q 'stores 1 in cell 2' "$tap_tmp/out"
# shellcheck disable=SC2086
shows "a pause" archimedean -n 2 --bounds 1:1:0:1 --pauses 1 --pause-max 3 \
    --set window=2 $small
holds "a pause: the story says how long it is" grep -q '1 pauses for 1 tick$' \
    "$tap_tmp/out"
shows "a cut" chang-roberts -n 3 --time sync --cuts 1 --cut-max 1
shows "a cut without time" chang-roberts -n 3 --cuts 1
shows "equal names" lelann --names equal:1,1,2
lock="view-lock -n 3 --time sync --set tau=3 --set lease=5"
fulcrum=$plain/fulcrum # a large search
# shellcheck disable=SC2086
shows "a lease that counts from the echo" $lock --set silence=4 \
    --set delta=2 --wake 1,2 --pauses 1 --victims 1 --faults-from 9 \
    --until 24 --only exclusion,token-grows --set without=F3
holds "a lease that counts from the echo: the replay violates the same property" \
    grep -q 'violated: exclusion' "$tap_tmp/again"
fulcrum=$build/fulcrum
# shellcheck disable=SC2086
shows "a guard" $lock --set silence=9 --set delta=5 --wake 1 --section 6 \
    --pauses 1 --victims 1 --faults-from 10 --until 22 \
    --only exclusion,token-grows --set without=F4
holds "a guard: the story says who is stopped" \
    grep -q 'the time of 1 is over, it is stopped' "$tap_tmp/out"
shows "two leaders" lelann -n 3 --links any
shows "nobody is elected" chang-roberts -n 3 --set loser=stops
shows "without end" chang-roberts-max -n 3 --set coordinator=forwards
# shellcheck disable=SC2086
shows "two inside" archimedean -n 2 --bounds 1:1:0:1 --set rules=printed $small
# shellcheck disable=SC2086
shows "a late message" archimedean -n 2 --bounds 1:1:0:1 --late 1 \
    --set window=2 $small
# shellcheck disable=SC2086
shows "a crash" archimedean -n 3 --bounds 1:1:0:1 --crashes 1 --set giveup=2 \
    $small
# shellcheck disable=SC2086
shows "a return" archimedean -n 2 --bounds 1:1:0:1 --crashes 1 \
    --restarts blank --set restart=goes-on $small
# shellcheck disable=SC2086
shows "a hello-reply ahead of a request" archimedean -n 2 --bounds 1:1:0:1 \
    --entries 2 --crashes 1 --restarts blank --only exclusion --set window=2 \
    $small
holds "where nodes may restart, the trace says so" \
    grep -q '^returns yes$' "$tap_tmp/v.trace"
shows "a lost message" chang-roberts -n 3 --loss 1
shows "a copied message" peterson -n 3 --duplicate 1
shows "coins, and a ring that was turned" itai-rodeh -n 3 --links any \
    --set rounds=no --symmetry
shows "nodes that were renamed" naimi-trehel -n 4 --links any --crashes 1 \
    --symmetry
shows "renamed nodes and lost messages" central-clock -n 3 --loss 1 --symmetry
shows "drifting clocks" ring-size -n 2 --bounds 2:3:1:1 --clock drift

# Traces of the simulator are replayed, too; changed ones are refused.
for protocol in vitanyi tree bully spirakis-tampakas raymond archimedean; do
    "$fulcrum" sim $protocol -n 4 --bounds 2:3:1:4 \
        --trace "$tap_tmp/s.trace" >"$tap_tmp/out"
    "$fulcrum" sim --replay "$tap_tmp/s.trace" >"$tap_tmp/out"
    same "a run of $protocol is replayed" 0 $?
done
head -n 20 "$tap_tmp/s.trace" >"$tap_tmp/cut.trace"
refuses 2 "cut.trace" sim --replay "$tap_tmp/cut.trace"

# ---- The invariant is a property, too ----------------------------------------

same "the invariant can be checked alone" "holds: sane" \
    "$("$fulcrum" check ricart-agrawala -n 2 --only sane | grep -o 'holds: .*')"
refuses 2 "order, sane" check ricart-agrawala -n 2 --only ordered

# ---- Mutants: a mistake in a protocol is found -------------------------------

# mutant PROTOCOL SED N [PROPERTY]: the verdict of the protocol so changed.
mutant() {
    local name=${1//-/_} source
    source=$(echo protocols/*/"$name/$name.c")
    sed "$2" "$source" >"$tap_tmp/mutant.c"
    if cmp -s "$source" "$tap_tmp/mutant.c"; then
        echo "unchanged"
        return
    fi
    cc -std=c11 -D_GNU_SOURCE -O1 -I. -w "-DP=$name" \
        "-DP_SOURCE=\"$tap_tmp/mutant.c\"" -c net/typed.c \
        -o "$tap_tmp/mutant.o" &&
        cc -std=c11 -D_GNU_SOURCE -O1 -I. -pthread tests/source/mutant.c \
            "$tap_tmp/mutant.o" "$plain/libfulcrum.a" -o "$tap_tmp/mutant" -lm &&
        "$tap_tmp/mutant" "$1" "${@:3}"
}

same "Chang-Roberts that drops the wrong names" \
    "violated right-leader" "$(mutant chang-roberts \
        's/bool lower = q < (own/bool lower = q > (own/' 3 right-leader)"
same "Le Lann that takes the first token for its own" \
    "violated one-leader" \
    "$(mutant lelann 's/ && q == t->me->name/ \&\& q/' 3 one-leader)"
same "Ricart-Agrawala that never defers" "violated exclusion" \
    "$(mutant ricart-agrawala 's/t->s->role != MUTEX_IDLE && first/false/' \
        2 exclusion)"
same "Ricart-Agrawala that compares the wrong way round" \
    "violated exclusion" "$(mutant ricart-agrawala \
        's/bool first = mutex_before/bool first = !mutex_before/' 2 \
        exclusion)"
same "Ricart-Agrawala that forgets whom it deferred" \
    "violated everyone-enters" \
    "$(mutant ricart-agrawala 's/    send_set(t, .*/    ;/' 2 \
        everyone-enters)"
same "which breaks its predicate before" "violated debts" \
    "$(mutant ricart-agrawala 's/    send_set(t, .*/    ;/' 2)"
twice='s/answer(t, (msg){.kind = REPLY});/answer(t, (msg){.kind = REPLY}), &/'
same "one that replies twice breaks a predicate" "violated debts" \
    "$(mutant ricart-agrawala "$twice" 3)"
for property in exclusion everyone-enters ends; do
    same "and not $property" "holds" \
        "$(mutant ricart-agrawala "$twice" 3 $property)"
done
same "Raymond that keeps the token" "violated everyone-enters" \
    "$(mutant raymond 's/^    become(t, MUTEX_IDLE);/&\n    return;/' 2 \
        everyone-enters)"
same "Raymond that keeps the token breaks its invariant" "violated sane" \
    "$(mutant raymond 's/^    become(t, MUTEX_IDLE);/&\n    return;/' 2)"

# ---- Ctrl-C ------------------------------------------------------------------

"$fulcrum" check chang-roberts -n 14 --wake any >"$tap_tmp/out" 2>"$tap_tmp/err" &
pid=$!
interrupt $pid
wait $pid
same "Ctrl-C is exit 130" 130 $?
holds "Ctrl-C prints what is known so far" \
    grep -q '^? incomplete: stopped' "$tap_tmp/out"
tap_end
