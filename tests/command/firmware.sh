#!/usr/bin/env bash
# firmware.sh BUILD - protocols on microcontrollers are what docs/firmware.md says:
# they build, fit, need nothing, five simulated boards elect a leader, and three on a
# bus never hold one lock together.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
. tests/source/change.sh
. tests/protocols.sh
build=$1
firmware=$build/firmware
cc=arm-none-eabi-gcc

# What holds without a compiler for boards.  One file includes all headers.
{
    for header in core/*.h problems/*.h protocols/*.h protocols/*/*.h \
        $(ls protocols/*/*/*.h | grep -v /test_); do
        echo "#include \"$header\""
    done
    echo "int main() { vitanyi_in in{}; chang_roberts state{}; uint8_t wire[vitanyi_wire];"
    echo "    return state.told + int(vitanyi_pack(&in.msg, wire)) - 1; }"
} >"$tap_tmp/all.cc"
in_cxx() {
    g++ -std=c++"$1" -Wall -Wextra -Werror -Wno-missing-field-initializers -I. \
        "$tap_tmp/all.cc" "$build/libfulcrum.a" -o "$tap_tmp/all" && "$tap_tmp/all"
}
holds "C++11 reads the headers of all protocols, and calls them" in_cxx 11
holds "C++20 does" in_cxx 20

# ---- view-lock on a bus ------------------------------------------------------

firmware() { make -s --no-print-directory BUILD="$build" "$@"; }
bus=docs/examples/firmware/bus

holds "the boards on a bus build for this machine" firmware "$firmware/bus/trial"
same "three boards on a bus exclude each other" \
    "1800 seconds, 900 faults, 437 starts, 56 of them without a record, 151 torn writes
388831 letters in 2211590 frames, 3756 record writes
13953 entries, 78 ended by the guard
0 beside a holder, 0 with a token that is not greater" "$("$firmware/bus/trial")"

