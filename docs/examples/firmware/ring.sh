#!/bin/sh
# ring.sh ELF [NAME...] - as many boards as there are names, five unless told,
# in a ring: a QEMU for each, its UART wired to that of the next.  Prints what
# the boards say until each has said a line, or for half a minute.
set -eu

elf=$1
shift
[ $# -gt 0 ] || set -- 3 5 1 4 2
ring=$(mktemp -d)
boards=
end() {
    # shellcheck disable=SC2086 # a list of numbers
    [ -z "$boards" ] || kill $boards 2>/dev/null || true
    wait
    rm -rf "$ring"
}
trap end EXIT
trap 'exit 130' INT TERM

# A pipe from each board to the next: what one says before the other is there is
# kept.
i=0
for name in "$@"; do
    i=$((i + 1))
    mkfifo "$ring/$i.out"
    ln -s "$i.out" "$ring/$((i % $# + 1)).in"
done
i=0
for name in "$@"; do
    i=$((i + 1))
    : >"$ring/$i.said"
    qemu-system-arm -M mps2-an386 -display none -monitor none -kernel "$elf" \
        -device loader,addr=0x3fffc,data="$name",data-len=4 \
        -serial "file:$ring/$i.said" -serial "pipe:$ring/$i" \
        2>>"$ring/complaints" &
    boards="$boards $!"
done

tenths=0
while [ "$(cat "$ring"/*.said | grep -c .)" -lt $# ]; do
    tenths=$((tenths + 1))
    # shellcheck disable=SC2086
    if [ $tenths -gt 300 ] || ! kill -0 $boards 2>/dev/null; then
        cat "$ring"/*.said "$ring/complaints" >&2
        exit 1
    fi
    sleep 0.1
done
cat "$ring"/*.said
