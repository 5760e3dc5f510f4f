#!/usr/bin/env bash
# live_keys.sh BUILD - the key of a cluster is exchanged node by node while a lock is
# held (R8): no holder loses it, a node that restarts in the middle comes back, and
# the old key is dropped when nobody needs it, and means nothing from then on.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"

key() { # NODE WORD...
    local node=$1
    shift
    "$fulcrum" cluster key "$@" -c "$node.ini" -i "$node"
}

# run NODE [OPTION...]: with a file of its own, as every machine has.
run() {
    local node=$1
    shift
    "$fulcrum" node -c "$node.ini" -i "$node" "$@" 2>>"$node.log" &
    daemon[$node]=$!
    disown $!
}

of_three() {
    local node
    for node in a b c; do
        has_members 3 "$fulcrum" status -c $node.ini -i $node --json || return 1
    done
}

# shows NODE REGEX: a line of the keys as the node knows them.
shows() {
    key "$1" list >said.keys 2>&1
    grep -q -E -e "$2" said.keys || { cat said.keys; return 1; }
}

print_of() { # NODE WHICH: a fingerprint of its own
    key "$1" list --json | jq -r ".keys.reads[$2] // \"none\""
}

refused() { # CODE WORDS COMMAND...
    local code=$1 words=$2 got
    shift 2
    "$@" >said.refused 2>&1
    got=$?
    [ $got = "$code" ] && grep -q -e "$words" said.refused ||
        { echo "exit $got:"; cat said.refused; return 1; }
}

# ---- An exchange, while a lock is held ---------------------------------------

