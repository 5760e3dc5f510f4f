#!/usr/bin/env bash
# live_fence.sh BUILD - what tokens are for: a machine that freezes while it
# holds a lock, and writes when it thaws.
#
# The machine is a node, a client, its guard and its command; all of them are
# stopped at once.  When it thaws the command is let go first: that is the
# instant at which no lock can help.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/exact.sh
fulcrum=$(realpath "$1/fulcrum")
build=$1
"$fulcrum" fence --help >/dev/null 2>&1 || {
    echo "# left out: this build has no live runtime"
    exit 0
}
holds "the tools build" make --no-print-directory BUILD="$build" live-tools
slow_disk=$(realpath "$build/tests/live/slowdisk.so")
docs=$PWD/docs
mkdir "$tap_tmp/fence"
cd "$tap_tmp/fence" || exit 1
export fulcrum

declare -A daemon # node -> process
writer=()
stop_all() {
    local pid
    for pid in "${daemon[@]}" $(jobs -p) ${machine:-}; do
        kill -9 "$pid" 2>/dev/null
    done
    wait 2>/dev/null
}
trap 'stop_all; rm -rf "$tap_tmp"' EXIT

# code EXPECTED COMMAND...
code() {
    local expected=$1 got
    shift
    "$@"
    got=$?
    [ $got -eq "$expected" ] || { echo "exit $got, not $expected: $*"; return 1; }
}

says() { # TEXT COMMAND...
    local text=$1
    shift
    "$@" 2>&1 | grep -q -e "$text"
}

