#!/usr/bin/env bash
# install.sh BUILD - what `make install` installs works from there.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
root=$tap_tmp/root

holds "make install" make --no-print-directory BUILD="$build" PREFIX=/usr \
    DESTDIR="$root" install
holds "the installed command runs" "$root/usr/bin/fulcrum" list

# with_pkg_config FILE [-static]: compiles and runs it in an empty folder, with
# only the flags of pkg-config.
with_pkg_config() {
    local flags
    flags=$(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        pkg-config --cflags --libs fulcrum) || return 1
    mkdir -p "$tap_tmp/empty"
    cp "$1" "$tap_tmp/empty/example.c"
    # shellcheck disable=SC2086
    (cd "$tap_tmp/empty" && ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror \
        example.c -o example $2 $flags -pthread -lm &&
        LD_LIBRARY_PATH=$root/usr/lib ./example)
}
for example in docs/examples/*.c; do
    [ -e "$example" ] || continue
    holds "$example works with the shared library" with_pkg_config "$example" ""
    holds "$example works with the static library" with_pkg_config "$example" \
        -static
done

# ---- What is promised ----------------------------------------------------------

# A program that includes one header first, and takes the address of everything
# that it promises.
promised() {
    sed -n 's/^FULCRUM_API(\(.*\));/\1/p' "$@"
}
for header in include/fulcrum/*.h; do
    name=${header##*/}
    {
        echo "#include <fulcrum/$name>"
        echo "#include <stdio.h>"
        echo "int main(void) {"
        promised "$header" | sed 's/.*/    printf("%p", (void *)(size_t)\&&);/'
        echo "    return 0; }"
    } >"$tap_tmp/$name.c"
    holds "fulcrum/$name compiles, and all it promises is there" \
        with_pkg_config "$tap_tmp/$name.c" ""
done
same "the shared library exports what is promised, and nothing else" \
    "$(promised "$root"/usr/include/fulcrum/*.h | sort)" \
    "$(nm -D --defined-only "$root/usr/lib/libfulcrum.so" | awk '{print $3}' | sort)"
same "a client needs only the C library" "libc.so.6" \
    "$(objdump -p "$root/usr/lib/libfulcrum.so" | awk '$1 == "NEEDED" && $2 !~ /^lib(m|asan|ubsan|tsan)\.so/ {print $2}')"
for header in include/fulcrum/[b-z]*.h; do # all but api.h
    holds "a manual page describes fulcrum/${header##*/}" \
        grep -q "^.In fulcrum/${header##*/}\$" man/*.3
done
told() {
    ! promised include/fulcrum/*.h | while read -r symbol; do
        grep -q -w "$symbol" man/*.3 || echo "$symbol is in no page"
    done | grep .
}
holds "the manual pages describe everything that the headers promise" told
holds "bash finds its completion" bash -n \
    "$root/usr/share/bash-completion/completions/fulcrum"
holds "zsh finds its completion" \
    test -s "$root/usr/share/zsh/site-functions/_fulcrum"

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
    holds "the tutorial's protocol builds and runs" bash docs/tutorial/try.sh \
        "$build"
fi

holds "the sample configuration is installed" \
    grep -q '^\[cluster\]' "$root/usr/share/doc/fulcrum/examples/fulcrum.ini"
unit=$root/usr/lib/systemd/system/fulcrum@.service
holds "the systemd unit runs the installed command" \
    grep -q '^ExecStart=/usr/bin/fulcrum node' "$unit"
verified() { # as an instance, with the command where it is now
    sed "s|/usr/bin/|$root/usr/bin/|" "$unit" >"$tap_tmp/fulcrum@north.service"
    ! systemd-analyze --man=no verify "$tap_tmp/fulcrum@north.service" 2>&1 |
        grep .
}
if command -v systemd-analyze >/dev/null; then
    holds "systemd understands the unit" verified
fi

nothing_left() {
    make --no-print-directory BUILD="$build" PREFIX=/usr DESTDIR="$root" \
        uninstall && [ -z "$(find "$root" -type f)" ]
}
holds "make uninstall leaves nothing" nothing_left
tap_end
