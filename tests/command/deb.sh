#!/usr/bin/env bash
# deb.sh BUILD - the Debian packages of BUILD/deb on a fresh Debian: in, the demo,
# out, nothing left.  For root, with debootstrap and a mirror; make check-deb.
#
# The fresh system is made once and kept as BUILD/debian.tar; DEBIAN_SUITE and
# DEBIAN_MIRROR choose another.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$(realpath "$1")
fresh=$tap_tmp/fresh
suite=${DEBIAN_SUITE:-$(. /etc/os-release && echo "$VERSION_CODENAME")}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
package=$(echo "$build"/deb/fulcrum_*.deb)

[ "$(id -u)" = 0 ] || { echo "deb.sh: become root: it makes a system of its own" >&2; exit 3; }

# What the package depends on is there before, so that it is not taken for left.
needs=$(dpkg-deb -f "$package" Depends | sed 's/ ([^)]*)//g; s/, /,/g; s/libc6,//')
made() {
    [ -e "$build/debian.tar" ] && return
    debootstrap --variant=minbase --include="$needs" "$suite" "$fresh" "$mirror" &&
        tar -C "$fresh" -cf "$build/debian.tar.new" . &&
        mv "$build/debian.tar.new" "$build/debian.tar" && rm -rf "$fresh"
}
holds "a fresh Debian ($suite) is made" made
mkdir -p "$fresh"
holds "it is unpacked" tar -C "$fresh" -xpf "$build/debian.tar"
cp "$build"/deb/*.deb "$fresh/srv"

# inside COMMAND...: as root of the fresh system, with processes of its own, which
# end with it.
inside() {
    unshare --mount --pid --fork --kill-child sh -c '
        mount -t proc proc "$0/proc" && mount -t tmpfs tmp "$0/tmp" &&
            chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"' \
        "$fresh" "$@"
}
# All paths, users and groups; not what dpkg and the tools for users note down.
traces() {
    (cd "$fresh" && find . -path ./proc -prune -o -print |
        grep -v -E '^\./(var/(log|cache|lib/dpkg|lib/apt)/|srv/|run/adduser|etc/[a-z]+-$)' &&
        cat etc/passwd etc/group) | sort
}
purged() {
    inside dpkg --purge fulcrum && ! inside dpkg -s fulcrum >/dev/null 2>&1
}

traces >"$tap_tmp/before"
holds "the package installs" inside dpkg -i "/srv/$(basename "$package")"
holds "its user is there" inside getent passwd fulcrum
holds "fulcrum demo does all it shows" inside fulcrum demo -o /tmp/demo
holds "the sample configuration is understood once there is a key" inside sh -c '
    cp /usr/share/doc/fulcrum/examples/fulcrum.ini /etc/fulcrum.ini &&
        fulcrum keygen /etc/fulcrum.key && fulcrum node --check -i north &&
        rm /etc/fulcrum.ini /etc/fulcrum.key'
# A record, as a node leaves it.
install -d "$fresh/var/lib/fulcrum"
touch "$fresh/var/lib/fulcrum/north.record"
holds "the package is removed" inside dpkg --remove fulcrum
holds "a record outlives that" test -e "$fresh/var/lib/fulcrum/north.record"
holds "it installs again" inside dpkg -i "/srv/$(basename "$package")"
holds "it installs over itself" inside dpkg -i "/srv/$(basename "$package")"
holds "it is purged" purged
traces >"$tap_tmp/after"
holds "nothing is left" diff "$tap_tmp/before" "$tap_tmp/after"

holds "the libraries install" inside sh -c 'dpkg -i /srv/libfulcrum0_*.deb /srv/libfulcrum-dev_*.deb'
holds "they are purged" inside dpkg --purge libfulcrum-dev libfulcrum0
traces >"$tap_tmp/after"
holds "nothing is left of them" diff "$tap_tmp/before" "$tap_tmp/after"
tap_end
