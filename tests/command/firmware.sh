#!/usr/bin/env bash
# firmware.sh BUILD - protocols on microcontrollers are what docs/firmware.md says:
# they build, fit, need nothing, and five simulated boards elect a leader.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
firmware=$build/firmware
cc=arm-none-eabi-gcc

# What holds without a compiler for boards.  One file includes all headers.
{
    for header in core/*.h problems/*.h protocols/*.h protocols/*/*.h; do
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

if ! command -v $cc >/dev/null || ! command -v qemu-system-arm >/dev/null; then
    echo "# left out: $cc and qemu-system-arm are not here; 'make deps' installs them"
    tap_end
fi

firmware() { make -s --no-print-directory BUILD="$build" "$@"; }

holds "every protocol builds for Cortex-M4" firmware firmware
asks_for_little() {
    ! ${cc%gcc}nm -u "$firmware"/obj/{core,problems,protocols/*}/*.o |
        grep -E ' U (__|mem)' | grep -v -x -E \
        ' *U (__aeabi_u?ldivmod|__ctzdi2|mem(cpy|set|move|cmp))'
}
holds "none of them asks for floating point, or for a library" asks_for_little

# Levers as low as they go, which no assertion may mind.
lowest() {
    for source in core/*.c problems/*.c protocols/*/*.c; do
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
        -Wl,-e,chang_roberts_step protocols/*/*.c core/*.c problems/*.c -lgcc \
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

if grep -q -F "$($cc --version | head -n 1)" docs/firmware.md; then
    cp docs/firmware.md "$tap_tmp/page.md"
    holds "sizes are measured" firmware firmware-sizes FIRMWARE_PAGE="$tap_tmp/page.md"
    holds "docs/firmware.md tells the sizes: make firmware-sizes" \
        diff docs/firmware.md "$tap_tmp/page.md"
fi
tap_end
