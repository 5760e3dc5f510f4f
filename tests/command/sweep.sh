#!/usr/bin/env bash
# sweep.sh FULCRUM - fulcrum sweep and fulcrum plot: rows are what the commands in
# them print, the same for any number of jobs and ranks; what was interrupted,
# killed or lost; pictures; what is refused.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/gate.sh
fulcrum=$(realpath -s "$1")
export LC_ALL=C.UTF-8

rows() {
    command jq -S .rows "$1"
}

# ---- Rows --------------------------------------------------------------------

grid="--grid n=5,20 --grid gamma=1,2/5 --grid first-wait=one,f"
# shellcheck disable=SC2086
"$fulcrum" sweep vitanyi $grid --runs 50 --json -j 1 >"$tap_tmp/one"
same "every combination is a row" "5 1 one;5 1 f;5 2/5 one;5 2/5 f;20 1 one;\
20 1 f;20 2/5 one;20 2/5 f;" \
    "$(jq -r '.rows[] | "\(.n) \(.gamma) \(.["first-wait"]);"' "$tap_tmp/one" |
        tr -d '\n')"
same "gamma is rmin/rmax, and the delays stay" \
    "fulcrum sim vitanyi -n 20 --bounds 2:5:1:4 --set first-wait=f --runs 50 --seed 1" \
    "$(jq -r '.rows[7].command' "$tap_tmp/one")"

# as_printed ROW: the command of a row prints the numbers of the row.
as_printed() {
    local command
    command=$(jq -r ".rows[$1].command" "$tap_tmp/one")
    # The words of the command, quotes and all.
    eval "set -- $1 ${command#fulcrum sim }"
    "$fulcrum" sim "${@:2}" --json |
        jq -c '[.ok, .messages.mean, .messages.sd, .messages.kinds.M.max, .end.min]' \
            >"$tap_tmp/sim"
    jq -c ".rows[$1] | [.ok, .messages_mean, .messages_sd, .messages_kinds_M_max,
        .end_min]" "$tap_tmp/one" | diff "$tap_tmp/sim" -
}
holds "a row has the numbers that its command prints" as_printed 6

# shellcheck disable=SC2086
"$fulcrum" sweep vitanyi $grid --runs 50 --json -j 3 -o "$tap_tmp/v.db" \
    >"$tap_tmp/three"
same "rows are the same with three jobs, and in a file" "$(rows "$tap_tmp/one")" \
    "$(rows "$tap_tmp/three")"
# shellcheck disable=SC2086
"$fulcrum" sweep vitanyi $grid --runs 50 --json -o "$tap_tmp/v.db" >"$tap_tmp/again"
same "what is in the file is not made again" "0 $(rows "$tap_tmp/one")" \
    "$(jq .made "$tap_tmp/again") $(rows "$tap_tmp/again")"
# shellcheck disable=SC2086
"$fulcrum" sweep vitanyi $grid --runs 50 --json -o "$tap_tmp/v.db" --fresh \
    >"$tap_tmp/again"
same "with --fresh it is" 8 "$(jq .made "$tap_tmp/again")"
"$fulcrum" sweep vitanyi --grid n=5,20,40 --grid gamma=1,2/5 --grid first-wait=one,f \
    --runs 50 --json -o "$tap_tmp/v.db" >"$tap_tmp/again"
same "a larger grid takes what is there" "4 12" \
    "$(jq -r '"\(.made) \(.rows | length)"' "$tap_tmp/again")"

# Few large cells: the cores that are left work on the last one.
"$fulcrum" sweep chang-roberts --grid n=30,300 --json -j 7 >"$tap_tmp/wide"
"$fulcrum" sweep chang-roberts --grid n=30,300 --json -j 1 >"$tap_tmp/narrow"
same "rows are the same on several threads" "$(rows "$tap_tmp/narrow")" \
    "$(rows "$tap_tmp/wide")"

"$fulcrum" sweep lelann --grid 'names=3,1,2;1,2,3,4' --grid runs=1..2 --json \
    >"$tap_tmp/lists"
same "values with commas have semicolons between them; ranges" \
    "3,1,2 1 12;3,1,2 2 12;1,2,3,4 1 20;1,2,3,4 2 20;" \
    "$(jq -r '.rows[] | "\(.names) \(.runs) \(.messages_mean);"' "$tap_tmp/lists" |
        tr -d '\n')"

"$fulcrum" sweep ricart-agrawala --grid n=3,5 --value wait=entry:enter-want --json \
    >"$tap_tmp/values"
same "values of records are measured" true \
    "$(jq '.rows[1].values_wait_mean > .rows[0].values_wait_mean' "$tap_tmp/values")"

