# make run, make test, make bench, make lint set up all they need, in .venv.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
JOBS ?= 2
EXPERIMENT ?= test/evidence_lm/evidence_mujoco
BACKEND ?= numba
# The oldest supported one that this Python has.
NUMBA ?= $(shell $(PYTHON) -c 'import sys; print("0.60.0" if sys.version_info < (3, 13) else "0.61.0")')

export WANDB_MODE ?= disabled

.DEFAULT_GOAL := help
.PHONY: help setup fork fork-diff docs opengl chromium run test test-all test-numba test-gpu parity-all \
	bench lint format clean

help:  ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: setup.py pyproject.toml constraints.txt \
		tools/refactor/requirements.py | $(BIN)/pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt \
		--editable '.[mujoco,cpu,ray,refactor,report,dev]'
	touch $@

setup: $(VENV)/.installed  ## a virtual environment with the fork in it

fork: setup  ## make build/fork again, if a codemod changed
	@$(BIN)/python -m tools.refactor fork

fork-diff: setup  ## what a change of the codemods does to the fork (REVISION=HEAD)
	@$(BIN)/python -m tools.refactor.fork_diff $(REVISION)

docs: setup  ## write the pages and pictures again that are made from the code
	$(BIN)/python -m tools.refactor.document_series
	$(BIN)/python -m tools.report.pictures

opengl: setup
	@$(BIN)/python -m monty_tools.opengl

chromium:
	@command -v chromium chromium-browser google-chrome >/dev/null || \
		apt-get -qq install -y chromium >/dev/null 2>&1 || \
		echo "no Chromium to open reports with: install the package chromium" >&2

run: fork opengl  ## an unchanged upstream experiment, on upstream and on the fork
	$(BIN)/monty parity experiment=$(EXPERIMENT)

test: fork opengl  ## the tests
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal -m "not all_configs and not thorough"

test-all: fork opengl chromium test-numba  ## on more inputs, parity on every config
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-numba: fork  ## the kernels of numba with its version NUMBA, in a venv of their own
	$(PYTHON) -m venv build/numba-$(NUMBA)
	build/numba-$(NUMBA)/bin/python -m pip install --quiet numba==$(NUMBA) \
		scipy hypothesis typing-extensions
	PYTHONPATH=build/fork:. build/numba-$(NUMBA)/bin/python -m unittest \
		tests/backends/numba/*_test.py

parity-all: fork opengl  ## parity on every config, of BACKEND within 1e-9
	PARITY_BACKEND=$(BACKEND) $(BIN)/python -m pytest -n $(JOBS) --dist worksteal \
		tests/fork/all_configs_test.py

test-gpu: fork  ## the tests that need an NVIDIA GPU and CuPy (elsewhere: skipped, counted)
	$(BIN)/python -m pytest -m gpu

bench: fork opengl  ## the benchmarks
	$(BIN)/python -m pytest benchmarks --benchmark-columns=median,iqr,min,rounds

lint: fork  ## ruff on everything, mypy on src, tools and benchmarks, who imports what
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	PYTHONPATH=build/fork $(BIN)/lint-imports --no-logo --cache-dir build/import_linter

format: setup  ## let ruff mend what it can
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:  ## remove everything that was made
	rm -rf build $(VENV)
