#!/usr/bin/env bash
# live_desk.sh BUILD - a daemon and local clients that want more than they may
# have, or live elsewhere: other namespaces, others' processes, links, files in
# place of a socket, cgroups that are not theirs, too many clients.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
intruder=$(realpath "$1/tests/live/intruder")
slewed=$(realpath "$1/tests/live/slewed.so")
. tests/live/loopback.sh "$1"
lease=1500
chmod 755 "$tap_tmp" "$work"
mine=() # what else was started here, to be ended

end_mine() {
    local pid
    for pid in "${mine[@]}"; do kill -9 "$pid" 2>/dev/null; done
    mine=()
}
trap 'end_mine; stop_all; rm -rf "$tap_tmp"' EXIT

status() { # NODE FILTER: what jq says of it
    "$fulcrum" status -c cluster.ini -i "$1" --json | jq -c "$2"
}
shows() { # NODE FILTER: jq finds it true
    [ "$(status "$@")" = true ]
}
lives() { ! dead "$1"; }
has() { grep -q -e "$1" "$2"; } # WORDS FILE

as_root=$([ "$(id -u)" = 0 ] && echo yes)
nobody=(setpriv --reuid nobody --regid nogroup --clear-groups)
nobody() { # COMMAND...
    "${nobody[@]}" "$@"
}
# by_nobody COMMAND...: in the background; its process in $other.
by_nobody() {
    "${nobody[@]}" "$@" &
    other=$!
    mine+=("$other")
    disown "$other"
}

# bystander: an unrelated process, leader of a group; its PID in $bystander.
bystander() {
    setsid sleep 300 &
    bystander=$!
    mine+=("$bystander")
    disown "$bystander"
    within 5 leads "$bystander"
}
leads() { [ "$(ps -o pgid= -p "$1")" -eq "$1" ]; }

cluster 2
start a --init
start b --init
holds "two nodes agree" within 15 members a 2

# ---- The socket --------------------------------------------------------------

stop b
echo precious >precious.txt
holds "a file in place of the socket is refused" \
    says 'precious.txt exists and is not a socket' timeout 5 \
    "$fulcrum" node -c cluster.ini -i b --socket precious.txt
same "a file in place of the socket stays" precious "$(cat precious.txt)"
ln -s precious.txt link.socket
holds "a link in place of the socket is refused" says 'is not a socket' timeout 5 \
    "$fulcrum" node -c cluster.ini -i b --socket link.socket
start b --socket other.socket
holds "a socket that was left behind is replaced" within 9 test -S other.socket
kill -9 "${daemon[b]}"
holds "a node is killed" within 5 dead "${daemon[b]}"
start b --socket other.socket
holds "a socket left behind by a killed node is replaced" \
    within 9 "$fulcrum" status --socket other.socket
mv other.socket away.socket
echo mine >other.socket
stop b
same "a file in place of the socket at the end stays" mine "$(cat other.socket)"
rm -f away.socket
if [ "$as_root" ]; then
    mkdir shared && chmod 777 shared
    holds "root creates no socket where others may change it" \
        says 'other than root' timeout 5 "$fulcrum" node -c cluster.ini -i b \
        --socket shared/b.socket
fi
start b
holds "b is back" within 15 members b 2

holds "a name that is not text is refused with a sentence" \
    says 'text in UTF-8' lock a $'\377' -- true

if [ "$as_root" ]; then
    by_nobody "$intruder" serve shared/fake.socket >served
    holds "a process that pretends to be a node listens" within 5 has ready served
    holds "its grants are not believed" \
        code 3 "$fulcrum" lock --socket shared/fake.socket x -- touch believed
    holds "the client says whose socket it is" says 'is served by user' \
        "$fulcrum" lock --socket shared/fake.socket x -- true
    holds "and nothing was run" test ! -e believed
    end_mine
fi

# ---- Namespaces --------------------------------------------------------------

