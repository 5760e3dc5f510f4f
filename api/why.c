/*
 * why.c - see why.h.
 */
#include "api/why.h"

#include "include/fulcrum/lock.h"

static _Thread_local char why[API_WHY_SIZE];

char *api_why(void)
{
    return why;
}

const char *fulcrum_why(void)
{
    return why;
}
