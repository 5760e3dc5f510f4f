# lab.mk - the claims of the papers: the texts that are built into the command,
# and the part of the lab that needs SQLite.

HAVE_SQLITE := $(call has,sqlite3.h)
PACKAGES += libsqlite3-dev

# Experiments and what is kept of them belong to the command, not to the library.
LAB_RUN := $(wildcard lab/run/*.c)
LAB_CLI := $(wildcard $(addprefix cli/,$(addsuffix /*.c,reproduce sweep plot)))
ifeq ($(HAVE_SQLITE)$(HAVE_JANSSON),yesyes)
LAB_LIBS := -lsqlite3
STD += -DFULCRUM_LAB
else
LAB_WITHOUT := $(LAB_CLI)
LAB_RUN :=
LEFT_OUT += "fulcrum reproduce: it needs sqlite3.h (libsqlite3-dev)"
endif

# Under mpirun fulcrum sweep becomes fulcrum-lab-mpi: the same, linked with MPI.
# The program itself starts without it.
MPI := $(firstword $(foreach name,mpi-c ompi-c mpich,\
	$(shell pkg-config --exists $(name) 2>/dev/null && echo $(name))))
CHECK_PACKAGES += libopenmpi-dev openmpi-bin sqlite3
ifneq ($(and $(MPI),$(LAB_LIBS)),)
LAB_BUILT := $(BUILD)/fulcrum-lab-mpi
MPI_FLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(MPI)))
$(BUILD)/obj/lab/mpi/%.o: private FLAGS += $(MPI_FLAGS)
endif

LAB_RUN_OBJ := $(LAB_RUN:%.c=$(BUILD)/obj/%.o)
LAB_TEXTS := $(BUILD)/obj/lab/families_text.o $(BUILD)/obj/lab/claims_text.o
CLAIMS := $(addprefix lab/claims/,st89.ini v84.ini l16.ini l22.ini)

# A file as the bytes of an array.
as_bytes = od -An -v -tu1 $(1) | sed 's/[0-9][0-9]*/&,/g'

$(BUILD)/obj/lab/families_text.o: lab/families.ini $(BUILD)/obj/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q){ printf '\043include "lab/search/families.h"\n'; \
		echo 'const char lab_families_text[] = {'; \
		$(call as_bytes,$<); echo '0};'; } >$(@:.o=.c)
	$(Q)$(CC) $(FLAGS) -c $(@:.o=.c) -o $@

$(BUILD)/obj/lab/claims_text.o: $(CLAIMS) $(BUILD)/obj/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q){ printf '\043include "lab/claim/claim.h"\n'; \
		for f in $(CLAIMS); do \
			echo "static const char $$(basename $$f .ini)[] = {"; \
			$(call as_bytes,$$f); echo '0};'; done; \
		echo 'const struct lab_claims_file lab_claims_files[] = {'; \
		for f in $(CLAIMS); do \
			echo "{\"$$f\", $$(basename $$f .ini)},"; done; \
		echo '{0}};'; } >$(@:.o=.c)
	$(Q)$(CC) $(FLAGS) -c $(@:.o=.c) -o $@

$(BUILD)/fulcrum-lab-mpi: $(BUILD)/fulcrum-lab $(BUILD)/obj/lab/mpi/ranks.o
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $(CLI_OBJ) $(BUILD)/obj/lab/mpi/ranks.o $(LIVE_LIB) \
		$(LIB) -o $@ -ljansson -lm $(LIVE_LIBS) $(LAB_LIBS) \
		$(shell pkg-config --libs $(MPI))

# What is judged is tested with answers that are made up.
$(BUILD)/tests/test_run_%: $(BUILD)/obj/tests/unit/lab/test_run_%.o \
		$(LAB_RUN_OBJ) $(TESTED)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@ -Wl,-rpath,'$$ORIGIN' -lcmocka -lm -ljansson \
		$(LAB_LIBS)
