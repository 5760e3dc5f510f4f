/*
 * test_check_clocks.c - the checker where nodes read clocks, keep a record, are
 * stopped by guards, share cells, pause and are cut off.
 *
 * As in test_check.c the numbers of states are pinned, and each rule that can
 * be left out is missed.
 */
#include "tests/unit/checking.h"

#include "problems/election.h"
#include "problems/mutex.h"
#include "problems/store.h"

static const struct fc_bounds none = {1, 1, 0, 0};

/* Frames every third step, a lease of five, a silence of four. */
#define SHORT "tau=3 lease=5 silence=4 delta=2 "
#define LONG  "tau=3 lease=9 silence=4 delta=2 "

enum { SAFETY = MUTEX_EXCLUSION | MUTEX_TOKEN_GROWS };

static void open_view_lock(struct search *s, const char *settings,
                           uint32_t until)
{
    search_open(s, "view-lock", 3, SIM_SYNC, none, settings);
    s->check.listed = 1u << 0 | 1u << 1;
    s->check.victims = 1u << 0;
    s->check.until = until;
    s->check.properties = SAFETY;
}

/* ---- The live lock ------------------------------------------------------- */

/* Whatever happens to the holder, nobody else is inside with it. */
TEST(test_the_live_lock_holds)
{
    static const struct {
        const char *settings;
        uint32_t until, pauses, crashes, cuts, losses, faults_from;
        uint64_t states;
    } pinned[] = {
        {SHORT, 14, 0, 0, 0, 0, 0, 0},
        {SHORT, 14, 1, 0, 0, 0, 9, 0},
        {SHORT, 14, 0, 1, 0, 0, 9, 0},
        {SHORT, 14, 0, 0, 1, 0, 9, 0},
        {SHORT, 13, 0, 0, 0, 1, 9, 0},
    };

    for (size_t i = 0; i < COUNT(pinned); i++) {
        struct check_result r;
        struct search s;

        open_view_lock(&s, pinned[i].settings, pinned[i].until);
        s.check.pauses = pinned[i].pauses;
        s.check.crashes = pinned[i].crashes;
        s.check.back = CHECK_RETURN_BLANK;
        s.check.cuts = pinned[i].cuts;
        s.check.losses = pinned[i].losses;
        s.check.faults_from = pinned[i].faults_from;
        r = search_run(&s);
        print_message("%zu: %lu states\n", i, (unsigned long)r.states);
        assert_int_equal(r.verdict, CHECK_HOLDS);
        assert_true(r.reached && r.cut_off && !r.cycles_known);
        assert_int_equal(r.states, pinned[i].states);
        search_close(&s);
    }
}
