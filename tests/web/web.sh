#!/usr/bin/env bash
# web.sh BUILD - the playground: it is built, the module beside the command, and
# the page in a browser.
set -u
cd "$(dirname "$0")/../.."
. tests/tap.sh
build=$1

if ! command -v clang >/dev/null || ! command -v wasm-ld >/dev/null ||
    ! command -v npm >/dev/null; then
    echo "ok - the playground # SKIP it needs clang, lld and npm"
    tap_end
fi

built() {
    make --no-print-directory BUILD="$build" web >"$tap_tmp/make" 2>&1 ||
        { tail -n 20 "$tap_tmp/make"; return 1; }
}
holds "make web builds it" built

# Without its tools the rest is built.
same "without clang make says what is left out" \
    "left out: the playground: it needs clang and lld ('make deps')" \
    "$(make --no-print-directory BUILD="$build" WEB_CC=no-such-clang web)"
same "without npm, too" \
    "left out: the page of the playground: it needs node and npm" \
    "$(make --no-print-directory BUILD="$build" HAVE_NPM= web | tail -n 1)"

# The aims of the page, in bytes as they are fetched.
small() {
    local module script
    module=$(gzip -9c "$build/web/page/fulcrum.wasm" | wc -c)
    script=$(cat "$build"/web/page/assets/*.js "$build"/web/page/assets/*.css |
        gzip -9c | wc -c)
    echo "# gzipped: module $module bytes, script and style $script bytes"
    [ "$module" -lt 350000 ] && [ "$script" -lt 120000 ]
}
if command -v wasm-opt >/dev/null; then
    holds "it is small" small
fi

# said NAME COMMAND...: a part in TAP of its own; counted, and shown if it fails.
said() {
    "$@" >"$tap_tmp/said" 2>&1
    local code=$?
    cat "$tap_tmp/said"
    if [ $code -ne 0 ] && ! grep -q '^not ok' "$tap_tmp/said"; then
        echo "not ok - $* ended with $code"
    fi
    [ $code -eq 0 ] || tap_failed=$((tap_failed + 1))
}
said node tests/web/same.mjs "$build/web/page" "$build/fulcrum"
if command -v chromium-headless-shell chromium >/dev/null; then
    said node tests/web/stage.mjs "$build/web/page"
    said node tests/web/games.mjs "$build/web/page"
else
    echo "ok - the page in a browser # SKIP chromium is not installed"
fi

# ---- fulcrum web -------------------------------------------------------------

# nothing_else ADDRESS: names that would lead out of the folder lead nowhere.
nothing_else() {
    local name got
    for name in /../fulcrum.wasm //etc/passwd ///etc/passwd /assets//etc/passwd \
        /./index.html /..%2f..%2fetc/passwd /%2f%2fetc/passwd //dev/null \
        //proc/self/environ '/..\..\etc\passwd'; do
        got=$(curl -s -o /dev/null -w '%{http_code}' --path-as-is "$1$name")
        [ "$got" = 404 ] || [ "$got" = 400 ] || { echo "$name: $got"; return 1; }
    done
}
served() {
    local address code
    "$build/fulcrum" web --port 0 >"$tap_tmp/address" 2>&1 &
    for _ in $(seq 100); do
        address=$(sed -n 's|^\(http://[0-9.:]*\)/.*|\1|p' "$tap_tmp/address")
        [ -z "$address" ] || break
        sleep 0.1
    done
    [ "$(curl -s "$address/fulcrum.wasm" | sha256sum)" = \
        "$(sha256sum <"$build/web/page/fulcrum.wasm")" ] &&
        curl -sI "$address/" | grep -qi "^content-security-policy: default-src 'self'" &&
        [ "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: other.example' "$address/")" = 403 ] &&
        nothing_else "$address"
    code=$?
    kill -TERM $!
    wait $!
    return $code
}
holds "fulcrum web serves it, to nobody else" served
same "a folder without a page is refused" \
    "fulcrum web: there is no index.html in $tap_tmp" \
    "$("$build/fulcrum" web --folder "$tap_tmp" 2>&1)"
tap_end
