#!/usr/bin/env bash
# fuzz.sh BUILD - hostile bytes for every decoder of the live runtime, for
# FUZZ_SECONDS each [1], from FUZZ_SEED [random].  An input that breaks one is kept
# in BUILD/fuzz, and reported with the command that reproduces it.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1
seconds=${FUZZ_SECONDS:-1}

if ! command -v clang >/dev/null; then
    echo "# left out: the fuzzers need clang"
    tap_end
fi

# A few inputs that are nearly right, so that it does not start from nothing.
seeds=$tap_tmp/seeds
for source in tests/fuzz/fuzz_*.c; do
    name=${source#tests/fuzz/fuzz_}
    mkdir -p "$seeds/${name%.c}"
done
printf '%s\n' '[cluster]' 'tau = 10ms' 'lease = 100ms' 'kill=10ms' \
    'delay = 15ms ; so' 'silence = 2s' 'spread = 2000ppm' 'key = k' \
    'state = s' 'socket = run/%i.s' '[node north]' 'host = 127.0.0.1' \
    'port = 7401' '[node south]' 'host = ::1' 'port = 7402' \
    >"$seeds/live_config/one"
printf '%s\n' '[cluster]' 'mode = silence' 'bounds = hard' 'dmax = 5ms' \
    'step = 10ms' 'window = early' '[node a]' 'host = ::1' 'port = 1' \
    '[node b]' 'host = ::1' 'port = 2' >"$seeds/live_config/two"
printf '\000FuD2\000\001\001\000%064d' 0 >"$seeds/live_datagram/raw"
printf '\001\001\001\005\000\001\001\006\000\002\002\001\000' \
    >"$seeds/live_datagram/sealed"
# Somebody who joins: id, what is made right, salt, kind; then id, port, sizes.
printf '\004\007\003\011\000\007\000\000\000\350\034\004\011late127.0.0.1' \
    >"$seeds/live_datagram/joins"
printf '\003\000abc\000\000\001\000x\005\000yz' >"$seeds/live_parcel/odd"
printf '\002\000ab\001\000c' >"$seeds/live_parcel/fine"
# A request for the lock "a": version, kind 1, then zeros round the name.
{
    printf '1LCF\001\000\000\000'
    head -c 24 /dev/zero
    printf a
    head -c 391 /dev/zero
} >"$seeds/live_letter/ask"
printf '7 (a\nb) Z) S 1 7 7 0 -1 4194560 82 0 0 0 0 0 0 0 20 0 1 0 4711 0\n' \
    >"$seeds/live_proc/name"
# Slots of all formats, those of earlier programs in both modes; a crc is made.
for kind in '\257FuRec3' '\214FuRec2' '\357FuRec3' '\314FuRec2'; do
    {
        printf "$kind\r\n\002\000\000\000\000\000\000\000"
        printf '\007\000\000\000\000\000\000\000'
        head -c 450 /dev/zero
    } >"$seeds/live_record/${kind:1:3}"
done
# FuRec4 is shorter by what is between the number of payloads and the first.
for kind in '\237FuRec4' '\337FuRec4' '\217FuRec6' '\317FuRec6' '\277FuRec5' \
    '\214FuRec7'; do
    case $kind in
    *4) size='\130' more=0 ;;
    *) size='\200' more=40 ;;
    esac
    {
        printf "$kind\r\n\002\000\000\000\000\000\000\000"
        printf "$size\000\000\000\000\000\000\000" # size, flags
        printf '\007\000\000\000\000\000\000\000' # configuration
        head -c 8 /dev/zero
        printf '\011\000\000\000\000\000\000\000' # generation, node
        printf '\003\000\000\000\002\000\000\000' # starts, payloads
        head -c $more /dev/zero
        printf '\001\000\001\000\004\000\000\000\100\000\000\000'
        printf '\002\000\001\000\010\000\000\000\000\020\000\000'
        head -c 400 /dev/zero
    } >"$seeds/live_record/${kind:1:3}"