"$fulcrum" sweep ricart-agrawala --grid n=2,5 --fault "loss 0.02" --json \
    >"$tap_tmp/lossy"
same "a property that failed is exit 1" 1 $?
same "its runs are counted" true "$(jq '.rows[1] | .violated > 10 and .violated ==
    .["violated_everyone-enters"]' "$tap_tmp/lossy")"

"$fulcrum" sweep vitanyi --grid n=1,4 >"$tap_tmp/out" 2>"$tap_tmp/err"
same "a cell that is refused is exit 2" 2 $?
holds "it is told which" grep -q "vitanyi -n 1 .*from 2 to" "$tap_tmp/err"
holds "and the others are made" grep -q "^4 *100 " "$tap_tmp/out"

refuses 2 "what varies" sweep vitanyi -n 4
refuses 2 "neither n nor gamma" sweep vitanyi --grid frob=1
refuses 2 "write KEY=VALUE" sweep vitanyi --grid n
refuses 2 "a value is missing" sweep vitanyi --grid n=4,,5
refuses 2 "is on the grid" sweep vitanyi --grid n=4 -n 5
refuses 2 "is on the grid" sweep vitanyi --grid f=exp:2 --set f=exp:3
refuses 2 "say the same" sweep vitanyi --grid gamma=1 --grid bounds=1:1:0:0
refuses 2 "not 1 or RMIN/RMAX" sweep vitanyi --grid gamma=3/2
refuses 2 "more than 4096 cells" sweep vitanyi --grid n=2..101 --grid seed=1..50
refuses 2 "did you mean" sweep vitany --grid n=4
refuses 3 "unable to open" sweep vitanyi --grid n=4 -o /nowhere/v.db

# ---- Interrupted -------------------------------------------------------------

# Three cells are made at once, and the other three wait at the gate.
gated="sweep chang-roberts --grid names=3,1,2;$gate --grid seed=1..3 --json"

open_gate
# shellcheck disable=SC2086
"$fulcrum" $gated >"$tap_tmp/whole"

# goes_on FILE: the same command makes some cells, not all, and has all.
goes_on() {
    local made
    # shellcheck disable=SC2086
    "$fulcrum" $gated -o "$1" >"$tap_tmp/on"
    made=$(jq .made "$tap_tmp/on")
    [ "$made" -ge 1 ] && [ "$made" -le 5 ] ||
        { echo "$made of 6 cells were made"; return 1; }
    [ "$(rows "$tap_tmp/on")" = "$(rows "$tap_tmp/whole")" ]
}

shut_gate
# shellcheck disable=SC2086
"$fulcrum" $gated -j 1 -o "$tap_tmp/k.db" >"$tap_tmp/json" 2>&1 &
pid=$!
until_at_gate $pid echo $pid
kill -KILL $pid
wait $pid 2>/dev/null
open_gate
holds "kill -9 loses what was in progress, and the same command goes on" \
    goes_on "$tap_tmp/k.db"

shut_gate
# shellcheck disable=SC2086
"$fulcrum" $gated -j 1 -o "$tap_tmp/c.db" >"$tap_tmp/json" 2>"$tap_tmp/err" &
pid=$!
until_at_gate $pid echo $pid
interrupt $pid
wait $pid
same "Ctrl-C is exit 130" 130 $?
holds "and says that the same command goes on" \
    grep -q "3 of 6 cells are made, and the same command goes on" "$tap_tmp/err"
open_gate
holds "which it does" goes_on "$tap_tmp/c.db"

# all_again: the last sweep has repeated something, and all its rows.
all_again() {
    [ "$(jq .made "$1")" = 6 ] && [ "$(jq .repeated "$1")" -ge 1 ] &&
        [ "$(rows "$1")" = "$(rows "$tap_tmp/whole")" ]
}

shut_gate
# shellcheck disable=SC2086
"$fulcrum" $gated -j 1 >"$tap_tmp/killed" &
pid=$!
until_at_gate $pid echo $pid
open_gate
wait $pid
holds "an experiment that is killed is made again" all_again "$tap_tmp/killed"

# ---- Pictures ----------------------------------------------------------------

"$fulcrum" sweep vitanyi --grid n=10,40,160,640 --grid gamma=1,1/2 -o "$tap_tmp/p.db" \
    --json >"$tap_tmp/p"
same "the picture stands beside the file" "$tap_tmp/p.svg" \
    "$("$fulcrum" plot "$tap_tmp/p.db")"
