# worst-names.awk - a placement that is hard for Vitanyi's election.
#
#     fulcrum sim vitanyi --names "$(awk -v n=1000 -f worst-names.awk)"
#
# Synchronous ring, f(i) = 2^i, all awake at 0.  M_1 makes a pass in 3 ticks,
# M_i in 2^i + 1.  Name i stands where M_i reaches processor 1 just when M_1
# comes home: 3n/(2^i + 1) places before it.  So nothing overtakes anything,
# and every message lives as long as it can.  All other places get the largest
# names, in falling order.
BEGIN {
    at[0] = 1
    for (i = 2; i <= n; i++) {
        places = int(3 * n / (2 ^ i + 1) + 0.5)
        if (places < 1)
            break
        for (p = n - places; p < n && p in at; p++)
            ;
        if (p >= n)
            break
        at[p] = i
        used[i] = 1
    }
    largest = n
    for (p = 0; p < n; p++) {
        if (!(p in at)) {
            while (largest in used)
                largest--
            at[p] = largest--
        }
        printf "%s%d", p ? "," : "", at[p]
    }
    print ""
}