done
head -c 90 /dev/zero | tr '\0' '\377' >"$seeds/live_record/last"
# Mode silence: two hellos; the node takes part; it wants a lock that another node
# asks for, too, refuses, enters and leaves; then it gives up and wants it again.
byte() { printf '%b' "\\0$(printf '%03o' "$1")"; }
word() { byte "$1"; head -c 7 /dev/zero; }
parcel() { # FROM NUMBER LOCK KIND VALUE MORE
    byte 0; byte "$1"; byte $((40 + $6)); byte 1; word "$2"; word 0
    byte $((21 + $6)); byte 0; word "$3"; byte "$4"
    head -c 4 /dev/zero; word "$5"; head -c "$6" /dev/zero
}
settled() { # NUMBER: both others have handled it
    local from
    for from in 0 1; do
        byte 0; byte $from; byte 17; byte 2; word "$1"; word 0
    done
}
later() { byte 137; byte 3; byte 0; }
told() { byte 180; byte "$1"; byte 0; }
{
    byte 1
    parcel 0 1 0 4 3 0; parcel 1 1 0 4 7 0; later; settled 1; later
    told 0; parcel 1 2 1 1 9 4; settled 2; later
    told 8; settled 3; told 0; told 12; told 0; settled 4; later; later
} >"$seeds/live_silence/talk"
# Letters on a bus, of zeros: a board of its own record is told of each message, or
# one without it of a view.  Sender and flags, pause, size; kind, receivers, content.
letter() { # NAME FLAGS KIND CONTENT ZEROS
    {
        byte "$2"; byte 10; byte $(($5 + 4)); byte "$3"; byte 2; byte 0; byte "$4"
        head -c "$5" /dev/zero
    } >"$seeds/firmware_bus/$1"
}
for kind in 1:73 2:15 3:26 4:13 5:28 6:25 7:29; do
    letter "${kind%:*}" 1 1 "${kind%:*}" "${kind#*:}"
    letter "wants${kind%:*}" 65 1 "${kind%:*}" "${kind#*:}"
done
letter asked 1 2 5 3
{
    byte 0; byte 10; byte 15; byte 3; byte 2; byte 0 # the question is 2^31 - 1
    printf '\377\377\377\177'
    head -c 8 /dev/zero
} >"$seeds/firmware_bus/told"
for kind in 1 2 3 4 5 6 7; do
    printf "\\00$kind\\000%054d" 0 >"$seeds/view_lock_unpack/$kind"
    printf "\\10$kind\\000%064d" 0 >"$seeds/view_lock_unpack/wide$kind"
    printf "\\010\\000\\070\\00$kind\\000%054d\\310\\000\\000" 0 \
        >"$seeds/view_lock_step/$kind"
done

fuzz() {
    local name=$1 corpus=$build/fuzz/corpus/$1
    mkdir -p "$corpus"
    "$build/fuzz/fuzz_$name" -max_total_time="$seconds" -max_len=2048 \
        -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=1 \
        -seed="${FUZZ_SEED:-0}" -artifact_prefix="$build/fuzz/$name-" \
        "$corpus" "$seeds/$name" >"$build/fuzz/$name.log" 2>&1 || {
        grep -o "Test unit written to .*" "$build/fuzz/$name.log" |
            sed "s|Test unit written to|again: $build/fuzz/fuzz_$name|"
        tail -n 18 "$build/fuzz/$name.log"
        return 1
    }
}

holds "the fuzzers build" make --no-print-directory -j"$(nproc)" \
    BUILD="$build" fuzzers
for source in tests/fuzz/fuzz_*.c; do
    name=${source#tests/fuzz/fuzz_}
    name=${name%.c}
    [ -x "$build/fuzz/fuzz_$name" ] || { echo "# left out: $name"; continue; }
    holds "hostile bytes: $name, $seconds s" fuzz "$name"
done
tap_end