# trial NAME: builds what is in a folder, and runs it.
trial() {
    ${CC:-cc} -std=c11 -O1 -w -I. "$tap_tmp/$1"/{node,frames,record,world,trial}.c \
        "$build/libfulcrum.a" -lm -pthread -o "$tap_tmp/$1/trial" &&
        "$tap_tmp/$1/trial" >"$tap_tmp/$1/said"
}
# Each safeguard is needed: without it two boards drive the actuator together.
# needed NAME FILE OLD NEW [FILE OLD NEW]...
needed() {
    local name=$1 made=$tap_tmp/$1
    shift
    mkdir -p "$made" && cp $bus/*.[ch] "$made" || return 1
    while [ $# -gt 0 ]; do
        changed "$made/$1" "$2" "$3" >"$made/changed" && mv "$made/changed" "$made/$1" || return 1
        shift 3
    done
    trial "$name"
    [ -s "$made/said" ] && ! grep '^0 beside a holder' "$made/said"
}
# As a board does that takes its counter of 32 bits for the time, and compares
# timers as such counters are compared.
holds "a clock that wraps lets two in" needed wraps \
    node.c 'n->now = fc_counter_read(&n->clock, board_clock(n->board));' \
    'n->now = n->clock.last = board_clock(n->board);' \
    node.c 'n->now >= n->due' \
    'n->due != FC_NEVER && (int32_t)((uint32_t)n->now - (uint32_t)n->due) >= 0'
holds "so does a board without a guard" needed unguarded \
    world.c 'if (b->on && guard_fires(b))' 'if (0)'
holds "and one that tells others before its actuator is off" needed late \
    node.c '        let_go(n);
        then = node_obey(n, &n->out.fx);' '        then = node_obey(n, &n->out.fx);'
holds "and one that begins again where its record is lost" needed blank \
    node.c 'n->lacking = others(n);' 'n->lacking = 0;'
holds "and one that takes letters with a wrong sum" needed unsummed \
    frames.c 'return bus_sum(letter, size) == sum ? size : 0;' 'return size;'

cp docs/firmware.md "$tap_tmp/bus.md"
holds "what the bus carries is counted" firmware firmware-load FIRMWARE_PAGE="$tap_tmp/bus.md"
holds "docs/firmware.md tells it: make firmware-load" diff docs/firmware.md "$tap_tmp/bus.md"

if ! command -v $cc >/dev/null || ! command -v qemu-system-arm >/dev/null; then
    echo "# left out: $cc and qemu-system-arm are not here; 'make deps' installs them"
    tap_end
fi

holds "every protocol builds for Cortex-M4" firmware firmware
asks_for_little() {
    ! ${cc%gcc}nm -u "$firmware"/obj/{core,problems,protocols/*/*}/*.o |
        grep -E ' U (__|mem)' | grep -v -x -E \
        ' *U (__aeabi_u?ldivmod|__ctzdi2|mem(cpy|set|move|cmp))'
}
holds "none of them asks for floating point, or for a library" asks_for_little

# Levers as low as they go, which no assertion may mind.
lowest() {
    for source in $(pure_sources); do
        $cc -mcpu=cortex-m4 -std=c11 -ffreestanding -fsyntax-only -Wall -Wextra \
            -Werror -I. -DFC_FIRMWARE -DFC_NODES_MAX=3 -DVIEW_LOCK_NODES=4 \
            -DRING_SORT_MAX=3 -DFC_WAIT_POWERS=1 "$source" || return 1
    done
}
holds "they build for three nodes" lowest

# What the page tells people to copy is enough.
taken() {
    cp --parents $(firmware firmware-files P=chang-roberts 2>/dev/null) "$tap_tmp" &&
        cd "$tap_tmp" && $cc -mcpu=cortex-m4 -mthumb -std=c11 -Os -ffreestanding \
        -ffunction-sections -DFC_FIRMWARE -I. -nostdlib -Wl,--gc-sections \
        -Wl,-e,chang_roberts_step protocols/*/*/*.c core/*.c problems/*.c -lgcc \
        -o taken.elf
}
holds "the files of make firmware-files are all that a protocol needs" \
    eval "(taken)"

same "five boards elect the least name" "board 3: the leader is 1
board 5: the leader is 1
board 1: I lead, 1
board 4: the leader is 1
board 2: the leader is 1" \
    "$(sh docs/examples/firmware/ring.sh "$firmware/vitanyi.elf" 2>&1)"
holds "another election builds for them" firmware firmware \
    P=chang-roberts-max SET=coordinator=absorbs
# These names are END and ESCAPE on the wire.
same "and elects the greatest of three" "board 192: the leader is 219
board 219: I lead, 219
board 8: the leader is 219" \
    "$(sh docs/examples/firmware/ring.sh "$firmware/chang_roberts_max.elf" 192 219 8 2>&1)"

# The node alone, for small processors; its board is not there.
node_for() {
    $cc -mcpu="$1" -mthumb -std=c11 -Os -ffreestanding -Wall -Wextra -Wpedantic -Wconversion \
        -Wshadow -Werror -DFC_FIRMWARE -DVIEW_LOCK_NODES=4 -I. -c $bus/node.c -o "$tap_tmp/node.o" &&
        $cc -mcpu="$1" -mthumb -std=c11 -Os -ffreestanding -Wall -Wextra -Wpedantic -Wconversion \
            -Wshadow -Werror -DFC_FIRMWARE -DVIEW_LOCK_NODES=4 -DBUS_FRAME=64 -I. -c $bus/frames.c \
            -o "$tap_tmp/frames.o"
}
for cpu in cortex-m0 cortex-m3; do
    holds "the node on a bus builds for $cpu" node_for $cpu
done

# The three boards in one program, on a simulated board: until it has said all.
three_boards() {
    local said=$tap_tmp/three.said tenths=0
    firmware "$firmware/trial.elf" >/dev/null || return 1
    : >"$said"
    qemu-system-arm -M mps2-an386 -display none -monitor none \
        -kernel "$firmware/trial.elf" -serial "file:$said" 2>/dev/null &
    until grep -q 'not greater$' "$said" || [ $((tenths += 1)) -gt 600 ]; do
        sleep 0.1
    done
    kill $! && wait $! 2>/dev/null
    cat "$said"
}
same "on a Cortex-M4 the three boards do just what they do here" \
    "600 seconds, 300 faults, 149 starts, 18 of them without a record, 54 torn writes
129818 letters in 737778 frames, 1290 record writes
4658 entries, 26 ended by the guard
0 beside a holder, 0 with a token that is not greater" "$(three_boards)"

if grep -q -F "$($cc --version | head -n 1)" docs/firmware.md; then
    same "sizes are as each facts.txt says: make firmware-facts" \
        "$(facts board | awk '{ $2 = ""; gsub(/  */, " "); print }')" "$(firmware firmware-sizes | grep -v '^  [A-Z]')"
fi
tap_end
