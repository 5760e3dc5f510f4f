#!/usr/bin/env bash
# deb.sh BUILD - the Debian packages of BUILD/deb: made again, they are the same; on a
# fresh Debian they go in, do what they are for, and go out, and nothing is left; then
# their own tests, here.  For root, with debootstrap, autopkgtest and a mirror; make
# check-deb.
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

[ "$(id -u)" = 0 ] || { echo "deb.sh: become root: it makes a system of its own" >&2; exit 3; }

# ---- The source package ---------------------------------------------------------

# By somebody in another folder, time zone, locale and umask, from the source package.
again() {
    mkdir -p "$tap_tmp/elsewhere" &&
        (cd "$tap_tmp/elsewhere" && umask 027 && export TZ=Asia/Tokyo LC_ALL=POSIX &&
            dpkg-source -x "$build"/deb/fulcrum_*.dsc other/ &&
            cd other && dpkg-buildpackage --no-sign --build=binary)
}
same_bytes() {
    local package
    for package in "$build"/deb/*.deb; do
        cmp "$package" "$tap_tmp/elsewhere/${package##*/}" || return
    done
}
holds "the source package builds, elsewhere" again
holds "and its packages are the same, byte by byte" same_bytes
small() { # a node has no database, and no laboratory
    [ "$(dpkg-deb -f "$build"/deb/fulcrum-node_*.deb Installed-Size)" -lt 1500 ] &&
        ! dpkg-deb -f "$build"/deb/fulcrum-node_*.deb Depends | grep sqlite
}
holds "the node's package is small" small

# ---- On a fresh Debian -----------------------------------------------------------

# What the packages depend on is there before, so that it is not taken for left.
needs=$(for package in "$build"/deb/*.deb; do dpkg-deb -f "$package" Depends; done |
    tr ',' '\n' | sed 's/ *([^)]*)//; s/ //g' | grep -v -e fulcrum -e '^libc6$' | sort -u | paste -sd,)
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
put_in() { # PACKAGE...
    inside sh -c 'files=; for p; do files="$files $(echo /srv/${p}_*.deb)"; done; dpkg -i $files' sh "$@"
}
purged() {
    inside dpkg --purge "$@" && ! inside dpkg -s "$1" >/dev/null 2>&1
}

traces >"$tap_tmp/before"
holds "the node installs alone" put_in fulcrum-node
holds "its user is there" inside getent passwd fulcrum
holds "the sample configuration is understood once there is a key" inside sh -c '
    cp /usr/share/doc/fulcrum/examples/fulcrum.ini /etc/fulcrum.ini &&
        fulcrum keygen /etc/fulcrum.key && fulcrum node --check -i north &&
        rm /etc/fulcrum.ini /etc/fulcrum.key'
elsewhere() {
    inside fulcrum sim vitanyi 2>&1 | grep "in the package 'fulcrum'"
}
holds "it says which package has the laboratory" elsewhere
holds "the laboratory installs" put_in fulcrum fulcrum-doc
holds "fulcrum demo does all it shows" inside fulcrum demo -o /tmp/demo
cited() {
    ! inside sh -c 'for page in /usr/share/man/man?/*; do
        zcat $page | sed -n "s|^.Pa \\(/usr/share/doc/fulcrum/[^ ]*\\).*|\\1|p"; done' |
        sort -u | while read -r page; do
        [ -e "$fresh$page" ] || echo "$page is not there"
    done | grep .
}
holds "the pages that manuals cite are there" cited
# A record, as a node leaves it.
mkdir -p "$fresh/var/lib/fulcrum"
touch "$fresh/var/lib/fulcrum/north.record"
holds "the packages are removed" inside dpkg --remove fulcrum fulcrum-doc fulcrum-node
holds "a record outlives that" test -e "$fresh/var/lib/fulcrum/north.record"
holds "the node installs again" put_in fulcrum-node
holds "it installs over itself" put_in fulcrum-node
holds "it is purged" purged fulcrum-node fulcrum fulcrum-doc
traces >"$tap_tmp/after"
holds "nothing is left" diff "$tap_tmp/before" "$tap_tmp/after"

holds "the libraries install" put_in libfulcrum1 libfulcrum-client1 libfulcrum-dev
holds "they are purged" purged libfulcrum-dev libfulcrum1 libfulcrum-client1
traces >"$tap_tmp/after"
holds "nothing is left of them" diff "$tap_tmp/before" "$tap_tmp/after"

# ---- Their own tests -------------------------------------------------------------

# On this system, where they are installed and taken out again.
own_tests() {
    dpkg -i "$build"/deb/*.deb &&
        autopkgtest --no-built-binaries "$build"/deb/fulcrum_*.dsc -- null
}
holds "the packages pass their own tests (autopkgtest)" own_tests
dpkg --purge libfulcrum-dev libfulcrum1 libfulcrum-client1 fulcrum fulcrum-doc fulcrum-node \
    >/dev/null 2>&1
tap_end
