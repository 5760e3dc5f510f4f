# tap.sh - for tests written in shell: source it, then say what holds.

tap_failed=0
tap_tmp=$(mktemp -d)
trap 'rm -rf "$tap_tmp"' EXIT

# Every jq takes as long to begin as ten of what it is asked about, and there are two
# thousand; gojq says the same at once.
if command -v gojq >/dev/null; then
    jq() { gojq "$@"; }
fi

# holds RULE COMMAND...: the command succeeds, quietly.  RULES=PATTERN: only such rules.
holds() {
    local rule=$1
    [[ $rule =~ ${RULES:-} ]] || return 0
    shift
    if "$@" >"$tap_tmp/.held" 2>&1; then
        echo "ok - $rule"
    else
        echo "not ok - $rule"
        sed 's/^/#   /' "$tap_tmp/.held" | head -n 20
        tap_failed=1
    fi
}

# same RULE EXPECTED ACTUAL: two texts are equal.
same() {
    if [ "$2" = "$3" ]; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        printf '#   expected: %s\n#   actual:   %s\n' "$2" "$3"
        tap_failed=1
    fi
}

# refuses CODE WORDS ARGUMENTS...: $fulcrum exits with CODE, says one sentence with
# WORDS on standard error and nothing on standard output.
refuses() {
    local code=$1 words=$2 got out rule
    shift 2
    rule="fulcrum $* is refused: $words"
    out=$("$fulcrum" "$@" 2>"$tap_tmp/err")
    got=$?
    if [ "$got" -eq "$code" ] && [ -z "$out" ] &&
        [ "$(wc -l <"$tap_tmp/err")" -eq 1 ] &&
        grep -q -e "$words" "$tap_tmp/err"; then
        echo "ok - $rule"
    else
        echo "not ok - $rule"
        echo "#   exit $got, wanted $code; said:"
        sed 's/^/#   /' "$tap_tmp/err"
        tap_failed=1
    fi
}

# interrupt PID: Ctrl-C, as soon as it is a program that listens.  A shell starts
# what runs in the background with this signal ignored: too early, it is lost.
interrupt() {
    local caught
    while [ -e "/proc/$1/exe" ]; do
        # In this order: the shell that becomes the program may catch it as well.
        if [ ! "/proc/$1/exe" -ef "/proc/$$/exe" ]; then
            caught=$(sed -n 's/^SigCgt:[[:space:]]*/0x/p' "/proc/$1/status" 2>/dev/null)
            [ $((${caught:-0} & 2)) -eq 0 ] || break
        fi
        sleep 0.05
    done
    kill -INT "$1"
}

# until_worked PID: it has computed for a second, or has ended.  A second of the clock
# says nothing: the machine may have stood still meanwhile.
until_worked() {
    local stat
    while stat=$(cat "/proc/$1/stat" 2>/dev/null); do
        # shellcheck disable=SC2086
        set -- "$1" ${stat##*) }
        [ $((${13} + ${14})) -lt 100 ] || break # in hundredths, user and system
        sleep 0.05
    done
}

tap_end() {
    exit $tap_failed
}
