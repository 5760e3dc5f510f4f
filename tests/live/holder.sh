# holder.sh - for tests of live nodes: the processes of a client, and whether two
# held at a time.

children_of() { # PROCESS
    cat "/proc/$1/task/$1/children" 2>/dev/null
}

# guard_of CLIENT: its guard, which has a group of its own and blocks all signals.
guard_of() {
    local child
    for child in $(children_of "$1"); do
        grep -q '^SigBlk:.fffffff' "/proc/$child/status" 2>/dev/null &&
            echo "$child" && return
    done
    return 1
}

# leader_of CLIENT: its command.  That is the guard's child; the client's own if
# that guard took the place of another.
leader_of() {
    local child guard
    guard=$(guard_of "$1")
    for child in $(children_of "${guard:-0}") $(children_of "$1"); do
        [ "$child" = "$guard" ] || { echo "$child" && return; }
    done
    return 1
}

# apart FILE: no other process wrote between two lines of one.
apart() {
    sort -s -n -k1,1 "$1" | awk '
        $2 != who && ($2 in been) { print "two holders at " $1; bad = 1 }
        { who = $2; been[who] = 1 }
        END { exit bad }'
}
