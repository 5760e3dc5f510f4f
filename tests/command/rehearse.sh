#!/usr/bin/env bash
# rehearse.sh FULCRUM [few] - fulcrum rehearse: many seeds of clusters of all sizes
# break nothing; every rule that is left out is missed in some run; the same seed
# gives the same run; what is refused.  "few": fewer runs, for slow builds.
# REHEARSE_RUNS and REHEARSE_SEED: how many of three nodes, from which seed on.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
fulcrum=$1
few=${2:-}
export LC_ALL=C.UTF-8
rules=tests/command/rehearse.txt

rehearse() {
    "$fulcrum" rehearse "$@" 2>&1
}

# ---- All rules -----------------------------------------------------------------

# kept RUNS OPTIONS...: nothing is broken.
kept() {
    local runs=$1
    shift
    [ -z "$few" ] || { runs=$((runs / 100 + 1)) && set -- "$@" --time 5; }
    rehearse --runs "$runs" --seed "$seed" "$@"
}
seed=${REHEARSE_SEED:-1}
runs=${REHEARSE_RUNS:-300}
holds "three nodes keep what they promise" kept "$runs" -n 3
holds "five nodes" kept $((runs / 2)) -n 5
holds "seven nodes" kept $((runs / 6)) -n 7
holds "two nodes and a witness" kept $((runs / 2)) -n 3 --witness
holds "two and four nodes" eval 'kept 60 -n 2 && kept 60 -n 4'
holds "one lock, many clients" kept $((runs / 4)) --locks 1 --clients 8
holds "links that come and go" kept $((runs / 2)) --faults flap,loss --locks 1
holds "processes that stand still" kept $((runs / 2)) --faults freeze,sleep,stall,cut
holds "records that are lost, set back, or written late" \
    kept $((runs / 2)) --faults old,lost,disk,kill,crash --every 0.3
holds "records that are repaired while another node is off" \
    kept $((runs / 4)) -n 5 --faults lost,crash,kill,cut,stop --every 0.5
holds "links of which a tree is left" kept $((runs / 10)) -n 5 --faults cut --locks 1
holds "nodes that stand still when they have promised something" \
    kept $((runs / 4)) --faults stall,loss,disk --locks 1 --every 0.5
holds "holders that are told to end before they are killed" \
    kept $((runs / 2)) --grace --faults stop,kill,cut,flap,loss,sleep --locks 1
holds "lists that change node by node" eval \
    'kept $((runs / 3)) -n 5 --faults generation && kept $((runs / 6)) -n 4 \
    --faults generation,kill,crash,disk,clock,client,stop'
refuses 2 "may give a lock twice" rehearse --faults generation,cut
holds "nothing that happens to them" kept 5 --faults none
everything=all,change,key,upgrade
holds "lists, times, keys and versions that change among all faults" \
    kept $((runs / 10)) --faults $everything --every 2
holds "with five and seven nodes" eval \
    'kept $((runs / 20)) -n 5 --faults $everything --every 2 &&
    kept $((runs / 60 + 1)) -n 7 --faults $everything --every 2'
holds "lists that begin with two nodes and a witness, or two" eval \
    'kept $((runs / 20)) --witness --faults all,change --every 4 &&
    kept $((runs / 20)) -n 2 --faults all,change --every 4'
holds "lists that change while records are lost" \
    kept $((runs / 15)) -n 4 --faults change,lost,old,kill,disk --every 3
holds "keys alone" kept $((runs / 30)) --faults key --time 10
same "changes come to an end" true \
    "$(rehearse --runs 10 --faults change --json | jq '.changes > 50')"
refuses 2 "by one of them" rehearse --faults change,generation
refuses 2 "does not change while nodes run" rehearse --mode silence --faults change

# ---- Mode silence --------------------------------------------------------------

bounded=kill,crash,loss,clock,client,stop
holds "three nodes in mode silence keep what they promise" \
    kept $((runs / 8)) --mode silence
holds "two and five nodes" eval 'kept 30 --mode silence -n 2 &&
    kept 10 --mode silence -n 5'
holds "and the mode does not end while its bounds are kept" \
    kept $((runs / 10)) --mode silence --faults $bounded --locks 1
holds "daemons that are killed, started, and stopped" \
    kept $((runs / 10)) --mode silence --faults kill,stop --locks 1
holds "and tell their holders to end" \
    kept $((runs / 10)) --mode silence --faults kill,stop --locks 1 --grace
outside() {
    local said
    said=$(rehearse --mode silence --faults cut --runs 5)
    [ $? = 1 ] && grep -q "violated outside its assumptions" <<<"$said" &&
        grep -q "no two live nodes are cut off" <<<"$said"
}
holds "what it does not promise is told apart" outside
holds "a report says which mode, and nothing of leases" eval \
    'rehearse --mode silence --runs 1 --time 5 >"$tap_tmp/silent" &&
    grep -q "3 nodes in mode silence" "$tap_tmp/silent" && ! grep lease "$tap_tmp/silent"'
same "for programs too" "true false" "$(
    rehearse --mode silence --faults cut --runs 5 --json | jq .violation.outside
) $(rehearse --mode silence --without floor --json | jq .violation.outside)"

# ---- Each rule left out --------------------------------------------------------

