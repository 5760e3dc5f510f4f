#!/usr/bin/env bash
# soak.sh BUILD - 10^9 reads over all configurations, then 1000 kills.
#
# RW_READS and RW_KILLS ask for fewer.  Every configuration prints one line;
# the last line is the sum.  Exit 1 if any of them failed.
set -u
cd "$(dirname "$0")/.."
build=$1
reads=${RW_READS:-1000000000}
kills=${RW_KILLS:-1000}
log=$build/rw/soak.log
failed=0
mkdir -p "$build/rw"
: >"$log"

run() {
    "$@" | tee -a "$log"
    [ "${PIPESTATUS[0]}" -eq 0 ] || { failed=1; echo "FAILED: $*"; }
}

# Reads are shared out: small values get more, since they take less time, and
# whatever waits gets few.
sizes="--size 8 --size 13 --size 64 --size 256 --size 1000 --size 4096"
for how in "" --signals --processes "--processes --signals"; do
    for readers in 1 2 4; do
        for pace in "" --paced; do
            # 4 hows, 3 counts of readers, 2 paces, 6 sizes: 144 runs.
            # shellcheck disable=SC2086
            run "$build/rw/validate" $how $pace --readers "$readers" $sizes \
                --scheme writer --reads $((reads / 144 / readers + 1))
        done
    done
    for scheme in none paper; do
        # shellcheck disable=SC2086
        run "$build/rw/validate" $how --readers 3 $sizes --scheme $scheme \
            --reads $((reads / 20000 + 1)) --seconds 5
    done
    for scheme in writer none paper; do
        # shellcheck disable=SC2086
        run "$build/rw/validate-chaos" $how --readers 3 $sizes \
            --scheme $scheme --reads $((reads / 20000 + 1)) --seconds 5
    done
done
run "$build/rw/validate" --kills "$kills" --scheme none --size 4096
run "$build/rw/validate-chaos" --kills "$kills" --size 256

awk '{ for (i = 1; i <= NF; i++) if (split($i, f, "=") == 2) sum[f[1]] += f[2] }
    END { printf "reads=%.0f writes=%.0f torn=%.0f stale=%.0f backwards=%.0f " \
        "kills=%.0f in-a-write=%.0f repairs=%.0f\n", sum["reads"], \
        sum["writes"], sum["torn"], sum["stale"], sum["backwards"], \
        sum["kills"], sum["in-a-write"], sum["repairs"] }' "$log"
exit $failed