# inside: a holder in a PID namespace whose command has the bystander's PID there;
# the client's process in $held.
cat >inside.sh <<'END'
echo $(($1 - 2)) >/proc/sys/kernel/ns_last_pid # its guard comes first
exec "$2" lock -c cluster.ini -i a job -- sh -c 'echo $$ >inside.pid
    while :; do echo "$FULCRUM_TOKEN inside" >>ticks; sleep 0.02; done'
END
inside() {
    rm -f inside.pid
    unshare -pf --kill-child --mount-proc sh inside.sh "$bystander" "$fulcrum" \
        2>inside.err &
    held=$!
    mine+=("$held")
    disown "$held"
    within 9 test -s inside.pid
}
quiet() { # FILE: nobody writes there any more
    local before
    before=$(wc -l <"$1")
    sleep 0.3
    [ "$(wc -l <"$1")" = "$before" ]
}

silent() { ! "$fulcrum" status --socket "$1"; }
crash_inside() { # its node is a child of what is killed
    crash a
    within 5 silent a.socket
}

if unshare -pf --mount-proc true 2>/dev/null; then
    : >ticks
    bystander
    holds "a client in a container has its lock" inside
    same "its command has the bystander's PID there" "$bystander" \
        "$(cat inside.pid)"
    holds "the node knows the command by its own PID" \
        shows a ".locks[0].holders[0].group != $bystander"
    stop a
    holds "when the node stops, the command is killed" within 5 quiet ticks
    holds "the bystander is not killed" lives "$bystander"
    end_mine
    unshare -pf --kill-child --mount-proc \
        "$fulcrum" node -c cluster.ini -i a 2>>a.log &
    daemon[a]=$!
    disown $!
    holds "a node in a container takes part" within 15 members a 2
    holds "a client outside the container is refused" code 3 lock a job -- true
    holds "with a sentence" says 'PID namespace' lock a job -- true
    crash_inside
    unshare -pf --kill-child "$fulcrum" node -c cluster.ini -i a 2>>a.log &
    daemon[a]=$!
    disown $!
    holds "likewise without its own /proc" within 15 members a 2
    holds "a client of another PID namespace is refused" \
        says 'of another PID namespace' \
        lock a job -- true
    crash_inside
    start a
    holds "a is back" within 15 members a 2
fi
if unshare -T -f --boottime -1000 true 2>/dev/null; then
    holds "another time namespace is refused" \
        code 3 unshare -T -f --boottime -1000 \
        "$fulcrum" lock -c cluster.ini -i a job -- touch behind
    holds "with a sentence" says 'time namespace' unshare -T -f --boottime 1000 \
        "$fulcrum" lock -c cluster.ini -i a job -- true
    holds "and nothing was run" test ! -e behind
fi

# ---- Cgroups that are not the command's --------------------------------------

cgroups=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
if [ "$as_root" ] && [ -w "$cgroups/cgroup.procs" ]; then
    files=("$cgroups/cgroup.procs" "$cgroups/cgroup.procs")
    "$intruder" cgroup a.socket "${files[@]}" >told &
    mine+=($!)
    disown $!
    holds "files of another cgroup do not count" within 5 has lost told
    holds "files of another cgroup block nobody" lock b intruder -w 3 -- true
    holds "the log says so" has 'no cgroup' a.log
    end_mine
    # Clients of the same number, in two PID namespaces, in one cgroup.
    alike() { # FILE
        unshare -pf --kill-child --mount-proc "$fulcrum" lock -c cluster.ini -i a "$1" \
            -- sh -c 'cat /proc/self/cgroup >"$0"; exec sleep 60' "$1" &
        mine+=($!)
        disown $!
        within 9 test -s "$1"
    }
    own() { grep -q '^0::.*/fulcrum\.' "$1"; }
    alike first
    alike second
    holds "each of two clients of the same number has a cgroup for its command" \
        own first
    holds "the second one, too" own second
    end_mine
fi

# ---- Others' processes -------------------------------------------------------

