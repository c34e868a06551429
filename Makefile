# `make help` says what there is. All of it works in a bare clone: .venv is built from constraints.txt when it is
# missing or older than the files that say what is in it.

# The Python to build .venv with. Left empty, the first of CANDIDATES that is new enough is taken.
PYTHON ?=
CANDIDATES := python3.13 python3.12 python3.11 python3.14 python3

# Test processes side by side; 0 runs everything in one, as a debugger wants it. ARGS are given to pytest.
JOBS ?= 2
ARGS ?=

VENV := .venv
BIN := $(VENV)/bin
# Written last, when all of .venv is there: without it .venv is not trusted.
READY := $(VENV)/.ready
PYTEST := $(BIN)/pytest -n $(JOBS) --dist loadfile
HOUSE := store actors channels bots deploy tests

MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test check format-check lint types imports coverage behaviours fmt bench clean

help: ## say what there is
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' Makefile | while IFS='|' read -r name text; do printf '%-18s %s\n' "$$name" "$$text"; done

demo: $(READY) ## watch a bot ask, hibernate, be answered and go on
	@$(BIN)/overwinter demo

test: $(READY) ## run the tests, but for the heavy ones
	@$(PYTEST) -m 'not heavy and not bench' $(ARGS)

check: format-check lint types imports coverage ## all that CI asks: format, lint, types, imports, tests with coverage

format-check: $(READY)
	@$(BIN)/ruff format --check .

lint: $(READY) ## ruff
	@$(BIN)/ruff check .

# pyright runs on Node.js. Where there is none, the one that is packaged for Python is installed beside it.
types: $(READY) ## pyright, strict
	@command -v node >/dev/null || $(BIN)/python -m pip install --quiet --constraint constraints.txt 'pyright[nodejs]'
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright

imports: $(READY) ## import-linter: the one direction of imports
	@$(BIN)/lint-imports --no-logo

# What runs the same lines thousands of times is run apart, without the tracer; it comes first, being the longest.
coverage: $(READY)
	@$(PYTEST) -m 'heavy and not bench' $(ARGS)
	@$(PYTEST) -m 'not heavy and not bench' $(ARGS) --cov

behaviours: $(READY) ## which tests show which behaviour; fails where none does
	@$(BIN)/python tests/house/behaviours.py

fmt: $(READY) ## format, and mend what the linter can
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(READY) ## measure this machine
	@$(BIN)/overwinter bench --sessions 5000 --concurrency 256
	@$(BIN)/pytest -m bench -s $(ARGS) || [ $$? -eq 5 ] # 5: there is none

clean: ## throw away .venv and everything generated
	@rm -rf $(VENV) __pycache__ build dist *.egg-info .coverage .coverage.* .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	@find store actors channels bots deploy tests -name __pycache__ -prune -exec rm -rf {} +

# An interpreter that works is kept and brought in line; one that does not is built anew.
$(READY): pyproject.toml constraints.txt
	@rm -f $@; \
	if command -v uv >/dev/null; then uv=uv; needs=venv; else uv=; needs=ensurepip; fi; \
	fits="import sys, $$needs; sys.exit(sys.version_info < (3, 11))"; \
	if ! $(BIN)/python -c "$$fits" 2>/dev/null || ! $(BIN)/python -m pip --version >/dev/null 2>&1; then rm -rf $(VENV); fi; \
	for python in $(BIN)/python $(or $(PYTHON),$(CANDIDATES)) ''; do \
		if [ -n "$$python" ] && "$$python" -c "$$fits" 2>/dev/null; then break; fi; \
	done; \
	if [ -z "$$python" ]; then \
		echo "Overwinter needs Python 3.11 or newer with its venv module; tried: $(or $(PYTHON),$(CANDIDATES))." >&2; \
		echo "Install it (Debian and Ubuntu: apt-get install python3-venv), or name one: make PYTHON=/path/to/python" >&2; \
		exit 1; \
	fi; \
	echo "Building $(VENV) with $$("$$python" -V), once; it takes some 15 seconds ..." >&2; \
	if [ -n "$$uv" ]; then \
		[ -d $(VENV) ] || uv venv --quiet --python "$$python" $(VENV) || exit 1; \
		install="uv pip install --quiet --python $(BIN)/python"; \
	else \
		[ -d $(VENV) ] || "$$python" -m venv $(VENV) || exit 1; \
		install="$(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check"; \
	fi; \
	$$install --constraint constraints.txt pip setuptools && \
	$$install --constraint constraints.txt --no-build-isolation --group dev --editable . && \
	touch $@
