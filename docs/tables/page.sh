# page.sh - puts a table into a page, in place of the one that is there:
#
#     table PAGE NAME <rows
#
# between the lines <!-- table NAME --> and <!-- end NAME -->.

table() {
    local page=$1 name=$2 rows
    rows=$(cat)
    grep -q "^<!-- table $name -->\$" "$page"
    ROWS=$rows awk -v begin="<!-- table $name -->" -v end="<!-- end $name -->" '
        $0 == end { skips = 0; print ""; print ENVIRON["ROWS"]; print "" }
        !skips { print }
        $0 == begin { skips = 1 }' "$page" >"$page.new"
    mv "$page.new" "$page"
}
