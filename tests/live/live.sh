#!/usr/bin/env bash
# live.sh BUILD - real daemons and clients on loopback: counters without other
# protection, kill -9, SIGSTOP, minorities, loss, and a clean end.
#
# A command that holds a lock appends lines "TOKEN WHO" to one file.  Appending is
# atomic, so the file is the order in which things happened: if a line follows
# one with a greater token, two were holders at once (live_judge.awk).
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"

# ---- Commands ----------------------------------------------------------------

cat >count.sh <<'END'
n=$(cat counter)
echo $((n + 1)) >counter.new
mv counter.new counter
echo "$FULCRUM_TOKEN $((n + 1))" >>"$1"
END
cat >tick.sh <<'END'
while :; do
    echo "$FULCRUM_TOKEN $2" >>"$1"
    sleep 0.01
done
END

# compete ENTRIES FILE NODE...: a client at each of these nodes; one that loses the
# lock tries again, and leaves a line in the file "retries".
compete() {
    local entries=$1 file=$2 node until=$((SECONDS + 120))
    shift 2
    local pids=()
    : >retries
    for node in "$@"; do
        (for ((i = 0; i < entries; i++)); do
            lock "$node" counter -- sh count.sh "$file" 2>>client.log || {
                echo "$node" >>retries
                i=$((i - 1))
            }
            [ $SECONDS -lt $until ] || break
        done) &
        pids+=($!)
    done
    wait "${pids[@]}"
}

# Every entry counted once.  A client that lost its lock on a busy machine may or
# may not have counted before, and did so again.
all_counted() { # NUMBER
    local counted retries
    counted=$(cat counter)
    retries=$(wc -l <retries)
    [ "$counted" -ge "$1" ] && [ "$counted" -le $(($1 + retries)) ] ||
        { echo "$counted counted, $1 wanted, $retries retries"; return 1; }
}

strictly_grows() { # FILE COLUMN
    cut -d' ' -f"$2" "$1" | sort -n -c -u
}

judged() {
    awk -f "$judge" "$1"
}

has_line() { # FILE WHO
    grep -q " $2\$" "$1"
}

lines_grow() { # FILE WHO: it is writing just now
    within 5 more_lines "$@" "$(grep -c " $2\$" "$1")"
}
more_lines() { # FILE WHO THAN
    [ "$(grep -c " $2\$" "$1")" -gt "$3" ]
}

# ---- Three nodes -------------------------------------------------------------

cluster 3
for node in a b c; do start $node --init; done
for node in a b c; do
    holds "node $node is in a view of three" within 10 members $node 3
done
holds "a second daemon of a running node is refused" \
    code 3 "$fulcrum" node -c cluster.ini -i a
holds "a record is created once" \
    code 3 "$fulcrum" node -c cluster.ini -i a --init
holds "the socket is for its owner alone" \
    test "$(stat -c %a a.socket)" = 600

echo 0 >counter
: >entries
compete 8 entries a b c a b c a b c a
holds "ten clients count without losing an update" all_counted 80
holds "their tokens grow strictly" strictly_grows entries 1
holds "their counts grow strictly" strictly_grows entries 2

holds "the exit status is the command's" code 7 lock a x -- sh -c 'exit 7'
holds "a command that does not exist is reported" code 127 lock a x -- ./nothing
holds "it is named" says "cannot run './nothing': No such file" \
    lock a x -- ./nothing
holds "a line of shell is told about sh -c" says "write sh -c 'LINE'" \
    lock a x -- 'echo hi; echo there'
holds "--grace without --hold is refused" code 2 lock a x --grace 3 -- true
holds "the token is in the environment" \
    says '^[0-9][0-9]*$' lock b x -- printenv FULCRUM_TOKEN
holds "an empty name is refused" code 2 lock a '' -- true

