# Fulcrum: make, make demo, make check, make bench, make install, make clean.
#
# Rooms with rules of their own have a .mk, included below.  Everything is built under
# $(BUILD); `make BUILD=dir SANITIZE=address,undefined` gives another variant beside it.

MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all

# The only place; CHANGELOG.md, CITATION.cff and debian/changelog are compared with it.
VERSION := 0.4.0
BUILD ?= build
PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
DESTDIR ?=
# Debugging symbols, six sevenths of the bytes, are not installed; `make install
# INSTALL_STRIP=` keeps them.  The compiler knows who can take them out of what it made.
STRIP ?= $(shell $(CC) -print-prog-name=strip)
INSTALL_STRIP ?= -s --strip-program=$(STRIP)

CC ?= cc
OPT ?= -O3
SANITIZE ?=
# Tests are compiled once and run once, whatever OPT says.
TEST_OPT ?= -O0
# No warning is an error here, since other compilers have others; in `make check`
# each is, which sets WERROR.
WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow
WERROR ?=
STD := -std=c11 -D_GNU_SOURCE
# Following variables through optimized code is a quarter of a build.
DEBUG := -g -fno-var-tracking
# One set of objects for both libraries; nobody replaces a function of ours by
# one of another library, so calls among them stay direct.
SHAREABLE := -fPIC -fno-semantic-interposition
FLAGS = $(STD) $(OPT) $(DEBUG) $(WARN) -I. -MMD -MP -pthread $(SHAREABLE) \
	-DFULCRUM_VERSION='"$(VERSION)"' $(CFLAGS)
LINK = -pthread $(LDFLAGS)
# `make FEW="vitanyi bully"` simulates and checks no other protocols.
FEW ?=
ifneq ($(FEW),)
FLAGS += -D'FC_PROTOCOLS(X)=$(patsubst %,X(%),$(FEW))'
endif
ifneq ($(SANITIZE),)
FLAGS += -fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer
LINK += -fsanitize=$(SANITIZE)
FLAGS += -DFC_PARANOID
# Reports name lines, and no variables.
DEBUG := -g1
# Every program gets a copy of the sanitizers: lld needs a third of the time.
LINK += $(shell command -v ld.lld >/dev/null && echo -fuse-ld=lld)
endif

# One short line per file; `make V=1` shows the commands.
ifeq ($(V),)
Q := @
say = @echo "  $(1) $(@:$(BUILD)/%=%)"
endif

# ---- What is there -----------------------------------------------------------

