# Every target sets up what it needs by itself: a virtual environment in .venv, filled with the versions of
# constraints.txt, again whenever pyproject.toml or constraints.txt change.

# The first of these that is Python 3.11 or newer makes .venv. To choose: make PYTHON=/path/to/python3.12 test
PYTHON ?= python3 python3.13 python3.12 python3.11
# Test processes at a time.
JOBS ?= auto
# Games that `make fuzz` plays.
GAMES ?= 100000
# States that `make fuzz-states` damages.
STATES ?= 100000
# Inputs that `make fuzz-inputs` damages.
CASES ?= 20000
# Positions that `make solve-check` compares.
POSITIONS ?= 2000
# Kills of `make kill-test`.
KILLS ?= 20

# Minutes that `make demo` trains.
MINUTES ?= 3

PY := .venv/bin/python
CLI_READY := .venv/.installed-cli
TRAIN_READY := .venv/.installed-train
DEV_READY := .venv/.installed-dev
PYTEST := $(PY) -m pytest
# Each process begins with a part of its own, so that what tests of one file share is mostly made once.
LARGE := $(PYTEST) -n $(JOBS) --dist worksteal
BOUNDS := NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/.cache/numba-bounds" $(PYTEST)
COVERAGE := NUMBA_DISABLE_JIT=1 $(PYTEST) -m nojit --cov=speicher_env --cov-branch

export PIP_DISABLE_PIP_VERSION_CHECK := 1
# The tests start hundreds of processes; without kept bytecode each of them would compile the same sources again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
# Two targets must not install into .venv at the same time.
.NOTPARALLEL:

.PHONY: help
help:  ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: demo
demo: $(TRAIN_READY)  ## train two players from scratch for three minutes, play the arena, say what came of it
	@.venv/bin/speicher demo --minutes $(MINUTES)

.PHONY: show
show: $(CLI_READY)  ## play a game of three and show it move by move
	@mkdir -p out
	@.venv/bin/speicher record --players 3 --seed 7 --games 1 -o out/show.jsonl
	@.venv/bin/speicher replay out/show.jsonl
	@echo "The record of this game is in out/show.jsonl; show it again with: .venv/bin/speicher replay out/show.jsonl"

# Compiled code shows the behaviour, plain Python the coverage, and checked indices that no rule reaches past an array.
# The last has a cache of its own: Numba would otherwise load code that was compiled without the checks. These two smaller
# runs share a process beside those of the large one, which waits now and then, and are shown behind it.
.PHONY: test
test: $(DEV_READY)  ## all tests; beside them some without compilation, for coverage, and some with checked indices
	@mkdir -p build; \
	trap 'trap - TERM; kill 0' INT TERM; \
	{ \
		echo "$(COVERAGE) --cov-fail-under=95"; $(COVERAGE) --cov-fail-under=95; interpreted=$$?; \
		echo "$(BOUNDS) -m bounds"; $(BOUNDS) -m bounds; bounds=$$?; \
		exit $$((interpreted || bounds)); \
	} >build/test.log 2>&1 & smaller=$$!; \
	echo "$(LARGE)"; $(LARGE); large=$$?; \
	wait $$smaller; small=$$?; \
	cat build/test.log; \
	exit $$((large || small))

.PHONY: test-bounds
test-bounds: $(DEV_READY)  ## every test that also runs without compilation, with checked indices, some minutes
	$(BOUNDS) -n $(JOBS) --dist worksteal -m "nojit or bounds"

.PHONY: test-options
test-options: $(DEV_READY)  ## PettingZoo's and Gymnasium's own tests with all combinations of options, five minutes
	SPEICHER_EVERY_OPTION=1 $(PYTEST) -n $(JOBS) tests/envs/test_aec_pettingzoo.py tests/envs/test_solo_gymnasium.py

.PHONY: coverage
coverage: $(DEV_READY)  ## branch coverage of speicher_env, line by line in htmlcov/index.html
	$(COVERAGE) -n $(JOBS) --cov-report=term --cov-report=html

