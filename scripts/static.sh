#!/bin/sh
# static.sh LIBRARY MAP TO - a copy of the static library in which all that MAP does
# not promise is called fulcrum__...: a linker sees every name of an archive, and a
# program may have a scan_number() of its own.
set -eu
names=$3.names
nm -g --defined-only "$1" | awk '
    NR == FNR { sub(/;/, ""); promised[$1] = 1; next }
    NF == 3 && !($3 in promised) && !seen[$3]++ { print $3, "fulcrum__" $3 }
' "$2" - >"$names"
objcopy --redefine-syms="$names" "$1" "$3"
rm "$names"
