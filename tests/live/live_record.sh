#!/usr/bin/env bash
# live_record.sh BUILD [ROUNDS] - real daemons on loopback, and what they keep: a
# configuration that changes, a record that is rolled back, a slow disk; and what
# reads the key, peers that are not believed, names without an address, first
# starts that fail.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"
cd - >/dev/null || exit 1
tools=$(realpath "$1/tests/live")
rounds=${2:-2}
chmod 755 "$tap_tmp"
cd "$work" || exit 1

# value KEY VALUE: of [cluster].
value() {
    sed -i "/^$1 = /d; s|^\[cluster\]|&\n$1 = $2|" cluster.ini
}

logged() { # NODE WORDS
    grep -q -e "$2" "$1.log"
}

token() { # NODE
    lock "$1" work -w 60 -- printenv FULCRUM_TOKEN
}

# ends CODE NODE [OPTION...]: it does not come up, and says why in NODE.log.
ends() {
    local expected=$1 node=$2
    shift 2
    code "$expected" timeout 20 "$fulcrum" node -c cluster.ini -i "$node" "$@" \
        2>>"$node.log"
}

# ---- A configuration that changes --------------------------------------------

# replaced: a, b, c become a, b, d, and b is slow to start.  A majority of the
# new list knows nothing of what b and c have done.  $before and $after are
# tokens.
replaced() {
    cluster 3
    for node in a b c; do start $node --init; done
    within 60 members a 3 || return 1
    stop a
    for again in 1 2 3; do # views that a knows nothing of
        stop c
        start c
        within 60 members c 2 || return 1
    done
    before=$(token b) || return 1
    stop b c
    sed -i 's/^\[node c\]/[node d]/' cluster.ini
    : >a.log
    ends 3 a
    logged a 'still of generation 1' || { echo "taken over"; return 1; }
    value generation 2
    start a
    start d --init
    within 60 members a 2 || return 1
    after=$(token a) || return 1
    [ "$after" -gt "$before" ] || { echo "token $after after $before"; return 1; }
    logged a 'from generation 1 to 2' || { echo "not logged"; return 1; }
    stop a d
}
for ((round = 1; round <= rounds; round++)); do
    holds "one of three is replaced, and tokens grow ($round)" replaced
    stop_all # what a failure has left
    daemon=()
done
value generation 1
holds "the old file is refused" ends 3 a
holds "the refusal names the generation" logged a 'the record is of generation 2'
holds "and --adopt says what to do" \
    says 'write a higher generation' "$fulcrum" node -c cluster.ini -i a --adopt

# The mode, too.
of_a() { # KEY: of its status
    "$fulcrum" status -c cluster.ini -i a --json | jq -r ".$1"
}
modes() {
    stop_all
    daemon=()
    lease=3000 cluster 2
    for node in a b; do start $node --init; done
    within 60 members a 2
    before=$(token a)
    voted=$(of_a maxv)
    stop a b
    sed -i '/^tau\|^delay/d' cluster.ini
    value mode silence
    value bounds hard
    value dmax 100ms
    value step 900ms # so that a busy machine, and its disk, keep it
    value generation 3
    for node in a b; do start $node; done
    within 20 test -S b.socket
    after=$(token b)
    holds "the mode changes, and tokens grow: $after after $before" \
        test "${after:-0}" -gt "$before"
    stop a b
    sed -i '/^mode\|^bounds\|^dmax\|^step/d' cluster.ini
    value generation 4
    for node in a b; do start $node; done
    within 60 members a 2
    again=$(token a)
    holds "the mode changes back, and tokens grow: $again after $after" \
        test "${again:-0}" -gt "$after"
    holds "a vote is known over two changes of the mode" \
        test "$(of_a maxv)" -gt "$voted"
    same "starts are counted over two changes of the mode" 3 "$(of_a inc)"
    stop a b
}
steady modes

# A shorter lease waits for the earlier, longer one.
lease=3000 cluster 2
for node in a b; do start $node --init; done
within 60 members a 2
stop a b
value lease 1000ms
value generation 2
: >a.log
start a
holds "a node waits until longer leases are over" \
    within 10 logged a 'waits 200[0-9] ms: leases were longer'
