#!/usr/bin/env bash
# terminal.sh FULCRUM COMMAND... - a terminal in which these commands were typed,
# as an SVG on standard output: what they print to a terminal, with its colours.
#
#     docs/terminal.sh build/fulcrum "fulcrum sim vitanyi -n 8"
set -eu
export LC_ALL=C.UTF-8 TERM=xterm COLUMNS=80
fulcrum=$(realpath "$1")
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin" "$tmp/room"
ln -s "$fulcrum" "$tmp/bin/fulcrum"
cd "$tmp/room"
PATH=$tmp/bin:$PATH

for command; do
    printf '\033[1m$ %s\033[0m\n' "$command"
    # In a terminal of its own; how fast a machine is is not shown.
    script -qec "stty cols 80; $command" /dev/null </dev/null |
        sed -e 's/\r$//' -e 's/, [0-9.]* s CPU//'
    echo
done | sed '$d' >"$tmp/screen"

awk -v lines="$(wc -l <"$tmp/screen")" '
BEGIN {
    fill["1"] = "#FFFFFF"; fill["31"] = "#FF7B6B"; fill["32"] = "#4CC38A"
    fill["33"] = "#F2B632"
    left = 18; top = 50; step = 20; width = 720; height = top + lines * step + 4
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" " \
        "width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height
    print "<title>fulcrum in a terminal</title>"
    printf "<rect width=\"%d\" height=\"%d\" rx=\"10\" fill=\"#14171A\"/>\n",
        width, height
    for (i = 0; i < 3; i++)
        printf "<circle cx=\"%d\" cy=\"18\" r=\"5\" fill=\"#3A4149\"/>\n", 20 + 18 * i
    print "<g font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" " \
        "font-size=\"14\" fill=\"#C9CED4\" xml:space=\"preserve\">"
}
function plain(text) {
    gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
    return text
}
{
    said = ""
    # What stands before each escape, and then the text up to the next one in
    # the colour that it sets.
    while (match($0, /\033\[[0-9;]*m/)) {
        said = said open_text(substr($0, 1, RSTART - 1))
        colour = substr($0, RSTART + 2, RLENGTH - 3)
        $0 = substr($0, RSTART + RLENGTH)
    }
    said = said open_text($0)
    if (said != "")
        printf "<text x=\"%d\" y=\"%d\">%s</text>\n", left, top, said
    top += step
}
function open_text(text) {
    if (text == "")
        return ""
    return colour in fill ? "<tspan fill=\"" fill[colour] "\">" plain(text) "</tspan>" \
                          : plain(text)
}
END { print "</g>"; print "</svg>" }' "$tmp/screen"
