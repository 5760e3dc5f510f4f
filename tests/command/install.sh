#!/usr/bin/env bash
# install.sh BUILD - what `make install` installs works from there.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
root=$tap_tmp/root

# Whatever the umask of the administrator is.
installed() {
    (umask 077 && make --no-print-directory BUILD="$build" PREFIX=/usr \
        DESTDIR="$root" install) && ! find "$root" ! -type l ! -perm -444 | grep . &&
        ! find "$root" -type d ! -perm 755 | grep .
}
holds "make install, for everybody to read" installed
holds "the installed command runs" "$root/usr/bin/fulcrum" list
stripped() { ! readelf -S "$@" | grep -E '\.(debug_info|symtab)'; }
holds "the command and the library have no debugging symbols" stripped \
    "$root/usr/bin/fulcrum" "$root/usr/lib/libfulcrum.so"

# with_pkg_config FILE [--static]: compiles it in an empty folder, with only the
# flags of pkg-config.
with_pkg_config() {
    local flags standard=c11
    flags=$(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        pkg-config --cflags --libs $2 fulcrum) || return 1
    case $1 in *.cc) standard=c++17 ;; esac
    mkdir -p "$tap_tmp/empty"
    cp "$1" "$tap_tmp/empty/example.${1##*.}"
    # shellcheck disable=SC2086
    (cd "$tap_tmp/empty" && ${CC:-cc} -std=$standard -Wall -Wextra -Wpedantic \
        -Werror "example.${1##*.}" -o example ${2#-} $flags)
}
# runs FILE [--static] [ARGUMENT...]
runs() {
    with_pkg_config "$1" "$2" &&
        LD_LIBRARY_PATH=$root/usr/lib "$tap_tmp/empty/example" "${@:3}"
}
# The example that takes a lock needs a cluster, of two nodes at least.
nodes=()
if "$root/usr/bin/fulcrum" node --help >/dev/null 2>&1; then
    host=127.$(($$ / 62500 % 250 + 1)).$(($$ / 250 % 250)).$(($$ % 250 + 1))
    printf '%s\n' '[cluster]' 'key = cluster.key' 'state = state' \
        'socket = %i.socket' '[node north]' "host = $host" 'port = 7400' \
        '[node south]' "host = $host" 'port = 7401' >"$tap_tmp/cluster.ini"
    "$root/usr/bin/fulcrum" keygen "$tap_tmp/cluster.key"
    "$root/usr/bin/fulcrum" fence "$tap_tmp/store" init
    for node in north south; do
        "$root/usr/bin/fulcrum" node -c "$tap_tmp/cluster.ini" -i $node --init \
            2>"$tap_tmp/$node.log" &
        nodes+=($!)
    done
    trap '[ ${#nodes[@]} = 0 ] || kill "${nodes[@]}"; wait; rm -rf "$tap_tmp"' EXIT
    for _ in {1..100}; do
        [ -e "$tap_tmp/north.socket" ] && break
        sleep 0.05
    done
fi
for example in docs/examples/*.c; do
    arguments=()
    case $example in
    */lock.c)
        [ ${#nodes[@]} -gt 0 ] || continue
        arguments=("$tap_tmp/north.socket" "$tap_tmp/store")
        ;;
    esac
    holds "$example works with the shared library" runs "$example" "" \
        "${arguments[@]}"
    holds "$example works with the static library" runs "$example" --static \
        "${arguments[@]}"
done
if [ ${#nodes[@]} -gt 0 ]; then
    same "what was counted under the lock is in the store" 2 \
        "$("$root/usr/bin/fulcrum" fence "$tap_tmp/store" get counter)"
    kill "${nodes[@]}"
    wait "${nodes[@]}"
    nodes=()
fi

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
        runs "$tap_tmp/$name.c" ""
done
# All of them in a program in C++, which calls what it needs.
{
    for header in include/fulcrum/*.h; do
        echo "#include <fulcrum/${header##*/}>"
    done
    echo '#include <fulcrum/fulcrum_rw.h>'
    echo 'int main() { std::atomic_bool stop(false); struct sim_batch batch{}; batch.stop = &stop;'
    echo '    char error[LIVE_ERROR_SIZE]; live_client client{};'
    echo '    return live_client_open(&client, "", error) == -1 && sim_find("lelann") && !*batch.stop ? 0 : 1; }'
} >"$tap_tmp/all.cc"
in_cxx() { CC=g++ runs "$tap_tmp/all.cc" ""; }
holds "C++ reads the headers, and its programs link" in_cxx
# A program may have any other name for itself, with the static library, too.
same "the static library has other names for the rest" "" \
    "$(nm -g --defined-only "$root/usr/lib/libfulcrum.a" | awk 'NF == 3 { print $3 }' |
        grep -v '^fulcrum__' | sort -u |
        grep -vxF "$(promised "$root"/usr/include/fulcrum/*.h)")"
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
# zsh_offers WORD...: for the last one, on one line.
zsh_offers() {
    PATH=$root/usr/bin:$PATH zsh -f -c '
        _describe() { print -r -- ${${(P)4}%%:*} }
        _files() { print files }
        words=(fulcrum "$@") CURRENT=$#words PREFIX=$words[-1]
        . $0' "$root/usr/share/zsh/site-functions/_fulcrum" "$@" | paste -sd' '
}
if command -v zsh >/dev/null; then
    same "zsh completes verbs" "sim" "$(zsh_offers si)"
    same "zsh completes protocols" "raymond-k raymond" "$(zsh_offers sim raym)"
    same "zsh completes parameters" "first-wait=" \
        "$(zsh_offers sim vitanyi --set fi)"
    same "zsh completes files" "files" "$(zsh_offers draw '')"
fi

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

# ---- Debian packages, as far as they can be seen without building them ---------

# What is installed is in exactly one package, except the page: what npm installs is
# not there when packages are built.
packed() {
    local path pattern count bad=0
    while read -r path; do
        count=0
        while read -r pattern; do
            # shellcheck disable=SC2254 # patterns
            case $path in $pattern | $pattern/*) count=$((count + 1)) ;; esac
        done < <(cat debian/*.install)
        [ $count = 1 ] || { echo "$path is in $count packages"; bad=1; }
    done < <(cd "$root" && find . ! -type d ! -path './usr/share/fulcrum/web/*' |
        sed 's|^\./||
        s,^usr/lib/\(lib\|pkg\),usr/lib/triplet/\1,')
    return $bad
}
holds "debian/*.install have all that is installed" packed
for script in debian/*.p*; do
    holds "$script can be read" sh -n "$script"
done
needed() {
    ! make -s --no-print-directory -f Makefile --eval 'needs:; @echo $(PACKAGES)' needs |
        tr ' ' '\n' | grep -v cmocka | while read -r package; do
        grep -q -w -e "$package" debian/control || echo "$package is not in debian/control"
    done | grep .
}
holds "debian/control asks for what is built with" needed

nothing_left() {
    make --no-print-directory BUILD="$build" PREFIX=/usr DESTDIR="$root" \
        uninstall && ! find "$root" ! -type d | grep .
}
holds "make uninstall leaves nothing" nothing_left
tap_end
