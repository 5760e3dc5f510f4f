/*
 * vitanyi_linked.h - the election for protocols that begin with it: engines
 * paste those in, and call the election in its own object.
 */
#ifndef VITANYI_LINKED_H
#define VITANYI_LINKED_H

#include "core/wait.h"
#include "core/word.h"
#include "problems/election.h"

#pragma push_macro("FC_API")
#undef FC_API
#define FC_API FC_EXTERN
#include "protocols/election/vitanyi/vitanyi.h"
#pragma pop_macro("FC_API")

#endif
