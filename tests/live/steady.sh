# steady.sh - for tests of live nodes: scenes in which nobody may lose a lock.
#
# A machine that stands still for about as long as a lease takes every lock away
# from its holder, and that is right.  A scene that rests on a machine that runs is
# played again if something failed in it and the machine stood still meanwhile;
# otherwise it has failed.  Whether it stood still is not asked of the nodes: it did
# if this process got no time for `standstill` ms, or else a quarter of a lease.

# Until there is no file `watching`: a line in `pauses` for each time in which this
# process did not run for so long.  Nothing is started for that: it would be late.
note_pauses() { # MILLISECONDS
    local now before=
    exec 6<>never
    while [ -e watching ]; do
        read -r now _ </proc/uptime
        now=$((10#${now/./} * 10))
        [ $((now - ${before:-$now})) -lt "$1" ] || echo $((now - before)) >>pauses
        before=$now
        read -r -t 0.02 <&6
    done
}

# steady SCENE [ARGUMENT...]: what it says is said when it has ended.  It must be
# able to begin again, with any process left over from the last time but those of
# its background, and what it has stopped goes on.
steady() {
    local try failed=$tap_failed
    [ -p never ] || mkfifo never
    for try in 1 2 3; do
        : >pauses
        touch watching
        note_pauses "${standstill:-$((${lease:-1000} / 4))}" &
        disown $!
        tap_failed=0
        "$@" >scene 2>&1
        [ $tap_failed -ne 0 ] || break
        sleep 0.3 # the watcher may be the last to go on
        rm watching
        [ -s pauses ] || break
        echo "# the machine stood still for $(sort -n pauses | tail -n 1) ms: $1"
        [ $try -lt 3 ] || break
        kill -CONT "${daemon[@]}" $(jobs -p) 2>/dev/null
        kill -9 $(jobs -p) 2>/dev/null
        wait 2>/dev/null
    done
    rm -f watching
    cat scene
    [ $failed -eq 0 ] || tap_failed=1
}
