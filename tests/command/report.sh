#!/usr/bin/env bash
# report.sh BUILD - the report of the lab: written by the command, and in a
# browser, if Chromium is there: nothing to complain of, nothing that sticks out,
# on a desk, on a phone in the dark, and on paper.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$(realpath "$1")
sample=$tap_tmp/sample.html

make --no-print-directory BUILD="$build" "$build/tests/test_report" >/dev/null &&
    REPORT=$sample "$build/tests/test_report" >/dev/null 2>&1
holds "a page is written" test -s "$sample"

# ---- By the command ----------------------------------------------------------

mkdir "$tap_tmp/claims"
cat >"$tap_tmp/claims/one.ini" <<'END'
[v84-a]
place = nowhere
says  = one "leader" & no more than that
on    = vitanyi
claim = holds
try   = random n=4,8 runs=5

[v84-b]
place = nowhere
says  = three passes suffice
on    = vitanyi
claim = messages <= 3
try   = count n=4,8
END
# written: the page has a verdict of each claim, the bound, and a picture of the
# run that breaks it.
written() {
    local page=$tap_tmp/out/report.html
    "$build/fulcrum" reproduce --quick --claims "$tap_tmp/claims" \
        -o "$tap_tmp/out" >/dev/null || return 1
    grep -q "One of two claims holds as printed.<br>One is violated." "$page" &&
        grep -q 'one &quot;leader&quot; &amp; no more' "$page" &&
        grep -q "class='bound'" "$page" &&
        grep -q "src='data:image/svg+xml;base64,PHN2" "$page" &&
        [ "$(ls "$tap_tmp/out")" = "$(printf 'lab.db\nreport.html')" ]
}
if "$build/fulcrum" reproduce --help >/dev/null 2>&1; then
    holds "the command writes the page, and draws what breaks a claim" written
fi

# ---- In a browser ------------------------------------------------------------

# The headless shell is the same browser without its windows, and a fifth cheaper.
browser=$(command -v chromium-headless-shell || command -v chromium) || {
    echo "ok - the page in a browser # SKIP chromium is not installed"
    tap_end
}

# What a page finds wrong with itself becomes its title: text that leaves its
# picture or covers other text, links to nowhere, a page that is too wide.  Then
# it complains once, so that we see that complaints are seen.
cat >"$tap_tmp/judge.html" <<'END'
<script>
window.addEventListener("load", () => {
    const bad = [], inside = (a, b) => a.left >= b.left - 1 &&
        a.right <= b.right + 1 && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
    if (document.documentElement.scrollWidth > window.innerWidth)
        bad.push("wider than the window: " + document.documentElement.scrollWidth);
    for (const a of document.querySelectorAll("a[href^='#']"))
        if (!document.getElementById(a.getAttribute("href").slice(1)))
            bad.push("link to nowhere: " + a.getAttribute("href"));
    for (const svg of document.querySelectorAll(".fit svg")) {
        const frame = svg.getBoundingClientRect();
        const boxes = [...svg.querySelectorAll("text")].map(
            t => [t.textContent, t.getBoundingClientRect()]);
        boxes.forEach(([text, box], i) => {
            if (!inside(box, frame)) bad.push("outside: " + text);
            for (const [other, b] of boxes.slice(i + 1))
                if (box.left < b.right - 1 && b.left < box.right - 1 &&
                    box.top < b.bottom - 3 && b.top < box.bottom - 3)
                    bad.push("'" + text + "' covers '" + other + "'");
        });
    }
    const style = getComputedStyle(document.body);
    document.title = "bad: " + bad.join("; ") + ".  paper " +
        style.backgroundColor + ", " +
        document.querySelectorAll("section").length + " sections, head of table " +
        getComputedStyle(document.querySelector("thead")).display;
    console.error("seen");
});
</script>
END

# browse PAGE OPTIONS...: its title, and what it complained of.
browse() {
    local page=$1
    shift
    cat "$page" "$tap_tmp/judge.html" >"$tap_tmp/judged.html"
    timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu \
        --user-data-dir="$tap_tmp/chromium" --enable-logging=stderr "$@" \
        --dump-dom "file://$tap_tmp/judged.html" 2>"$tap_tmp/log" |
        grep -o '<title>[^<]*' | head -n 1
    grep -o 'CONSOLE.*' "$tap_tmp/log" | sed 's/^[^"]*//; s/, source.*//'
}

light="rgb(251, 250, 247)" dark="rgb(20, 23, 26)"
same "nothing is wrong with it on a desk" \
    "<title>bad: .  paper $light, 8 sections, head of table table-header-group
\"seen\"" "$(browse "$sample" --window-size=1240,900)"
same "nothing is wrong with it on a phone, in the dark" \
    "<title>bad: .  paper $dark, 8 sections, head of table none
\"seen\"" "$(browse "$sample" --window-size=500,900 \
        --blink-settings=preferredColorScheme=0)"

# On paper: as many pages as eight short sections need, and on white.
pages() {
    timeout 60 "$browser" --headless=new --no-sandbox --disable-gpu \
        --user-data-dir="$tap_tmp/chromium" --no-pdf-header-footer \
        --print-to-pdf="$tap_tmp/page.pdf" "file://$sample" 2>/dev/null
    count=$(grep -ac '/Type /Page$' "$tap_tmp/page.pdf")
    [ "$count" -ge 4 ] && [ "$count" -le 9 ] || { echo "$count pages"; return 1; }
}
holds "it prints" pages
tap_end
