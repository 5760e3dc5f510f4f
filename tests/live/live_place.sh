#!/usr/bin/env bash
# live_place.sh BUILD - real daemons on loopback: one record, one place.  A record
# that is copied, restored or used on another machine; one that was moved; and
# what is left of one that is damaged while its node is off.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/live/loopback.sh "$1"
cd - >/dev/null || exit 1
tools=$(realpath "$1")
cd "$work" || exit 1

logged() { # NODE WORDS
    grep -q -e "$2" "$1.log"
}

# ends CODE NODE [OPTION...]: it does not come up, and says why in NODE.log.
ends() {
    local expected=$1 node=$2
    shift 2
    : >"$node.log"
    code "$expected" timeout 20 "${elsewhere[@]}" "$fulcrum" node \
        -c cluster.ini -i "$node" "$@" 2>>"$node.log"
}
elsewhere=()

# ---- Copies ------------------------------------------------------------------

cluster 3
for node in a b c; do start $node --init; done
within 60 members a 3
stop a
holds "a node starts again where it was" start a
within 60 members a 3
stop a

cp -r state copied
sed 's/^state = .*/state = copied/' cluster.ini >copied.ini
cp cluster.ini kept.ini
cp copied.ini cluster.ini
holds "a copy of a record is refused" ends 3 a
holds "the refusal says how a record is moved" logged a 'with --moved'
holds "and that a copy is repaired" logged a 'a copy or a backup needs --repair'
holds "node --check says so, too" \
    says 'was used in another file' "$fulcrum" node --check -c cluster.ini -i a
holds "--moved goes with neither --init nor --repair" \
    code 2 "$fulcrum" node -c cluster.ini -i a --moved --repair
rm -r state/a.record
start a --moved
holds "a record that was moved goes on" within 60 members a 3
holds "the log says what --moved means" \
    logged a 'the node must be off wherever the record was before'
stop a
start a
holds "it says so once" within 60 members a 3
stop a

# A backup that is put back has forgotten votes, though nobody knows of them.
cp copied/a.record backup
rm copied/a.record
cp backup copied/a.record
stop b c
holds "a backup that is put back is refused" ends 3 a
start a --repair
for node in b c; do
    "$fulcrum" node -c kept.ini -i $node 2>>$node.log &
    daemon[$node]=$!
    disown $!
done
holds "--repair takes its place" within 60 members a 3

# ---- Another machine ---------------------------------------------------------

stop a
echo 0123456789abcdef0123456789abcdef >id
elsewhere=(unshare --mount --propagation private
    sh -c 'mount --bind id /etc/machine-id && exec "$@"' sh)
if "${elsewhere[@]}" true 2>/dev/null && [ -s /etc/machine-id ]; then
    holds "a disk in another machine is refused" ends 3 a
    holds "the refusal names the reason" logged a 'was used on another machine'
    : >id
    "${elsewhere[@]}" "$fulcrum" node -c cluster.ini -i a 2>>a.log &
    daemon[a]=$!
    disown $!
    holds "a machine without an id is not another one" within 60 members a 3
    stop a
else
    echo "# left out: another machine's id"
fi

# ---- Damage while the node is off --------------------------------------------

for at in 30 4126; do
    start a
    within 60 members a 3
    stop a
    before=$("$fulcrum" node --check -c cluster.ini -i a | grep 'start number')
    printf '\377' | dd of=copied/a.record bs=1 seek=$at conv=notrunc 2>/dev/null
    same "damage at $at takes nothing with it" "$before" \
        "$("$fulcrum" node --check -c cluster.ini -i a | grep 'start number')"
    : >a.log
    start a
    holds "a node goes on with the other half (damage at $at)" \
        within 60 members a 3
    holds "and says so (damage at $at)" logged a 'a part of the record was damaged'
    stop a
done
stop b c

# ---- Two places at a time ----------------------------------------------------

# a is used here, where it hears b alone, and at another place, where it hears c
# alone; b and c hear each other until they are cut.
port_of() { # NODE
    sed -n "/^\[node $1\]/,/^port/s/^port = //p" cluster.ini
}
# file NAME NODE=PORT...: a configuration in which nodes have other ports.
file() {
    local to=$1 one
    cp cluster.ini "$to"
    shift
    for one in "$@"; do
        sed -i "/^\[node ${one%=*}\]/,/^port/s/^port = .*/port = ${one#*=}/" "$to"
    done
}
# run NAME FILE NODE [OPTION...]: as daemon NAME.
run() {
    local name=$1 file=$2 node=$3
    shift 3
    "$fulcrum" node -c "$file" -i "$node" "$@" 2>>"$name.log" &
    daemon[$name]=$!
    disown $!
}
hold() { # FILE NODE: for a while; its token
    "$fulcrum" lock -c "$1" -i "$2" work -w 6 -- \
        sh -c 'echo "$FULCRUM_TOKEN"; sleep 3' >"$2.token" 2>/dev/null
}
free() { shuf -i 32000-32700 -n 1; }

cluster 3
for node in a b c; do start $node --init; done
within 60 members a 3
stop a b c
cp -r state copied2
a2=$(free) nobody=$((a2 + 1)) to_c=$((a2 + 2)) to_b=$((a2 + 3))
file at_a.ini c=$nobody
file at_a2.ini a=$a2 b=$nobody
sed -i 's/^state = .*/state = copied2/; s/^socket = .*/socket = other-%i.socket/' \
    at_a2.ini
file at_b.ini c=$to_c
file at_c.ini a=$a2 b=$to_b
"$tools/fulcrum-relay" --host "$host" "$to_c:$(port_of c)" "$to_b:$(port_of b)" \
    >relay.log 2>&1 &
relay=$!
: >b.log >c.log
run b at_b.ini b
run c at_c.ini c
two() { has_members 2 "$fulcrum" status -c at_b.ini -i b --json; }
holds "two nodes agree across a relay" within 30 two
: >a.log
run a at_a.ini a
run a2 at_a2.ini a --moved
sleep 2
kill -USR1 $relay
hold at_a.ini a &
first=$!
hold at_c.ini c
wait $first
holds "two places of a record do not give two holders" \
    test ! -s a.token -o ! -s c.token
holds "the place that is heard of second stops" \
    grep -q 'record was set back or copied' a.log a2.log
stop b c
kill -9 "${daemon[a]}" "${daemon[a2]}" 2>/dev/null
kill -USR2 $relay

# A later start of a, which c alone hears of: b holds a lock by what the earlier
# one answers.
rm -r state copied2
mkdir state
for node in a b c; do start $node --init; done
within 60 members a 3
stop a b c
cp -r state copied2
run a2 at_a2.ini a --moved
sleep 0.5
end TERM a2
run a2 at_a2.ini a
: >b.log
run a at_a.ini a
run b at_b.ini b
holds "b has a lease by a, while c is off" within 30 two
sleep 2
"$fulcrum" lock -c at_b.ini -i b work -w 9 -- sh -c 'echo in >got; sleep 60' &
client=$!
within 20 test -e got
began=$SECONDS
run c at_c.ini c
wait $client
same "what it held by that is stopped" 125 $?
holds "at once" test $((SECONDS - began)) -le 5
holds "the log says why" \
    within 5 logged b "the record of node 'a' is used at two places"
holds "the status, too" says 'a record that is used at two places: 1' \
    "$fulcrum" status -c at_b.ini -i b
holds "the earlier life stops" within 10 logged a 'the record was set back'
holds "the node takes part again" within 20 logged b 'takes part again'
kill $relay
end TERM a2 b c
tap_end
