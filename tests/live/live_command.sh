#!/usr/bin/env bash
# live_command.sh BUILD - a command under its lock, and what kills it: commands that
# change their user or leave their cgroup, guards that die, clients that are
# stopped, late or waiting, terminals.
#
# TIMES=20: how often the cases that once let two holders in are tried.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
times=${TIMES:-3}
lease=2000
build=$(realpath "$1")
holds "the tools build" make --no-print-directory BUILD="$1" live-tools
. tests/live/holder.sh
. tests/live/loopback.sh "$1"
fulcrum=${FULCRUM:-$fulcrum}
ticker=$build/tests/live/ticker
headless=$build/tests/live/headless
runaway=$build/tests/live/runaway

# ends PROCESS CODE: a child of this shell, within 10 s.
ends() {
    within 10 dead "$1" || return 1
    wait "$1"
    local got=$?
    [ $got -eq "$2" ] || { echo "exit $got, not $2"; return 1; }
}

# Before a command: runs it where no version 2 cgroup can be created.
mounts=$(findmnt -nt cgroup2 -o TARGET | xargs)
alone=(unshare --mount sh -c "umount -l $mounts; exec \"\$@\"" sh)
[ -n "$mounts" ] || alone=()
[ "$(id -u)" = 0 ] || alone=()

cluster 3
for node in a b c; do start $node --init; done
holds "three nodes agree" within 30 members c 3

# back: all are in one view again.  A node that is left out must be linked for twice
# as long each time; a node that left it out forgets that when it is restarted.  Any
# of the three may have left out others.
start_node=start
all_there="members a 3"
back() {
    local node
    for node in a b c; do
        crash $node
        $start_node $node
    done
    within 60 $all_there
}

# ---- What a command finds ----------------------------------------------------

holds "a command knows its lock" \
    says '^work$' lock a work -- printenv FULCRUM_LOCK
holds "a command knows a deadline that is neither over nor far away" \
    lock a work -- sh -c 'now=$(awk "{printf \"%.0f\", \$1 * 1000000}" /proc/uptime)
        test "$FULCRUM_DEADLINE" -gt "$now" &&
        test "$FULCRUM_DEADLINE" -lt $((now + 3000000))'
same "its signals are the caller's" \
    "$(grep -e SigIgn -e SigBlk /proc/self/status)" \
    "$(lock a work -- grep -e SigIgn -e SigBlk /proc/self/status)"
same "a signal that the caller ignores stays ignored" \
    "$(trap '' USR1; grep SigIgn /proc/self/status)" \
    "$(trap '' USR1; lock a work -- grep SigIgn /proc/self/status)"
same "its priority is the caller's" "$(chrt -p $$ | cut -d: -f2)" \
    "$(lock a work -- sh -c 'chrt -p $$' | cut -d: -f2)"
same "its nice value is the caller's" "$(nice)" "$(lock a work -- nice)"
same "no memory is locked for it" 0 \
    "$(lock a work -- awk '/^VmLck/ {print $2}' /proc/self/status)"
holds "a client that waits for itself is warned" says 'waits for itself' \
    lock a work -- "$fulcrum" lock -c cluster.ini -i a work -n -- true
holds "another lock within is fine" \
    code 0 lock a work -- "$fulcrum" lock -c cluster.ini -i a other -w 9 -- true
holds "'no node' has its own exit code" \
    code 4 "$fulcrum" lock --socket nowhere.socket work -- true

# runs NODE NAME OPTIONS... -- COMMAND...: in the background, its client in $held;
# the command has begun when there is a file `began`.
runs() {
    rm -f began
    "${before[@]}" "$fulcrum" lock -c cluster.ini -i "$@" 2>held.err &
    held=$!
    within 10 test -e began
}
before=()
if [ "$(id -u)" = 0 ]; then
    runs a work -- sh -c 'echo >began; exec sleep 60'
    for who in "$held" "$(guard_of $held)"; do
        holds "the processes that must kill have a high priority" \
            says SCHED_FIFO chrt -p "$who"
        holds "the processes that must kill have locked memory" \
            awk '/^VmLck/ && $2 > 0 {found = 1} END {exit !found}' \
            "/proc/$who/status"
    done
    if (echo -1000 >/proc/self/oom_score_adj) 2>/dev/null; then
        same "the guard is exempt from the OOM killer" -1000 \
            "$(cat "/proc/$(guard_of $held)/oom_score_adj")"
    fi
    kill -TERM $held
    wait $held
fi

# ---- Lost, with notice -------------------------------------------------------

