#!/usr/bin/env bash
# live_address.sh BUILD - the floating address of docs/floating-address.md, by the
# script of that page: in network namespaces, while nodes are restarted, stopped and
# killed.  The address is never on two machines, and comes back to one.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
page=$PWD/docs/floating-address.md
"$build/fulcrum" node --help >/dev/null 2>&1 || {
    echo "# left out: this build has no live runtime"
    exit 0
}
holds "the tools build" make --no-print-directory BUILD="$build" live-tools
. tests/live/cluster.sh
can_have_namespaces || {
    echo "# left out: no network namespaces can be made here"
    tap_end
    exit
}
cd "$tap_tmp" || exit 1
place=namespaces tau=50 lease=2000 kill=500 delay=20
awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$page" >floating
export FLOATING_DEVICE=eth0 FLOATING_ADDRESS=198.18.46.100/32

# candidate NODE: a unit that is started again and again; its client's process in
# NODE.client.
cat >candidate <<'END'
export FLOATING_MARK=$PWD/$1.mark
sh ./floating sweep
while [ ! -e over ]; do
    "$2" lock --socket "$1.socket" floating --after 'sh ./floating drop' \
        -- sh ./floating lead 2>>"$1.err" &
    echo $! >"$1.client"
    wait $!
    sleep 0.2
done
END
candidate() {
    in_place "$1" sh ./candidate "$1" "$fulcrum" &
    disown $!
}

# ---- Who has it --------------------------------------------------------------

has_it() { # NODE
    [ -n "$(ip -n "$net-$1" -o address show to 198.18.46.100/32 2>/dev/null)" ]
}
# A line in `holders` for each look.  Looks are one after the other: two have it
# only if the first still does when it was seen at the second.
observe() {
    local node all
    while [ -e watching ]; do
        all=()
        for node in "${nodes[@]}"; do
            has_it "$node" && all+=("$node")
        done
        [ ${#all[@]} -lt 2 ] || has_it "${all[0]}" || all=("${all[@]:1}")
        echo "${all[*]}" >>holders
    done
}
now_at() { tail -n 1 holders; }
one_leads() { [[ "$(now_at)" =~ ^[abc]$ ]]; }
another_leads() { one_leads && [ "$(now_at)" != "$1" ]; }
leads() { [ "$(now_at)" = "$1" ]; }
leader=
find_leader() {
    within 20 one_leads
    leader=$(now_at)
}
never_two() { ! grep -n ' ' holders; }
client_of() { cat "$1.client"; }
# The process between a client and its command.
guard_of() {
    local of
    of=$(client_of "$1")
    children_of "$of" | head -n 1
}

cluster 3
holds "three nodes agree" start_all
touch watching
: >holders
observe &
disown $!
for node in a b c; do candidate $node; done
holds "one of three has the address" within 20 one_leads

# ---- What is done to them ----------------------------------------------------

for node in a b c; do
    kill -TERM "${daemon[$node]}"
    within 9 dead "${daemon[$node]}"
    start $node
    within 20 members $node 3
done
holds "after a rolling restart one has it" within 20 one_leads
holds "and there were never two" never_two

find_leader
kill -STOP "${daemon[$leader]}"
holds "a node is stopped: another has it" within 20 another_leads "$leader"
kill -CONT "${daemon[$leader]}"

find_leader
kill -KILL "${daemon[$leader]}"
holds "a node is killed: another has it" within 20 another_leads "$leader"
start "$leader"
within 20 members "$leader" 3

find_leader
stopped=$(client_of "$leader")
kill -STOP "$stopped"
kill -KILL "${daemon[$leader]}"
holds "a client is stopped, and its node killed: another has it" \
    within 20 another_leads "$leader"
kill -CONT "$stopped"
start "$leader"
within 20 members "$leader" 3

find_leader
kill -STOP "$(guard_of "$leader")"
kill -TERM "${daemon[$leader]}"
holds "a guard is stopped, and its node: another has it" \
    within 20 another_leads "$leader"
start "$leader"
within 20 members "$leader" 3
holds "there were never two" never_two

# Its guard removes the address when the command is dead; the next leader need not
# wait for that.
find_leader
kill -KILL "$(client_of "$leader")"
once=$(wc -l <holders)
moved() { tail -n "+$((once + 20))" holders | grep -q '^[abc]$'; }
holds "a client is killed: one has it" within 20 moved
holds "no address was left behind" eval \
    '! tail -n 10 holders | grep -n " "'

rm watching
sleep 0.1
touch over
tap_end
