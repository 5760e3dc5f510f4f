# process.sh - for tests of live nodes: whether a process is there.

# dead PROCESS: no thread of it is left, so that its files are closed and their locks
# free; nobody need have waited for it.  A first thread that has ended says nothing:
# others of its process may go on.
dead() {
    awk '/^State:/ { ended = $2 == "Z" || $2 == "X" }
        /^Threads:/ { exit !(ended && $2 <= 1) }' "/proc/$1/status" 2>/dev/null ||
        [ ! -d "/proc/$1" ]
}

# zombie PROCESS: dead, and nobody has waited for it.
zombie() {
    dead "$1" && [ -d "/proc/$1" ]
}

# gone FILE: the process whose PID is in it is dead.
gone() {
    dead "$(cat "$1")"
}
