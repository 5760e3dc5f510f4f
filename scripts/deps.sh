#!/bin/sh
# deps.sh PACKAGE... - installs the Debian packages that are missing.
set -eu

missing=
for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null |
        grep -q 'install ok installed' || missing="$missing $package"
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
echo "deps: installing$missing"
$as_root apt-get update -qq
# shellcheck disable=SC2086 # a list of words on purpose
DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq \
    --no-install-recommends $missing >/dev/null
