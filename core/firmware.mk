# firmware.mk - protocols for microcontrollers: make firmware, make firmware-files
# P=name, make firmware-sizes, make firmware-facts; make firmware-bus, make firmware-load.
# docs/firmware.md is about it.

FIRMWARE_CC ?= arm-none-eabi-gcc
FIRMWARE_CPU ?= -mcpu=cortex-m4 -mthumb
# Every file that sees a protocol's types must be compiled with the same levers.
FIRMWARE_LEVERS ?= -DFC_NODES_MAX=8 -DVIEW_LOCK_NODES=8 -DRING_SORT_MAX=8 \
	-DFC_WAIT_POWERS=64
FIRMWARE_FLAGS = $(FIRMWARE_CPU) -std=c11 -Os -ffreestanding \
	-ffunction-sections -fdata-sections -fno-tree-loop-distribute-patterns \
	$(WARN) $(WERROR) -I. -DFC_FIRMWARE $(FIRMWARE_LEVERS)
FIRMWARE_BOARD := docs/examples/firmware
CHECK_PACKAGES += gcc-arm-none-eabi qemu-system-arm

# A ring election: make firmware P=chang-roberts SET=announce=no.
ifneq ($(P),)
FIRMWARE_P := $(subst -,_,$(P))
FIRMWARE_CHOICE = -DP=$(FIRMWARE_P) \
	-DP_TYPES='"$(wildcard protocols/*/$(FIRMWARE_P)/$(FIRMWARE_P).h)"' \
	$(if $(SET),-DP_KEY='"$(firstword $(subst =, ,$(SET)))"' \
	-DP_VALUE='"$(patsubst $(firstword $(subst =, ,$(SET)))=%,%,$(SET))"')
endif

FIRMWARE := $(BUILD)/firmware
FIRMWARE_LIB := $(FIRMWARE)/libprotocols.a
FIRMWARE_MADE := $(FIRMWARE_LIB) $(FIRMWARE)/obj/$(FIRMWARE_BOARD)/mps2.o
FIRMWARE_ELF := $(FIRMWARE)/$(or $(FIRMWARE_P),vitanyi).elf

$(FIRMWARE)/flags: FORCE
	@mkdir -p $(@D)
	@now=$@.now.$$$$; \
	printf '%s\n' '$(subst ','\'',$(FIRMWARE_CC) $(FIRMWARE_FLAGS))' >$$now; \
	cmp -s $$now $@ && rm $$now || mv $$now $@

# ccache, where it stands for the compiler, keeps no graphs of calls.
$(FIRMWARE)/obj/%.o: %.c $(FIRMWARE)/flags
	@mkdir -p $(@D)
	$(call say,ARM )
	$(Q)CCACHE_DISABLE=1 $(FIRMWARE_CC) $(FIRMWARE_FLAGS) -MMD -MP -fcallgraph-info=su -c $< -o $@

$(FIRMWARE_LIB): $(PURE:%.c=$(FIRMWARE)/obj/%.o)
	@rm -f $@
	$(call say,AR  )
	$(Q)$(FIRMWARE_CC:gcc=ar) rcs $@ $^

$(FIRMWARE_ELF): $(FIRMWARE_BOARD)/board.c $(FIRMWARE_MADE) \
		$(FIRMWARE_BOARD)/mps2.ld FORCE
	$(call say,LINK)
	$(Q)$(FIRMWARE_CC) $(FIRMWARE_FLAGS) $(FIRMWARE_CHOICE) \
		-nostdlib -Wl,--gc-sections -T $(FIRMWARE_BOARD)/mps2.ld \
		$(filter %.c %.o %.a,$^) -lgcc -o $@

.PHONY: firmware firmware-files firmware-sizes firmware-facts firmware-bus firmware-load
firmware: $(FIRMWARE_ELF)
	@$(FIRMWARE_CC:gcc=size) $<
	@echo "try: sh $(FIRMWARE_BOARD)/ring.sh $<"

FIRMWARE_TELLS = CC='$(FIRMWARE_CC)' FLAGS='$(FIRMWARE_FLAGS)' \
	sh scripts/firmware.sh $(FIRMWARE)

# The files to take for one protocol, of the tree.
firmware-files:
	@$(MAKE) --no-print-directory $(FIRMWARE_MADE) >&2
	@$(FIRMWARE_TELLS) files $(FIRMWARE_P)

# Code and memory of each; and in each facts.txt, and the tables made from them.
firmware-sizes: $(FIRMWARE_MADE)
	@$(FIRMWARE_TELLS) sizes
firmware-facts: $(FIRMWARE_MADE)
	@$(FIRMWARE_TELLS) write
	@bash docs/tables/protocols.sh

# view-lock on a bus: three boards in one program, for this machine; and, where
# the compiler is here, for a board.
FIRMWARE_BUS := $(FIRMWARE)/bus
FIRMWARE_BUS_SECONDS ?= 600
FIRMWARE_BUS_AT := $(FIRMWARE_BOARD)/bus
FIRMWARE_TRIAL := $(addprefix $(FIRMWARE_BUS_AT)/,node.c frames.c record.c \
	world.c trial.c)

$(FIRMWARE_BUS)/trial: $(FIRMWARE_TRIAL:%.c=$(OBJ)/%.o) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@ -lm

# One for each size of frames: CAN, CAN-FD.
$(FIRMWARE_BUS)/load%: $(FIRMWARE_BUS_AT)/load.c $(FIRMWARE_BUS_AT)/frames.c \
		$(FIRMWARE_BUS_AT)/frames.h $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(STD) $(WARN) $(WERROR) -I. -DBUS_FRAME=$* $(LINK) \
		$(filter %.c %.a,$^) -o $@ -lm

firmware-bus: $(FIRMWARE_BUS)/trial
	@$<

$(FIRMWARE)/trial.elf: $(FIRMWARE_TRIAL) $(FIRMWARE_MADE) \
		$(FIRMWARE_BOARD)/mps2.ld FORCE
	$(call say,LINK)
	$(Q)$(FIRMWARE_CC) $(FIRMWARE_FLAGS) -DSECONDS=$(FIRMWARE_BUS_SECONDS) \
		-nostdlib -Wl,--gc-sections -T $(FIRMWARE_BOARD)/mps2.ld \
		$(filter %.c %.o %.a,$^) -lgcc -o $@

# Frames a second and writes a year, in the tables of the page.
FIRMWARE_PAGE ?= docs/firmware.md
firmware-load: $(addprefix $(FIRMWARE_BUS)/,trial load8 load64)
	@sh scripts/firmware_bus.sh $(FIRMWARE_BUS) $(FIRMWARE_PAGE)
