#!/usr/bin/env bash
# live_list.sh BUILD - the list of nodes and the lease change while locks are held and
# passed on (R4 to R7): a node joins, one leaves, one takes the place of another; what
# cannot be is refused with its reason; who was killed in the middle goes by its
# record, who has left does not start again; no holder loses its lock.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"

told() { # NODE WORD...: what an operator tells it
    local node=$1
    shift
    "$fulcrum" cluster "$@" -c "$node.ini" -i "$node"
}

# run NODE [OPTION...]: with a file of its own, as every machine has.
run() {
    local node=$1
    shift
    "$fulcrum" node -c "$node.ini" -i "$node" "$@" 2>>"$node.log" &
    daemon[$node]=$!
    disown $!
}

# in_view COUNT NODE...: each has a lease in a view of so many.
in_view() {
    local count=$1 node
    shift
    for node in "$@"; do
        has_members "$count" "$fulcrum" status -c "$node.ini" -i "$node" --json || return 1
    done
}

refused() { # CODE WORDS COMMAND...
    local code=$1 words=$2 got
    shift 2
    "$@" >said.refused 2>&1
    got=$?
    [ $got = "$code" ] && grep -q -e "$words" said.refused ||
        { echo "exit $got:"; cat said.refused; return 1; }
}

# done_by NODE WORD...: it is carried out, and waited for.
done_by() {
    told "$@" -w 20 >said.done 2>said.progress || { cat said.done said.progress; return 1; }
}

# knows NODE FILTER: what its list of nodes is.
knows() {
    told "$1" members --json | jq -e "$2" >said.knows || { cat said.knows; return 1; }
}
is_list() { # NODE NAME...
    local node=$1
    shift
    [ "$(told "$node" members --json | jq -r '.configuration.list | join(" ")')" = "$*" ]
}
is_joint() { # NODE
    told "$1" members --json | grep -q '"joint": true'
}

ended_by_itself() { # NODE
    within 10 dead "${daemon[$1]}" && unset "daemon[$1]"
}

free_ports=($(shuf -i 32000-32700 -n 8))
place_of() { # NODE: its address
    local names=defgh at=${1%"${1#?}"}
    at=${names%%"$at"*}
    echo "$host:${free_ports[${#at}]}"
}

# joins MEMBER NODE [OPTION...]: a new machine, with the file that the member prints;
# it has the number $id, if that is set.
joins() {
    local member=$1 node=$2
    shift 2
    told "$member" add "$node" "$(place_of "$node")" "$@" --ini >"$node.ini" || return 1
    [ -z "${id:-}" ] || sed -i "/^\[node $node\]/,\$s/^id = .*/id = $id/" "$node.ini"
    run "$node" --init
}
waits() { # MEMBER NODE: it has joined, and can be added
    told "$1" members | grep -q "^$2 .* waits "
}