.PHONY: fuzz
fuzz: $(DEV_READY)  ## compare the rules with their naive twin over GAMES games (100000 unless set)
	$(PY) -m tests.support.fuzz --games $(GAMES)

.PHONY: fuzz-states
fuzz-states: $(DEV_READY)  ## damage STATES states; each must be refused, or playable to its end (100000 unless set)
	NUMBA_BOUNDSCHECK=1 NUMBA_CACHE_DIR="$(CURDIR)/.cache/numba-bounds" $(PY) -m tests.support.fuzz_states --states $(STATES)
	NUMBA_DISABLE_JIT=1 $(PY) -m tests.support.fuzz_states --states 5000

.PHONY: fuzz-inputs
fuzz-inputs: $(DEV_READY)  ## damage CASES inputs of every form; each must be refused in a sentence, or be sound (20000)
	$(PY) -m tests.support.fuzz_inputs --cases $(CASES)

.PHONY: solve-check
solve-check: $(DEV_READY)  ## compare the solver with brute force on POSITIONS small positions (2000 unless set)
	$(PY) -m tests.support.solve_check --positions $(POSITIONS)

.PHONY: wasm
wasm: $(CLI_READY)  ## build the rules, players and search for JavaScript into build/wasm; needs LLD's wasm-ld
	$(PY) -m speicher_apps.wasm build/wasm

.PHONY: wasm-check
wasm-check: GAMES = 1000
wasm-check: $(DEV_READY)  ## compare GAMES games in WebAssembly, in Node, with the engine's (1000 unless set), two minutes
	$(PY) -m tests.support.wasm_check --games $(GAMES)

.PHONY: kill-test
kill-test: $(DEV_READY)  ## kill and resume runs KILLS times, fill disks, start two at once; results must not differ (20)
	$(PY) -m tests.support.kill_test --kills $(KILLS)

.PHONY: cluster-test
cluster-test: $(DEV_READY)  ## kill nodes and drivers of a Ray cluster on this machine, some minutes; CASE=nodes for one
	$(PY) -m tests.cluster $(CASE)

.PHONY: lint
lint: $(DEV_READY)  ## ruff's checks and format, and mypy in strict mode over speicher_env
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy

# The theme prints an advertisement for its successor unless told not to.
.PHONY: docs
docs: $(DEV_READY)  ## build the site into site/; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(PY) -m mkdocs build --strict

.PHONY: site
site: docs  ## build the site with the page to play at once, in the browser, into site/; needs LLD's wasm-ld
	$(PY) -m speicher_apps.web.site site/play-now

# Commits to the local branch gh-pages and pushes nothing. The last version built is the one that readers see first.
.PHONY: site-version
site-version: VERSION = $(shell $(PY) -c "import speicher_env; print(speicher_env.__version__)")
site-version: $(DEV_READY)  ## build the site of this version into the branch gh-pages, beside earlier versions
	PLAY_NOW=1 NO_MKDOCS_2_WARNING=1 PATH=".venv/bin:$$PATH" mike deploy --update-aliases $(VERSION) latest
	.venv/bin/mike set-default latest

# The numbers of the documentation, in three steps; the first two want a machine that does nothing else. With QUICK=1
# they only have a first look: the results go to build/benchmarks, which the documentation does not show.
BENCH_OPTIONS := $(if $(QUICK),--quick)

.PHONY: bench
bench: $(DEV_READY)  ## measure the speed of every layer on this machine, some five minutes
	$(PY) -m benchmarks $(BENCH_OPTIONS)

.PHONY: bench-peers
bench-peers: $(DEV_READY)  ## measure other projects beside this one, each in an environment of its own in build/peers
	$(PY) -m benchmarks.peers $(BENCH_OPTIONS)

.PHONY: pages
pages: $(DEV_READY)  ## write the tables, plots and drawings of the documentation, from the code and from benchmarks/results
	$(PY) -m docs.generate

