# live_judge.awk - judges what holders of an exclusive lock wrote, in the order
# in which they wrote it: "TOKEN WHO".  A line with a lower token than one before
# it was written by somebody who was no longer the holder; a token with two
# names was given twice.

$1 !~ /^[0-9]+$/ {
    print FILENAME ":" NR ": no token: " $0
    bad = 1
    next
}

# Tokens have up to 19 digits, which numbers of awk do not hold: they are
# compared by length and then as text.
{
    if (length($1) < length(last) ||
        (length($1) == length(last) && "x" $1 < "x" last)) {
        print FILENAME ":" NR ": " $2 " wrote under " $1 " after " last
        bad = 1
    } else
        last = $1
    if ($1 in owner && owner[$1] != $2) {
        print FILENAME ":" NR ": " $1 " was given to " owner[$1] " and " $2
        bad = 1
    }
    owner[$1] = $2
}

END { exit bad }
