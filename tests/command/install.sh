#!/usr/bin/env bash
# install.sh BUILD - what `make install` installs works from there.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
root=$tap_tmp/root

# Whatever the umask of the administrator is.  What is not up to date is built before:
# programs that are linked under this umask can be started by nobody else.
installed() {
    make --no-print-directory BUILD="$build" &&
        (umask 077 && make --no-print-directory BUILD="$build" PREFIX=/usr \
            DESTDIR="$root" install) && ! find "$root" ! -type l ! -perm -444 | grep . &&
        ! find "$root" -type d ! -perm 755 | grep .
}
holds "make install, for everybody to read" installed
holds "the installed command runs" "$root/usr/bin/fulcrum" list
stripped() { ! readelf -S "$@" | grep -E '\.(debug_info|symtab)'; }
holds "the command and the library have no debugging symbols" stripped \
    "$root/usr/bin/fulcrum" "$root"/usr/lib/libfulcrum{,-client}.so

# The command takes locks itself, and another program knows all other verbs; where the
# laboratory is not installed it says where they are.
if [ -e "$root/usr/libexec/fulcrum/fulcrum-node" ]; then
    same "the command loads nothing but the C library" "libc.so.6" \
        "$(objdump -p "$root/usr/bin/fulcrum" | awk '$1 == "NEEDED" {print $2}')"
    known() {
        local verb bad=0
        for verb in $("$root/usr/bin/fulcrum" help | awk '/^  [a-z]/ && $2 {print $1}'); do
            "$root/usr/libexec/fulcrum/fulcrum-node" "$verb" --help >"$tap_tmp/said" 2>&1 ||
                grep -q "in the package 'fulcrum'" "$tap_tmp/said" || { cat "$tap_tmp/said"; bad=1; }
        done
        [ -n "${verb:-}" ] && return $bad
    }
    holds "a node without the laboratory knows where its verbs are" known
    alone() {
        mkdir -p "$tap_tmp/alone" && cp "$root/usr/bin/fulcrum" "$tap_tmp/alone" &&
            ! "$tap_tmp/alone/fulcrum" sim vitanyi 2>"$tap_tmp/said" &&
            grep -q "are not installed" "$tap_tmp/said"
    }
    holds "a command without the others says so" alone
fi

# with_pkg_config FILE [--static]: compiles it in an empty folder, with only the
# flags of pkg-config for the libraries that it includes.
with_pkg_config() {
    local flags standard=c11 packages=
    grep -qE '<fulcrum/(lock|fence)' "$1" && packages=fulcrum-client
    grep -qvE '<fulcrum/(lock|fence)' <(grep '<fulcrum/' "$1") && packages="$packages fulcrum"
    # shellcheck disable=SC2086
    flags=$(PKG_CONFIG_PATH=$root/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        pkg-config --cflags --libs $2 $packages) || return 1
    case $1 in *.cc) standard=c++11 ;; esac
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
        arguments=("$tap_tmp/store")
        export FULCRUM_SOCKET=$tap_tmp/north.socket
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

# promised HEADER...: the functions that they declare.  exported MAP...: those that
# are in the lists of symbols.
promised() {
    tr '\n' ' ' < <(cat "$@") | grep -oE '\bfulcrum_[a-z_]+\([^0-9]' | sed 's/(.*//' | sort -u
}
exported() {
    sed -n 's/^\t\(fulcrum_[a-z_]*\);/\1/p' "$@" | sort -u
}
# A program that includes one header first, and takes the address of everything
# that it promises.
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
    echo 'int main() { fulcrum_lock *held; fulcrum_net *net = fulcrum_net_new("lelann");'
    echo '    fulcrum_sim *sim = fulcrum_sim_run(net, 1, 1, 1, nullptr); fulcrum_sim_free(sim); fulcrum_net_free(net);'
    echo '    return fulcrum_take("", 0, &held) == -1 && sim && !held ? 0 : 1; }'
} >"$tap_tmp/all.cc"
in_cxx() { CC=g++ FULCRUM_SOCKET=/nowhere runs "$tap_tmp/all.cc" ""; }
sed -i 's|.*fulcrum_rw.h.*||' "$tap_tmp/all.cc" # asks for C++17
holds "C++ reads the headers, and its programs link" in_cxx
# A protocol is the same text outside the tree.
as_it_is() {
    cp -R --parents protocols/election/vitanyi protocols/mutex/ricart_agrawala "$tap_tmp/empty" &&
        (cd "$tap_tmp/empty" && for p in protocols/*/*; do
            ${CC:-cc} -std=c11 -Wall -Wextra -Wconversion -Werror -I. \
                -I"$root/usr/include" -I"$root/usr/include/fulcrum" -c "$p/${p##*/}.c" -o example.o || return
        done)
}
holds "a protocol compiles with the installed headers, as it is" as_it_is
same "the lists of symbols are what the headers promise" \
    "$(promised include/fulcrum/*.h)" "$(exported api/*.map)"
for library in client lab; do
    file=libfulcrum-client
    [ $library = client ] || file=libfulcrum
    # A program may have any other name for itself.
    same "$file.a has the names of its list, and no others" "$(exported api/$library.map)" \
        "$(nm -g --defined-only "$root/usr/lib/$file.a" | awk 'NF == 3 { print $3 }' | sort)"
    same "$file.so exports its list, each name under its version" \
        "$(awk '/ {$/ { node = $1 } /^\tfulcrum_/ { sub(/;/, "", $1); print $1 "@@" node }' api/$library.map | sort)" \
        "$(nm -D --defined-only "$root/usr/lib/$file.so" | awk '$2 == "T" {print $3}' | sort)"
    # Where abidw is not, or the machine is another, the lists above must do.
    if command -v abidw >/dev/null && [ "$(uname -m)" = x86_64 ] && [[ ${CC:-cc} != *clang* ]]; then
        holds "$file.so is what api/$file.xml describes" bash scripts/abi.sh "$build" "$file"
    fi
done
same "a client needs only the C library" "libc.so.6" \
    "$(objdump -p "$root/usr/lib/libfulcrum-client.so" | awk '$1 == "NEEDED" && $2 !~ /^(ld-linux|lib(asan|ubsan|tsan)\.so)/ {print $2}')"
small() { [ "$(stat -Lc %s "$root/usr/lib/libfulcrum-client.so")" -lt 81920 ]; }
holds "it is smaller than 80 kB" small
# Other compilers have other warnings, and none is an error.
musl() {
    make --no-print-directory BUILD="$tap_tmp/musl" CC=musl-gcc SANITIZE= CFLAGS= WERROR= client &&
        musl-gcc -std=c11 -static -I"$root/usr/include" docs/examples/lock.c \
            "$tap_tmp/musl/static/libfulcrum-client.a" -o "$tap_tmp/musl/lock" &&
        ! FULCRUM_SOCKET=/nowhere "$tap_tmp/musl/lock" "$tap_tmp/none" 2>"$tap_tmp/said" &&
        grep -q "^lock: " "$tap_tmp/said"
}
! command -v musl-gcc >/dev/null ||
    holds "a client builds with musl, and is linked statically" musl
for header in include/fulcrum/*.h; do
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
