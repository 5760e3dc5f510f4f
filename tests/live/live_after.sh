#!/usr/bin/env bash
# live_after.sh BUILD - what `fulcrum lock --after` runs when a command is dead: it
# ends, it is killed, its node stops or dies, its client is killed or stopped.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"
lease=3000
# A line has half of `kill`: a machine that stands still for a quarter of that is
# no judge of which was late.
kill=1200
standstill=$((kill / 8))

cluster 3
sed -i "s/^kill = .*/kill = ${kill}ms/" cluster.ini
for node in a b c; do start $node --init; done
holds "three nodes agree" within 30 members c 3

# What is run: a line with how and after what, when it has ended.
cat >clean.sh <<'END'
[ ! -e slow ] || [ "$FULCRUM_AFTER" = lost ] || { echo slow >>cleaned; sleep 60; }
sleep 0.05
echo "$FULCRUM_LOCK $FULCRUM_AFTER ${FULCRUM_STATUS:-unknown}" >>cleaned
END

# runs OPTIONS... -- COMMAND...: in the background at node a, its client in $held.
runs() {
    rm -f began cleaned held.err
    : >cleaned
    "$fulcrum" lock -c cluster.ini -i a work --after "sh clean.sh" "$@" 2>held.err &
    held=$!
    within 20 test -e began
}
ends() { # CODE
    within 15 dead $held || return 1
    wait $held
    local got=$?
    [ $got -eq "$1" ] || { echo "exit $got, not $1"; cat held.err; return 1; }
}
cleaned() { # LINES
    [ "$(cat cleaned)" = "$*" ] || { cat cleaned held.err; return 1; }
}
back() { # NODE
    within 15 dead "${daemon[$1]}"
    start "$1"
    within 40 members "$1" 3
}
deaf='trap "" TERM; echo >began; while :; do sleep 0.02; done'

# ---- While the lock is held --------------------------------------------------

# asks: whether the lock is another's while it runs, and its token.
cat >asks.sh <<END
"$fulcrum" lock -c cluster.ini -i b work -n -- true 2>asked
echo "\$? \$([ "\$FULCRUM_TOKEN" = "\$(cat token)" ] && echo same)" >answer
END
same "the exit status is the command's" 7 "$(
    lock a work --after 'sh asks.sh' -- sh -c 'echo $FULCRUM_TOKEN >token; exit 7'
    echo $?
)"
same "nobody else has the lock meanwhile, and it has the command's token" \
    "124 same" "$(cat answer)"
ended() {
    runs -- sh -c 'echo >began; exit 3'
    holds "a command ends" ends 3
    holds "then it is run, with its status" cleaned work held 3
    runs -- sh -c 'echo >began; kill -9 $$'
    holds "a command is killed" ends 137
    holds "then, too" cleaned work held 137
    runs --hold 0.3 --grace 0.9 -- sh -c "$deaf"
    holds "a command has held for as long as it may" ends 123
    holds "then, too, before the lock is another's" cleaned work held 137
}
steady ended
lock b work -- sleep 2 &
within 9 sh -c "\"$fulcrum\" status -c cluster.ini -i b --json | grep -q '\"token\"'"
: >cleaned
code 124 lock a work -n --after 'sh clean.sh' -- true
holds "it is not run when there was no lock" cleaned ""
wait

# The next holder notes when it came.
next='echo "next" >>cleaned'
stopped() {
    runs -- sh -c "$deaf"
    lock b work -w 20 -- sh -c "$next" &
    kill -TERM "${daemon[a]}"
    holds "the node of a deaf command is stopped" ends 125
    wait $!
    holds "it is run before the lock is another's" \
        cleaned "work held 137
next"
    back a
}
steady stopped
crashed() {
    runs -- sh -c "$deaf"
    crash a
    holds "the node of a command dies" ends 125
    holds "it is run before the deadline" cleaned work held 137
    start a
    within 40 members a 3
}
steady crashed

# ---- When it is not ----------------------------------------------------------

slow() {
    touch slow
    runs -- sh -c "$deaf"
    kill -TERM "${daemon[a]}"
    holds "it takes longer than the lock lasts" ends 125
    holds "and is run once more, and told so" cleaned "slow
work lost 137"
    holds "its client says so" grep -q 'lost before --after' held.err
    rm slow
    back a
}
steady slow
killed() {
    runs -- sh -c "$deaf"
    kill -KILL $held
    ends 137
    holds "a client is killed: the guard runs it" \
        within 9 grep -q '^work lost' cleaned
    sleep 0.3
    same "once" 1 "$(wc -l <cleaned)"
}
steady killed
frozen() {
    runs -- sh -c "$deaf"
    kill -STOP $held
    crash a
    holds "a client is stopped, and its node dies: the guard runs it" \
        within 9 grep -q '^work lost' cleaned
    kill -CONT $held
    holds "the client goes on" ends 125
    same "and does not run it again" 1 "$(wc -l <cleaned)"
    start a
    within 40 members a 3
}
steady frozen
stop a b c

tap_end