# The command starts nothing when it is told: on a machine that is busy that takes
# longer than it has.  The notice is in the middle of what is left of the lease.
cat >gently.sh <<'END'
trap 'read -r up rest </proc/uptime; echo "$up" >told; exit 0' TERM
echo >began
sleep 60 &
wait
END
notice() {
    local up
    rm -f told
    holds "a command runs" \
        runs a work --term-before 0.8 --lost-status 77 -- sh gently.sh
    read -r up _ </proc/uptime
    crash a
    holds "the exit code of a lost lock can be another" ends $held 77
    holds "a command is told before it is killed" test -s told
    holds "and is not told as soon as its node is dead: $up, $(cat told)" \
        awk -v crash="$up" '{ at = $1 } END { exit !(at - crash > 0.25) }' told
    start a
    back
}
steady notice
holds "no notice is longer than the lease" \
    says 'longer than the node' lock a work --term-before 5 -- true
holds "a notice longer than the lease runs nothing" \
    code 3 lock a work --term-before 5 -- true
holds "a status is a number" code 2 lock a work --lost-status 256 -- true

# ---- Late watchers -----------------------------------------------------------

late_watchers() {
    runs a work -- sh -c 'echo >began; exec sleep 60'
    leader=$(leader_of $held)
    guard=$(guard_of $held)
    kill -STOP "${daemon[a]}"
    kill -STOP $held "$guard"
    sleep 0.3
    kill -CONT "$guard"
    kill -CONT $held
    holds "late watchers stop the command before the deadline" ends $held 125
    holds "and says so" sh -c \
        "cat held.err; grep -q 'too busy to stop the command in time' held.err"
    holds "the command is dead" dead "$leader"
    kill -CONT "${daemon[a]}"
    back
}
steady late_watchers

# ---- The guard ---------------------------------------------------------------

# no_guard: client, guard and daemon of a holder; the guard is killed, then client
# and daemon are stopped, and another client takes the lock.
no_guard() {
    local guard
    : >ticks
    "$fulcrum" lock -c cluster.ini -i a job -- "$ticker" ticks A 20000 2>held.err &
    held=$!
    within 10 test -s ticks
    guard=$(guard_of $held)
    kill -KILL "$guard"
    within 3 dead "$guard" || return 1
    within 3 guard_of $held
    kill -STOP $held "${daemon[a]}"
    lock b job -w 30 -- "$ticker" ticks B 300
    kill -CONT $held "${daemon[a]}"
    wait $held
    grep -q ' B$' ticks && apart ticks
}
for i in $(seq "$times"); do
    holds "a guard that is killed is replaced ($i)" no_guard
    holds "all are back" back
done
holds "which is said" grep -q 'there is a new one' held.err
# A guard that takes the place of another says nothing, and the daemon is stopped.
mute_guard() {
    local guard
    : >ticks
    rm -f mute
    LD_PRELOAD=$build/tests/live/mute.so MUTE=$work/mute "$fulcrum" lock \
        -c cluster.ini -i a job -- "$ticker" ticks A 20000 2>held.err &
    held=$!
    within 10 test -s ticks
    guard=$(guard_of $held)
    touch mute
    kill -STOP "${daemon[a]}"
    sleep 1.4
    kill -KILL "$guard"
    lock b job -w 30 -- "$ticker" ticks B 1500
    kill -CONT "${daemon[a]}"
    wait $held
    grep -q ' B$' ticks && apart ticks
}
holds "a guard that is not ready at the deadline keeps no command alive" mute_guard
holds "all are back after the silent guard" back
# Of a client without standard error: what it says reaches nobody.
cat >new-guard.sh <<'END'
guard=$PPID
client=$(awk '/^PPid/ {print $2}' /proc/$PPID/status)
other() { # children of the client besides this process and the guard that was
    tr ' ' '\n' <"/proc/$client/task/$client/children" | grep -vx -e $$ -e '' -e $guard
}
kill -KILL "$guard"
until other; do sleep 0.02; done
sleep 0.3
END
speechless() {
    lock a work -- sh new-guard.sh 2>&-
}
holds "what a client says without standard error goes nowhere" speechless
runs a work -- sh -c 'echo >began; exec sleep 60'
leader=$(leader_of $held)
guard=$(guard_of $held)
kill -STOP $held
kill -STOP "$guard"
kill -KILL "$leader"
kill -CONT $held
holds "a stopped guard keeps nobody waiting" ends $held 137
holds "a stopped guard is gone afterwards" dead "$guard"
if [ "$(id -u)" = 0 ]; then
    chmod 755 "$tap_tmp" "$work"
    mkdir -m 777 open
    # No other process is user 61234's: the third process is one too many.
    limited=(setpriv --reuid 61234 --clear-groups prlimit --nproc=2)
    chmod 666 b.socket
    holds "no guard, no command" \
        code 3 "${limited[@]}" "$fulcrum" lock --socket b.socket work -- touch open/unguarded
    holds "which is said" says 'no guard can be set' \
        "${limited[@]}" "$fulcrum" lock --socket b.socket work -- touch open/unguarded
    holds "nothing was run without a guard" test ! -e open/unguarded
    chmod 600 b.socket
