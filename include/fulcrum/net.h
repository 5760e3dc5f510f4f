/*
 * net.h - a network as people describe it, made of words; see fulcrum_net(3).
 */
#ifndef FULCRUM_NET_H
#define FULCRUM_NET_H

#include "api.h"
#include "protocol.h"

FULCRUM_BEGIN
#include "net/make.h"
FULCRUM_END

FULCRUM_API(net_types);
FULCRUM_API(net_find);
FULCRUM_API(net_make);
FULCRUM_API(net_describe);
FULCRUM_API(net_prepare);
FULCRUM_API(net_unmake);

#endif