changes() {
    stop_all
    daemon=()
    rm -f ./*.log ./*.ini held jobs over
    cluster 3
    sed -i 's/^socket = .*/socket = sockets\/%i.socket\npermissions = 0666/' cluster.ini
    mkdir -p sockets
    for node in a b c; do cp cluster.ini $node.ini; done
    for node in a b c; do run $node --init; done
    holds "three nodes agree" within 20 in_view 3 a b c
    before=$(told a members --json | jq -c .configuration.list)
    same "the list is that of the file" '["a","b","c"]' "$before"
    holds "and the file says the same" eval 'told a show | grep -q "a.ini says the same"'

    # ---- A lock is held, and another one passed on ---------------------------

    "$fulcrum" lock -c a.ini -i a leader -- sh -c \
        'while :; do echo "$FULCRUM_TOKEN"; sleep 0.02; done >held' &
    holder=$!
    busy() { # NODE: enters and leaves another lock, while its node is there
        while [ ! -e over ]; do
            "$fulcrum" lock -c "$1.ini" -i "$1" job -w 2 -- \
                sh -c 'echo "$FULCRUM_TOKEN" >>jobs'
            sleep 0.1
        done 2>>busy.log
    }
    holds "a lock is held" within 20 test -s held
    for node in a b c; do busy $node & done

    # ---- What is refused -----------------------------------------------------

    holds "a node that nobody has heard of is not added yet" \
        refused 5 'not yet: nothing is heard of d' told a add d "$(place_of d)"
    holds "a name that was used is refused" \
        refused 3 "'b' was used before" told a add b "$(place_of d)"
    holds "also where a file is printed" \
        refused 3 "there is, or was, a node 'b'" told a add b "$(place_of d)" --ini
    holds "nobody can leave who is not there" \
        refused 3 "no node 'x' is in the list" told a remove x
    holds "a lease that cannot work is refused" \
        refused 3 'lease' told a set lease=60ms
    holds "nothing is there to be cancelled" refused 3 'no change' told a cancel
    if [ "$(id -u)" = 0 ]; then
        chmod 755 "$tap_tmp" "$work" sockets
        holds "a user who may take locks may not change the list" \
            refused 3 'only root and the user of the node' setpriv --reuid nobody \
            --clear-groups "$fulcrum" cluster remove b --socket sockets/a.socket
        holds "but may see it" setpriv --reuid nobody --clear-groups \
            "$fulcrum" cluster members --socket sockets/a.socket
    fi

    # ---- A node joins --------------------------------------------------------

    holds "a node starts with the file that a member prints" joins a d
    holds "it joins, and waits" within 20 waits a d
    holds "its health says so" refused 7 'not in the list' \
        "$fulcrum" status --health -c d.ini -i d
    holds "a dry run says what would follow" eval \
        'told a add d "$(place_of d)" --dry-run | grep -q "3 nodes become 4"'
    holds "and changes nothing" is_list b a b c
    told a add d "$(place_of d)" >said.done
    same "it is added" 0 $?
    holds "while that goes on nothing else can be changed" \
        refused 5 'not yet: ' told a remove c
    holds "for a while both lists count" within 5 is_joint b
    holds "then it is in the list" within 20 is_list a a b c d
    holds "and in the view" within 20 in_view 4 a b c d
    holds "show says how the file differs" eval \
        'told b show | grep -q "d joined later, with id 3"'
    holds "status has the number" eval \
        '"$fulcrum" status -c b.ini -i b | grep -q "^configuration 2$"'
    holds "the log says who wanted it" grep -q "user $(id -u): cluster add" a.log

    # ---- The lease becomes longer, and a node is killed meanwhile ------------

    told a set lease=1200ms >said.done
    same "a longer lease is asked for" 0 $?
    holds "both times count" within 10 is_joint b
    crash b
    run b
    holds "the node that was killed comes back, by its record" \
        within 20 in_view 4 a b c d
    holds "with the list of today, though its file has the first" is_list b a b c d
    holds "and with the new lease" knows b '.configuration.lease_us == 1200000'

    # ---- A node leaves -------------------------------------------------------

    holds "a node leaves" done_by a remove b
    holds "progress is told" grep -q 'configuration 5, joint: .* from a, b, c, d to a, c, d' \
        said.progress
    holds "it stops" ended_by_itself b
    holds "and says why" grep -q 'not in the list of nodes any more' b.log
    holds "its record does not start again" \
        refused 3 'not in the list of nodes any more' \
        timeout 10 "$fulcrum" node -c b.ini -i b
    holds "its name is not given again" \
        refused 3 'was used before' told a add b "$(place_of d)"

    # ---- One takes the place of another, which is dead -----------------------

    crash c
    id=63 holds "a witness starts, with the last number that there is" \
        joins a e --witness
    holds "it waits" within 20 waits a e
    holds "it takes the place of a node that is dead" \
        done_by a replace c e "$(place_of e)" --witness
    holds "now there are these" is_list d a d e
    holds "there is no 65th node" refused 3 'all 64 numbers of nodes are used' \
        told a add f "$(place_of f)"
    holds "and no file for it" refused 3 'all 64 ids of this generation are used' \
        told a add f "$(place_of f)" --ini
    holds "a witness is not told to change anything" \
        refused 3 'is a witness' told e remove d

    # ---- Times ---------------------------------------------------------------

    holds "the lease becomes shorter than at first" done_by a set lease=700ms
    holds "at all nodes" knows d '.configuration.lease_us == 700000'
    goes_on() {
        kill -0 $holder || { grep -h -e 'lock leader' -e 'view' -e lease a.log; return 1; }
    }
    holds "the holder has never lost its lock" goes_on
    same "nor its node a lease" "" "$(grep -e 'no lease any more' a.log)"
    same "under one token" 1 "$(sort -u held | wc -l)"
    touch over
    holds "another lock was passed on all the while" [ "$(wc -l <jobs)" -gt 20 ]
    same "with tokens that grow" "" "$(sort -n -c jobs 2>&1)"

    # ---- A file that says something else -------------------------------------

    told a show --ini >next.ini
    stop d
    sed 's/^port = '"${free_ports[1]}"'$/port = 1/' next.ini >d.ini
    run d
    holds "a file that contradicts the record is told" \
        within 10 grep -q "the file says that node 63 is 'e' at .* port 1; all have agreed" d.log
    holds "and not obeyed" within 20 in_view 2 a d
}
steady changes
stop_all
daemon=()

# ---- The other mode ----------------------------------------------------------

sed -i -e 's/^\[cluster\]/&\nmode = silence\nbounds = hard\ndmax = 20ms\nstep = 20ms/' \
    -e 's/^state = .*/state = silent/' cluster.ini
start a --init
holds "mode silence has one list for ever" within 10 \
    refused 3 'mode silence has no list' "$fulcrum" cluster members -c cluster.ini -i a
holds "and says so to who would change it" \
    refused 3 'mode silence has no list' "$fulcrum" cluster remove b -c cluster.ini -i a
tap_end