fi

# ---- Too late to start -------------------------------------------------------

rm -f began
"$fulcrum" lock -c cluster.ini -i b late -- sh -c 'echo >began; exec sleep 60' &
first=$!
within 10 test -e began
"$fulcrum" lock -c cluster.ini -i a late -- touch too-late 2>held.err &
held=$!
within 5 leader_of $held
leader=$(leader_of $held)
kill -STOP "$leader"
kill -TERM $first
wait $first 2>/dev/null
within 5 guard_of $held
sleep 0.1 # the token is on its way: there is nobody to ask
guard=$(guard_of $held)
kill -STOP $held
kill -STOP "$guard" "${daemon[a]}"
sleep 2.2
kill -CONT "$leader"
holds "a command does not start after its deadline" \
    within 5 zombie "$leader"
holds "a command that is too late runs nothing" test ! -e too-late
kill -CONT "${daemon[a]}" "$guard" $held
holds "a command that is too late has lost its lock" ends $held 125
back

# held_up: between the grant and the start.  The guard stands still, another is
# never ready, and then the deadline is over.
held_up() {
    rm -f began mute still too-late
    "$fulcrum" lock -c cluster.ini -i b late -- sh -c 'echo >began; exec sleep 60' &
    first=$!
    within 10 test -e began || return 1
    LD_PRELOAD=$build/tests/live/mute.so MUTE=$work/mute "$fulcrum" lock \
        -c cluster.ini -i a late -- touch too-late 2>held.err &
    held=$!
    within 5 leader_of $held || return 1
    "$build/tests/live/pinned" still "$(guard_of $held)" &
    local pin=$!
    within 5 test -e still || return 1
    disown $pin
    touch mute
    kill -TERM $first
    wait $first 2>/dev/null
    sleep 0.1 # the token is on its way: there is nobody to ask
    kill -STOP "${daemon[a]}" $held
    sleep 2.2
    kill -CONT $held
    ends $held 125
    local lost=$?
    kill -CONT "${daemon[a]}"
    kill -KILL $pin
    rm -f mute
    cat held.err
    return $lost
}
if [ "$(id -u)" = 0 ]; then
    holds "a client that is held up until its deadline has lost its lock" held_up
    holds "and says so" \
        grep -q 'its deadline was over before the command could start' held.err
    holds "it has run nothing" test ! -e too-late
    back
fi

# ---- What is left of a command -----------------------------------------------

# leaves_cgroup: root's command leaves its cgroup, its group and its session.
cat >leave.sh <<'END'
setsid sh -c 'echo $$ >'"$1"'/cgroup.procs; echo $$ >left; exec sleep 60' &
while ! [ -s left ]; do sleep 0.01; done
END
leaves_cgroup() {
    rm -f left
    lock a away -- sh leave.sh "${mounts%% *}" && gone left
}
if [ "$(id -u)" = 0 ] && [ -n "$mounts" ]; then
    for i in $(seq "$times"); do
        holds "a process that left the cgroup of a command ends with it ($i)" \
            leaves_cgroup
    done
fi
kept() {
    rm -f kept
    "${alone[@]}" sh -c 'sleep 60 & echo $! >kept
        exec "$@"' sh "$fulcrum" lock --socket a.socket away -- true &&
        ! gone kept
}
holds "children that were there before live on" kept
kill "$(cat kept)"
# none_left: nobody has a lock on the file that all of `runaway` have.
none_left() {
    flock -n left true
}
moves() {
    rm -f left
    code 123 "${alone[@]}" "$fulcrum" lock --socket a.socket away \
        --hold 0.3 --grace 0 -- "$runaway" moves left && within 5 none_left
}
holds "a command that goes to another process group is killed all the same" moves
outrun() {
    local i
    for i in $(seq $((5 * times))); do
        rm -f left
        "${alone[@]}" "$fulcrum" lock --socket a.socket away \
            -- "$runaway" chain left 150 && none_left || return 1
    done
}
holds "processes that fork and exit for ever do not outrun the end" outrun
cat >orphans.sh <<'END'
i=0
while [ $i -lt 40 ]; do (true &) && i=$((i + 1)); done
while [ "$(wc -w <"/proc/$PPID/task/$PPID/children")" -gt 1 ]; do sleep 0.02; done
END
holds "orphans of a command do not stay behind while it runs" \
    code 0 timeout 20 "$fulcrum" lock --socket a.socket work -- sh orphans.sh
