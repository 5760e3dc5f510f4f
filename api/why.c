/*
 * why.c - see why.h.
 */
#include "api/why.h"

#include "include/fulcrum/lock.h"

static _Thread_local struct net_why why;

struct net_why *api_why(void)
{
    return &why;
}

const char *fulcrum_why(void)
{
    return why.text;
}
