# web.mk - the playground: the command as WebAssembly, and the page around it.
#
# The module needs clang and wasm-ld, the page node and npm; without them the
# rest is built and says what was left out.

WEB := $(BUILD)/web
WEB_CC ?= clang
# Small rather than fast: a page is fetched before it runs.
WEB_OPT ?= -Oz
# wasm-ld is part of lld; npm also installs what the page's script is made with.
CHECK_PACKAGES += lld binaryen
HAVE_WASM := $(shell printf 'int main(void){return 0;}' | \
	$(WEB_CC) --target=wasm32 -x c - -c -o /dev/null 2>/dev/null && \
	command -v wasm-ld >/dev/null && echo yes)

# A protocol is in the module once, with its table of functions, and the engine
# calls it there; but not one that is made of another one's source.
WEB_ONCE := $(filter-out rw_preventive,$(PROTOCOLS))

# A page has no threads, no processes, no sockets, no folders, no database.
WEB_WITHOUT := check/search/barrier.c net/outside.c \
	$(foreach p,$(WEB_ONCE),$(wildcard protocols/*/$p/$p.c)) $(filter-out \
	lab/formula/% lab/claim/words.c,$(filter lab/%,$(SIM))) \
	$(LIVE_CLI) $(LAB_CLI) $(wildcard cli/demo/*.c cli/compare/*.c cli/worst/*.c) \
	$(addprefix cli/,asked.c completion.c claims.c program.c web.c) \
	$(addprefix lab/formula/,property.c vocabulary.c) \
	$(patsubst %,cli/grade/%.c,cell cells engine sandbox sheet grade_report gradescope)
WEB_SOURCES := $(filter-out $(WEB_WITHOUT),$(PURE) $(SIM) $(CHECK) $(DRAW) \
	$(CLI)) $(wildcard web/libc/*.c web/module/*.c)
WEB_OBJ := $(WEB_SOURCES:%.c=$(WEB)/obj/%.o) \
	$(PROTOCOLS:%=$(WEB)/obj/net/typed_%.o) \
	$(PROTOCOLS:%=$(WEB)/obj/sim/typed_%.o)

WEB_FLAGS := --target=wasm32 -mbulk-memory $(WEB_OPT) -std=c11 -D_GNU_SOURCE \
	-DFULCRUM_WEB -nostdlibinc -Iweb/libc/include -isystem $(WEB)/include \
	$(WARN) $(WERROR) -I. -MMD -MP -fvisibility=hidden -DFULCRUM_VERSION='"$(VERSION)"'
# The rules of protocols are comments; in the page they are statements, which say
# by which rule a node went (web/module/cite.awk).
CITED := $(patsubst %,$(WEB)/cited/%,\
	$(filter-out $(PROTOCOL_TESTS),$(wildcard protocols/*/*/*.c protocols/*/*/*.inc)))
WEB_FLAGS := -I$(WEB)/cited -include web/module/cite.h $(WEB_FLAGS)

$(WEB)/cited/%: % web/module/cite.awk
	@mkdir -p $(@D)
	$(Q)awk -f web/module/cite.awk $< >$@

# One layout of view-lock, for the simulator and for those that look at states.
web_typed = $(WEB_CC) $(WEB_FLAGS) -DVIEW_LOCK_NODES=16 -DP=$* \
	$(if $(filter $*,$(WEB_ONCE)),-DP_ONCE) \
	-DP_SOURCE='"$(wildcard protocols/*/$*/$*.$(if $(filter $*,$(WEB_ONCE)),$(1),c))"' \
	-c $< -o $@

$(WEB)/include/xxhash.h:
	@mkdir -p $(@D)
	$(Q)ln -sf /usr/include/xxhash.h $@

$(WEB)/obj/net/typed_%.o: net/typed.c $(WEB)/include/xxhash.h | $(CITED)
	@mkdir -p $(@D)
	$(call say,WASM)
	$(Q)$(call web_typed,c)

$(WEB)/obj/sim/typed_%.o: sim/typed.c $(WEB)/include/xxhash.h | $(CITED)
	@mkdir -p $(@D)
	$(call say,WASM)
	$(Q)$(call web_typed,h)

# A protocol that begins with another calls it in its own object.
$(WEB)/obj/protocols/%.o: $(WEB)/cited/protocols/%.c $(WEB)/include/xxhash.h
	@mkdir -p $(@D)
	$(call say,WASM)
	$(Q)$(WEB_CC) $(WEB_FLAGS) -c $< -o $@

$(WEB)/obj/%.o: %.c $(WEB)/include/xxhash.h | $(CITED)
	@mkdir -p $(@D)
	$(call say,WASM)
	$(Q)$(WEB_CC) $(WEB_FLAGS) -c $< -o $@

# Deep recursion is rare, large locals are not: 1 MB of stack, before the data,
# so that an overflow is a trap and not a surprise.  The protocols are compiled
# for the simulator, for the checker and for themselves: wasm-opt, if it is
# there, finds the functions that came out the same; and more of them when it has
# put together anew what they do (flatten, rereloop).
WEB_REBUILD := --flatten --rereloop -Oz
$(WEB)/fulcrum.wasm: $(WEB_OBJ)
	$(call say,LINK)
	$(Q)wasm-ld --no-entry --stack-first -z stack-size=1048576 --gc-sections \
		--strip-debug $^ -o $@
	$(Q)if command -v wasm-opt >/dev/null; then \
		for passes in -Oz -Oz "$(WEB_REBUILD) $(WEB_REBUILD) -Oz"; do \
		wasm-opt $$passes --enable-bulk-memory $@ -o $@.small && mv $@.small $@; \
		done; fi

# The page: TypeScript, put together by Vite.  What npm installs is kept beside
# its sources, until the list of it changes.
PAGE := web/page
PAGE_SOURCES := $(shell find $(PAGE)/src $(PAGE)/public -type f 2>/dev/null) \
	$(wildcard $(PAGE)/*.html $(PAGE)/*.ts $(PAGE)/package.json protocols/*/*/README.md net/fault_words.h \
	docs/exercises/*.exercise)

$(PAGE)/node_modules/.fulcrum: $(PAGE)/package-lock.json
	$(call say,NPM )
	$(Q)cd $(PAGE) && npm ci --silent --no-audit --no-fund
	@touch $@

$(WEB)/page/index.html: $(PAGE_SOURCES) $(PAGE)/node_modules/.fulcrum
	$(call say,VITE)
	$(Q)cd $(PAGE) && npx tsc --noEmit && npx vite build --logLevel warn \
		--outDir $(abspath $(WEB)/page) --emptyOutDir
	@touch $@

$(WEB)/page/fulcrum.wasm: $(WEB)/fulcrum.wasm $(WEB)/page/index.html
	$(Q)cp $< $@

HAVE_NPM := $(shell command -v npm >/dev/null && echo yes)
.PHONY: web
ifneq ($(HAVE_WASM),yes)
web:
	@echo "left out: the playground: it needs clang and lld ('make deps')"
else ifneq ($(HAVE_NPM),yes)
web: $(WEB)/fulcrum.wasm
	@echo "left out: the page of the playground: it needs node and npm"
else
web: $(WEB)/page/fulcrum.wasm
	@echo "The playground is in $(WEB)/page; 'fulcrum web' serves it."
endif

-include $(WEB_OBJ:.o=.d)
