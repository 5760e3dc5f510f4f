# view.sh - what the status of a node says of its view, for those who wait and look
# again and again: jq takes several times as long to start as the status to be had.

# has_members N COMMAND...: the status that it prints has a lease in a view of N.
has_members() {
    local wanted=$1 status list
    shift
    status=$("$@" 2>/dev/null) || return 1
    [[ $status == *'"leased": true'* ]] || return 1
    list=${status#*'"members": ['}
    list=${list%%]*}
    list=${list//[^,]/}
    [ $((${#list} + 1)) -eq "$wanted" ]
}
