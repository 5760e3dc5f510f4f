#!/usr/bin/env bash
# live_outside.sh BUILD - files of a node that somebody else has made, changed, cut
# or removed: its list of holders, and cgroups that cannot be written.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
intruder=$(realpath "$1/tests/live/intruder")
. tests/live/loopback.sh "$1"
mine=() # what else was started here, to be ended
mounted=()

end_mine() {
    local pid
    for pid in "${mine[@]}"; do kill -9 "$pid" 2>/dev/null; done
    mine=()
}
clean() {
    local what
    end_mine
    stop_all
    for what in "${mounted[@]}"; do umount -l "$what"; done
    cd / && rm -rf "$tap_tmp"
}
trap clean EXIT

as_root=$([ "$(id -u)" = 0 ] && echo yes)
nobody=(setpriv --reuid nobody --regid nogroup --clear-groups)
nobody() { # COMMAND...
    "${nobody[@]}" "$@"
}
has() { grep -q -e "$1" "$2"; } # WORDS FILE
lives() { ! dead "$1"; }
leads() { [ "$(ps -o pgid= -p "$1")" -eq "$1" ]; }

# bystander [COMMAND...]: an unrelated process, leader of a group; in $bystander.
bystander() {
    "$@" setsid sleep 300 &
    bystander=$!
    mine+=("$bystander")
    disown "$bystander"
    within 5 leads "$bystander"
}

chmod 755 "$tap_tmp" "$work"
cp "$intruder" intruder && chmod 755 intruder
cluster 2
# A small disk of its own, to be filled.
[ -z "$as_root" ] || ! mount -t tmpfs -o size=700k,mode=755 none state 2>/dev/null ||
    mounted+=("$work/state")
start a --init
start b --init
holds "two nodes agree" within 15 members a 2

# ---- A list that is cut or removed while the node runs -----------------------

lock a job -- sh -c 'echo $$ >held.pid; exec sleep 60' &
client=$!
mine+=($client)
disown $client
holds "a lock is held" within 9 test -s held.pid
cut() { # the beat after the next one has seen it, too
    has 'was cut while' a.log && [ "$(stat -c %s state/a.holders)" -gt 0 ]
}
: >state/a.holders
holds "a list that is cut is noticed, and written anew" within 9 cut
same "that is said once" 1 "$(grep -c 'was cut while' a.log)"
rm state/a.holders
holds "a list that is removed is noticed" within 9 has 'it was removed' a.log
holds "the node goes on" lock a other -- true
holds "the holder goes on" lives "$(cat held.pid)"
same "that is said once, too" 1 "$(grep -c 'it was removed' a.log)"
end_mine
stop a

# A change that takes new room on a full disk: here, because the list was cut.
if [ ${#mounted[@]} -gt 0 ]; then
    start a
    holds "a node on a small disk takes part" within 15 members a 2
    full() {
        : >state/a.holders
        cat /dev/zero >>state/fill
        has 'state/a.holders who holds locks: No space left' a.log
    }
    holds "a full disk that has no room for a change is told" within 9 full 2>/dev/null
    holds "and the node goes on without" lock a job -- true
    rm state/fill
    stop a
    rm -f state/a.holders
fi

# ---- A list that was forged --------------------------------------------------

refuses_start() { # WORDS OPTION...: the node, and says why
    local words=$1
    shift
    timeout 15 "$fulcrum" node -c cluster.ini -i a "$@" 2>refused && return 1
    has "$words" refused || { cat refused; return 1; }
}
# forge COMMAND... NODE: a list with $bystander in it, and a folder that looks like a
# cgroup; made by that command.
forge() {
    "${@:1:$#-1}" ./intruder forge state/a.holders "${@: -1}" "$bystander" \
        "$work/state/evil"
}
if [ "$as_root" ]; then
    chown nobody state state/*
    echo rootfile >rootfile
    chmod 600 rootfile
    nobody mkdir state/evil
    nobody sh -c 'echo populated 1 >state/evil/cgroup.events'
    nobody ln -s "$work/rootfile" state/evil/cgroup.kill
    for format in a -; do
        bystander
        forge nobody $format
        holds "root is not talked into ending another user's process" \
            refuses_start 'who may not end it' --user nobody
        holds "which lives" lives "$bystander"
        same "nor into writing a file of its own" rootfile "$(cat rootfile)"
        end_mine
        bystander "${nobody[@]}"
        nobody rm state/a.holders
        forge nobody $format
        start a --user nobody
        holds "a process of that user is ended" within 9 dead "$bystander"
        holds "and the node takes part" within 15 members a 2
        same "the folder that is no cgroup is left alone" rootfile "$(cat rootfile)"
        stop a
        end_mine
    done
    # The same while a node runs: its user kills it, and root starts it again.
    start a --user nobody
    holds "a node of that user takes part" within 15 members a 2
    bystander
    forge nobody a
    nobody kill -9 "${daemon[a]}"
    within 5 dead "${daemon[a]}"
    holds "nor when it was forged under a running node" \
        refuses_start 'who may not end it' --user nobody
    holds "which lives, too" lives "$bystander"
    unset 'daemon[a]'
    rm -f state/a.holders
    chown -R root state

    # Whoever else can write the file: it is not read.
    for made in 'chmod 0660 state/a.holders' 'chown 1 state/a.holders' \
        'ln -f state/a.holders state/second' \
        'mv state/a.holders state/second; ln -s second state/a.holders' \
        'rm state/a.holders; mkfifo state/a.holders'; do
        forge env a
        sh -c "$made"
        : >a.log
        start a
        holds "a list is not believed after: $made" within 15 members a 2
        holds "the log says so" has 'does not use state/a.holders' a.log
        holds "nobody is ended" lives "$bystander"
        stop a
        rm -f state/second
    done
    for format in a -; do
        forge env $format
        start a
        holds "what root has written is believed (format $format)" \
            within 9 dead "$bystander"
        within 15 members a 2
        stop a
        bystander
    done
    end_mine
fi

# ---- Cgroups that cannot be written ------------------------------------------

# A child that left session and group, in a cgroup, and a child in one below it; their
# node, and all that is in the namespace of its mounts, can only read there.
cgroups=$(findmnt -n -t cgroup2 -o TARGET | head -n 1)
own=$cgroups/fulcrum.outside.$$
if [ "$as_root" ] && mkdir -p "$own/below" 2>/dev/null; then
    trap 'clean; rmdir "$own/below" "$own"' EXIT
    bystander
    first=$bystander
    echo "$first" >"$own/cgroup.procs"
    bystander
    second=$bystander
    echo "$second" >"$own/below/cgroup.procs"
    bystander
    ./intruder forge state/a.holders a 4194303 "$own"
    read_only=(unshare -m --propagation private sh -c
        'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'
        "$cgroups")
    "${read_only[@]}" "$fulcrum" node -c cluster.ini -i a 2>>a.log &
    daemon[a]=$!
    disown $!
    holds "a node that cannot write cgroups takes part" within 15 members a 2
    holds "after it has killed what was left in one" dead "$first"
    holds "and below it" dead "$second"
    holds "and nobody else" lives "$bystander"
    stop a
    end_mine
else
    echo "# left out: no cgroup of version 2 can be made here"
fi
tap_end
