#!/usr/bin/env bash
# install.sh BUILD - what `make install` puts in place works from there.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
root=$tap_tmp/root

holds "make install" make --no-print-directory BUILD="$build" PREFIX=/usr \
    DESTDIR="$root" install
holds "the installed command runs" "$root/usr/bin/fulcrum" list

with_pkg_config() {
    export PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root
    local cflags libs
    cflags=$(sed -n 's/^Cflags: //p' "$root/usr/lib/pkgconfig/fulcrum.pc" |
        sed "s|\${includedir}|$root/usr/include/fulcrum|")
    libs="-L$root/usr/lib -lfulcrum"
    # shellcheck disable=SC2086
    ${CC:-cc} -std=c11 -Wall -Wextra -Werror $cflags "$1" -o "$tap_tmp/example" \
        $2 $libs -pthread -lm && LD_LIBRARY_PATH=$root/usr/lib "$tap_tmp/example"
}
for example in docs/examples/*.c; do
    [ -e "$example" ] || continue
    holds "$example works with the shared library" with_pkg_config "$example" ""
    holds "$example works with the static library" with_pkg_config "$example" \
        -static
done

for page in man/*.[1-9]; do
    [ -e "$page" ] || continue
    holds "$page is installed" test -s \
        "$root/usr/share/man/man${page##*.}/${page#man/}"
done
if command -v mandoc >/dev/null; then
    for page in man/*.[1-9]; do
        holds "mandoc reads $page" mandoc -T lint -W warning "$page"
    done
fi
if [ -e docs/tutorial/try.sh ]; then
    holds "the tutorial's protocol builds and runs" bash docs/tutorial/try.sh
fi

holds "the sample of a configuration is installed" \
    grep -q '^\[cluster\]' "$root/usr/share/doc/fulcrum/examples/fulcrum.ini"
unit=$root/usr/lib/systemd/system/fulcrum@.service
holds "the unit of a node runs the installed command" \
    grep -q '^ExecStart=/usr/bin/fulcrum node' "$unit"
verified() { # as an instance, with the command where it is now
    sed "s|/usr/bin/|$root/usr/bin/|" "$unit" >"$tap_tmp/fulcrum@north.service"
    ! systemd-analyze --man=no verify "$tap_tmp/fulcrum@north.service" 2>&1 |
        grep .
}
if command -v systemd-analyze >/dev/null; then
    holds "systemd understands it" verified
fi

nothing_left() {
    make --no-print-directory BUILD="$build" PREFIX=/usr DESTDIR="$root" \
        uninstall && [ -z "$(find "$root" -type f)" ]
}
holds "make uninstall leaves nothing" nothing_left
tap_end
