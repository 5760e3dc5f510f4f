# cite.awk - the source of a protocol, made to say by which rules it goes.
#
# A rule stands at its branch, as a comment that begins with its label (see
# docs/style.md).  From it this makes a statement, CITE("VI-R3"), at the same
# place: with the statement, in the block, or in the function that the comment
# is about, behind the conditions on which that returns at once.  Lines stay
# where they are.  Only the module of the playground is compiled from this.
#
# A comment between a condition and what depends on it, before another condition,
# above a predicate or above a choice between cases says nothing about what
# happens, and is left alone.

# The labels that a comment begins with; with VI-R8 also its variant VI-R8'.
function labels_of(text,    found, n, one, i) {
    sub(/^[ \t]*\/?\*+[ \t]*/, "", text)
    if (!match(text, first))
        return ""
    found = substr(text, 1, RLENGTH)
    text = substr(text, RLENGTH + 1)
    gsub(/,/, "", found)
    n = split(found, one, " ")
    for (i = 1; i <= n; i++)
        if (one[i] !~ /'$/ && index(text, one[i] "'"))
            found = found " " one[i] "'"
    return found
}

function cite(labels) {
    return "CITE(\"" labels "\");"
}

function is_declaration(code) {
    return code !~ /^(return|break|continue|else|goto)[ ;]/ &&
           code ~ /^(const |struct |enum |unsigned )*[a-z_0-9]+ \*?[a-z_0-9]+( =|;|,|\[)/
}

function plain(text) {
    sub(/[ \t]*\/\*.*$/, "", text)
    sub(/^[ \t]+/, "", text)
    return text
}

# The line on which the parentheses that open on this one are closed.
function closed(i,    depth, text) {
    for (;; i++) {
        text = line[i]
        depth += gsub(/\(/, "", text)
        depth -= gsub(/\)/, "", text)
        if (depth <= 0)
            return i
    }
}

# Where the comment that begins on a line is over.
function over(i) {
    while (line[i] !~ /\*\//)
        i++
    return i + 1
}

# The function whose body begins on this line goes by these rules.
function place(i, name, labels,    end, block) {
    i++
    if (is_declaration(plain(line[i])))
        while (line[i] != "" && line[i] !~ /^\}/)
            i++
    for (;;) {
        if (line[i] == "") {
            i++
        } else if (line[i] ~ /^ *\/\*/) {
            i = over(i)
        } else if (line[i] ~ /^    if \(/) {
            end = closed(i)
            block = end
            if (line[end] ~ /\{$/)
                while (line[block + 1] !~ /^    \}/)
                    block++
            if (line[block == end ? end + 1 : block] == "        return;" &&
                line[block + 1] !~ /else/) {
                i = block == end ? end + 2 : block + 2
            } else if (name ~ /_if_/ && block == end) {
                with[end + 1] = labels
                return
            } else {
                break
            }
        } else {
            break
        }
    }
    if (line[i] !~ /^(\}|    switch)/)
        before[i] = labels
}

{
    line[NR] = $0
}

END {
    label = "[A-Z][A-Z]-[A-Z]?[0-9]+(\\.[0-9]+)?'?"
    first = "^" label "(, " label ")*"
    for (i = 1; i <= NR; i++) {
        if (line[i] ~ /^\/\*/) {
            labels = ""
            for (k = over(i); i < k; i++)
                if (labels == "")
                    labels = labels_of(line[i])
            i--
            head = ""
        } else if (line[i] ~ /^\{/) {
            if (labels != "" && head ~ /^(static inline|FC_API) void /)
                place(i, head, labels)
            labels = head = ""
        } else if (line[i] ~ /^[^ \t#]/) {
            head = head == "" || line[i - 1] == "" ? line[i] : head " " line[i]
        }
        if (line[i] ~ /^[^ ].*;$/ || line[i] == "")
            labels = ""
    }
    for (i = 1; i <= NR; i++) {
        if (in_comment || line[i] ~ /^[ \t]*\/\*/) {
            if (!in_comment)
                above = line[i] ~ /^\// ? "" : labels_of(line[i])
            in_comment = line[i] !~ /\*\//
            print line[i]
        } else if (line[i] ~ /^[^ \t]/ || line[i] == "") {
            last = line[i] == "" ? last : line[i]
            print line[i]
        } else {
            show(i)
        }
    }
}

# Prints a line of code with what is cited on it.
function show(i,    code, rest, indent, mine) {
    code = line[i]
    rest = ""
    if (match(code, /[ \t]*\/\*.*$/)) {
        rest = substr(code, RSTART)
        code = substr(code, 1, RSTART - 1)
        in_comment = rest !~ /\*\//
    }
    match(code, /^[ \t]*/)
    indent = substr(code, 1, RLENGTH)
    code = substr(code, RLENGTH + 1)
    mine = labels_of(rest)
    if (i in with)
        code = "{ " cite(with[i]) " " code " }"
    else if (mine != "" && code ~ /\{$/)
        code = code " " cite(mine)
    else if (mine != "" && code ~ /;$/ && last ~ /([{};:)]|else)$/ &&
             !is_declaration(code))
        code = "{ " cite(mine) " " code " }"
    else if (above != "" && last ~ /[{};:]$/ && code !~ /^(\}|[a-z_]+:)/ &&
             (last ~ /\{$/ || code !~ /^(if|for|while|switch|do)[ (]/) &&
             code !~ /^(else|case|default)[ :]/)
        code = cite(above) " " code
    if (i in before)
        code = cite(before[i]) " " code
    above = ""
    last = plain(line[i])
    print indent code rest
}
