# protocols.sh - to be read by a script that looks at all protocols, from the root of
# the tree.

# protocols_listed [TABLE]: those of protocols/all.h, one a line.
protocols_listed() {
    sed -n 's/^ *X(\([a-z_0-9]*\)).*/\1/p' "${1:-protocols/all.h}"
}

# protocol_folder NAME: where ring-size or ring_size lives.
protocol_folder() {
    local name=${1//-/_}
    (set +f && echo protocols/*/"$name")
}

# pure_sources: what protocols are made of, without their tests.
pure_sources() {
    (set +f && ls core/*.c problems/*.c protocols/*/*/*.c | grep -v '/test_')
}

# has_no_padding FOLDER PROTOCOL...: states and messages of these protocols and the
# views of their problems are compared and hashed as bytes, so no byte of them is
# without a name.  The compiler says so exactly, but only in C++.  Headers in FOLDER
# go before those of the tree.  Parameters may have holes: nobody compares them.
has_no_padding() {
    local folder=$1 name compiler source
    shift
    for compiler in g++ clang++ ''; do
        command -v "$compiler" >/dev/null && break
    done
    [ -n "$compiler" ] || return 0
    source=$(mktemp "$tap_tmp/padding.XXXXXX")
    {
        echo '#include <type_traits>'
        echo '#define WHOLE(S, WORDS) \'
        echo '    static_assert(std::has_unique_object_representations_v<S>, WORDS \'
        echo '    " has padding: name its holes, as in uint8_t unused[3]")'
        for name; do
            echo "#include \"$(protocol_folder "$name")/$name.h\""
            echo "WHOLE(struct $name, \"$name: struct $name, the state,\");"
            echo "WHOLE(struct ${name}_msg, \"$name: its message\");"
            echo "#define VIEW FC_PASTE(${name}_problem, _view)"
            echo "WHOLE(struct VIEW, \"$name: the view of its problem\");"
            echo "#undef VIEW"
        done
    } >"$source"
    "$compiler" -std=c++17 -fsyntax-only -w -I"$folder" -I. -x c++ "$source" \
        2>"$source.said" && return 0
    grep -oE '[a-z_0-9]+: [a-z_ ,]+ has padding: [^"]*' "$source.said" || cat "$source.said"
    return 1
}

# facts KINDS [PROTOCOL...]: what facts.txt says of these kinds ("holds|violated"), of
# these protocols or of all: "NAME KIND WHAT", a line each, with what `with` adds.
facts() {
    local kinds=$1 name
    shift
    [ $# -gt 0 ] || set -- $(protocols_listed)
    for name; do
        [ -e "$(protocol_folder "$name")/facts.txt" ] || continue
        awk -v kinds="^($kinds)\$" -v name="${name//_/-}" '
            $1 == "about" { with = "" }
            $1 == "with" { with = $0; sub(/^with */, " ", with) }
            $1 ~ kinds {
                kind = $1
                sub(/^[a-z]+ */, "")
                print name, kind, $0 (kind ~ /^(holds|violated)$/ ? with : "")
            }' "$(protocol_folder "$name")/facts.txt"
    done
}

# ---- Labels of rules ---------------------------------------------------------

# The sources of a protocol, by its page.
sources_of() {
    find "$(dirname "$1")" -maxdepth 1 -name '*.[chi]*' ! -name 'test_*' | sort
}

# A label is a prefix that belongs to one protocol and a number: VI-R3, RA-2.
label='[A-Z]{2}-[A-Z]?[0-9]{1,2}'

labels_used() {
    grep -ohE "\b$label\b" "$@" /dev/null | sort -u
}

# A rule is defined where a line, an item of a list or a row of a table begins
# with its label.
labels_defined() {
    grep -oE "^(\| *|- |[0-9]+\. )?\**$label\b" "$1" | grep -oE "$label" | sort -u
}

labels_are_defined() {
    ! comm -23 <(labels_used $(sources_of "$1")) <(labels_defined "$1") | grep .
}

labels_are_used() {
    ! comm -13 <(labels_used $(sources_of "$1")) <(labels_defined "$1") | grep .
}