if [ "$as_root" ]; then
    bystander
    holds "root may have anything killed" "$intruder" kill a.socket "$bystander"
    holds "the process that root named is killed" within 5 dead "$bystander"
    stop a b
    sed -i 's/^\[cluster\]/&\nuser = nobody/' cluster.ini
    start a
    start b
    holds "nodes of user nobody agree" within 15 members a 2
    spared() { # 20 times
        local i
        for i in {1..20}; do
            code 3 nobody "$intruder" kill a.socket "$1" || return 1
        done
        lives "$1"
    }
    bystander
    holds "a client cannot have other users' processes killed" \
        spared "$bystander"
    by_nobody setsid sleep 300
    within 5 leads "$other"
    holds "a client cannot have a process killed that is not its child" \
        spared "$other"
    holds "the client is told why" says 'neither a child of yours' \
        nobody "$intruder" kill a.socket "$bystander"
    holds "a client may have its own command killed" \
        nobody "$fulcrum" lock --socket a.socket x -- true
    stop a b
    sed -i '/^user = /d' cluster.ini
    end_mine

    # A command that changes its user when it has the lock.  The nodes are not
    # permitted to kill it.
    mkdir -p away own
    cp "$intruder" away/
    chmod 4755 away/intruder
    chown nobody own state state/*
    chown nobody cluster.key
    sed -i 's|^socket = .*|socket = own/%i.socket|' cluster.ini
    for node in a b; do
        "${nobody[@]}" "$fulcrum" node -c cluster.ini -i $node 2>>$node.log &
        daemon[$node]=$!
        disown $!
    done
    both() { # the view, as that user sees it
        has_members 2 nobody "$fulcrum" status --socket own/a.socket --json
    }
    holds "nodes without privileges agree" within 15 both
    by_nobody "$intruder" changed own/a.socket "$work/away/intruder" rest 6 >told
    holds "a command changes its user" within 5 has '^16' told
    stuck() {
        nobody "$fulcrum" status --socket own/a.socket | grep 'cannot be stopped'
    }
    holds "status says that it cannot be stopped" within 5 stuck
    holds "the log says that it cannot be stopped" has 'cannot be stopped' a.log
    holds "the lock is not passed on while it runs" code 124 \
        nobody "$fulcrum" lock --socket own/b.socket intruder -w 1.5 -- true
    holds "the lock is passed on when it has ended" \
        nobody "$fulcrum" lock --socket own/b.socket intruder -w 15 \
        -- true
    holds "the command had ended" within 5 has ended told
    end_mine
    stop a b
    chown root own state state/* cluster.key

    # Links in place of the socket, made while the node starts.
    chown nobody own
    echo secret >secret
    chmod 600 secret
    started() { has 'starts:\|something else' race.log || dead "${daemon[a]}"; }
    swapped() { # 20 times
        local i
        for i in {1..20}; do
            rm -rf own/* race.log swap
            by_nobody "$intruder" swap own a.socket "$work/secret" >swap
            within 5 has ready swap || return 1
            "$fulcrum" node -c cluster.ini -i a --user nobody 2>race.log &
            daemon[a]=$!
            disown $!
            within 5 has swapped swap || return 1
            within 9 started || return 1
            kill -9 "${daemon[a]}" "$other" 2>/dev/null
            unset "daemon[a]"
            [ "$(stat -c %U secret)" = root ] || return 1
        done
    }
    holds "root follows no link" swapped
    same "the target of the link stays root's" \
        "root 600" "$(stat -c '%U %a' secret)"
    chown root own
    sed -i 's|^socket = .*|socket = %i.socket|' cluster.ini
fi

# ---- Too many ----------------------------------------------------------------

[ "${#daemon[@]}" = 0 ] || stop "${!daemon[@]}"
cluster 2
manager=$work/notify
"$intruder" manage "$manager" >heard &
mine+=($!)
disown $!
holds "a service manager listens" within 5 test -S "$manager"
NOTIFY_SOCKET=$manager WATCHDOG_USEC=400000 \
    prlimit --nofile=128 "$fulcrum" node -c cluster.ini -i a --init 2>>a.log &
daemon[a]=$!
disown $!
start b --init
holds "two nodes agree with few files" within 15 members a 2
"$fulcrum" lock -c cluster.ini -i a crowded -- sleep 300 2>/dev/null &
mine+=($!)
disown $!
held_there() { shows a '.locks[0].held'; }
holds "a lock is held" within 9 held_there
"$intruder" crowd a.socket crowded 400 >crowd.out 2>crowd.err &
mine+=($!)
disown $!
holds "400 clients ask" within 60 test -s crowd.out
holds "some wait, the others are told that there are too many" \
    grep -q 'waiting=[1-9][0-9]* told=[1-9][0-9]* other=0' crowd.out
holds "the log says so" has 'clients are turned away' a.log
busy() { awk '{ print $14 + $15 }' "/proc/${daemon[a]}/stat"; }
before=$(busy)
signs=$(grep -c WATCHDOG heard)
sleep 2
after=$(busy)
# In hundredths of a second; a node that spins would have used all 200.
holds "the node does not spin: $((after - before)) of 200" \
    test $((after - before)) -lt 60
fed() { [ "$(grep -c WATCHDOG heard)" -gt "$signs" ]; }
holds "the node feeds the watchdog" within 9 fed
holds "the node still renews its lease" within 9 members a 2
end_mine
holds "the node serves others when the crowd is gone" \
    within 15 lock a crowded -w 2 -- true
stop a b

# ---- A stop that waits for holders -------------------------------------------

waiting() { shows a '.locks[0].waiters | length == 1'; }
told() { has 'about to stop' "$1"; }
drains() {
    rm -f inside waits.err
    [ "${#daemon[@]}" = 0 ] || stop "${!daemon[@]}"
    cluster 2
    start a --init --drain 20
    start b --init
    holds "two nodes agree again" within 15 members a 2
    (trap '' TERM; lock a job -- sh -c 'touch inside; while [ -e inside ]; do sleep 0.02; done') &
    held=$!
    holds "a client holds before the drain" within 9 test -e inside
    lock a job -w 60 -- true 2>waits.err &
    waits=$!
    holds "a client waits before the drain" within 9 waiting
    kill -TERM "${daemon[a]}"
    holds "a waiting client is told that the node is about to stop" \
        within 9 told waits.err
    holds "a new client is told that the node is about to stop" \
        says 'about to stop' lock a other -- true
    sleep 0.7
    holds "the holder goes on during the drain" lives $held
    rm inside
    wait $held
    same "the holder ends on its own, and knows that it was told to" 125 $?
    holds "then the node stops" within 9 dead "${daemon[a]}"
    start a
    holds "a is there again" within 15 members a 2
    wait $waits
    same "the waiting client gets in after the restart" 0 $?
    lock a job -- sh -c 'touch inside; while [ -e inside ]; do sleep 0.02; done' &
    held=$!
    holds "a client holds again" within 9 test -e inside
    kill -USR1 "${daemon[a]}"
    holds "SIGUSR1 does the same" within 9 says 'about to stop' lock a other -- true
    holds "SIGUSR1 does not stop the holder" lives $held
    rm inside
    wait $held
    same "the holder ends on its own after SIGUSR1" 0 $?
    holds "and the node stops" within 9 dead "${daemon[a]}"
    unset 'daemon[a]'
}
steady drains

# A stop without holders does not wait as long as a command may take to die.
stops_at_once() {
    sed -i 's/^kill = .*/kill = 2s/; s/^lease = .*/lease = 4s/' cluster.ini
    [ "${#daemon[@]}" = 0 ] || stop "${!daemon[@]}"
    rm -f state/*
    start a --init
    start b --init
    holds "nodes that give commands two seconds to die agree" within 40 members a 2
    holds "a client was inside" lock a job -w 9 -- true
    began=$(date +%s%N)
    kill -TERM "${daemon[a]}"
    within 9 dead "${daemon[a]}"
    took=$((($(date +%s%N) - began) / 1000000))
    holds "a node without holders stops at once: in $took ms" test $took -lt 1900
    unset 'daemon[a]'
    stop b
}
steady stops_at_once

# ---- The trail ---------------------------------------------------------------

cluster 2
start a --init
start b --init
holds "two nodes agree for the trail" within 15 members a 2
rm -f a.log
stop a
start a
within 15 members a 2
lock a job -- true
holds "a grant is in the log" \
    has "lock job: token [0-9]* granted to process [0-9]* of user $(id -u)" a.log
holds "a release is in the log" \
    has 'lock job: token [0-9]* released by process [0-9]* .* after' a.log
"${intruder%intruder}worker" --socket a.socket --lock fast --log fast.log \
    --who w --entries 400 --hold 0 >/dev/null
lock a job -- true
within 5 has 'more grants' a.log
holds "many at once are summed up" has 'and [0-9]* more grants' a.log
holds "only a few of many grants are logged" \
    test "$(grep -c 'lock fast.*granted' a.log)" -lt 200

# ---- What the last life left -------------------------------------------------

all_stopped() { # PROCESS...
    local process
    for process; do
        grep -q '^State:.T' "/proc/$process/status" || return 1
    done
}

# held COMMAND...: it runs under a lock, by way of $before; its client in $client, the
# guard that makes its cgroup in $maker, the process in child.pid in $child.
held() {
    rm -f child.pid
    setsid "${before[@]}" "$fulcrum" lock -c cluster.ini -i a job -- "$@" &
    client=$!
    disown $client
    within 9 test -s child.pid || return 1
    child=$(cat child.pid)
    maker=$(awk '{ print $4 }' /proc/"$(cat leader.pid)"/stat)
}
# kill_all_three: daemon, client and guard, at once.  The guard is the client's other
# child.  All are stopped first, so that none of them sees another die.
kill_all_three() {
    local three=("${daemon[a]}" $client $(cat /proc/$client/task/*/children |
        tr ' ' '\n' | grep -vx "$(cat leader.pid)"))
    kill -STOP "${three[@]}"
    within 5 all_stopped "${three[@]}"
    kill -9 "${three[@]}"
    within 5 dead "${daemon[a]}"
    unset 'daemon[a]'
}
# left COMMAND...: it runs under a lock; daemon, client and guard are killed at
# once.  The process in child.pid must be dead when the next life takes part.
left() {
    held "$@" || return 1
    kill_all_three
    # Whether a child outlived them is what the next life finds: one that lives at
    # this moment may have been killed already by a guard that was late.
    local said
    said=$(grep -c 'kills what its last run left' a.log)
    start a
    within 60 members a 2 && dead "$child" ||
        { lives "$child" && echo "$child lives"; return 1; }
    [ "$(grep -c 'kills what its last run left' a.log)" -gt "$said" ] || return 2
}
# outlived COMMAND...: repeats it until something outlives all three: one of them may
# have been quicker.
outlived() {
    local code
    for _ in 1 2 3 4 5 6 7 8; do
        "$@"
        code=$?
        [ $code -eq 2 ] || return $code
    done
    echo "nothing ever outlived them, or the log does not say so"
    return 1
}
cat >child.sh <<'END'
echo $$ >leader.pid
$1 sh -c 'trap "" TERM; echo $$ >child.tmp; mv child.tmp child.pid
    while :; do sleep 0.1; done' &
