# rw.mk - the readers-writers register: its header in one piece, its validator,
# make soak-rw, make bench-rw.

RW_HEADER := $(BUILD)/fulcrum_rw.h
RW_SOURCES := rw/fulcrum_rw.h rw/machine.h
RW_VALIDATE := rw/validate.c rw/validate_kills.c
RW_TOOLS := $(addprefix $(BUILD)/rw/,model model-words validate validate-chaos)

BUILT += $(RW_HEADER)

# What is installed is one file.
$(RW_HEADER): $(RW_SOURCES)
	@mkdir -p $(@D)
	$(call say,JOIN)
	$(Q)awk '/^#include "rw\/machine.h"/ { \
		while ((getline line <"rw/machine.h") > 0) print line; next } \
		{ print }' rw/fulcrum_rw.h >$@

$(BUILD)/rw/model: RW_OWN := -DRW_FENCES=1
$(BUILD)/rw/model-words: RW_OWN := -DRW_FENCES=0
$(BUILD)/rw/validate-chaos: RW_OWN := -DCHAOS

$(BUILD)/rw/model $(BUILD)/rw/model-words: rw/model.c $(RW_SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(filter-out -MMD -MP,$(FLAGS)) $(WERROR) $(RW_OWN) rw/model.c $(LINK) -o $@

$(BUILD)/rw/validate $(BUILD)/rw/validate-chaos: $(RW_VALIDATE) rw/validate.h \
		$(RW_SOURCES)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(filter-out -MMD -MP,$(FLAGS)) $(WERROR) $(RW_OWN) $(RW_VALIDATE) \
		$(LINK) -o $@

.PHONY: rw-tools soak-rw bench-rw
rw-tools: $(RW_TOOLS)

# 10^9 reads over all configurations, and 1000 kills; RW_READS for fewer.
soak-rw: rw-tools
	@bash rw/soak.sh $(BUILD)

bench-rw:
	@sh scripts/deps.sh libck-dev liburcu-dev
	@bash bench/rw/run.sh $(BENCH_ARGS)
