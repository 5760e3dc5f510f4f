#!/usr/bin/env bash
# live_clients.sh BUILD - how clients find their node, who may be one, and a node
# that takes nobody in: fulcrum lock, fulcrum status and programs that use the
# library.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"
chmod 755 "$tap_tmp" "$work"
as_root=$([ "$(id -u)" = 0 ] && echo yes)

status() { "$fulcrum" status "$@"; }
# took WORDS COMMAND...: how long it took, in milliseconds, and what it said.
took() {
    local words=$1 from until
    shift
    from=$(date +%s%3N)
    "$@" 2>said
    code=$?
    until=$(date +%s%3N)
    ms=$((until - from))
    grep -q -e "$words" said || { cat said; return 1; }
}
no_longer() { # MS
    [ "$ms" -le "$1" ] || { echo "$ms ms"; return 1; }
}

cluster 2
start a --init
start b --init
holds "two nodes agree" within 15 members a 2

# ---- Where the node is -------------------------------------------------------

export FULCRUM_SOCKET=$work/a.socket
holds "FULCRUM_SOCKET names the node of fulcrum lock" \
    "$fulcrum" lock job -- true
holds "and of fulcrum status" says 'node a' status
export FULCRUM_SOCKET=$work/none.socket
holds "an option says more than FULCRUM_SOCKET" says 'node b' \
    status -c cluster.ini -i b
same "a node that is not where FULCRUM_SOCKET says is not looked for elsewhere" 4 \
    "$(status 2>/dev/null; echo $?)"
unset FULCRUM_SOCKET

