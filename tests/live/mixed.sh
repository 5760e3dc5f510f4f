#!/usr/bin/env bash
# mixed.sh BUILD - nodes of the last release beside those of this tree, for make
# check-mixed: the release is built from its commit (docs/releases.txt) in
# BUILD/mixed/, a cluster of it is upgraded node by node while locks are held and
# wanted, and one node goes back as far as that is promised.  Counts the entries; no
# two hold at a time, and tokens grow.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
read -r version _ commit < <(grep -v '^#' docs/releases.txt)
git cat-file -e "$commit^{commit}" 2>/dev/null || {
    echo "check-mixed: this tree has no history, or too little of it, to build" \
        "version $version from (commit $commit): take a whole clone"
    exit 1
}
release=$PWD/$build/mixed/$version
if [ ! -x "$release/build/fulcrum" ]; then
    echo "# builds version $version"
    rm -rf "$release"
    mkdir -p "$release"
    git archive "$commit" | tar -x -C "$release" || exit 1
    make -C "$release" --no-print-directory BUILD=build build/fulcrum \
        >"$release.log" 2>&1 || {
        echo "check-mixed: version $version cannot be built here: see $release.log"
        exit 1
    }
fi
. tests/live/loopback.sh "$build"
lease=2000
new=$fulcrum
old=$release/build/fulcrum

# program NODE: of the version that it runs.
program() {
    cat "$1.program"
}

# run NODE PROGRAM [OPTION...]
run() {
    local node=$1 program=$2
    shift 2
    echo "$program" >"$node.program"
    "$program" node -c cluster.ini -i "$node" "$@" 2>>"$node.log" &
    daemon[$node]=$!
    disown $!
}

in_view() { # NODE N
    has_members "$2" "$(program "$1")" status -c cluster.ini -i "$1" --json
}

all_in_view() {
    local node
    for node in a b c d e; do in_view $node 5 || return 1; done
}

spoken() { # NODE
    "$new" cluster version -c cluster.ini -i "$1" --json | jq .versions.spoken
}

# Enters again and again, by the program of its node, and writes as it holds.
contend() { # NODE
    while [ ! -e over ]; do
        "$(program "$1")" lock -c cluster.ini -i "$1" work -- sh -c \
            'for i in 1 2 3; do echo "$FULCRUM_TOKEN '"$1"'" >>written; sleep 0.005; done'
        sleep 0.02
    done 2>>"clients.$1.log"
}

# Held all the while at one node, which is the last to be upgraded.
keep() { # NODE
    rm -f kept
    "$(program "$1")" lock -c cluster.ini -i "$1" kept -- sh -c \
        'while [ ! -e let-go ]; do echo "$FULCRUM_TOKEN"; sleep 0.02; done >kept' &
    keeper=$!
    within 20 test -s kept
}

entries() {
    sort -u written | wc -l
}

# more N: so many entries since the last look.
more() {
    [ "$(entries)" -ge $((before + $1)) ]
}

# A rolling upgrade, and a node that goes back.
roll() {
    touch over # whoever contends since the last try
    stop_all
    daemon=()
    rm -f ./*.log ./*.key ./e.* over let-go
    cluster 5
    : >written
    for node in a b c d e; do run $node "$old" --init; done
    holds "five nodes of $version agree" within 30 all_in_view
    for node in a b c d e; do contend $node & done
    before=0
    holds "they enter a lock in turn" within 30 more 20
    holds "one holds another lock" keep a

    # ---- Upwards -------------------------------------------------------------

    for node in b c d e; do
        before=$(entries)
        stop $node
        run $node "$new"
        holds "$node is upgraded, and back in the view of all" within 30 all_in_view
        same "what $version understands is spoken" 0 "$(spoken $node)"
        holds "locks are entered all the while" within 30 more 20
    done
    holds "why not more is said" eval \
        '"$new" cluster version -c cluster.ini -i b | grep -q "not more because of a$"'
    holds "a key is not dropped where a node cannot show one" eval \
        '"$new" keygen next.key && "$new" cluster key add next.key -c cluster.ini -i b &&
         ! "$new" cluster key drop -c cluster.ini -i b 2>said.drop &&
         grep -q "not yet: a, c, d, e have not shown" said.drop'
    holds "beside a node that has one key, b is in the view of all" all_in_view
    holds "the first holder has never lost its lock" kill -0 $keeper
    same "under one token" 1 "$(sort -u kept | wc -l)"
    touch let-go
    wait $keeper
    same "and ends by itself" 0 $?
    stop a
    run a "$new"
    holds "the last node is upgraded" within 30 all_in_view
    speaks_all() {
        [ "$(spoken b)" = "$("$new" cluster version -c cluster.ini -i b --json |
            jq .versions.most)" ]
    }
    holds "and all speak what this version can" within 10 speaks_all
    before=$(entries)
    holds "locks go on" within 30 more 20

    # ---- Back ----------------------------------------------------------------

    # A record of this version is refused by the last one, as docs/live-record.md
    # promises; with a repaired record the node goes back.
    stop e
    "$old" node -c cluster.ini -i e 2>e.refused &
    pid=$!
    holds "$version refuses a record of this version" within 20 dead $pid
    mv state/e.record e.record.new
    run e "$old" --repair
    holds "with a repaired record the node goes back to $version" within 40 all_in_view
    spoken_is_0() { [ "$(spoken b)" = 0 ]; }
    holds "so that what it understands is spoken" within 10 spoken_is_0
    before=$(entries)
    holds "locks go on" within 30 more 20

    # ---- All in all ----------------------------------------------------------

    touch over
    wait $(jobs -p) 2>/dev/null
    holds "no two ever held at a time, and tokens grew" awk -f "$judge" written
}
steady roll
echo "# entries: $(entries), of them by node: $(sort -u written | awk '
    { n[$2]++ } END { for (x in n) printf "%s %d  ", x, n[x] }')"
tap_end