# A process that cannot be killed: one that version 1 of cgroups has frozen.
freezer=$(findmnt -nt cgroup -O freezer -o TARGET | head -n 1)/fulcrum-test.$$
cat >frozen.sh <<'END'
sh -c 'echo $$ >"$1/cgroup.procs"; echo >left; exec sleep 60' sh "$1" &
while ! [ -s left ]; do sleep 0.01; done
echo FROZEN >"$1/freezer.state"
echo >began
exec sleep 60
END
frozen() {
    local kept
    rm -f left
    runs a away -- sh frozen.sh "$freezer"
    kill -KILL $held
    code 124 lock b away -w 1 -- true
    kept=$?
    echo THAWED >"$freezer/freezer.state"
    [ $kept = 0 ] && lock b away -w 15 -- true &&
        grep -q 'cannot be stopped: it is killed and does not die' a.log
}
if [ "$(id -u)" = 0 ] && [ "$freezer" != "/fulcrum-test.$$" ] &&
    mkdir "$freezer" 2>/dev/null; then
    holds "a lock is not passed on before the last process of a command is dead" \
        frozen
    within 5 rmdir "$freezer"
fi
# A daemon that does not answer keeps the release waiting.
rm -f go
runs a work -- sh -c 'echo >began; while ! [ -e go ]; do sleep 0.02; done'
leader=$(leader_of $held)
kill -STOP "${daemon[a]}"
touch go
holds "the PID of a command is not reused before its lock is released" \
    within 3 zombie "$leader"