# in_run COMMAND...: in a mount namespace where /run/fulcrum has what COMMAND finds
# in $run, and there is no /etc/fulcrum.ini.
run=$work/run
mkdir "$run"
in_run() {
    RUN=$run unshare -m --propagation private sh -c '
        mount -t tmpfs none /run && mkdir /run/fulcrum &&
        mount --bind "$RUN" /run/fulcrum && exec "$@"' - "$@"
}
if [ "$as_root" ] && in_run true 2>/dev/null && [ ! -e /etc/fulcrum.ini ]; then
    same "without a socket there is no node" 4 \
        "$(in_run "$fulcrum" lock job -- true 2>/dev/null; echo $?)"
    stop b
    start b --socket "$run/b.socket"
    holds "a node listens there" within 9 test -S "$run/b.socket"
    echo other >"$run/notes"
    holds "the only socket in /run/fulcrum is that of the node" \
        in_run "$fulcrum" lock job -- true
    holds "for fulcrum status, too" says 'node b' in_run "$fulcrum" status
    stop a
    start a --socket "$run/a.socket"
    holds "another one listens there" within 9 test -S "$run/a.socket"
    holds "of several sockets none is taken, and all are told" \
        says 'several nodes listen in /run/fulcrum: [ab].socket, [ab].socket;' \
        in_run "$fulcrum" lock job -- true
    stop a b
    rm -f "$run"/*
    start a
    start b
    holds "both are back" within 15 members a 2
fi

# ---- A node that takes nobody in ---------------------------------------------

# 70 clients come to a node that stands still, and go.
kill -STOP "${daemon[a]}"
took 'not held in time' lock a job -n -- true
same "a node that stands still gives no lock" 124 "$code"
for _ in {1..70}; do
    lock a job -n -- true 2>/dev/null &
    crowd+=($!)
done
wait "${crowd[@]}"
holds "its queue is full, and lock -n says so" \
    took 'takes no more clients; it is stopped, or too busy' lock a job -n -- true
same "with the code of a lock that was not obtained" 124 "$code"
holds "and does not take long" no_longer 4000
holds "fulcrum status says so" \
    took 'takes no more clients' status -c cluster.ini -i a
same "with the code of no node" 4 "$code"
holds "and does not take long, either" no_longer 6000
stop b
holds "a node that would take its socket is told that it is in use" \
    took 'is in use by another node' timeout 9 "$fulcrum" node -c cluster.ini \
    -i b --socket a.socket
start b
lock a job --wait 30 -- true 2>waited &
waiter=$!
holds "who waits says why" within 9 grep -q 'takes no more clients.*tries again' waited
kill -CONT "${daemon[a]}"
holds "and has the lock when the node goes on" wait "$waiter"

# ---- What must be in memory --------------------------------------------------

# resident PROCESS: the code of the C library is in memory, all of it, and locked:
# killing in time waits for no disk.
resident() {
    awk '$2 == "r-xp" { library = /\/libc[.-]/ }
        library && $1 == "Size:" { size = $2 }
        library && $1 == "Rss:" { there = $2 }
        library && $1 == "VmFlags:" { found = size == there && / lo /; library = 0 }
        END { exit !found }' "/proc/$1/smaps"
}
# watchers PROCESS: it and its descendants, as far as they run this program.
watchers() {
    case $(cat "/proc/$1/comm") in fulcrum | fulcrum-node) echo "$1" ;; esac
    local child
    for child in $(cat "/proc/$1/task/$1/children"); do watchers "$child"; done
}
both_resident() {
    local process count=0
    for process in $(watchers "$1"); do
        resident "$process" || { echo "not $process"; return 1; }
        count=$((count + 1))
    done
    [ $count -eq 2 ]
}
if [ "$as_root" ]; then
    "$fulcrum" lock -c cluster.ini -i a job -- sleep 60 &
    holder=$!
    holds "client and guard have what they need to kill in memory, locked" \
        within 9 both_resident "$holder"
    kill "$holder"
    wait "$holder"
fi

# ---- Who may be a client -----------------------------------------------------

if [ "$as_root" ]; then
    other() { setpriv --reuid nobody --regid nogroup --clear-groups "$@"; }
    member() { setpriv --reuid nobody --regid nogroup --groups "$gid" "$@"; }
    IFS=: read -r group _ gid _ < <(getent group daemon)
    sed -i "s/^socket = .*/&\ngroup = $group/" cluster.ini
    cp cluster.ini open.ini
    sed -i 's/^group = .*/permissions = 0666/' open.ini
    stop b
    start b
    holds "b is back, with a group" within 15 members b 2
    same "the socket is the group's" "660 root $group" "$(stat -c '%a %U %G' b.socket)"
    holds "a member of the group has the lock" \
        member "$fulcrum" lock --socket "$work/b.socket" job -- true
    holds "and its command is killed in time" code 123 member "$fulcrum" lock \
        --socket "$work/b.socket" --hold 0.3 --grace 0.1 job -- sleep 60
    same "another user has not" 3 "$(other "$fulcrum" lock \
        --socket "$work/b.socket" job -- true 2>said; echo $?)"
    holds "and is told whom to ask" grep -q 'of the group that its configuration names' said
    holds "fulcrum node --check says who may" says "members of group $group" \
        "$fulcrum" node --check -c cluster.ini -i b
    stop b
    start b --user nobody
    holds "b is back as another user" within 15 members b 2
    same "its socket is that user's and the group's" "660 nobody $group" \
        "$(stat -c '%a %U %G' b.socket)"
    install -d -o nobody -m 755 own
    stop b
    start b --user nobody --socket own/b.socket
    holds "b is back in a directory of that user" within 15 has_members 2 \
        "$fulcrum" status --socket own/b.socket --json
    same "that socket, too" "660 nobody $group" "$(stat -c '%a %U %G' own/b.socket)"
    stop b
    sed -i "s/^group = .*/group = nobodys-group/" cluster.ini
    holds "a group that is not here is refused" says "no group 'nobodys-group'" \
        timeout 9 "$fulcrum" node -c cluster.ini -i b
    "$fulcrum" node -c open.ini -i b 2>>b.log &
    daemon[b]=$!
    disown $!
    holds "b is back, open to everybody" within 15 has_members 2 \
        "$fulcrum" status --socket b.socket --json
    holds "everybody has the lock" \
        other "$fulcrum" lock --socket "$work/b.socket" job -- true
fi
stop a b
tap_end
