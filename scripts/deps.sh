#!/bin/sh
# deps.sh PACKAGE... - installs the Debian packages that are missing.  Of ONE|OTHER
# either will do; if none is there, the first that this system has is installed.
set -eu

is_installed() {
    dpkg-query -W -f '${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'
}

# first TEST ONE|OTHER...: the first of them that passes.
first() {
    for package in $(echo "$2" | tr '|' ' '); do
        ! "$1" "$package" || { echo "$package"; return; }
    done
}

missing=
for packages in "$@"; do
    [ -n "$(first is_installed "$packages")" ] || missing="$missing $packages"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null; then
    as_root=sudo
else
    echo "deps: missing:$missing" >&2
    echo "deps: become root, or install sudo, and say 'make deps' again" >&2
    exit 3
fi
if ! command -v apt-get >/dev/null; then
    echo "deps: missing:$missing" >&2
    echo "deps: there is no apt-get here; install them your system's way" >&2
    exit 3
fi
$as_root apt-get update -qq
# Where none is to be had, apt-get names the last one.
is_known() {
    apt-cache show "$1" >/dev/null 2>&1
}
install=
for packages in $missing; do
    known=$(first is_known "$packages")
    install="$install ${known:-${packages##*|}}"
done
echo "deps: installing$install"
# shellcheck disable=SC2086 # a list of words on purpose
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq \
    --no-install-recommends $install >/dev/null
