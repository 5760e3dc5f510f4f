#!/usr/bin/env bash
# live_status.sh BUILD - what fulcrum status says of real nodes: which are gone and
# which were never heard, who holds which lock, and its exit codes.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/exact.sh
intruder=$(realpath "$1/tests/live/intruder")
. tests/live/loopback.sh "$1"

status() { # NODE
    "$fulcrum" status -c cluster.ini -i "$1"
}

# tells NODE REGEX: the status has such a line.
tells() {
    status "$1" >said.status || return 1
    grep -q -E -e "$2" said.status || { cat said.status; return 1; }
}

# ---- Exit codes --------------------------------------------------------------

cluster 3
holds "4: no node answers" code 4 status a
holds "4: no node answers at a socket" code 4 "$fulcrum" status --socket a.socket
holds "3: the configuration cannot be read" code 3 "$fulcrum" status -c none.ini
holds "2: there is no such node" code 2 status nobody
holds "4: health of a node that is not there" \
    code 4 "$fulcrum" status --health -c cluster.ini -i a
holds "2: one line or all" code 2 "$fulcrum" status --health --json --socket a.socket
"$fulcrum" status -c cluster.ini 2>nobody.said
same "without -i no node answers" 4 $?
for words in 'tried a, b, c at' 'start this machine.s, a, b, c with'; do
    holds "it says who was asked: $words" grep -q "$words" nobody.said
done
touch a.socket
holds "4: a file that is not a socket is no node" code 4 status a
rm a.socket

# ---- Peers -------------------------------------------------------------------

start a --init
start b --init
holds "two of three agree" within 20 members a 2
holds "a node that never started was never heard" tells a '^  c +never heard$'
start c --init
holds "the third node starts" within 20 members a 3
holds "the third node is heard" tells a '^  c +heard [0-9]+ ms ago, view [0-9]+'
"$fulcrum" lock -c cluster.ini -i a leader -- sleep 60 &
first=$!
holds "one leads" within 20 tells a '^  leader: held here'
"$fulcrum" lock -c cluster.ini -i b leader -- sleep 60 2>/dev/null &
second=$!
holds "another waits, and knows who leads" \
    within 20 tells b '^  leader: asked for here, held at a$'
"$fulcrum" lock -c cluster.ini -i c leader -- sleep 60 2>third.said &
third=$!
holds "a third one tells the leader from who waits" \
    within 20 tells c '^  leader: asked for here, held at a; also waits for b$'
holds "and so does its client" within 20 grep -q 'a client of a has it' third.said
same "and a program" '["a"]' "$("$fulcrum" status -c cluster.ini -i c --json |
    jq -c '.locks[0].held_at')"
kill $first
holds "when it goes, the next one leads" \
    within 20 tells c '^  leader: asked for here, held at b$'
kill $second $third
wait $first $second $third
crash c
holds "a node that stopped is gone" within 20 tells a \
    '^  c +gone: not heard for [0-9]+ (ms|s); was in view [0-9]+'
holds "the log says who left the view" \
    within 20 grep -q 'view [0-9]*: a, b; left: c' a.log
holds "the status says who is not in it" tells a '^view [0-9]+: a, b; not in it: c'
start c
holds "a node that restarted is heard again" \
    within 20 tells a '^  c +heard [0-9]+ ms ago'
health() { # NODE
    "$fulcrum" status --health -c cluster.ini -i "$1"
}
holds "a node with a lease is healthy" code 0 health a
same "and says so in a line" 'healthy: has a lease, hears 3 of 3 nodes' "$(health a)"
crash c
"$fulcrum" keygen other.key
sed 's/cluster.key/other.key/' cluster.ini >other.ini
"$fulcrum" node -c other.ini -i c 2>>c.log &
daemon[c]=$!
disown $!
holds "datagrams sealed with another key are counted" within 20 tells a \
    'refused [0-9]+: [1-9][0-9]* sealed with another key'

# ---- Locks -------------------------------------------------------------------

"$fulcrum" lock -c cluster.ini -i a job -- sleep 60 &
held=$!
holds "a holder is shown with its user and its time" within 20 tells a \
    "holds process $held of $(id -un), for [0-9]+ (ms|s), token [0-9]+"
# A name of bytes that are not UTF-8 is shown, or the lock is refused.
odd=$'j\xffb'
"$fulcrum" lock -c cluster.ini -i a "$odd" -- sleep 60 2>odd.said &
oddly=$!
named() {
    grep -q UTF-8 odd.said || tells a '^  j\\xffb: held here'
}
holds "a name of other bytes than UTF-8 is refused, or shown" within 20 named

# ---- Numbers that survive their readers --------------------------------------

"$fulcrum" lock -c cluster.ini -i b other -- \
    sh -c 'echo "$FULCRUM_TOKEN" >other.token; exec sleep 60' &