start b
holds "a node takes part when longer leases are over" within 20 members a 2
stop a b

# ---- A record that is set back -----------------------------------------------

cluster 3
for node in a b c; do start $node --init; done
within 60 members a 3
stop a
cp state/a.record old.record
for again in 1 2; do
    start a
    within 60 members a 3
    stop a
done
cp old.record state/a.record
: >a.log
holds "a restored record stops its node" ends 3 a
holds "a node with a restored record says why it stops" \
    logged a "record was set back: node '.' knows start"
for again in 1 2 3 4; do
    holds "starting a restored record again does not help ($again)" ends 3 a
done
holds "the log says that --repair helps" logged a 'it was found .* use --repair'
holds "another node detected the restored record" \
    grep -q 'a shows an earlier start than it had' b.log c.log
start a --repair
holds "--repair brings the node back" within 30 members a 3
stop a
start a
holds "a repaired node stays in the view" within 60 members a 3

# ---- Peers that are not believed ---------------------------------------------

stop c
"$fulcrum" keygen other.key
sed 's/^key = .*/key = other.key/' cluster.ini >other.ini
"$fulcrum" node -c other.ini -i c 2>>c.log &
daemon[c]=$!
disown $!
trouble() { # NODE WORDS
    "$fulcrum" status -c cluster.ini -i "$1" --json |
        jq -r '.peers[].trouble // empty' | grep -q -e "$2"
}
holds "a peer with another key is named in the status" \
    within 10 trouble a 'has another key'
holds "a peer with another key is named in the log" logged a 'c has another key'
crash b
holds "a waiting client is told of the peer with another key" \
    within 10 says 'no majority.*c has another key' lock a work -w 0.5 -- true
crash c
sed 's/^lease = .*/lease = 1500ms/' cluster.ini >other.ini
mv state/c.record state/c.old
"$fulcrum" node -c other.ini -i c --init 2>>c.log &
daemon[c]=$!
disown $!
holds "a peer with another configuration is named in the status" \
    within 10 trouble a 'has another configuration'
holds "a peer with another configuration is named in the log" \
    logged a 'c has another configuration'
same "each reason is logged once in a while" \
    1 "$(grep -c 'c has another key' a.log)"
stop a c

# ---- Names -------------------------------------------------------------------

cluster 3
port=$(sed -n '/node c/,$s/^port = //p' cluster.ini)
sed -i "/^\[node c\]/,\$s/^host = .*/host = no-such-host.invalid/" cluster.ini
for node in a b; do start $node --init; done
holds "a peer without an address keeps nobody from starting" \
    within 60 members a 2
holds "a peer without an address is named in the log" \
    logged a "goes on without c, whose host 'no-such-host.inv"
holds "a peer without an address is named in the status" \
    within 10 trouble a 'host without an address'
stop a b

# ---- What reads the key ------------------------------------------------------

cluster 2
for node in a b; do start $node --init; done
within 60 members a 2
lock a work -- sleep 60 2>/dev/null &
client=$!
within 10 says 'held here' "$fulcrum" status -c cluster.ini -i a
found=$("$tools/memory" $client cluster.key)
same "a client does not have the key in its memory" 0 "$found"
for pid in $(pgrep -P $client); do
    found=$("$tools/memory" "$pid" cluster.key)
    same "nor do its children ($pid)" 0 "${found:-0}"
done
same "nor does the daemon, once its links are open" 0 \
    "$("$tools/memory" "${daemon[a]}" cluster.key)"