has = $(shell printf '\043include <$(1)>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)
HAVE_XXHASH := $(call has,xxhash.h)
HAVE_JANSSON := $(call has,jansson.h)
HAVE_CMOCKA := $(shell printf '\043include <stdarg.h>\n\043include <stddef.h>\n\043include <stdint.h>\n\043include <setjmp.h>\n\043include <cmocka.h>\n' | $(CC) -E -x c - >/dev/null 2>&1 && echo yes)

# Debian packages: what to build, and what else to check.
LEFT_OUT :=
PACKAGES := libxxhash-dev libjansson-dev libcmocka-dev
CHECK_PACKAGES := clang libclang-rt-dev clang-format clang-tidy cppcheck valgrind jq gojq mandoc g++ zsh \
	pkgconf bubblewrap musl-tools abigail-tools librsvg2-bin 'chromium-headless-shell|chromium' curl

PROTOCOLS := $(or $(FEW),$(shell sed -n 's/^ *X(\([a-z_0-9]*\)).*/\1/p' protocols/all.h))

$(foreach name,$(PROTOCOLS),$(if $(wildcard protocols/*/$(name)/$(name).c),,\
	$(error protocols/all.h has X($(name)), but there is no protocols/*/$(name)/$(name).c)))

# What tests are linked with: instead of a copy in each of more than a hundred
# tests, one library is shared.
TESTED := $(BUILD)/tests/libtested.so

include live/live.mk
include lab/lab.mk

# The sources of a room: in its folder, and in those one level below.
sources = $(filter-out %/typed.c,$(wildcard $(1)/*.c $(1)/*/*.c))
# A protocol has a folder, and its tests are in it.
PROTOCOL_TESTS := $(wildcard protocols/*/*/test_*.c)
PURE := $(foreach room,core problems,$(call sources,$(room))) \
	$(filter-out $(PROTOCOL_TESTS),$(wildcard protocols/*/*/*.c))
SIM := $(foreach room,net trace sim,$(call sources,$(room))) \
	$(filter-out lab/run/% lab/mpi/%,$(call sources,lab))
CHECK := $(call sources,check)
DRAW := $(call sources,draw)
SERVE := $(wildcard web/serve/*.c)
CLI := $(filter-out cli/front/% $(LIVE_WITHOUT) $(LAB_WITHOUT),$(call sources,cli))
TEST_SOURCES := $(wildcard tests/unit/*/test_*.c) $(PROTOCOL_TESTS)
TESTS := $(notdir $(basename $(TEST_SOURCES)))
ifneq ($(LIVE_MISSING),)
TESTS := $(filter-out test_live_%,$(TESTS))
endif
ifneq ($(LAB_WITHOUT),)
TESTS := $(filter-out test_run_%,$(TESTS))
endif
MAN := $(wildcard man/*.1 man/*.3 man/*.5 man/*.7)

OBJ := $(BUILD)/obj
# Protocols with engines for few nodes and for many.
WIDE := view_lock
PURE_OBJ := $(PURE:%.c=$(OBJ)/%.o)
SIM_OBJ := $(SIM:%.c=$(OBJ)/%.o) $(PROTOCOLS:%=$(OBJ)/net/typed_%.o) \
	$(PROTOCOLS:%=$(OBJ)/sim/typed_%.o) $(WIDE:%=$(OBJ)/sim/wide_%.o) $(LAB_TEXTS)
CHECK_OBJ := $(CHECK:%.c=$(OBJ)/%.o)
DRAW_OBJ := $(DRAW:%.c=$(OBJ)/%.o)
CLI_OBJ := $(CLI:%.c=$(OBJ)/%.o) $(SERVE:%.c=$(OBJ)/%.o) $(LAB_RUN_OBJ)
LIB_OBJ := $(PURE_OBJ) $(LOCK_OBJ)
ifeq ($(HAVE_XXHASH),yes)
LIB_OBJ += $(filter-out $(LOCK_OBJ),$(SIM_OBJ)) $(CHECK_OBJ) $(DRAW_OBJ)
endif

# All but the command, for programs of this tree and its tests.
LIB := $(BUILD)/libfulcrum.a

BUILT := $(LIB) $(LIVE_BUILT)
include api/api.mk
LIB_OBJ += $(API_CLIENT_OBJ)
ifeq ($(HAVE_XXHASH),yes)
LIB_OBJ += $(API_LAB_OBJ)
endif
ifneq ($(HAVE_XXHASH),yes)
LEFT_OUT += "the simulator and fulcrum: they need xxhash.h (libxxhash-dev)"
else ifneq ($(HAVE_JANSSON),yes)
LEFT_OUT += "fulcrum, the command: it needs jansson.h (libjansson-dev)"
else
BUILT += $(BUILD)/fulcrum $(BUILD)/fulcrum-lab $(LAB_BUILT)
# The command itself is a small one that takes locks and becomes another for the rest:
# that of a node, or that of the laboratory, which has all verbs.  A sanitized one
# would not be small, and a command without live verbs takes no locks.
SMALL := $(if $(or $(LIVE_MISSING),$(SANITIZE)),,yes)
BUILT += $(if $(SMALL),$(BUILD)/fulcrum-node)
endif

include rw/rw.mk
include core/firmware.mk
include web/web.mk
include bench/bench.mk

.PHONY: all deps demo check quick-check try bench bench-check bench-threads \
	tables verdicts facts verification soak check-mixed \
	install uninstall deb check-deb clean \
	stories pictures format lint tests large-tests FORCE
.DELETE_ON_ERROR:

all: $(BUILT)
	@for what in $(LEFT_OUT); do \
		echo "left out: $$what; 'make deps' installs it"; done

# ---- Building ----------------------------------------------------------------

# Other flags, or libraries that have been installed since, make other objects.
$(OBJ)/flags: FORCE
	@mkdir -p $(@D)
	@now=$@.now.$$$$; \
	printf '%s\n' '$(subst ','\'',$(CC) $(FLAGS))' >$$now; \
	cmp -s $$now $@ && rm $$now || mv $$now $@
FORCE:

# One protocol, seen through a table and driven by the engines.
# Debuggers see their lines; types are seen in the other units.
typed = $(CC) $(FLAGS) $(WERROR) -g1 -DP=$* -DP_SOURCE='"$(wildcard protocols/*/$*/$*.c)"' -c $< -o $@

$(OBJ)/net/typed_%.o: net/typed.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(typed)

$(OBJ)/sim/typed_%.o: sim/typed.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(typed)

$(OBJ)/sim/wide_%.o: sim/typed.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(typed) -DFC_WIDE

# Engines, checker and protocols are worth all that the optimizer can do; what is
# done once in a run takes half as long to compile without most of it.
COLD := $(addsuffix /%.o,draw cli lab)
$(addprefix $(OBJ)/,$(COLD)): private override OPT := $(patsubst -O3,-O1,$(OPT))
# With sanitizers the optimizer takes most of a build: it is worth it for the
# checker, protocols, and the engines of those with long tests.
HOT := chang_roberts lelann view_lock vitanyi
ifneq ($(SANITIZE),)
COLD += $(addsuffix /%.o,live trace net) \
	$(patsubst %,sim/typed_%.o,$(filter-out $(HOT),$(PROTOCOLS))) sim/wide_%.o
# Races are looked for in short runs.
COLD += $(if $(findstring thread,$(SANITIZE)),check/%.o protocols/%.o)
$(addprefix $(OBJ)/,$(COLD)): private override OPT := -O0
# What reports say of each line are pointers by the hundred thousand, which no start
# has to move if the program has its place.
$(BUILD)/fulcrum-lab: private LINK += -no-pie
endif
# What runs for a moment is not optimized: all tests, except those that play
# networks of their own.
$(OBJ)/tests/%.o $(PROTOCOL_TESTS:%.c=$(OBJ)/%.o): private override OPT := $(TEST_OPT)
PLAYED := $(wildcard $(addprefix protocols/,mutex/archimedean/test_archimedean_*.c \
	mutex/maekawa/test_*.c election/token_ring/test_*.c))
$(PLAYED:%.c=$(OBJ)/%.o): private override OPT := -O1
# Nor are protocols that a test tries for a moment: `make TRIED="baton echo"`.
TRIED ?=
ifneq ($(TRIED),)
$(foreach name,$(TRIED),$(foreach at,%/typed_$(name).o protocols/%/$(name)/$(name).o,\
	$(OBJ)/$(at))): private override OPT := -O0
endif

$(OBJ)/%.read: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,READ)
	$(Q)$(CC) $(FLAGS) $(WERROR) -MF $@.d -MT $@ -fsyntax-only $<
	@touch $@

