#!/usr/bin/env bash
# live_page.sh BUILD - docs/live.md, followed to the letter, with what docs/live-record.md
# and docs/live-silence.md show: three machines are three addresses of loopback, and
# /etc, /var and /run are in a folder of their own.  Every command that the pages show
# is run, and none is left out.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
docs=$PWD/docs
service=$PWD/live/fulcrum@.service
manual=$PWD/man/fulcrum.ini.5
. tests/live/loopback.sh "$1"
page=$work/page.md
cat "$docs"/live{,-record,-silence}.md >"$page"

# What the pages say, for here: text in, text out.
here() {
    sed -e "s#/etc/fulcrum#$work/etc/fulcrum#g" -e "s#/var/lib/#$work/var/lib/#g" \
        -e "s#/run/fulcrum/#$work/run/fulcrum/#g" -e "s#/usr/local/bin/#$work/bin/#g" \
        -e "s#192\.0\.2\.#${host%.*}.#g"
}

# The indented block that has this line.
block() {
    awk -v line="    $1" '
        /^    / { text = text substr($0, 5) "\n"; found = found || $0 == line; next }
        /^$/ && text { text = text "\n"; next }
        { if (found) exit; text = ""; found = 0 }
        END { printf "%s", text }' "$page" | here
}

# run COMMAND: one that the pages show, in exactly these words.
: >ran
run() {
    grep -qxF "    $1" "$page" || { echo "the pages do not show: $1"; return 1; }
    echo "$1" >>ran
    bash -c "$(echo "$1" | here)"
}

# The command finds its file in /etc, which here is elsewhere.
mkdir -p bin etc run var/lib # as every machine has them
cat >bin/fulcrum <<END
#!/bin/sh
verb=\$1
shift
case \$verb in node | lock | status) set -- -c "$work/etc/fulcrum.ini" "\$@" ;; esac
exec "$fulcrum" "\$verb" "\$@"
END
printf '#!/bin/sh\necho "$FULCRUM_TOKEN" >>%s/tokens\n' "$work" >bin/backup
printf 'report:\n\techo reported >report\n' >Makefile
chmod +x bin/*
PATH=$work/bin:$PATH

# up NODE COMMAND: starts a node by a command of the pages, with its own name.
up() {
    local node=$1
    echo "$2" >>ran
    grep -qxF "    $2" "$page" || return 1
    bash -c "exec ${2//north/$node}" 2>>"$node.log" &
    daemon[$node]=$!
    disown $!
}
eventually() { # COMMAND...: it succeeds within 20 s.
    local try
    for try in {1..100}; do
        "$@" 2>/dev/null && return
        sleep 0.2
    done
    tail -n 5 ./*.log
    return 1
}
agree() { # N: all, except the witness, see a view of N nodes.
    local node
    for node in "${!daemon[@]}"; do
        [ $node != judge ] || continue
        has_members "$1" fulcrum status -i "$node" --json || return 1
    done
}

# ---- Three nodes -------------------------------------------------------------

block '[cluster]' >etc/fulcrum.ini
holds "a key is made" run 'fulcrum keygen /etc/fulcrum.key'
holds "the file and the machine are looked at" run 'fulcrum node --check -i north'
first='fulcrum node -i north --init'
for node in north east west; do
    up $node "$first"
done
holds "three nodes agree after their first start" eventually agree 3
holds "a command runs under a lock" \
    run 'fulcrum lock backup -- /usr/local/bin/backup'
holds "its token is a number" grep -qx '[1-9][0-9]*' tokens
holds "readers share a lock, for a command with arguments" \
    run 'fulcrum lock --wait 5 --shared report -- make report'
holds "and it has run" grep -q reported report
holds "status is told" run 'fulcrum status'
run 'fulcrum status' >status
holds "status shows the peers" grep -q '^  east *heard' status

defaults() {
    local key value
    grep -E '^(tau|lease|kill|delay|spread) ' etc/fulcrum.ini | while read -r line; do
        key=${line%% *}
        value=$(echo "$line" | sed 's/.*= *//; s/ *;.*//')
        grep -q "^\.It Cm $key Ta $value Ta" "$manual" ||
            { echo "$key = $value is not the default"; return 1; }
    done
}
holds "the times on the page are the defaults" defaults

# ---- The next start, as a service; a record that is lost -----------------------

holds "nodes stop cleanly" stop north west
started=$(sed -n 's/^ExecStart=\S*\(.* -i \)%i$/\1north/p' "$service" | here)
holds "the unit starts a node without --init" [ -n "$started" ]
holds "the page enables the unit" \
    grep -qxF '    systemctl enable --now fulcrum@north' "$page"
# shellcheck disable=SC2086
"$fulcrum" $started 2>>north.log &
daemon[north]=$!
disown $!
rm "$work"/var/lib/fulcrum/west.record
up west 'fulcrum node -i west --repair'
holds "both are back, one with a repaired record" eventually agree 3
holds "a node stops for a move" stop west
cp var/lib/fulcrum/west.record moved # a new file, as on another disk
mv moved var/lib/fulcrum/west.record
fails_elsewhere() {
    ! "$fulcrum" node -c etc/fulcrum.ini -i west 2>west.err && grep -q -e --moved west.err
}
holds "its record is refused in another place" fails_elsewhere
up west 'fulcrum node -i west --moved'
holds "the node goes on with the record that was moved" eventually agree 3

# ---- Changing what all must agree on -----------------------------------------

holds "all stop cleanly" stop north east west
{ sed -e 's/^generation = 1/generation = 2/' -e '/^\[node west\]/,$d' etc/fulcrum.ini
    block '[node judge]'; } >etc/new && mv etc/new etc/fulcrum.ini
for node in north east; do
    "$fulcrum" node -c etc/fulcrum.ini -i $node 2>>$node.log &
    daemon[$node]=$!
    disown $!
done
up judge "$first"
holds "two nodes and a new witness agree" eventually agree 2
holds "the command runs again" run 'fulcrum lock backup -- /usr/local/bin/backup'
holds "its token is greater" sort -n -u -c tokens
crash north
holds "one node and the witness agree" eventually agree 1
holds "one node and the witness go on" \
    run 'fulcrum lock --wait 5 --shared report -- make report'

# ---- The rest of the pages ---------------------------------------------------

{ block 'mode = silence' | sed 's/^\[cluster\]/&\ngeneration = 3/'
    grep -E '^(key|state|socket) ' etc/fulcrum.ini
    sed -n '/^\[node/,$p' etc/fulcrum.ini; } | grep -v '^witness' >silence.ini
holds "the file for mode silence is a file" \
    "$fulcrum" node --check -c silence.ini
same "every command of the pages was run" \
    "$(sed -n 's/^    \(fulcrum .*\)/\1/p' "$page" | sort -u)" "$(sort -u ran)"
tap_end
