# make setup | demo | docs | test | test-all | lint | format | clean
# PYTHON=... picks the interpreter (3.11 or newer), WORKERS=... the number of test processes.

VENV    := .venv
BIN     := $(VENV)/bin
PY      := $(BIN)/python
WORKERS ?= auto

# One thread a process: the test processes share the cores.
TEST_ENV := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPLBACKEND=Agg

# The first interpreter that answers, has venv and pip, and is new enough.
USABLE := import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	$$p -c '$(USABLE)' >/dev/null 2>&1 && echo $$p && break; done)

heading = @printf '\n==== %s ====\n' '$(1)'

.PHONY: help setup demo docs test test-all lint format clean
.DEFAULT_GOAL := help

help:
	@sed -n 1,2p Makefile

setup: $(VENV)/.stamp-dev

demo: $(VENV)/.stamp-run
	$(BIN)/gough reproduce long2014
	@printf '\n%s\n' 'Three things to try next:' \
		'  $(BIN)/gough view delta                   a robot in the browser: move it, let it swing' \
		'  $(PY) examples/02_your_own_hexapod.py   a hexapod of your own; docs/first_robot.md goes on from it' \
		'  $(BIN)/gough simulate briot2014_square    a robot with flexible links, and how it vibrates'

# The pages as a site on this machine; a change of a page shows at once.
docs: setup
	$(BIN)/mkdocs serve

test: lint
	$(call heading,pytest (not slow))
	$(TEST_ENV) $(PY) -m pytest -m "not slow" -n $(WORKERS) --dist worksteal

test-all: lint
	$(call heading,pytest (all))
	$(TEST_ENV) $(PY) -m pytest -n $(WORKERS) --dist worksteal

lint: setup
	$(call heading,ruff check)
	$(BIN)/ruff check .
	$(call heading,ruff format)
	$(BIN)/ruff format --check .
	$(call heading,pyright)
	$(BIN)/pyright --threads 2
	$(call heading,import layers)
	$(BIN)/lint-imports --no-cache --no-logo

format: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find src tests examples benchmarks -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

# An existing .venv is kept and installed into.
$(PY):
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or newer with venv found; set PYTHON=..." >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.stamp-run: pyproject.toml | $(PY)
	-$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable '.[view]'
	@touch $@

$(VENV)/.stamp-dev: pyproject.toml | $(PY)
	-$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable '.[dev]'
	@touch $(VENV)/.stamp-run $@
