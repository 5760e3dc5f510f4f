#!/bin/sh
# deb.sh FOLDER - builds the source package and the Debian packages in FOLDER, from the
# sources as they are now, and lets lintian look at them.  Their maintainer is whoever
# DEBFULLNAME and DEBEMAIL name, if they do.
#
# `dpkg-buildpackage` in a clone does the same beside it; here the clone stays as it
# is, and files that are not in git stay out.
set -eu
cd "$(dirname "$0")/.."
folder=$1
tree=$folder/fulcrum

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
(cd "$tree" && dpkg-buildpackage --no-sign -j"$(nproc)") >"$folder/log" 2>&1 || {
    tail -n 40 "$folder/log"
    exit 1
}
rm -rf "$tree"
lintian --fail-on error "$folder"/*.changes
ls -1 "$folder"/*.dsc "$folder"/*.deb
