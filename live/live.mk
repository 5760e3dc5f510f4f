# live.mk - the live runtime: its library, its verbs, the relay for tests, the
# fuzzers, make soak-live and soak-list.

HAVE_UV := $(call has,uv.h)
HAVE_SODIUM := $(call has,sodium.h)
HAVE_INIH := $(call has,ini.h)
PACKAGES += libuv1-dev libsodium-dev libinih-dev
CHECK_PACKAGES += iproute2 nftables

LIVE_CLI := $(filter-out cli/demo/demo.c,\
	$(wildcard $(addprefix cli/,$(addsuffix /*.c,node lock cluster play rehearse demo))))
LIVE_MISSING := $(strip $(if $(HAVE_UV),,libuv1-dev) \
	$(if $(HAVE_SODIUM),,libsodium-dev) $(if $(HAVE_INIH),,libinih-dev) \
	$(if $(HAVE_JANSSON),,libjansson-dev) $(if $(HAVE_XXHASH),,libxxhash-dev))
# Needs nothing but the C library: a part of libfulcrum.
LOCK := $(wildcard live/client/*.c live/fence/*.c) live/common/letter.c net/why.c
LOCK_OBJ := $(LOCK:%.c=$(BUILD)/obj/%.o)
ifeq ($(LIVE_MISSING),)
LIVE := $(filter-out $(LOCK),$(wildcard live/*/*.c))
LIVE_LIB := $(BUILD)/liblive.a
LIVE_LIBS := -luv -lsodium -linih -ljansson
LIVE_BUILT := $(LIVE_LIB) $(BUILD)/fulcrum-relay
STD += -DFULCRUM_LIVE
else
LIVE_WITHOUT := $(LIVE_CLI)
LEFT_OUT += "the live runtime and its verbs: it needs $(LIVE_MISSING)"
endif
LIVE_OBJ := $(LIVE:%.c=$(BUILD)/obj/%.o)

$(BUILD)/liblive.a: $(LIVE_OBJ)
	@rm -f $@
	$(call say,AR  )
	$(Q)$(AR) rcs $@ $^

$(BUILD)/fulcrum-relay: $(BUILD)/obj/tests/live/relay.o
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@

$(BUILD)/tests/test_live_%: $(BUILD)/obj/tests/unit/live/test_live_%.o $(LIVE_LIB) $(TESTED)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@ -Wl,-rpath,'$$ORIGIN' -lcmocka -lm $(LIVE_LIBS)

$(BUILD)/tests/test_live_relay: | $(BUILD)/fulcrum-relay

# ---- Nodes under fire --------------------------------------------------------

# Who takes locks, who attacks, clocks that are wrong, disks that are slow, and a
# look for a key in memory: for tests alone.
ifeq ($(LIVE_MISSING),)
LIVE_TOOLS := $(addprefix $(BUILD)/tests/live/,worker hostile agree intruder \
	ticker headless runaway pinned memory wrongclock.so slewed.so lax.so mute.so \
	slowdisk.so)
endif

$(BUILD)/tests/live/%.so: tests/live/%.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(STD) $(OPT) $(WARN) $(WERROR) -fPIC -shared $< -o $@

$(BUILD)/tests/live/%: $(BUILD)/obj/tests/live/%.o $(LIVE_LIB) \
		$(BUILD)/libfulcrum.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@ -lm $(LIVE_LIBS)

.PHONY: live-tools
live-tools: $(LIVE_TOOLS)

# ---- Hostile bytes -----------------------------------------------------------

ifeq ($(LIVE_MISSING),)
FUZZ := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
endif
FUZZED := live/config/config.c live/config/config_file.c live/config/config_times.c \
	live/wire/datagram.c live/wire/guest.c live/wire/news.c live/wire/parcel.c live/common/letter.c live/record/record.c \
	net/outside.c net/why.c live/record/record_slot.c live/record/record_change.c live/record/place.c \
	live/wire/courier.c live/mode/sites.c live/process/proc.c protocols/mutex/view_lock/view_lock.c \
	protocols/mutex/view_lock/view_lock_table.c $(wildcard core/*.c problems/*.c)

FUZZ_FLAGS := -O1 -g -fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=all

# What all of them link is compiled once.
$(BUILD)/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call say,FUZZ)
	$(Q)clang $(STD) -I. -MMD -MP $(FUZZ_FLAGS) -c $< -o $@

# An example's own parts.
$(BUILD)/fuzz/fuzz_firmware_bus: $(patsubst %,\
	$(BUILD)/fuzz/obj/docs/examples/firmware/bus/%.o,node frames record)

$(BUILD)/fuzz/%: $(BUILD)/fuzz/obj/tests/fuzz/%.o $(FUZZED:%.c=$(BUILD)/fuzz/obj/%.o)
	$(call say,LINK)
	$(Q)clang -fsanitize=fuzzer,address,undefined $^ -o $@ -lsodium -linih

.PHONY: fuzzers soak-live soak-list
fuzzers: $(FUZZ:%=$(BUILD)/fuzz/%)

# LIVE_SECONDS of live nodes under fire, from LIVE_SEED on; many nodes; then
# FUZZ_SECONDS for each of the fuzzers.
soak-live: all fuzzers live-tools
	@bash tests/live/live_soak.sh $(BUILD) $${LIVE_SECONDS:-600} $${LIVE_SEED:-1}
	@bash tests/live/live_many.sh $(BUILD)
	@FUZZ_SECONDS=$${FUZZ_SECONDS:-600} bash tests/fuzz/fuzz.sh $(BUILD)

# LIST_CHANGES of the list, the times and the key in a row, drawn from LIST_SEED.
soak-list: all live-tools
	@bash tests/live/soak_list.sh $(BUILD) $${LIST_CHANGES:-100} $${LIST_SEED:-1}