wait
END
# Without a cgroup of its own, in one that others are in: its name says nothing.
before=()
theirs=$cgroups/fulcrum.theirs.$$
if [ "$as_root" ] && mkdir "$theirs" 2>/dev/null; then
    before=(sh -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$theirs"
        unshare --mount sh -c 'umount -l "$0"; exec "$@"' "$cgroups")
    bystander
    echo "$bystander" >"$theirs/cgroup.procs"
fi
holds "a child that outlived daemon, client and guard is ended at the next start, and the log says so" \
    outlived left sh child.sh ''
if [ ${#before[@]} -gt 0 ]; then
    holds "others in a cgroup that was not the command's own live on" \
        lives "$bystander"
    end_mine
    within 5 rmdir "$theirs"
    before=()
fi
if [ "$(lock a job -- sh -c 'sleep 1' & sleep 0.5
    status a .locks[0].holders[0].stopped_by)" = '"cgroup"' ]; then
    holds "a child that left session and group is ended by its cgroup" \
        outlived left sh child.sh setsid
    holds "its cgroup is removed then" \
        sh -c "! find $cgroups -name 'fulcrum.$maker.*' -type d | grep ."
    # empty_left: the command is killed as well, and its cgroup stays until the start.
    empty_left() {
        held sh child.sh '' || return 1
        local folder
        folder=$cgroups$(sed -n 's/^0:://p' "/proc/$child/cgroup")
        kill_all_three
        echo 1 >"$folder/cgroup.kill"
        within 5 dead "$child" || return 1
        [[ ${folder##*/} == fulcrum.$maker.* ]] && [ -d "$folder" ]
        local stays=$?
        start a
        within 60 members a 2 && test ! -e "$folder" || return 1
        [ $stays = 0 ] || return 2
    }
    holds "one that is empty is removed as well" outlived empty_left
else
    echo "# left out: no cgroup of version 2 can be made here"
fi
bystander
stop a
holds "a clean stop leaves no list of holders behind" test ! -e state/a.holders
holds "no bystander was killed" lives "$bystander"
end_mine
stop b

# ---- A clock that is slewed --------------------------------------------------

[ "${#daemon[@]}" = 0 ] || stop "${!daemon[@]}"
cat >tick.sh <<'END'
while :; do
    echo "$FULCRUM_TOKEN $2" >>"$1"
    sleep 0.01
done
END
judged() { awk -f "$judge" "$1"; }
holder() { # NODE WHO: ticks in the background; its process in $held
    lock "$1" job -- sh tick.sh ticks "$2" 2>"$2.err" &
    held=$!
    within 15 grep -q " $2\$" ticks
}
ended() { # CODE: the holder ends with it
    local got
    within 20 dead "$held" || kill "$held" # it would go on for ever
    wait "$held"
    got=$?
    [ $got -eq "$1" ] || { echo "exit $got, not $1"; return 1; }
}
cluster 3
echo 10000 >tick
LD_PRELOAD=$slewed SLEWED=$work/tick start a --init
start b --init
start c --init
holds "three nodes agree" within 15 members a 3
: >ticks
holds "a command holds" holder a fast
echo 9200 >tick # so much does chrony slew if it is not told otherwise
holds "it is stopped when the clock is slewed" ended 125
holds "the log says why" has 'slewed by 80000 ppm' a.log
holds "another node goes on" lock b job -w 9 -- \
    sh -c 'echo "$FULCRUM_TOKEN next" >>ticks'
holds "never two at once" judged ticks
holds "status says that the node takes no part" \
    says 'takes no part: the clock' "$fulcrum" status -c cluster.ini -i a
same "a violation is counted" 1 "$(status a .violations.clock_slewed)"
holds "nothing is granted there" code 124 lock a job -w 0.5 -- true
holds "a waiting client is told that the clock is slewed" \
    says 'slewed by' lock a job -w 0.2 -- true
holds "the others have a view without it" within 9 members b 2
echo 10009 >tick # 900 ppm: within its half of the spread
holds "the node is back when the clock is fit again" within 15 members a 3
holds "the node grants again" lock a job -w 9 -- true
stop a b c

# The same rate, which adjtimex does not report: a tenth of the lease covers it.
cluster 3
sed -i 's/^kill = .*/kill = 150ms/' cluster.ini
LD_PRELOAD=$slewed SLEWED_BY=-83333 start a --init
start b --init
start c --init
holds "three nodes agree, one with a slow clock" within 15 members a 3
: >ticks
LD_PRELOAD=$slewed SLEWED_BY=-83333 lock a job -- sh tick.sh ticks slow \
    2>slow.err &
held=$!
holds "its command holds" within 15 grep -q ' slow$' ticks
crash a
holds "the next client has the lock after the daemon's death" lock b job -w 15 -- \
    sh -c 'echo "$FULCRUM_TOKEN next" >>ticks'
holds "the slow one has ended" ended 125
holds "the slow holder had ended before the next one began" judged ticks
stop b c

tap_end
