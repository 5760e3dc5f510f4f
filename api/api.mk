# api.mk - the two libraries for programs in C: what they are made of, their names,
# what they export.

# The number of a library goes up when programs must be compiled anew: a function is
# gone, or means something else (make abi).
CLIENT_SO := libfulcrum-client.so.1
LAB_SO := libfulcrum.so.1

API_CLIENT_OBJ := $(patsubst %,$(BUILD)/obj/api/%.o,why lock fence)
API_LAB_OBJ := $(patsubst %,$(BUILD)/obj/api/%.o,net sim check trace)
# Needs nothing but the C library.
CLIENT_OBJ := $(API_CLIENT_OBJ) $(LOCK_OBJ)

OBJCOPY ?= $(shell $(CC) -print-prog-name=objcopy)
PUBLIC := $(wildcard include/fulcrum/*.h)
CLIENT_LIBS := $(addprefix $(BUILD)/,$(CLIENT_SO) static/libfulcrum-client.a fulcrum-client.pc)
LAB_LIBRARIES := $(addprefix $(BUILD)/,$(LAB_SO) static/libfulcrum.a fulcrum.pc)
PROMISED := $(CLIENT_LIBS)
ifeq ($(HAVE_XXHASH),yes)
PROMISED += $(LAB_LIBRARIES)
endif
BUILT += $(PROMISED)

# Lines of a list of symbols.
promised = sed -n 's/^\t\(fulcrum_[a-z_]*\);/\1/p' $(1)

# Nothing is missing, but what a sanitized program brings.
shared = $(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=$(filter %.map,$^) \
	$(if $(SANITIZE),,-Wl,-z,defs) $(LINK) $(filter %.o %.a,$^) -o $@

$(BUILD)/$(CLIENT_SO): $(CLIENT_OBJ) api/client.map
	$(call say,LINK)
	$(Q)$(shared)

# Of all that the tree has, only what these need.
$(BUILD)/$(LAB_SO): $(API_LAB_OBJ) $(LIB) api/lab.map
	$(call say,LINK)
	$(Q)$(shared) -lm

# A static library is one object, in which nothing but what is promised has a name: a
# linker sees every name of an archive, and a program may have a scan_number() of its
# own.
static = $(call promised,$(filter %.map,$^)) >$@.names && \
	$(CC) -r -nostdlib $(filter %.o %.a,$^) -o $(@:.a=.o) && \
	$(OBJCOPY) --keep-global-symbols=$@.names $(@:.a=.o) && \
	rm -f $@ && $(AR) rcs $@ $(@:.a=.o) && rm $@.names $(@:.a=.o)

$(BUILD)/static/libfulcrum-client.a: $(CLIENT_OBJ) api/client.map
	@mkdir -p $(@D)
	$(call say,AR  )
	$(Q)$(static)

$(BUILD)/static/libfulcrum.a: $(API_LAB_OBJ) $(LIB) api/lab.map
	@mkdir -p $(@D)
	$(call say,AR  )
	$(Q)$(static)

# pc NAME DESCRIPTION LIBS PRIVATE: for pkg-config.
pc = printf '%s\n' 'prefix=@PREFIX@' 'includedir=$${prefix}/include' \
	'libdir=@LIBDIR@' '' 'Name: $(1)' 'Description: $(2)' 'Version: $(VERSION)' \
	'Cflags: -I$${includedir}' 'Libs: -L$${libdir} $(3)' 'Libs.private: $(4)' >$@

$(BUILD)/fulcrum-client.pc: Makefile api/api.mk
	@mkdir -p $(@D)
	@$(call pc,fulcrum-client,Hold a lock of a Fulcrum cluster,-lfulcrum-client,-pthread)

$(BUILD)/fulcrum.pc: Makefile api/api.mk
	@mkdir -p $(@D)
	@$(call pc,fulcrum,Simulate and check distributed protocols,-lfulcrum,-lm -pthread)

# The client's library alone, which needs no package: make client CC=musl-gcc
.PHONY: client
client: $(CLIENT_LIBS)

# What the libraries promise, written down anew: new functions are in a version of
# their own, and nothing that was there has changed, or the library has another number.
.PHONY: abi
abi: $(PROMISED)
	@for name in $(basename $(notdir $(filter %.a,$(PROMISED)))); do \
		REWRITE=yes sh scripts/abi.sh $(BUILD) $$name || exit; done