each=$(jq -r '.rows[] | select(.n == 640 and .gamma == 1) |
    .messages_mean / 640 * 100 | round / 100' "$tap_tmp/p")
holds "its title says what was measured" \
    grep -q "<title>vitanyi, messages a processor at n = 640: .*$each with gamma=1<" \
    "$tap_tmp/p.svg"
holds "the paper's bound is drawn" grep -q ">paper: 2N + 3Nu/m<" "$tap_tmp/p.svg"
same "bands from point to point, and one in the key" 7 \
    "$(grep -c "opacity='.16'" "$tap_tmp/p.svg")"
holds "what spans decades is logarithmic, and says so" \
    grep -q ">processors (logarithmic)<" "$tap_tmp/p.svg"
holds "what does not is not" grep -q ">messages a processor<" "$tap_tmp/p.svg"
"$fulcrum" plot "$tap_tmp/p.db" --log -o - >"$tap_tmp/log.svg"
holds "unless it is wished" grep -q ">messages a processor (logarithmic)<" \
    "$tap_tmp/log.svg"
"$fulcrum" plot "$tap_tmp/p.db" --by n --y messages.M --where n=40 -o - \
    >"$tap_tmp/by.svg"
holds "x, y and series can be chosen" grep -q ">messages kinds M<" "$tap_tmp/by.svg"
refuses 2 "gamma takes several values" plot "$tap_tmp/p.db" --x n --by n
refuses 2 "it was not measured" plot "$tap_tmp/p.db" --y nothing
refuses 2 "no row is like that" plot "$tap_tmp/p.db" --where n=7
refuses 2 "unable to open" plot "$tap_tmp/none.db"
refuses 2 "no such table" plot /dev/null
refuses 2 "not both" plot "$tap_tmp/p.db" --log --linear

# ---- Ranks -------------------------------------------------------------------

cp "$fulcrum-lab" "$tap_tmp/alone"
export PMI_RANK=0
both=$fulcrum
fulcrum=$tap_tmp/alone
refuses 3 "mpirun needs .*/alone-mpi" sweep vitanyi --grid n=4
fulcrum=$both
unset PMI_RANK

if [ ! -x "$fulcrum-lab-mpi" ] || ! command -v mpirun >/dev/null; then
    echo "# SKIPPED: no fulcrum-lab-mpi, or no mpirun; make deps"
    echo "ok - ranks of mpirun # SKIP no MPI"
    tap_end
fi
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0

for ranks in 1 3; do
    # shellcheck disable=SC2086
    timeout 60 mpirun -n $ranks "$fulcrum" $gated -o "$tap_tmp/r$ranks.db" \
        >"$tap_tmp/ranks"
    same "rows are the same on $ranks ranks" "0 6 $(rows "$tap_tmp/whole")" \
        "$? $(jq .made "$tap_tmp/ranks") $(rows "$tap_tmp/ranks")"
done
timeout 60 mpirun -n 2 "$fulcrum" sweep vitanyi --grid frob=1 >"$tap_tmp/out" \
    2>"$tap_tmp/err"
same "what is refused is refused once, and all ranks end" "2 1" \
    "$? $(grep -c "^fulcrum sweep: --grid frob" "$tap_tmp/err")"

# begin_job OPTIONS...: a sweep on three ranks, up to the gate; sets `job`.
begin_job() {
    rm -f "$tap_tmp/j.db"*
    shut_gate
    # shellcheck disable=SC2086
    mpirun "$@" -n 3 "$fulcrum" $gated -o "$tap_tmp/j.db" >"$tap_tmp/ranks" \
        2>"$tap_tmp/err" &
    job=$!
}
ranks() { pgrep -d, -P $job; }
# last_rank: each of the three comes to have one of the three that wait.
last_rank() {
    local rank
    for rank in $(pgrep -P $job); do
        ! grep -qzE '^(OMPI_COMM_WORLD|PMIX?)_RANK=2$' "/proc/$rank/environ" ||
            echo "$rank"
    done
}
# kill_rank: the last one, when it has something to do.
kill_rank() {
    until_at_gate $job last_rank
    kill -KILL "$(last_rank)"
}
begin_job
until_at_gate $job ranks
open_gate
wait $job
same "on ranks it ends well" 0 $?
holds "an experiment of a rank that is killed is made again" all_again "$tap_tmp/ranks"

# That a job outlives one of its ranks must be asked for.
if mpirun --version | grep -q "Open MPI) 4"; then
    export FULCRUM_RANK_PATIENCE=3
    begin_job --enable-recovery
    kill_rank
    open_gate
    wait $job
    same "without a rank it ends well" 0 $?
    holds "what the rank had is made again" all_again "$tap_tmp/ranks"
    unset FULCRUM_RANK_PATIENCE
fi
begin_job
kill_rank
wait $job
open_gate
holds "else the job ends, and the same command goes on" goes_on "$tap_tmp/j.db"
tap_end
