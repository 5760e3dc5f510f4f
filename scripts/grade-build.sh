#!/bin/sh
# grade-build.sh KIT FAMILY/NAME - builds ./NAME.c, which somebody has handed in, and
# links it with the engine of the kit (make grade-kit) into ./fulcrum.  It runs in the
# sandbox of `fulcrum grade`, where nothing of it is executed; standard error says in
# one line why it was refused.
#
# What comes out of `fulcrum` is believed, so the hand-in may not reach around the
# engine: no assembly, nothing that runs before main(), no variables, no functions but its
# own and those of core/ and problems/, no macros that the engine could see, and the
# problem that the exercise names.  It is looked at as the compiler sees it.
set -u
kit=$1 family=${2%/*} name=${2#*/}
case $name in *[!a-z0-9_]*) exit 2 ;; esac
large=$(echo "$name" | tr a-z A-Z)
own=protocols/$family/$name

refuse() {
    echo "$1" >&2
    exit 2
}
# All that the engine declares comes first: what the hand-in declares anew is an error.
compile() {
    cc -std=c11 -D_GNU_SOURCE -O0 -w -I. -I"$kit/include" -pthread -include string.h \
        -include assert.h -include core/driver.h -include net/type.h "$@" 2>errors ||
        refuse "$(grep -E -m 1 'error|undefined' errors || head -n 1 errors | grep . ||
            echo 'the compiler reached its limits')"
}

mkdir -p "$own" && mv "$name.c" "$own/" || exit 2
[ -f "$name.h" ] || cp "$kit/hand-out/$name.h" . || exit 2
mv "$name.h" "$own/"

# ---- What it may contain -----------------------------------------------------------

# Every macro that its own files define, and every file that they include; the name of a
# file counts only where the compiler has entered it (1) or come back (2).
compile -E -dD -o seen.i "$own/$name.c"
awk -v name="$name" -v large="$large" -v own="$own/$name" -v kit="$kit/include/" '
    function refuse(why) { print why; bad = 1; exit 1 }
    FILENAME != "seen.i" { word[$1] = 1; next }
    /^# [0-9]+ "/ {
        file = $3
        gsub(/"/, "", file)
        sub(/^\.\//, "", file)
        if ($4 == 1) {
            if ((now == own ".c" || now == own ".h") && file != own ".h" &&
                index(file, kit) != 1 && file !~ /\/std(int|bool|def)\.h$/)
                refuse("it may include core/, problems/ and protocols/ only, not " file)
            stack[++depth] = now
            now = file
        } else if ($4 == 2) {
            now = stack[depth--]
        } else if (depth == 0 && !begun) {
            now = file
            begun = file == own ".c" && $2 == 1
        } else if (file != now) {
            refuse("it may not say that it is another file (#line)")
        }
        next
    }
    /^#(define|undef) / && (now == own ".c" || now == own ".h") {
        what = $2
        sub(/\(.*/, "", what)
        if (what ~ "^(" name "|" large ")_" || (now == own ".c" && what ~ /^TURN/))
            next
        if (now == own ".h")
            refuse("names that its header defines begin with " name "_: not " what)
        if ($1 == "#undef" || what in word)
            refuse("the macro " what " is a name of the engine; call it " name "_" what)
    }
    /(^|[^A-Za-z0-9_])(asm|__asm|__asm__)([^A-Za-z0-9_]|$)/ && (now == own ".c" || now == own ".h") {
        refuse("no assembly, please")
    }
    /^#pragma/ && (now == own ".c" || now == own ".h") { refuse("no pragmas, please") }
    ' "$kit/words" seen.i >bad || refuse "$(cat bad)"

# Functions of the compiler that see the stack; core/ uses others.
compile -E -P -o seen.i "$own/$name.c"
! grep -owE '__builtin_(alloca|return|apply|frame|extract|setjmp|longjmp|eh|unwind|call|dwarf|init|va)[a-z_]*' \
    seen.i >bad || refuse "it may not contain $(head -n 1 bad)"

compile -c -o own.o "$own/$name.c"
size -A own.o | awk '/^\.(data|bss|tdata|tbss|init_array|fini_array|preinit_array|ctors|dtors)/ &&
    !/^\.data\.rel\.ro/ && $2 > 0 { print $1; exit 1 }' >bad ||
    refuse "it has variables, or something that runs before main(): $(cat bad)"
nm -P -g own.o >names
! awk '$2 ~ /^[iI]$/' names | grep . >bad || refuse "nothing that runs before main(), please: $(cat bad)"
! awk '$2 !~ /^[Uwv]$/ { print $1 }' names | grep -vE "^${name}(_[a-z0-9_]+)?$" >bad ||
    refuse "what it defines must be static, or begin with ${name}_: $(head -n 1 bad)"
! awk '$2 ~ /^[Uwv]$/ { print $1 }' names |
    grep -vE '^(mem(cpy|set|move|cmp)|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail)$' |
    grep -vxFf "$kit/names" >bad || refuse "it may not call $(head -n 1 bad)"

# It solves the problem that it is meant to solve, and no easier one.
cat >problem.c <<END
#include "$own/$name.h"
#define WORD_(x) #x
#define WORD(x) WORD_(x)
_Static_assert(__builtin_strcmp(WORD(${name}_problem), "$family") == 0,
               "${name}_problem must be $family");
END
compile -c -o /dev/null problem.c

# ---- The program --------------------------------------------------------------------

engine=$kit/include
only="-DFC_PROTOCOLS(X)=X($name)"
typed="-DP=$name -DP_ONCE"
compile $typed "-DP_SOURCE=\"$own/$name.c\"" -c -o net.o "$engine/net/typed.c"
compile $typed "-DP_SOURCE=\"$own/$name.h\"" -c -o sim.o "$engine/sim/typed.c"
compile "$only" -c -o type.o "$engine/net/type.c"
compile "$only" -c -o setup.o "$engine/sim/setup.c"
compile -o fulcrum net.o sim.o type.o setup.o "$kit/judge.a" "$kit/engine.a" \
    -ljansson -lm
