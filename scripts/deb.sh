#!/bin/sh
# deb.sh FOLDER VERSION - builds the Debian packages in FOLDER, from the sources
# as they are now, and lets lintian look at them.  Their maintainer is whoever
# DEBFULLNAME and DEBEMAIL name, if they do.
set -eu
cd "$(dirname "$0")/.."
folder=$1
version=$2
tree=$folder/fulcrum-$version

rm -rf "$folder"
mkdir -p "$tree"
if git rev-parse 2>/dev/null; then
    git ls-files -z --cached --others --exclude-standard
else # an unpacked archive
    find . -name build -prune -o ! -type d -print0
fi | xargs -0 cp --parents -P -t "$tree"
[ -z "${DEBEMAIL:-}" ] ||
    sed -i "s/^Maintainer: .*/Maintainer: ${DEBFULLNAME:-$DEBEMAIL} <$DEBEMAIL>/" \
        "$tree/debian/control"
{
    echo "fulcrum ($version) unstable; urgency=medium"
    echo
    echo "  * This version; CHANGELOG.md says what is new."
    echo
    sed -n 's/^Maintainer: \(.*\)/ -- \1/p' "$tree/debian/control" | tr '\n' ' '
    date -R -d "@${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}" | sed 's/^/ /'
} >"$tree/debian/changelog"
(cd "$tree" && dpkg-buildpackage --build=binary --no-sign) >"$folder/log" 2>&1 || {
    tail -n 40 "$folder/log"
    exit 1
}
rm -rf "$tree"
lintian --fail-on error "$folder"/*.changes
ls -1 "$folder"/*.deb
