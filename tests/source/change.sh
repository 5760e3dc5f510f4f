# change.sh - to be read by a script that breaks sources on purpose.

# changed FILE OLD NEW: prints the file with NEW in the place of OLD; fails unless
# OLD stands there once.  Not by the shell's patterns: on a file of some size these
# take longer than to compile and to test it.
changed() {
    OLD=$2 NEW=$3 awk '
        { text = text $0 "\n" }
        END {
            old = ENVIRON["OLD"]
            at = index(text, old)
            if (!at || index(substr(text, at + 1), old))
                exit 1
            printf "%s%s%s", substr(text, 1, at - 1), ENVIRON["NEW"],
                substr(text, at + length(old))
        }' "$1" || { echo "$1 does not have this once: $2" >&2; return 1; }
}

# A test ends with the first failure: that is enough to have noticed.
export CMOCKA_TEST_ABORT=1
ulimit -c 0