within() { # SECONDS COMMAND...
    local until=$((SECONDS + $1))
    shift
    while ! "$@" >/dev/null 2>&1; do
        [ $SECONDS -lt $until ] || { echo "never: $*"; tail -n 5 ./*.log; return 1; }
        sleep 0.05
    done
}

put() { # NAME TOKEN CONTENT
    echo "$3" | "$fulcrum" fence store put "$1" --token "$2"
}

get() { # NAME
    "$fulcrum" fence store get "$1"
}

# ---- The store alone ---------------------------------------------------------

holds "a store must be created first" says "is not a store" put page 1 x
holds "init creates a store" code 0 "$fulcrum" fence store init
holds "init does not create it twice" code 3 "$fulcrum" fence store init
holds "a holder writes" code 0 put page 137438953477 first
holds "a lower token has an exit code of its own" code 4 put page 137438953476 late
holds "a refusal names both tokens" \
    says "token 137438953476 is lower than 137438953477" put page 137438953476 late
same "a refused put writes nothing" first "$(get page)"
holds "the token may come from fulcrum lock" env FULCRUM_TOKEN=137438953478 \
    "$fulcrum" fence store put page </dev/null
holds "a put without a token is refused" \
    code 2 "$fulcrum" fence store put page </dev/null
holds "a token that is not a number is refused" code 2 put page -5 x
holds "a name with a slash is refused" code 2 put ../page 5 x
holds "there is nothing under other names" code 3 get other
same "show lists names, tokens and sizes" \
    '["page",false,"137438953478",0]' \
    "$("$fulcrum" fence store show --json |
        jq -c '.[] | [.name, .damaged, .token, .bytes]')"
holds "a token of a second generation is taken" code 0 put late 144115188075855883 x
"$fulcrum" fence store show --json >shown.json
read_by_all "show gives all digits of a token" 144115188075855883 shown.json \
    '.[] | select(.name == "late").token' 'o.find(e => e.name == "late").token'
holds "show has no number that would be rounded" exact shown.json
head -c 3000000 /dev/urandom >large
holds "large contents come back as they were" \
    sh -c '"$fulcrum" fence store put large --token 1 <large &&
        "$fulcrum" fence store get large | cmp - large'
head -c 16777217 /dev/zero >larger
holds "contents that are too large are refused" sh -c \
    '"$fulcrum" fence store put large --token 2 <larger; [ $? = 2 ]'

# Two writers that are in the middle of a put when a newer one comes: one whose
# disk takes longer than anybody would wait, and one that is stopped there.
writing() { # NAME: it has begun to write
    ls store/names/"$1"/new.* >/dev/null 2>&1
}
echo 60000 >slow
for name in slow stopped; do
    put $name 5 old
    echo late | LD_PRELOAD=$slow_disk SLOW_DISK=slow \
        "$fulcrum" fence store put $name --token 6 2>$name.said &
    writer[${#writer[@]}]=$!
    holds "a writer is within its put ($name)" within 10 writing $name
done
kill -STOP "${writer[1]}"
for name in slow stopped; do
    holds "the next holder reads ($name)" \
        timeout 5 "$fulcrum" fence store get $name --token 7
    holds "the next holder writes ($name)" timeout 5 sh -c \
        'echo new | "$fulcrum" fence store put "$1" --token 7' sh $name
    same "the new content is there at once ($name)" new "$(get $name)"
done
echo 0 >slow
kill -CONT "${writer[1]}"
for i in 0 1; do
    wait "${writer[i]}"
    same "the late writer is refused when it goes on" 4 $?
done
same "and the new content stays" "new new" "$(get slow) $(get stopped)"
entry=$(printf '%s\n' store/names/page/0* | tail -n 1)
echo 'garbage' >"$entry"
holds "a damaged entry is reported" code 3 "$fulcrum" fence store show
holds "a damaged entry is not taken for a low token" \
    code 3 put page 9223372036854775807 x
rm -rf store
holds "docs/fencing.md shows what its commands print" \
    bash "$docs/console.sh" "$fulcrum" "$docs/fencing.md"

# ---- A machine that freezes --------------------------------------------------

"$fulcrum" fence store init
"$fulcrum" keygen cluster.key
printf '%s\n' '[cluster]' 'tau = 25ms' 'lease = 700ms' 'kill = 50ms' \
    'delay = 20ms' 'key = cluster.key' 'state = .' 'socket = %i.socket' >cluster.ini
for node in a b c; do
    printf '%s\n' "[node $node]" 'host = 127.0.0.1' "port = $(shuf -i 20000-31999 -n 1)"
done >>cluster.ini
for node in a b c; do
    "$fulcrum" node -c cluster.ini -i $node --init 2>$node.log &
    daemon[$node]=$!
    disown $!
done

# Writes, says so, is frozen before `go` is there, and writes once more: into a
# plain file as well, which checks nothing.
cat >holder.sh <<'END_OF_HOLDER'
echo $$ >group
echo "$FULCRUM_TOKEN" >token
echo old | "$fulcrum" fence store put page
echo old >plain
touch wrote
until [ -e go ]; do sleep 0.02; done
echo late >plain
echo late | "$fulcrum" fence store put page 2>refusal
echo $? >answer
END_OF_HOLDER

# All processes that a process started, and theirs.
offspring() {
    local child
    for child in $(cat "/proc/$1/task/$1/children"); do
        echo "$child"
        offspring "$child"
    done
}

holds "three nodes are up" within 5 test -S a.socket -a -S b.socket

# On a busy machine a holder may lose its lock; then the next one tries.
wrote() {
    local tries
    for tries in 1 2 3 4 5; do
        rm -f wrote
        "$fulcrum" lock page -c cluster.ini -i a -- sh holder.sh 2>>client.log &
        client=$!
        while kill -0 $client 2>/dev/null; do
            [ -e wrote ] && return
            sleep 0.02
        done
    done
    cat ./*.log
    return 1
}
wrote >said
holds "a holder writes under its token" cmp said /dev/null
kill -STOP "${daemon[a]}" $client # nobody new but from the command
for pass in 1 2; do
    machine="$client $(offspring $client)"
    # shellcheck disable=SC2086
    kill -STOP $machine
done

holds "its machine is frozen, and another takes over" \
    "$fulcrum" lock page -w 8 -c cluster.ini -i b -- sh -c \
    'echo new >plain; echo new | "$fulcrum" fence store put page'
holds "the new holder writes" test "$(get page)" = new

touch go
kill -CONT -- "-$(cat group)"
holds "the first machine thaws" within 5 test -e answer
same "it writes where nobody checks" late "$(cat plain)"
same "it is refused where tokens are checked" 4 "$(cat answer)"
holds "the refusal names both tokens" \
    says "token $(cat token) is lower than [0-9]" cat refusal
same "and the new content stays" new "$(get page)"
# shellcheck disable=SC2086
kill -CONT $machine "${daemon[a]}" 2>/dev/null # some are done
wait $client
code=$?
holds "its client ends, with 0 or 125" \
    test $code -eq 125 -o $code -eq 0
machine=
for node in a b c; do kill -TERM "${daemon[$node]}"; done
holds "all stop" within 5 sh -c '! ls *.socket'
daemon=()
tap_end
