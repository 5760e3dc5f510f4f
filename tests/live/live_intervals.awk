# live_intervals.awk - judges when holders of one lock say that they held it:
# lines "TIME TOKEN KIND WHO WHAT [COUNT]" of tests/live/worker.c, sorted by
# time (sort -n).  WHO names one entry.  A holder that was killed says no word
# of its end: it held until its last line, and nothing is known of it later.
#
#   - an exclusive entry (x) is beside no other, a shared one (s) beside no x
#   - tokens: of an x above all before it, of an s above every x before it
#   - counts grow from entry to entry: one that does not is a lost update
#   - no reader saw the counter move
#
# The summary in the end: entries, and the greatest count.

# The same once.
function complain(text) {
    if (!(text in said))
        print "line " NR ": " text
    said[text] = bad = 1
}

# Tokens have up to 19 digits, which numbers of awk do not hold: with leading
# zeros they can be compared as text.
function padded(token) {
    return substr("x00000000000000000000", 1, 21 - length(token)) token
}

NF < 5 || $1 !~ /^[0-9]+$/ || $2 !~ /^[0-9]+$/ || $3 !~ /^[xs]$/ {
    complain("no line of a holder: " $0)
    next
}

$1 < time {
    complain("not sorted by time")
    next
}

{
    time = $1
    token = padded($2)
}

!($4 in kind) {
    kind[$4] = $3
    entries++
    if ($3 == "x") {
        if (token <= any_token)
            complain($4 " entered with " $2 ", not above " any_token)
    } else if (token <= x_token)
        complain($4 " read under " $2 ", not above " x_token)
    given[$4] = token
    if (token > any_token)
        any_token = token
    if ($3 == "x" && token > x_token)
        x_token = token
}

kind[$4] != $3 || given[$4] != token {
    complain($4 " changed its kind or token")
}

# Whoever speaks after somebody else has entered whom it excludes was inside
# together with that one.
{
    if ($3 == "x" && newest != "" && newest != $4 && order[$4])
        complain($4 " and " newest " were inside together")
    if ($3 == "s" && newest_x != "" && order[$4] && order[newest_x] > order[$4])
        complain($4 " read beside " newest_x)
    if (!order[$4]) {
        order[$4] = entries
        newest = $4
        if ($3 == "x")
            newest_x = $4
    }
}

$5 == "torn" {
    complain($4 " saw the counter move")
}

NF >= 6 {
    if ($6 + 0 <= count)
        complain($4 " counted " $6 " after " count ": an update is lost")
    count = $6 + 0
}

END {
    print entries + 0 " entries, count " count + 0
    exit bad
}