holder() { # NODE NAME WHO [OPTION...]: ticks in the background; its process in $held
    local node=$1 name=$2 who=$3
    shift 3
    "$fulcrum" lock -c cluster.ini -i "$node" "$name" "$@" -- \
        sh tick.sh ticks "$who" 2>"$who.err" &
    held=$!
    within 10 has_line ticks "$who"
}
ended() { # CODE: the holder ends with it
    local got
    wait "$held"
    got=$?
    [ $got -eq "$1" ] || { echo "exit $got, not $1"; cat ./*.err; return 1; }
}

# all_in: a scene begins with all nodes in one view.
all_in() {
    local node
    for node in a b c; do within 20 members $node 3 || return 1; done
    : >ticks
}

refusals() {
    all_in
    holder a work signalled
    holds "a client that waits too long is told so" \
        code 124 lock b work --wait 0.3 -- true
    holds "a client that does not wait is told who holds" \
        says 'a client of a has it' lock c work -n -- true
    holds "a client at the same node is refused, too" \
        says 'another client' lock a work -w 0.2 -- true
    holds "status names the holder" \
        says "holds process $held of" "$fulcrum" status -c cluster.ini -i a
    kill -TERM $held
    holds "signals reach the command" ended 143
    holder a work killed
    kill -9 $held
    holds "when a client is killed, its command is too" \
        within 5 lock b work -w 1 -- sh -c 'echo "$FULCRUM_TOKEN next" >>ticks'
    holds "nothing was written after the kill" judged ticks
}
steady refusals

readers() {
    all_in
    holder a read reader1 --shared
    first=$held
    holder b read reader2 --shared
    holds "readers are inside together" lines_grow ticks reader1
    holds "a writer is not inside beside readers" code 124 lock c read -w 0.3 -- true
    kill $first $held
    wait $first $held
    holds "a writer comes after the readers" code 0 lock c read -w 5 -- true
}
steady readers

# ---- Holders that are stopped ------------------------------------------------

stopped_client() {
    all_in
    holder a work paused-client
    kill -STOP $held
    sleep 2.5
    holds "a stopped client keeps its lock" lines_grow ticks paused-client
    holds "a lock of a stopped client is nobody else's" \
        code 124 lock b work -w 0.3 -- true
    kill -STOP "${daemon[a]}"
    holds "if its daemon is stopped too, another goes on" \
        within 8 lock b work -w 3 -- \
        sh -c 'echo "$FULCRUM_TOKEN after-both" >>ticks'
    sleep 0.5
    kill -CONT "${daemon[a]}" $held
    holds "the client says that the lock was lost" ended 125
    holds "nobody wrote after its successor: the guard was in time" judged ticks
    holds "the stopped daemon is back in the view" within 10 members a 3
}
steady stopped_client

: >ticks
holder b work paused-daemon
kill -STOP "${daemon[b]}"
holds "a stopped daemon loses the lock for its client" ended 125
holds "another client has the lock of a stopped daemon" lock c work -w 5 -- \
    sh -c 'echo "$FULCRUM_TOKEN after-daemon" >>ticks'
kill -CONT "${daemon[b]}"
holds "never two at once" judged ticks
holds "the second stopped daemon is back in the view" within 10 members b 3

: >ticks
holder a work killed-daemon
crash a
holds "when the daemon is killed the command is stopped" ended 125
holds "the others go on" lock b work -w 5 -- \
    sh -c 'echo "$FULCRUM_TOKEN after-kill" >>ticks'
holds "never two at once with a killed daemon" judged ticks
start a
holds "the killed node rejoins" within 10 members a 3
holds "status says that this is its second start" \
    says 'start number 2' "$fulcrum" status -c cluster.ini -i a

# ---- Too few -----------------------------------------------------------------

crash b
crash c
sleep 1.5
holds "a minority refuses" code 124 lock a work -w 0.5 -- true
holds "a refusal by a minority says why" \
    says 'no majority: this node hears 1 of 3' \
    lock a work -w 0.2 -- true
holds "status says that there is no majority" says 'no majority' \
    "$fulcrum" status -c cluster.ini -i a
start b
holds "with one more it goes on" within 10 lock a work -w 5 -- true
mv state/c.record state/kept
holds "a node without its record does not start" \
    code 3 "$fulcrum" node -c cluster.ini -i c
mv state/kept state/c.record
start c
holds "all nodes are back" within 10 members c 3

# ---- A clean end -------------------------------------------------------------

# hand_over: stops c while a client holds there; it takes $took ms until a has the
# lock.
hand_over() {
    local began
    : >ticks
    holder c work handed-over
    began=$(date +%s%N)
    kill -TERM "${daemon[c]}"
    holds "a node that stops tells its clients" ended 125
    holds "a node that stops hands over its lock" lock a work -w 3 -- \
        sh -c 'echo "$FULCRUM_TOKEN after-stop" >>ticks'
    took=$((($(date +%s%N) - began) / 1000000))
    holds "the socket of a stopped node is gone" within 5 test ! -e c.socket
    unset "daemon[c]"
}
hand_over
# The machine may have been busy; but if a lease is waited for, it is waited for
# every time.
for again in 2 3; do
    [ $took -ge 900 ] || break
    start c
    within 20 members a 3
    hand_over
done
holds "a hand-over does not wait for a lease of 1000 ms: it took $took" \
    test $took -lt 900
holds "the stopped holder wrote nothing after its successor" judged ticks
sed 's/^tau = .*/tau = soon/' cluster.ini >wrong.ini
holds "a wrong configuration is refused with line and remedy" \
    says 'wrong.ini:2: .*write' "$fulcrum" node -c wrong.ini -i a
for node in a b; do kill -TERM "${daemon[$node]}"; done
holds "both other nodes stop" within 5 test ! -e a.socket -a ! -e b.socket
daemon=()

# ---- Five nodes, bad links, crashes ------------------------------------------

cluster 5
for node in a b c d e; do
    start $node --init --mishap loss=50000 --mishap duplicate=50000 \
        --mishap reorder=50000 --mishap delay=0:5000
done
holds "five nodes agree over bad links" within 15 members e 5
echo 0 >counter
: >entries
compete 4 entries a b c a b c a b c a &
competing=$!
sleep 0.7
crash d
kill -STOP "${daemon[e]}"
sleep 1.5
kill -CONT "${daemon[e]}"
start d
wait $competing
holds "all get in while a node is killed and one is paused" \
    test "$(wc -l <entries)" -ge 40
holds "no update is lost" strictly_grows entries 2
holds "tokens grow strictly" strictly_grows entries 1
holds "the killed and the paused node are back" within 15 members d 5

for node in "${!daemon[@]}"; do kill -TERM "${daemon[$node]}"; done
holds "all stop" within 5 sh -c '! ls *.socket'
tap_end
