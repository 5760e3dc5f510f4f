/*
 * test_patient.c - the rules of the tutorial's election, one by one.
 */
#include "protocols/election/patient/patient.h"

#define TESTED patient
#include "tests/unit/kit/testing.h"

/* Steps that the node called 5 waits: 5. */
static struct patient_params rules(void)
{
    struct patient_params p;

    fc_params_default(&patient_protocol, &p);
    return p;
}

static struct patient waiting(void)
{
    return (struct patient){.status = PATIENT_WAITS};
}

/* PA-1: nothing is sent yet, and the timer is as long as the name. */
TEST(test_a_candidate_waits_as_many_steps_as_its_name)
{
    struct patient_params p = rules();
    struct patient s = {0};
    struct patient_out out = step(&s, &p, start());

    assert_int_equal(out.fx.sends, 0);
    assert_int_equal(out.fx.arm, 1);
    assert_int_equal(out.fx.steps[0], 5);
    check_view(&s, ELECTION_CANDIDATE, FC_NOBODY);
}

/* PA-2. */
TEST(test_it_asks_when_the_wait_is_over)
{
    struct patient_params p = rules();
    struct patient s = waiting();
    struct patient_out out = step(&s, &p, timeout());

    check_sends(&out, PATIENT_TOKEN, 5);
}

/* PA-6: a node that hears of a smaller name in time never sends its own. */
TEST(test_a_smaller_name_ends_the_wait)
{
    struct patient_params p = rules();
    struct patient s = waiting();
    struct patient_out out = step(&s, &p, reads(PATIENT_TOKEN, 4));

    assert_int_equal(out.fx.disarm, 1);
    check_sends(&out, PATIENT_TOKEN, 4);
    check_view(&s, ELECTION_LOST, FC_NOBODY);
}

/* PA-4: even a node that still waits drops a token that cannot win. */
TEST(test_a_larger_name_dies)
{
    struct patient_params p = rules();

    check_ignored(waiting(), &p, reads(PATIENT_TOKEN, 6), FC_NOTE_DIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_candidate_waits_as_many_steps_as_its_name),
        cmocka_unit_test(test_it_asks_when_the_wait_is_over),
        cmocka_unit_test(test_a_smaller_name_ends_the_wait),
        cmocka_unit_test(test_a_larger_name_dies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