another=$!
wrote_token() { [ -s other.token ]; }
holds "a command knows its token" within 20 wrote_token
"$fulcrum" status -c cluster.ini -i b --json >other.json
read_by_all "status gives all digits of a token" "$(cat other.token)" other.json \
    '.locks[0].holders[0].token' 'o.locks[0].holders[0].token'
read_by_all "the token of a lock is its holder's" "$(cat other.token)" other.json \
    '.locks[0].token' 'o.locks[0].token'
same "views and lives are text, too" 'string string string string' \
    "$(jq -r '[.view, .maxv, .inc, .peers[0].view | type] | join(" ")' other.json)"
holds "status has no number that would be rounded" exact other.json
kill $another
wait $another
for node in a b; do
    status $node >said.status
    same "status of $node fits 80 columns" "" "$(grep -E '^.{81}' said.status)"
done
kill $held $oddly 2>/dev/null
wait $held $oddly

# ---- Clients that ask and do not read -----------------------------------------

# The system allows a user as many files on their way as a process may have open,
# unless it is privileged: here 128, and 60 clients that ask 12 000 times.
stop_all
daemon=()
as=()
if [ "$(id -u)" = 0 ]; then
    as=(setpriv --reuid nobody --regid nogroup --clear-groups)
fi
chmod 755 "$tap_tmp" "$work"
cluster 2
mkdir own
sed -i 's|^socket = .*|socket = own/%i.socket|' cluster.ini
[ ${#as[@]} = 0 ] || chown nobody own state cluster.key
for node in a b; do
    (ulimit -n 128 && exec "${as[@]}" "$fulcrum" node -c cluster.ini -i $node --init \
        2>>$node.log) &
    daemon[$node]=$!
    disown $!
done
ask() { # VERB ARGUMENT...: of a
    local verb=$1
    shift
    "${as[@]}" "$fulcrum" "$verb" --socket own/a.socket "$@"
}
holds "nodes with few files agree" within 20 has_members 2 ask status --json
"${as[@]}" "$intruder" asks own/a.socket 60 200 >asked 2>&1 &
askers=$!
disown $askers
have_asked() { grep -q '^asked=' asked; }
holds "60 clients ask for the status, and do not read it" within 20 have_asked
for i in 1 2 3 4 5 6 7 8; do
    ask lock job$i -w 5 -- true && echo granted
done >grants 2>&1
same "grants go on beside them" 8 "$(grep -c '^granted' grants)"
same "and nobody is blamed" "" "$(grep -e 'does not read' -e 'taken back' a.log)"
ask status >said.status 2>&1
holds "who asks now is told why there is no answer" \
    grep -q 'end the programs that ask for' said.status
kill $askers
holds "when they are gone, there is one" within 10 ask status

# A grant takes a file, too: if the system does not let it pass, its client is told
# that, and not that it does not read.
"${as[@]}" "$intruder" clog 300 >clogged 2>&1 &
clogger=$!
disown $clogger
is_clogged() { grep -q '^sent=300' clogged; }
holds "a program sends 300 files that nobody reads" within 20 is_clogged
ask lock clogged -w 5 -- true 2>said.clogged
same "a grant that cannot be sent is refused" 3 $?
holds "its client is told why" grep -q 'cannot pass on a deadline: Too many references' \
    said.clogged
same "and is not blamed" "" "$(grep -e 'does not read' a.log)"
kill $clogger
holds "when it is gone, the lock is granted" within 10 ask lock clogged -w 5 -- true

# ---- A try -------------------------------------------------------------------

# An answer of the other node may take two delays of a second.
stop_all
daemon=()
lease=4000 cluster 2
sed -i 's/^delay = .*/delay = 1000ms/' cluster.ini
for node in a b; do start $node --init; done
holds "slow nodes agree" within 40 members b 2
"$fulcrum" lock -c cluster.ini -i a job -- sleep 60 &
held=$!
holds "one holds" within 20 tells a "holds process $held of"
try() { # NODE
    timeout 1.5 "$fulcrum" lock -c cluster.ini -i "$1" -n job -- true
}
holds "a try is answered at once where it is known that it is in vain" \
    says 'not held in time: another client of this node' try a
crash a
holds "and where there is no majority" within 20 says 'not held in time: no majority' try b
holds "the log says why there is no lease any more" grep -q \
    'no lease any more: in the last 4000 ms 1 of 2 nodes took its frames (b), and it needs 2' \
    b.log
not_leased() {
    [ "$("$fulcrum" status -c cluster.ini -i b --json |
        jq -c '.peers[] | select(.name == "a") | [.heard, .leased, .ready]')" = \
        '[false,false,false]' ]
}
holds "a peer that is dead is neither leased nor ready" within 9 not_leased
holds "6: a node without a majority is not healthy" \
    code 6 "$fulcrum" status --health -c cluster.ini -i b
tap_end