kill $client
wait $client 2>/dev/null
stop a b
if [ "$(id -u)" = 0 ]; then
    value user nobody
    start a
    as_nobody() {
        setpriv --reuid nobody --regid nogroup --clear-groups "$@"
    }
    within 10 test -S a.socket
    within 10 says 'as user' cat a.log
    same "none of its threads is root" "$(id -u nobody)" \
        "$(awk '/^Uid/ {print $3}' /proc/"${daemon[a]}"/task/*/status | sort -u)"
    same "only the event loop has a capability" "0 20" \
        "$(awk '/^CapEff/ {print $2}' /proc/"${daemon[a]}"/task/*/status |
            sed 's/^0*\(.\)/\1/' | sort | xargs)"
    cp "$fulcrum" "$fulcrum-node" .
    chmod 755 . fulcrum fulcrum-node
    chmod 644 cluster.ini
    holds "the user of the node needs no key for its status" \
        within 10 as_nobody ./fulcrum status -c cluster.ini -i a
    holds "the user of the node needs no key for a lock" \
        code 124 as_nobody ./fulcrum lock -c cluster.ini -i a work -w 0.2 -- true
    stop a
fi

# ---- First starts ------------------------------------------------------------

cluster 2
holds "a first start that cannot serve anybody fails" \
    code 3 "$fulcrum" node -c cluster.ini -i a --init --socket none/such/a.socket
holds "a first start that fails leaves no record" test ! -e state/a.record
sed "s/^host = .*/host = 192.0.2.77/" cluster.ini >far.ini
holds "a first start at an address of another machine fails" \
    code 3 "$fulcrum" node -c far.ini -i a --init
holds "a first start at a foreign address leaves no record" test ! -e state/a.record
value state new/state
value socket run/%i.socket
holds "directories are made one by one" ends 3 a --init
holds "the log says how to create directories" logged a 'install -d'
mkdir new
start a --init
holds "missing directories are made" within 10 test -S run/a.socket
same "the one of the record is private" 700 "$(stat -c %a new/state)"

# ---- A file that is judged ---------------------------------------------------

holds "a file is judged" \
    says 'all is well' "$fulcrum" node --check -c cluster.ini -i b
holds "a file is explained" \
    says 'packets a second, in all: 12 idle, 82 while' \
    "$fulcrum" node --check -c cluster.ini
holds "a running node is found" \
    says 'the node is running' "$fulcrum" node --check -c cluster.ini -i a
value key nothing.key
holds "missing files are reported" \
    code 2 "$fulcrum" node --check -c cluster.ini -i b
value lease 10ms
holds "times that cannot work are reported" \
    code 2 "$fulcrum" node --check -c cluster.ini -i b
stop a

# ---- A slow disk -------------------------------------------------------------

view() {
    "$fulcrum" status -c cluster.ini -i "$1" --json | jq -r .view
}
same_view() {
    [ "$(view "$1")" = "$(view "$2")" ]
}
at_least_120='\(1[2-9]\|[2-9][0-9]\|[1-9][0-9][0-9]\)[0-9]'
slow_disks() {
    stop_all
    daemon=()
    cluster 3
    sed -i '/^tau\|^lease\|^kill\|^delay/d' cluster.ini # as they are by default
    echo 120 >ms
    for node in a b c; do
        : >$node.log
        LD_PRELOAD=$tools/slowdisk.so SLOW_DISK=$work/ms "$fulcrum" node \
            -c cluster.ini -i $node --init 2>>$node.log &
        daemon[$node]=$!
        disown $!
    done
    holds "with syncs of 120 ms three nodes agree" within 30 members a 3
    for node in b c; do within 30 members $node 3; done
    holds "with slow disks all are in one view" within 30 same_view a c
    before=$(view a)
    for entry in 1 2 3 4 5 6; do
        lock a work -w 10 -- true && lock b work -w 10 -- true && echo in
        sleep 0.3
    done >slow 2>&1
    same "with slow disks all clients get in" 6 "$(grep -c in slow)"
    same "with slow disks the view stays" "$before" "$(view b)"
    holds "the log says that the disk is slow" \
        grep -q "writing the record took $at_least_120 ms: the disk is slow" \
        a.log b.log c.log
    holds "the status shows how slow" test "$("$fulcrum" status -c cluster.ini -i a \
        --json | jq .counters.slowest_sync_us)" -ge 120000
    stop a b c
}
steady slow_disks
tap_end
