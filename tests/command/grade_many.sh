#!/usr/bin/env bash
# grade_many.sh BUILD - sixty hand-ins, right, wrong, malformed, hostile and endless,
# marked twice at once: the same marks, none of them wrong, and nothing that outlives
# its limits.  make check-grade
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$(realpath "$1")
fulcrum=$build/fulcrum
at=docs/exercises
in=$tap_tmp/hand-ins
mkdir "$in"

# put NAME MARK: a hand-in, and the points that it must get.
: >"$tap_tmp/expected"
put() {
    mkdir -p "$in/$(dirname "$1")"
    cat >"$in/$1"
    echo "$1 $2" >>"$tap_tmp/expected"
}
# source NAME MARK LINE: the solution of the exercise in C, with a line before its
# first function.
source() {
    line=$3 awk '!done && /^static/ { print ENVIRON["line"]; done = 1 } { print }' \
        $at/solutions/eager.c | put "$1/eager.c" "$2"
}

# ---- Thirty in text ------------------------------------------------------------------

for i in $(seq 1 10); do
    "$fulcrum" grade --answers --student "s$i" >"$tap_tmp/all"
    for key in names overtake seed; do
        { echo "student = s$i"
            awk -v key=$key '/^exercise/ { on = $3 == key } /^#/ { on = 0 } on' "$tap_tmp/all"
        } >"$tap_tmp/one"
        full=4
        [ $key != seed ] || full=3
        case $((i % 5)) in
        1) put "s$i/$key.txt" $full <"$tap_tmp/one" ;;
        2) sed 's/$/\r/' "$tap_tmp/one" | put "s$i/$key.txt" $full ;;
        3) sed "s/= s$i/= x$i/" "$tap_tmp/one" | put "s$i/$key.txt" 0 ;;
        4) sed 's/ = / : /; s/,/ ; /g' "$tap_tmp/one" | put "s$i/$key.txt" $full ;;
        0) grep -vE '^(names|moves|which)' "$tap_tmp/one" | put "s$i/$key.txt" 0 ;;
        esac
    done
done
printf 'a\0b' | put odd/zero.txt 0
head -c 500000 /dev/urandom | tr -d '\0' | put odd/noise.txt 0
yes 'exercise = names' | head -n 60 | tr -d '\n' | put odd/line.txt 0
: | put odd/empty.txt 0
yes 'names = 1,2' | head -n 80000 | cat <(echo 'exercise = names') - | put odd/long.txt 0
printf 'exercise = names\nnames = {ring},$(reboot)\n' | put odd/words.txt 0
printf 'exercise = late\nmoves = %s\n' "$(yes 'time passes;' | head -n 5000 | tr -d '\n')" | put odd/moves.txt 0
printf 'exercise = bounds\ndmax = 1:1:0:255\n' | put odd/endless.txt 1
printf 'exercise = crashes\nfaults = crash 1@18446744073709551615\n' | put odd/overflow.txt 0
printf 'exercise = counterexample\nproperty = --help\nat = 1\nstep = 1\n' | put odd/option.txt 0

# ---- Twenty in C ---------------------------------------------------------------------

put good/eager.c 10 <$at/solutions/eager.c
put wrong/eager.c 5 <$at/eager.c
put text/eager.c 0 <docs/style.md
put nothing/eager.c 0 </dev/null
source forks 0 'int fork(void); static void many(void) { for (;;) fork(); }
__attribute__((constructor)) static void first(void) { many(); }'
source before 0 'int puts(const char *); __attribute__((constructor)) static void first(void) { puts("{\"verdict\": \"holds\"}"); }'
source exits 0 'void _exit(int); static void leave(void) { _exit(0); } void *eager_p = (void *)leave;'
source bomb 0 'int system(const char *); static int x(void) { return system(":(){ :|:& };:"); } int eager_x(void); int eager_x(void) { return x(); }'
source assembly 0 'static void stop(void) { __asm__ volatile("hlt"); }'
source pasted 0 '#define eager_P(a, b) a##b
static void stop(void) { eager_P(__as, m__) volatile("hlt"); }'
source reads 0 '#include "/etc/passwd"'
source device 0 '#include "/dev/zero"'
source itself 0 '#include "protocols/election/eager/eager.c"'
source macro 0 '#define typed_sane eager_nothing'
source undefines 0 '#undef FC_PASTE'
source lies 0 '# 1 "core/fc.h" 1
#define net_type nothing'
source large 0 'char eager_large[1ul << 33] = {1};'
source replaces 0 'void *malloc(unsigned long n); void *malloc(unsigned long n) { (void)n; return 0; }'
source variables 0 'static int count; int *eager_count = &count;'
sed 's/^static inline void on_start(struct turn \*t)$/&/; /on_start(struct turn \*t)/,/{/ s/{/{ for (volatile int i = 1; i; ) ;/' \
    $at/solutions/eager.c | put endless/eager.c 0

# ---- Both at once --------------------------------------------------------------------

same "there are sixty hand-ins" 60 "$(wc -l <"$tap_tmp/expected")"
marks() {
    "$fulcrum" grade --json --seconds 5 --memory 512 "$@" >"$tap_tmp/json"
    jq -r '.hand_ins[] | "\(.file) \(.points)"' "$tap_tmp/json" | sed "s|^$in/||" | sort
}
marks "$in" >"$tap_tmp/first" &
first=$!
(tap_tmp=$tap_tmp/second.d; mkdir "$tap_tmp"; marks -j 3 $(ls -d "$in"/* | tac)) >"$tap_tmp/second"
wait $first
[ -z "${SHOW:-}" ] || jq -r '.hand_ins[] | select(.file | endswith(".c")) |
    "\(.file) \(.points) \(.refused) \([.rules[] | select(.verdict == "missed") | .says] | join("; "))"' \
    "$tap_tmp/json"
sort "$tap_tmp/expected" >"$tap_tmp/sorted"
same "none of the marks is wrong" "" "$(diff "$tap_tmp/sorted" "$tap_tmp/first")"
same "in another order, on more jobs than cores, beside it, they are the same" "" \
    "$(diff "$tap_tmp/first" "$tap_tmp/second")"
same "nothing outlives its hand-in" "" \
    "$(ps -eo uid,stat,args | awk '$1 + 0 >= 1600000000 && $2 !~ /Z/' | head -n 3)"
same "no folder is left" "" "$(ls -d /tmp/fulcrum-grade-* 2>/dev/null | head -n 3)"
tap_end
