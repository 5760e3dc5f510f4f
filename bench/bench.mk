# bench.mk - the benchmark of the engines: those of the library as they are shipped,
# beside the general engine over a heap.

BENCHED := chang_roberts vitanyi
BENCH_OBJ := $(OBJ)/bench/bench.o $(OBJ)/bench/report.o $(OBJ)/bench/by_hand.o \
	$(BENCHED:%=$(OBJ)/bench/heap_%.o)

# Not for what it is made of: the file of all flags.
$(OBJ)/bench/report.o: private FLAGS += -DBENCH_FLAGS='"$(STD) $(OPT) $(SHAREABLE) $(CFLAGS)"'

$(OBJ)/bench/heap_%.o: bench/heap_engine.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(typed)

$(BUILD)/bench/bench: $(BENCH_OBJ) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@ -lm

bench: $(BUILD)/bench/bench
	@$< $(BENCH_ARGS)

# What taking a lock costs: make bench-lock, and RUNS, WITH=other/fulcrum
$(BUILD)/bench/lock: $(OBJ)/bench/lock.o $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@

.PHONY: bench-lock
bench-lock: all $(BUILD)/bench/lock
	@bash bench/lock.sh $(BUILD) $(WITH)

-include $(BENCH_OBJ:.o=.d) $(OBJ)/bench/lock.d
