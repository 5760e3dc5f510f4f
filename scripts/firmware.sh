#!/bin/sh
# firmware.sh FOLDER files P - the sources and headers that protocol P is made of.
# firmware.sh FOLDER sizes   - code and memory of every protocol, a line each.
# firmware.sh FOLDER write   - puts them into each facts.txt, and the compiler that it
# is true of into docs/firmware.md.
#
# FOLDER has libprotocols.a and what it was made of, with the compiler CC and with
# FLAGS; make firmware-files and make firmware-sizes say all of that.
set -eu
cd "$(dirname "$0")/.."
folder=$1
cc=${CC:?}
protocols=$(sed -n 's/^ *X(\([a-z_0-9]*\)).*/\1/p' protocols/all.h)

# linked P OPTION... - links what a board needs of P: its rules, what others see,
# its messages on the wire.
linked() {
    p=$1
    shift
    # shellcheck disable=SC2086 # a list of options
    "$cc" $FLAGS -nostdlib "-Wl,--gc-sections,-e,${p}_step" \
        "-Wl,-u,${p}_view,-u,${p}_pack,-u,${p}_unpack" "$@" \
        -o "$folder/linked.elf" "$folder/obj/docs/examples/firmware/mps2.o" \
        "$folder/libprotocols.a" -lgcc
}

# code P OPTION... - bytes of code and constants.
code() {
    linked "$@"
    "${cc%gcc}size" "$folder/linked.elf" | awk 'NR == 2 {print $1 + $2}'
}

files() {
    linked "$1" "-Wl,-Map=$folder/linked.map,-u,$1_protocol,-u,fc_params_set"
    sed -n 's|.*libprotocols\.a(\(.*\)\.o)$|\1|p' "$folder/linked.map" | sort -u |
        while read -r object; do
            depends=$(find "$folder/obj" -path "*/$object.d")
            tr -s ' \\:' '\n' <"$depends"
        done | sed '$a core/driver.h\ncore/obey.inc' | grep -E '^(core|problems|protocols)/' | sort -u
}

# sizeof - what the types take: a line "KIND P BYTES" each.
sizeof() {
    {
        for p in $protocols; do
            echo "#include \"$(echo protocols/*/"$p/$p.h")\""
        done
        for p in $protocols; do
            echo "extern char state_of_${p}[], params_of_${p}[], event_of_${p}[], wire_of_${p}[];"
            echo "char state_of_${p}[sizeof(struct $p)];"
            echo "char params_of_${p}[sizeof(struct ${p}_params)];"
            echo "char event_of_${p}[sizeof(struct ${p}_in) + sizeof(struct ${p}_out)];"
            echo "char wire_of_${p}[${p}_wire];"
        done
    } >"$folder/sizes.c"
    # shellcheck disable=SC2086 # a list of options
    "$cc" $FLAGS -c "$folder/sizes.c" -o "$folder/sizes.o"
    "${cc%gcc}nm" -S -t d "$folder/sizes.o" |
        sed -n 's/^[0-9]* 0*\([0-9]*\) . \([a-z]*\)_of_\(.*\)/\2 \3 \1/p'
}

# stack - the deepest stack of each one's functions, likewise, by the compiler's
# graphs of calls.
stack() {
    find "$folder/obj" -name '*.ci' -exec cat {} + | awk -F'"' -v all="$protocols" '
        # Of a function and all that it calls.
        function depth(f, i, calls, deepest, below) {
            if (f in known)
                return known[f]
            known[f] = 0 # should it call itself
            for (i = split(called[f], calls, "\n"); i > 0; i--)
                if ((below = depth(calls[i])) > deepest)
                    deepest = below
            return known[f] = frame[f] + deepest
        }
        /^node/ && match($4, /[0-9]+ bytes/) {
            frame[$2] = substr($4, RSTART, RLENGTH) + 0
        }
        /^edge/ { called[$2] = called[$2] (called[$2] ? "\n" : "") $4 }
        END {
            for (i = split(all, protocol, /[ \n]+/); i > 0; i--) {
                most = 0
                for (j = split("step view pack unpack", function_, " "); j > 0; j--)
                    if ((d = depth(protocol[i] "_" function_[j])) > most)
                        most = d
                print "stack", protocol[i], most
            }
        }'
}

sizes() {
    {
        sizeof
        stack
    } >"$folder/sizeof"
    for p in $protocols; do
        rules=$(code "$p")
        all=$(code "$p" "-Wl,-u,${p}_protocol,-u,fc_params_set")
        awk -v p="$p" -v rules="$rules" -v all="$all" '
            $2 == p { of[$1] = $3 }
            END { gsub(/_/, "-", p)
                print p, rules, all, of["state"], of["params"], of["event"], of["wire"],
                    of["stack"] }' "$folder/sizeof"
    done
}

# Below the heading of their columns, which stands above the first of them.
write() {
    sizes >"$folder/sizes"
    while read -r p rules all state params event wire stack; do
        facts=$(echo protocols/*/"$(echo "$p" | tr - _)"/facts.txt)
        line=$(printf 'board      %8s %11s %6s %11s %14s %7s %6s' "$rules" "$all" "$state" \
            "$params" "$event" "$wire" "$stack")
        awk -v line="$line" '
            $1 == "board" { next }
            { print }
            /^# On a board:/ { print line; told = 1 }
            END {
                if (!told) {
                    print ""
                    print "# On a board:  code  with table  state  parameters  event, outbox" \
                        "  packet  stack"
                    print line
                }
            }' "$facts" >"$folder/facts"
        cat "$folder/facts" >"$facts"
    done <"$folder/sizes"
    awk -v compiler="$("$cc" --version | head -n 1), -Os." '
        /^[a-z-]*gcc .*, -Os\.$/ { $0 = compiler }
        { print }' docs/firmware.md >"$folder/page"
    cat "$folder/page" >docs/firmware.md
}

case $2 in
files) files "$3" ;;
sizes) sizes ;;
write) write ;;
esac