# Starts from neutral weights, so that the log explains the weights that ship.
.PHONY: tune
tune: $(DEV_READY)  ## tune the weights of the scripted merchant, for 2 to 5 players; ten minutes for each
	rm -f benchmarks/results/tuning.jsonl
	$(PY) -m benchmarks.tune --players 2
	$(PY) -m benchmarks.tune --players 3 --rounds 3 --seed 11
	$(PY) -m benchmarks.tune --players 4
	$(PY) -m benchmarks.tune --players 5

# Frameworks whose requirements exclude each other, so each is installed into an environment of its own in build/stacks.
.PHONY: stacks
stacks: $(DEV_READY)  ## test the environment in other frameworks, an hour; STACK=torchrl for one of them
	$(PY) -m tests.stacks $(STACK)

.PHONY: notebooks
notebooks: $(DEV_READY)  ## execute the notebooks and keep what they show, some three minutes
	$(PY) notebooks/execute.py

.PHONY: strength
strength: $(DEV_READY)  ## measure the players in the arena, half an hour on two cores, and make the page of it
	$(PY) -m benchmarks.strength

# With --cards, the measured strength goes into the cards of the baselines, too.
.PHONY: baselines
baselines: $(DEV_READY)  ## measure the shipped baselines in the arena, an hour of one core, and make the pages of it
	$(PY) -m benchmarks.baselines
	$(PY) -m docs.tables.baselines

.PHONY: strategy
strategy: $(DEV_READY)  ## study what wins in games of the merchant against itself, and make the page of it
	$(PY) -m benchmarks.strategy

# One core for each of JOBS; a whole run of everything takes hours. Goes on where it was when given again.
.PHONY: ablations
ablations: JOBS = 1
ablations: $(DEV_READY)  ## train with single settings changed, three seeds of each, and make the page of it; an hour
	$(PY) -m benchmarks.ablations --minutes 1 --jobs $(JOBS)
	$(PY) -m benchmarks.time_to_strength --steps 4000000 --jobs $(JOBS)
	$(PY) -m benchmarks.time_to_strength --recipe demo --steps 4000000 --jobs $(JOBS)
	$(PY) -m benchmarks.time_to_strength --recipe 2p --untaught --steps 40000000 --every 1000000 --jobs $(JOBS)

.PHONY: clean
clean:  ## remove caches and built files; keeps .venv, out/ and runs/
	rm -rf .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache .coverage .coverage.* build dist htmlcov site
	find . -name .venv -prune -o -name __pycache__ -type d -prune -exec rm -rf {} +

# Leaves a working .venv as it is; makes a new one where there is none, or where it is half-made or too old.
CHECK_PYTHON := -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
define make_venv
if ! { $(PY) $(CHECK_PYTHON) && $(PY) -m pip --version >/dev/null 2>&1; }; then \
	for python in $(PYTHON) none; do \
		if command -v "$$python" >/dev/null && "$$python" $(CHECK_PYTHON); then break; fi; \
	done; \
	if [ "$$python" = none ]; then \
		echo "speicher-env needs Python 3.11 or newer, and none of these is: $(PYTHON)." \
			"Name one that is: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)" >&2; \
		exit 1; \
	fi; \
	echo "Making a virtual environment in .venv with $$($$python --version)"; \
	"$$python" -m venv --clear .venv; \
fi
endef

$(CLI_READY): pyproject.toml constraints.txt
	@$(make_venv)
	@echo "Installing speicher-env with its command into .venv"
	@$(PY) -m pip install --quiet -c constraints.txt -e '.[cli]'
	@touch $@

$(TRAIN_READY): pyproject.toml constraints.txt
	@$(make_venv)
	@echo "Installing speicher-env and what training needs into .venv; with PyTorch among it this takes a minute or more"
	@$(PY) -m pip install --quiet -c constraints.txt -e '.[train]'
	@touch $@ $(CLI_READY)

$(DEV_READY): pyproject.toml constraints.txt
	@$(make_venv)
	@echo "Installing speicher-env and its tools into .venv; with PyTorch among them this takes a minute or more"
	@$(PY) -m pip install --quiet -c constraints.txt -e '.[dev,docs]'
	@touch $@ $(TRAIN_READY) $(CLI_READY)
