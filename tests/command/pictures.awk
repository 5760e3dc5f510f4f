# pictures.awk - looks at one SVG that Fulcrum drew: is all text inside the frame,
# does no text lie on another, has every colour a value beside its variable, does
# no sign stand for two things in the key of a diagram?
# Prints what is wrong.  To be run with LC_ALL=C: characters are counted by their
# first bytes.

BEGIN {
    # DejaVu Sans in hundredths of an em, from the space on.
    split("32 40 46 84 64 95 78 27 39 39 50 84 32 36 32 34 64 64 64 64 64 64 64 " \
        "64 64 64 34 34 84 84 84 53 100 68 69 70 77 63 58 77 75 29 29 66 56 86 " \
        "75 79 60 79 69 63 61 73 68 99 69 61 69 39 34 39 84 50 50 61 63 55 63 " \
        "62 35 63 63 28 28 58 28 97 63 61 63 63 41 52 39 63 59 82 59 59 52 64 " \
        "34 64 84", advance, " ")
    for (i = 32; i < 127; i++)
        of[sprintf("%c", i)] = advance[i - 31] / 100
}

function width(text, mono, bold,    i, sum, c) {
    gsub(/\342\202[\200-\211]/, ".", text) # subscript digits are narrow
    gsub(/[\200-\277]/, "", text)
    for (i = 1; i <= length(text); i++) {
        c = substr(text, i, 1)
        sum += mono ? 0.602 : c in of ? of[c] : 0.9
    }
    return sum * (bold && !mono ? 1.13 : 1)
}

function attribute(line, name,    at) {
    at = index(line, " " name "='")
    if (!at)
        return ""
    line = substr(line, at + length(name) + 3)
    return substr(line, 1, index(line, "'") - 1)
}

function say(what) {
    print FILENAME ": " what
    bad = 1
}

function look_at(line,    class, size, bold, wide, anchor, x, y, text, i) {
    class = attribute(line, "class")
    text = substr(line, index(line, ">") + 1)
    gsub(/<[^>]*>/, "", text)
    gsub(/&lt;|&gt;|&amp;|&#39;|&quot;/, "<", text)
    size = class ~ /title/ ? 20 : class ~ /sub/ ? 13.5 \
        : class ~ /small|tick|mono|lane2|oninside|onbeside|onshare|oncandidate/ ? 11.5 \
        : class ~ /lane|flag/ ? 14 : 12.5
    bold = class ~ /title|lane|flag|text|on/
    wide = width(text, class ~ /mono/, bold) * size
    anchor = attribute(line, "text-anchor")
    x = attribute(line, "x") + 0
    y = attribute(line, "y") + 0
    x -= anchor == "end" ? wide : anchor == "middle" ? wide / 2 : 0
    if (x < -1 || x + wide > W + 1 || y - size * 0.75 < 0 || y > H)
        say("\"" text "\" is outside the frame")
    if (diagram && class ~ /halo/ && (x < left - 1 || x + wide > right + 4))
        say("\"" text "\" is outside the plot")
    n++
    words[n] = text
    x0[n] = x; x1[n] = x + wide
    y0[n] = y - size * 0.72; y1[n] = y + size * 0.1
    for (i = 1; i < n; i++)
        if (x0[i] + 1 < x1[n] && x0[n] + 1 < x1[i] && y0[i] < y1[n] && y0[n] < y1[i])
            say("\"" words[i] "\" and \"" text "\" lie on each other")
}

# The elements of a line, with their classes and the letters of their paths.
function signs_of(line,    all, element, d) {
    while (match(line, /<(path|rect|circle|line|text) [^>]*>/)) {
        element = substr(line, RSTART, RLENGTH)
        line = substr(line, RSTART + RLENGTH)
        d = attribute(element, "d")
        gsub(/[-0-9. ]/, "", d)
        all = all substr(element, 2, index(element, " ") - 1) \
            attribute(element, "class") " " d ";"
    }
    return all
}

function end_entry() {
    if (entry != "" && sign in meant && meant[sign] != entry)
        say("\"" meant[sign] "\" and \"" entry "\" have the same sign")
    if (entry != "")
        meant[sign] = entry
    entry = sign = ""
}

# The clip path is the plot, 4 wider on the left and 8 on the right.
/<clipPath id='plot'>/ {
    diagram = 1
    left = attribute($0, "x") + 4
    right = left + attribute($0, "width") - 12
}

# In the key, a sign follows its words.
diagram && /^<text class='small' text-anchor='start'/ {
    end_entry()
    entry = $0
    gsub(/<[^>]*>/, "", entry)
}
diagram && /^<text class='mono'/ { end_entry() }
entry != "" && !/^<text class='small'/ { sign = sign signs_of($0) }

/^<svg / {
    split(attribute($0, "viewBox"), box, " ")
    W = box[3]
    H = box[4]
}

/<style>/, /<\/style>/ {
    line = $0
    # prop:#123456;prop:var(--name)
    while (match(line, /[a-z-]+:var\(--[a-z0-9]+\)/)) {
        property = substr(line, RSTART, index(substr(line, RSTART), ":") - 1)
        if (substr(line, 1, RSTART - 1) !~ property ":#[0-9A-F][0-9A-F][0-9A-F][0-9A-F][0-9A-F][0-9A-F];$")
            say(substr(line, RSTART, RLENGTH) " has no plain value before it")
        line = substr(line, RSTART + RLENGTH)
    }
    next
}

/var\(--|currentColor/ { say("a colour without a value: " $0) }

{
    rest = $0
    while (match(rest, /<text [^>]*>([^<]|<tspan[^>]*>|<\/tspan>)*<\/text>/)) {
        look_at(substr(rest, RSTART, RLENGTH))
        rest = substr(rest, RSTART + RLENGTH)
    }
}

END {
    if (!W || !n)
        say("no picture")
    exit bad
}