kill -CONT "${daemon[a]}"
wait $held
if [ ${#alone[@]} -gt 0 ]; then
    cat >runaway.sh <<'END'
setsid sh -c 'echo $$ >left; exec sleep 60' &
while ! [ -s left ]; do sleep 0.01; done
echo >began
exec sleep 60
END
    # guard_finds COMMAND...: a process that is in a session of its own dies when
    # the client is stopped and the daemon killed.
    guard_finds() {
        rm -f left
        within 60 members a 3
        before=("${alone[@]}")
        runs a away -- "$@"
        before=()
        kill -STOP $held
        crash a
        within 5 gone left
        local found=$?
        kill -CONT $held
        wait $held
        [ $found = 0 ] || kill -KILL "$(cat left)"
        start a
        return $found
    }
    holds "without a cgroup the guard finds processes that left the group" \
        guard_finds sh runaway.sh
    cat >headless.sh <<'END'
setsid "$1" left &
while ! [ -s left ]; do sleep 0.01; done
echo >began
exec sleep 60
END
    back
    holds "the guard finds those whose first thread has ended, too" \
        guard_finds sh headless.sh "$headless"
fi

# ---- A node that goes and comes back -----------------------------------------

back
# over_a_restart SIGNAL: a client waits while its node is restarted.
over_a_restart() {
    rm -f began
    "$fulcrum" lock -c cluster.ini -i b away -- sh -c 'echo >began; exec sleep 60' &
    first=$!
    within 10 test -e began
    "$fulcrum" lock -c cluster.ini -i a away -w 30 -- touch "after-$1" 2>held.err &
    held=$!
    within 5 leader_of $held
    sleep 0.1
    kill "-$1" "${daemon[a]}"
    within 5 grep -q 'waits: .*; tries again' held.err || return 1
    within 5 dead "${daemon[a]}"
    start a
    within 60 members a 3
    kill -TERM $first
    wait $first
    ends $held 0 && test -e "after-$1"
}
holds "a waiting client survives the death of its node" over_a_restart KILL
holds "a waiting client survives a clean stop of its node" over_a_restart TERM
rm -f began
"$fulcrum" lock -c cluster.ini -i b away -- sh -c 'echo >began; exec sleep 60' &
first=$!
within 10 test -e began
"$fulcrum" lock -c cluster.ini -i a away -w 2 -- true 2>held.err &
held=$!
within 5 leader_of $held
sleep 0.1
crash a
holds "a waiting client waits no longer than its --wait" ends $held 124
kill -TERM $first
wait $first 2>/dev/null
start a
back

# ---- A terminal --------------------------------------------------------------

# type WORDS: into the shell of the terminal.
type_in() {
    printf '%b' "$1" >&8
}
stopped() { # PROCESS
    grep -q '^State:.T' "/proc/$1/status"
}
at_terminal() {
    # It does not fork: a shell whose child is stopped between vfork() and exec()
    # waits for it and cannot be stopped itself.
    cat >at-terminal.sh <<'END'
awk '/^PPid/ {print $2}' /proc/$PPID/status >client
echo $$ >began
exec sleep 60
END
    rm -f began client prompt typed screen
    mkfifo typed
    # A background process of a shell ignores ^C; at a terminal it does not.
    SHELL=/bin/bash env --default-signal=INT,QUIT script -qfc 'bash --norc --noprofile -i' screen <typed >/dev/null 2>&1 &
    exec 8>typed
    type_in "$fulcrum lock -c cluster.ini -i a tty -- sh at-terminal.sh\n"
    holds "a command runs at a terminal" within 10 test -s began
    client=$(cat client)
    type_in '\032'
    holds "^Z stops it" within 5 stopped "$(cat began)"
    holds "^Z stops its client" within 5 stopped "$client"
    type_in 'echo prompt >prompt\n'
    holds "the shell has the terminal again" within 5 test -s prompt
    holds "the lock is still held" code 124 lock b tty -w 0.5 -- true
    type_in 'fg\n'
    holds "fg continues both" within 5 sh -c \
        "! grep -q '^State:.T' /proc/$client/status /proc/$(cat began)/status"
    holds "the lock is still held after fg" code 124 lock b tty -w 0.5 -- true
    type_in '\003'
    holds "^C reaches the command after fg" within 5 dead "$(cat began)"
    holds "^C ends the client, too" within 5 dead "$client"
    rm -f began client
    type_in "$fulcrum lock -c cluster.ini -i a tty -- sh at-terminal.sh </dev/null\n"
    holds "a command that does not read the terminal" within 10 test -s began
    type_in '\032'
    holds "it is stopped by ^Z, too" within 5 stopped "$(cat began)"
    holds "its client is stopped by ^Z, too" within 5 stopped "$(cat client)"
    type_in 'fg\n'
    holds "it goes on after bg" within 5 sh -c \
        "! grep -q '^State:.T' /proc/$(cat client)/status /proc/$(cat began)/status"
    type_in '\003'
    holds "it ends after ^C" within 5 dead "$(cat client)"
    type_in 'exit\n'
    exec 8>&-
}
if command -v script >/dev/null; then
    steady at_terminal
fi

# ---- Commands that change their user -----------------------------------------

stop a b c
[ "$(id -u)" = 0 ] || tap_end
cluster 3
as=(setpriv --reuid nobody --regid nogroup --clear-groups)
chown -R nobody . # the record, the key, the sockets
cp "$ticker" runas
chown root runas
chmod 4755 runas
start_as_nobody() { # NODE [OPTION]
    "${as[@]}" "$fulcrum" node -c cluster.ini -i "$1" "${@:2}" 2>>"$1.log" &
    daemon[$1]=$!
    disown $!
}
members_of_nobody() {
    has_members 3 "${as[@]}" "$fulcrum" status --socket "$1.socket" --json
}
start_node=start_as_nobody
all_there="members_of_nobody a"
for node in a b c; do start_as_nobody $node --init; done
holds "three nodes of another user agree" within 30 members_of_nobody c
same "a command of that user cannot change it" 1 \
    "$("${as[@]}" "$fulcrum" lock --socket a.socket job -- \
        awk '/^NoNewPrivs/ {print $2}' /proc/self/status)"
# changes_user: the node of a command that would change its user dies.
changes_user() {
    : >ticks
    chmod 666 ticks
    "${as[@]}" "$fulcrum" lock --socket a.socket job -- ./runas ticks A 8000 2>held.err &
    held=$!
    within 10 test -s ticks
    crash a
    "${as[@]}" "$fulcrum" lock --socket b.socket job -w 30 -- ./runas ticks B 300
    wait $held
    grep -q ' B$' ticks && apart ticks
}
for i in $(seq "$times"); do
    holds "a command that would change its user ends with its lease ($i)" \
        changes_user
    start_as_nobody a
    holds "all are back" back
done
: >ticks
chmod 666 ticks
LD_PRELOAD=$build/tests/live/lax.so "${as[@]}" "$fulcrum" lock --socket a.socket job \
    -- ./runas ticks A 30000 2>held.err &
held=$!
within 10 test -s ticks
crash a
holds "a command that cannot be killed keeps nobody waiting" ends $held 125
holds "nobody claims that it was stopped" \
    sh -c "grep -q 'cannot be stopped' held.err && ! grep -q 'was stopped' held.err"

tap_end
