# exact.sh - for tests of what is written as JSON, to be sourced: numbers that survive
# their readers.

# read_by_all NAME EXPECTED FILE JQ JS: the program `jq`, whose numbers are doubles
# in the version of Debian 12, and a JavaScript, whose are too, read the same
# digits in JSON; `o` is what JS reads.
read_by_all() {
    same "$1, read by jq" "$2" "$(command jq -r "$4" "$3")"
    if command -v node >/dev/null; then
        same "$1, read by JavaScript" "$2" "$(node -e "const o = JSON.parse(
            require('fs').readFileSync('$3')); console.log($5)")"
    fi
}

# exact FILE: no number in JSON is so long that a double could round it.
exact() {
    ! grep -E '^ *("[^"]*": )?-?[0-9]{16,},?$' "$1"
}