# missed RULE SEED PROPERTY OPTIONS...: this run breaks that property without the
# rule, and none with it.
missed() {
    local rule=$1 seed=$2 property=$3 got
    shift 3
    got=$(rehearse --seed "$seed" --runs 1 "$@" --without "$rule" --json |
        jq -r .violation.property)
    [ "$got" = "$property" ] || { echo "got $got"; return 1; }
    rehearse --seed "$seed" --runs 1 "$@"
}
while IFS='|' read -r rule seed_of property what options; do
    # shellcheck disable=SC2086
    holds "$rule is missed:$what" missed $rule $seed_of $property $options
    # shellcheck disable=SC2086
    holds "and stands in docs/rehearse.md" grep -qF \
        "\`--without $(echo $rule --seed $seed_of --runs 1 $options)\`" docs/rehearse.md
done < <(grep -v -e '^#' -e '^$' "$rules" | sed "${few:+/^[Vm]/!d}")

# offered OPTIONS..., tried PATTERN: the rules of a mode.
offered() {
    rehearse "$@" --without L9 | sed 's/.*there are //' | tr -d ' \n' | tr , '\n' | sort
}
tried() {
    grep -v -e '^#' -e '^$' "$rules" | grep "$@" -e '--mode silence' |
        cut -d'|' -f1 | tr -d ' ' | sort
}
# Rules that all runs of the smallest cluster miss, and hardly any others.
rare=$(printf 'R2\nR2-lease\nR2-quiet')
same "every rule that can be left out is missed" "$(offered)" \
    "$({ tried -v; echo "$rare"; } | sort)"
shown_by_cluster() {
    local one
    for one in $rare; do
        grep -q "^$one |" tests/command/cluster.txt || return 1
    done
}
holds "and those that are rare, by check cluster" shown_by_cluster
same "in mode silence too" "$(offered --mode silence)" "$(tried)"

# ---- The command ---------------------------------------------------------------

if [ -z "$few" ]; then
    same "the same seed gives the same runs, on any number of threads" \
        "$(rehearse --runs 8 --threads 1 --json | jq 'del(.cpu_seconds)')" \
        "$(rehearse --runs 8 --threads 4 --json | jq 'del(.cpu_seconds)')"
    same "and the first violation" \
        "$(rehearse --runs 60 --without V3 --threads 1 --json | jq .violation)" \
        "$(rehearse --runs 60 --without V3 --threads 4 --json | jq .violation)"
    same "a seed of more than 53 bits survives jq" '"9007199254740993"' \
        "$(rehearse --runs 1 --time 1 --seed 9007199254740993 --json |
            command jq -c .seed)"
fi
again() {
    local command
    command=$(rehearse --runs 60 --without L3 --every 0.5 | sed -n 's/^again: fulcrum //p')
    eval "set -- $command"
    "$fulcrum" "$@" | grep -q "VIOLATED: "
}
holds "the line again: shows the violation" again
holds "a log tells what happens" eval \
    'rehearse --runs 1 --log --time 5 | grep -q "inside lock 0 with token"'
rehearse --seed 21 --runs 1 --without V3 -o "$tap_tmp/report"
same "a violation ends with 1" 1 $?
holds "and its report goes to a file too" grep -q violated "$tap_tmp/report"

cat >"$tap_tmp/cluster.ini" <<END
[cluster]
lease = 300ms
tau = 10ms
delay = 5ms
generation = 3
[node north]
host = 10.0.0.1
port = 7000
[node south]
host = 10.0.0.2
port = 7000
[node scale]
host = 10.0.0.3
port = 7000
witness = yes
END
holds "a cluster of a file is rehearsed, without its key and addresses" \
    rehearse -c "$tap_tmp/cluster.ini" --runs 3 --time 5
refuses 2 "leave out -n" rehearse -c "$tap_tmp/cluster.ini" -n 3
refuses 2 "--nodes takes a whole number from 2 to 31, not '1'" rehearse -n 1
refuses 2 "there is no 'fire'" rehearse --faults cut,fire
refuses 2 "there is no such rule" rehearse --without L9
refuses 2 "is for one run" rehearse --log
refuses 2 "is not an option" rehearse north
printf 'mode = silence\nbounds = hard\ndmax = 5ms\nstep = 5ms\n' >"$tap_tmp/mode"
sed "/^generation/r $tap_tmp/mode" "$tap_tmp/cluster.ini" | sed '/^witness/d' >"$tap_tmp/silent.ini"
holds "a cluster in mode silence, too" \
    rehearse -c "$tap_tmp/silent.ini" --runs 3 --time 5
sed '/^bounds/a window = early' "$tap_tmp/silent.ini" >"$tap_tmp/early.ini"
holds "with windows that end early" rehearse -c "$tap_tmp/early.ini" --runs 3 --time 5
refuses 2 "leave out -n, --witness and --mode" \
    rehearse -c "$tap_tmp/silent.ini" --mode silence
refuses 2 "rehearse: there is no mode 'loud'; choose proven" rehearse --mode loud
refuses 2 "rehearse: mode silence needs no majority" rehearse --mode silence --witness
refuses 2 "cannot come back" rehearse --mode silence --faults kill,lost
refuses 2 "no such rule in mode silence" rehearse --mode silence --without V3
refuses 2 "No such file" rehearse -c /nowhere.ini

"$fulcrum" rehearse --runs 1000000 >"$tap_tmp/out" 2>/dev/null &
interrupt $!
wait $!
same "Ctrl-C ends it with what was found" "130 yes" \
    "$? $(grep -q 'never two inside' "$tap_tmp/out" && echo yes)"

tap_end