exchange() {
    stop_all
    daemon=()
    rm -f ./*.log ./*.key held jobs over
    cluster 3
    sed -i 's/^socket = .*/socket = sockets\/%i.socket\npermissions = 0666/' cluster.ini
    mkdir -p sockets
    for node in a b c; do cp cluster.ini $node.ini; done
    for node in a b c; do run $node --init; done
    holds "three nodes agree" within 20 of_three

    # ---- Files that are no keys ----------------------------------------------

    "$fulcrum" keygen next.key
    old=$(print_of a 0)
    head -c 40 next.key >half.key && chmod 600 half.key
    cp next.key open.key && chmod 644 open.key
    ln -s next.key link.key
    mkfifo pipe.key
    holds "a file that is half written is refused" \
        refused 3 'not a key' key a add half.key
    holds "and one that others can read" refused 3 'others can read' key a add open.key
    holds "and a link" refused 3 'this is a link' key a add link.key
    holds "and a pipe, without waiting" \
        refused 3 'not a regular file' timeout 5 "$fulcrum" cluster key add pipe.key -c a.ini
    holds "and none" refused 3 'No such file' key a add none.key
    holds "and the key that it has" refused 3 'already' key a add cluster.key
    holds "one key is not dropped" refused 3 'one key' key a drop
    if [ "$(id -u)" = 0 ]; then
        cp next.key theirs.key && chown nobody theirs.key
        holds "a file of another user is refused" \
            refused 3 'belongs to user' key a add theirs.key
    fi
    same "nothing of that has changed the keys" "$old" "$(print_of a 0)"
    if [ "$(id -u)" = 0 ]; then
        chmod 755 "$tap_tmp" "$work" sockets
        holds "a user who may take locks may not change keys" \
            refused 3 'only root and the user of the node' setpriv --reuid nobody \
            --clear-groups "$fulcrum" cluster key use --socket sockets/a.socket
        holds "but may see them" setpriv --reuid nobody --clear-groups \
            "$fulcrum" cluster key list --socket sockets/a.socket
    fi

    # ---- A lock is held, and wanted elsewhere --------------------------------

    # The holder writes a line every 20 ms as long as it lives.
    "$fulcrum" lock -c a.ini -i a leader -- sh -c \
        'while :; do echo "$FULCRUM_TOKEN"; sleep 0.02; done >held' &
    holder=$!
    for node in b c; do
        "$fulcrum" lock -c $node.ini -i $node leader -- true 2>/dev/null &
    done
    busy() { # NODE: enters and leaves another lock
        while [ ! -e over ]; do
            "$fulcrum" lock -c "$1.ini" -i "$1" job -- sh -c 'echo "$FULCRUM_TOKEN" >>jobs'
            sleep 0.05
        done 2>>busy.log
    }
    holds "a lock is held" within 20 test -s held
    busy a &
    busy c &

    # ---- Node by node --------------------------------------------------------

    holds "a reads the new key as well" key a add next.key
    new=$(print_of a 0)
    same "by which it would send" "$old" "$(print_of a 1)"
    holds "nobody else has shown it yet" shows a "^b +$old +$old +$old\$"
    holds "the others say that they lack it" \
        within 5 grep -q "this node cannot read the key $new" b.log
    holds "a third key is refused" eval \
        '"$fulcrum" keygen third.key && refused 3 "takes no third" key a add third.key'
    holds "the same key twice is refused" refused 3 'already' key a add next.key
    holds "dropping is refused, and says who lacks the key" \
        refused 5 'not yet: b, c have not shown the key' key a drop
    holds "waiting for that ends in time" \
        refused 124 'not in time: not yet' key a drop -w 0.1

    holds "b gets the key, and waits for c" refused 124 'waits for c' key b add next.key -w 0.3
    holds "a and b send with it to each other" \
        within 5 shows a "^b +$new, $old +$new +$new\$"
    holds "and with the old one to c" shows a "^c +$old +$old +$old\$"

    holds "status says who lacks it" eval \
        '"$fulcrum" status -c a.ini -i a | grep -q "two keys: $new, $old; the first is not shown by c$"'

    # A restart in the middle: with what the file of the machine says by then.
    sed -i 's/^key = cluster.key/&\nkey = next.key/' b.ini
    stop b
    run b
    holds "a node that restarts in the middle comes back" within 20 of_three
    holds "and reads both" within 5 shows a "^b +$new, $old +$new +$new\$"
    holds "its log says so" grep -q "reads two keys, $new and $old" b.log

    key c add next.key -w 10 >said.add 2>&1
    same "c gets the key, and waits until all have it" 0 $?
    holds "it says that its configuration does not name it" \
        grep -q 'does not name all keys' said.add
    for node in a c; do sed -i 's/^key = cluster.key/&\nkey = next.key/' $node.ini; done
    for node in a b c; do
        holds "$node sends with the new key alone" \
            within 5 shows $node 'its second one can be dropped'
    done

    # ---- Back, and on --------------------------------------------------------

    holds "a goes back to the old key" key a use "$old"
    holds "and the others read it" within 5 shows b "^a +$old, $new +$old +$new\$"
    holds "so nobody may drop it" refused 5 'not yet: a has not' key b drop
    holds "a uses the newest again" key a use -w 5

    # ---- Drop ----------------------------------------------------------------

    for node in a b c; do
        key $node drop -w 10 >said.drop 2>&1
        same "$node drops the old key" 0 $?
        holds "it says that the configuration still names it" \
            grep -q "still names .*cluster.key, the key $old" said.drop
    done
    holds "the log says who wanted it" \
        grep -q "user $(id -u): cluster key drop: has dropped the key $old" a.log
    holds "a key that was dropped is not taken again" \
        refused 3 'not taken again' key a add cluster.key
    holds "all know that it is gone" within 5 shows a "^c +$new +$new +$new\$"
    holds "the holder has never lost its lock" kill -0 $holder
    same "nor its node a lease" "" "$(grep -e 'no lease any more' a.log)"
    same "under one token" 1 "$(sort -u held | wc -l)"
    touch over
    holds "others entered another lock all the while" [ "$(wc -l <jobs)" -gt 20 ]
    same "with tokens that grow" "" "$(sort -n -c jobs 2>&1)"

    # ---- Who has the old key alone -------------------------------------------

    cp c.ini c.new
    sed -i '/^key = next.key/d' c.ini
    stop c
    run c
    holds "a node with the old key alone is refused, and told in the log of the others" \
        within 10 grep -q 'c sends with the key that was dropped' a.log
    holds "and in their status" within 5 eval \
        '"$fulcrum" status -c a.ini -i a | grep -q "sends with the key that was dropped"'
    holds "its own log says it as well" within 10 grep -q 'a has another key' c.log
    holds "and its status" within 5 eval \
        '"$fulcrum" status -c c.ini -i c | grep -q "has another key"'
    holds "it has no majority" refused 6 'no majority' \
        "$fulcrum" status --health -c c.ini -i c
    holds "the holder does not notice" kill -0 $holder
    grep -v '^key = cluster.key' c.new >c.ini
    stop c
    run c
    holds "with the new key it comes back" within 20 of_three
}
steady exchange

# ---- Drop by force, and at a date --------------------------------------------

"$fulcrum" keygen last.key
holds "a new exchange begins" key a add last.key
holds "drop by force does not ask" key a drop --force
holds "and cuts off who lacks the key" \
    within 10 grep -q 'a has another key' b.log
holds "the others go on" within 10 \
    has_members 2 "$fulcrum" status -c b.ini -i b --json
holds "b gets the key" key b add last.key
holds "and c" key c add last.key
holds "so all agree again" within 20 of_three
soon=$(date -u -d '+2 seconds' +%Y-%m-%dT%H:%M:%SZ)
holds "a key can be dropped at a date" key b drop --at "$soon"
holds "which the list tells" shows b 'is dropped in [0-9]+ s'
holds "and it is" within 10 grep -q 'the date has come: has dropped the key' b.log
holds "a date that is over is refused" refused 2 'is over' key c drop --at 2020-01-01T00:00
tap_end