$(OBJ)/%.o: %.c $(OBJ)/flags
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(FLAGS) $(WERROR) -c $< -o $@

$(LIB): $(LIB_OBJ)
	@rm -f $@
	$(call say,AR  )
	$(Q)$(AR) rcs $@ $^

# Whoever kills a command in time has no time to look for a function first.
$(BUILD)/fulcrum $(BUILD)/fulcrum-node $(BUILD)/fulcrum-lab: private LINK += -Wl,-z,now
$(BUILD)/fulcrum-lab: $(CLI_OBJ) $(LIVE_LIB) $(LIB)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@ -ljansson -lm $(LIVE_LIBS) $(LAB_LIBS)

ifeq ($(SMALL),)
$(BUILD)/fulcrum: $(BUILD)/fulcrum-lab
	@ln -sf fulcrum-lab $@
else
of_cli = $(patsubst %,$(OBJ)/cli/%.o,$(1))
FRONT_OBJ := $(patsubst %.c,$(OBJ)/%.o,$(wildcard cli/lock/*.c)) \
	$(call of_cli,main cli options paragraph progress node/connect)
NODE_OBJ := $(FRONT_OBJ) $(call of_cli,front/node json) $(patsubst %.c,$(OBJ)/%.o,\
	$(filter-out cli/node/connect.c,$(wildcard cli/node/*.c cli/cluster/*.c)))

$(BUILD)/fulcrum: $(FRONT_OBJ) $(call of_cli,front/front) $(LIVE_LIB) $(LIB)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@

$(BUILD)/fulcrum-node: $(NODE_OBJ) $(LIVE_LIB) $(LIB)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $^ -o $@ -Wl,--as-needed $(LIVE_LIBS) -lm
endif

# Where the object of a test is.
test_object = $(patsubst %.c,$(OBJ)/%.o,$(filter %/$(1).c,$(TEST_SOURCES)))

.SECONDEXPANSION:
$(BUILD)/tests/test_%: $$(call test_object,test_$$*) $(TESTED)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) $(filter %.o,$^) $(TESTED) -o $@ -Wl,-rpath,'$$ORIGIN' -lcmocka -lm

# The server belongs to the command, not to the library.
$(BUILD)/tests/test_serve: $(OBJ)/web/serve/request.o $(OBJ)/web/serve/server.o

# An example's own parts.
$(BUILD)/tests/test_firmware_bus: $(patsubst %,$(OBJ)/docs/examples/firmware/bus/%.o,\
	node frames record)

$(BUILD)/tests/libtested.so: $(LIB_OBJ)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) $(LINK) $^ -o $@ -lm

tests: $(TESTS:%=$(BUILD)/tests/%)

# Under sanitizers some tests do less (tests/unit/kit/test.h): these show more in a
# plain build.  The others are only read, for the compiler's warnings;
# tests/source/sources.sh looks whether one of them should be here.
LARGE_TESTS := $(filter $(TESTS),$(notdir $(basename $(shell grep -lwE \
	'is_sanitized|LONG_TEST|rounds|rounds_from|too_large|check_orders|rings.h' \
	$(TEST_SOURCES)))))
large-tests: $(LARGE_TESTS:%=$(BUILD)/tests/%) \
		$(foreach test,$(filter-out $(LARGE_TESTS),$(TESTS)),\
		$(patsubst %.o,%.read,$(call test_object,$(test))))
	@printf '%s\n' $(LARGE_TESTS) >$(BUILD)/tests/large

# Objects stay: others link them, too.
.SECONDARY:

# ---- Hand-ins in C -----------------------------------------------------------

# What `fulcrum grade` links a protocol with that somebody has handed in: simulator and
# checker as objects, the headers that they are compiled with, the script that looks at
# the hand-in and builds it, and the names in core/ and problems/ that it may call.
GRADE_KIT := $(BUILD)/grade-kit
GRADE_KIT_OBJ := $(patsubst %.c,$(OBJ)/%.o,cli/front/apart.c cli/front/judge.c $(filter-out cli/verbs.c \
	cli/claims.c cli/completion.c cli/web.c cli/draw.c,$(wildcard cli/*.c)) \
	$(wildcard cli/setup/*.c cli/sim/*.c cli/check/*.c cli/report/*.c))
.PHONY: grade-kit
grade-kit: $(GRADE_KIT)/names
$(GRADE_KIT)/names: $(GRADE_KIT_OBJ) $(LIB) $(BUILD)/fulcrum-lab scripts/grade-build.sh
	@rm -rf $(@D) && mkdir -p $(@D)/include $(@D)/hand-out
	$(call say,KIT )
	$(Q)find core problems protocols net trace sim check lab \( -name '*.h' -o \
		-name '*.inc' -o -name typed.c -o -path net/type.c -o -path sim/setup.c \) \
		-exec cp --parents -t $(@D)/include {} +
	@cp scripts/grade-build.sh $(@D)/build.sh
	@cp docs/exercises/eager.h docs/tutorial/baton.h $(@D)/hand-out/
	$(Q)$(AR) rcs $(@D)/judge.a $(GRADE_KIT_OBJ) && $(STRIP) -g $(@D)/judge.a
	$(Q)cp $(LIB) $(@D)/engine.a && $(STRIP) -g $(@D)/engine.a
	$(Q)grep -rohE '[A-Za-z_][A-Za-z0-9_]*' $(@D)/include | sort -u >$(@D)/words
	$(Q)nm -P -g $(filter $(OBJ)/core/% $(OBJ)/problems/% $(OBJ)/protocols/shared/%,$(PURE_OBJ)) | \
		awk '$$2 ~ /[TRD]/ { print $$1 }' | sort -u >$@

# What students get: the exercises without their solutions, the protocols to be
# repaired, the pages that explain them, and the command if it was linked statically.
.PHONY: handout check-grade
handout: $(BUILD)/handout/fulcrum
	@tar -czf $(BUILD)/handout.tar.gz --exclude='*/solutions*' \
		--transform 's,^fulcrum$$,bin/fulcrum,;s,^,fulcrum-exercises/,' docs/exercises \
		docs/tutorial/baton.c docs/tutorial/baton.h docs/tutorial/mutex.md docs/tutorial.md \
		-C $(abspath $(BUILD))/handout fulcrum
	@echo "$(BUILD)/handout.tar.gz has what students get; solutions are not in it."

# One file without libraries; `fulcrum grade` finds the exercises beside it.
$(BUILD)/handout/fulcrum: $(filter-out $(OBJ)/cli/front/judge.o,$(GRADE_KIT_OBJ)) \
		$(patsubst %.c,$(OBJ)/%.o,cli/front/handout.c cli/draw.c $(wildcard cli/compare/*.c cli/grade/*.c)) $(LIB)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(LINK) -static $^ -o $@ -ljansson -lm
	$(Q)$(STRIP) $@

# Sixty hand-ins, right, wrong, hostile and endless, marked twice.
check-grade: all grade-kit
	@bash tests/command/grade_many.sh $(BUILD)

# ---- Two commands, and the rest ----------------------------------------------

deps:
	@sh scripts/deps.sh $(PACKAGES) $(CHECK_PACKAGES)

demo:
	@sh scripts/deps.sh $(PACKAGES)
	@$(MAKE) --no-print-directory all
	@$(BUILD)/fulcrum demo -o $(BUILD)/demo
	@$(BUILD)/fulcrum reproduce --quick -o $(BUILD)/demo/lab | tail -n 1
	@echo "Every claim, its plot and its counterexample: $(BUILD)/demo/lab/report.html"

check: deps
	@bash tests/check.sh

# The tests alone, for the work in between.
quick-check:
	@bash tests/check.sh --quick

# Nodes of the last release beside those of this tree: a rolling upgrade, and back.
check-mixed: all
	@bash tests/live/mixed.sh $(BUILD)

# One protocol, in seconds: make try P=ricart-agrawala
try:
	@bash tests/try.sh $(BUILD) "$(P)"

# The checker beside Spin; and all that is verified, written down anew.
bench-check: all
	@bash bench/spin/run.sh

# The tables of pages that take minutes, computed anew: make tables T=worst; all
# of them take an hour.
T ?= worst rw-optimistic spirakis-tampakas extremes
tables: all
	@set -e; for name in $(T); do \
		bash docs/tables/$$name.sh $(BUILD)/fulcrum; done

# What the lab says of every claim: into lab/verdicts.tsv, and from there into the
# pages.
verdicts: all
	@$(BUILD)/fulcrum reproduce --quick --json -o $(BUILD)/verdicts \
		>$(BUILD)/verdicts.json
	@bash docs/tables/verdicts.sh rows <$(BUILD)/verdicts.json \
		>$(BUILD)/verdicts.tsv
	@cp $(BUILD)/verdicts.tsv lab/verdicts.tsv
	@bash docs/tables/verdicts.sh pages

# One thread of the checker beside several.
bench-threads: all
	@bash bench/threads.sh

# Numbers that are missing in facts.txt, or have changed, and all tables made of
# them; make facts P=NAME: those of one protocol.
facts: all
	@REWRITE=yes bash tests/facts.sh $(BUILD) "$(subst -,_,$(P))"
	@bash docs/tables/protocols.sh
	@bash docs/tables/mutants.sh

# All that is checked, however long it takes.
verification: all
	@MOST=all bash tests/facts.sh $(BUILD)

# All that takes long, from one seed: SOAK_SEED, SOAK_SECONDS for each part.
soak: all rw-tools fuzzers live-tools large-tests
	@bash tests/soak.sh $(BUILD)

# What stories print now; make stories P=NAME: those of one protocol.
stories: all
	@REWRITE=yes OF="$(P)" bash tests/command/stories.sh

# The pictures of the pages, by the commands that stand there; make pictures P=NAME:
# that of one protocol.
pictures: all
	@REWRITE=yes bash docs/pictures.sh $(BUILD)/fulcrum \
		$(if $(P),,docs/pictures.md docs/live-protocols.md) \
		protocols/*/$(or $(subst -,_,$(P)),*)/README.md

format:
	@git ls-files '*.c' '*.h' '*.inc' | xargs clang-format -i

lint:
	@LINT_ALL=yes bash tests/source/lint.sh

# Where things go.
TO := $(DESTDIR)$(PREFIX)
TO_LIB := $(DESTDIR)$(LIBDIR)
TO_BASH := $(TO)/share/bash-completion/completions/fulcrum
TO_ZSH := $(TO)/share/zsh/site-functions/_fulcrum
TO_UNIT := $(TO)/lib/systemd/system/fulcrum@.service
TO_DOC := $(TO)/share/doc/fulcrum
TO_WEB := $(TO)/share/fulcrum/web
TO_MAN = $(TO)/share/man/man$(subst .,,$(suffix $(1)))/$(notdir $(1))
PUT := install -m 644 /dev/stdin
# The pages that manuals cite, with what they show, in the folders where their links
# find them.
PAGES := README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md $(wildcard docs/*.md \
	docs/images/* docs/tutorial/* docs/exercises/* docs/exercises/*/* protocols/*/*/README.md \
	protocols/*/*/run.svg lab/verdicts.tsv)

install: all
	install -d $(TO)/bin $(TO_LIB)/pkgconfig $(dir $(TO_UNIT)) $(TO_DOC)
	for name in $(CLIENT_SO) $(if $(filter %/$(LAB_SO),$(PROMISED)),$(LAB_SO)); do \
		base=$${name%.so.*} && \
		install $(INSTALL_STRIP) -m 644 $(BUILD)/$$name $(TO_LIB)/ && \
		ln -sf $$name $(TO_LIB)/$$base.so && \
		install -m 644 $(BUILD)/static/$$base.a $(TO_LIB)/ && \
		$(if $(INSTALL_STRIP),$(STRIP) -g $(TO_LIB)/$$base.a &&) \
		sed 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR:$(PREFIX)/%=$${prefix}/%)|' \
			$(BUILD)/$${base#lib}.pc | $(PUT) $(TO_LIB)/pkgconfig/$${base#lib}.pc || exit 1; \
	done
	sh scripts/headers.sh $(TO)/include
	install -m 644 $(RW_HEADER) $(TO)/include/fulcrum/
	if [ -e $(BUILD)/fulcrum ]; then \
		install -d $(TO)/libexec/fulcrum && \
		install $(INSTALL_STRIP) -m 755 $(BUILD)/fulcrum $(TO)/bin/ && \
		install $(INSTALL_STRIP) -m 755 $(filter $(BUILD)/fulcrum-%,$(filter-out %.pc %-relay,$(BUILT))) \
			$(TO)/libexec/fulcrum/ && \
		install -d $(dir $(TO_BASH) $(TO_ZSH)) && \
		$(BUILD)/fulcrum completion bash | $(PUT) $(TO_BASH) && \
		$(BUILD)/fulcrum completion zsh | $(PUT) $(TO_ZSH); fi
	for page in $(MAN); do \
		install -D -m 644 $$page \
			$(TO)/share/man/man$${page##*.}/$${page#man/}; done
	sed 's|/usr/local/bin|$(PREFIX)/bin|' live/fulcrum@.service | \
		$(PUT) $(TO_UNIT)
	install -D -m 644 live/fulcrum.ini.sample $(TO_DOC)/examples/fulcrum.ini
	umask 022; cp -R docs/examples/. $(TO_DOC)/examples/
	umask 022; for page in $(PAGES); do \
		[ -d $$page ] || install -D -m 644 $$page $(TO_DOC)/$$page || exit; done
	ln -sf ../examples $(TO_DOC)/docs/examples
	if [ -e $(WEB)/page/fulcrum.wasm ]; then \
		umask 022; install -d $(TO_WEB) && cp -R $(WEB)/page/. $(TO_WEB)/; fi

# Folders that were there before, and may have been empty, stay.
uninstall:
	rm -f $(TO)/bin/fulcrum $(TO_LIB)/libfulcrum.* \
		$(TO_LIB)/libfulcrum-client.* $(TO_LIB)/pkgconfig/fulcrum.pc \
		$(TO_LIB)/pkgconfig/fulcrum-client.pc $(TO_UNIT) $(TO_BASH) $(TO_ZSH) \
		$(foreach page,$(MAN),$(call TO_MAN,$(page)))
	rm -rf $(TO)/include/fulcrum $(TO)/libexec/fulcrum $(TO_DOC) $(TO_WEB)

# Debian packages, in $(BUILD)/deb.
deb:
	@sh scripts/deps.sh $(PACKAGES) dpkg-dev debhelper fakeroot lintian
	@sh scripts/deb.sh $(BUILD)/deb

# Installs and purges them on a fresh Debian, which it fetches once.
check-deb: deb
	@sh scripts/deps.sh debootstrap autopkgtest
	@bash tests/command/deb.sh $(BUILD)

clean:
	rm -rf $(BUILD)

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
