# Kronika. `make` alone explains itself. Needs only Python ≥ 3.11, make and git.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LIMITS := deploy/constraints.txt
# the isolated build of the package itself is held to the same pins (the first name is for older pips)
INSTALL := PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_BUILD_CONSTRAINT=$(LIMITS) $(BIN)/python -m pip install -q -c $(LIMITS)
TESTS   := $(BIN)/python -m pytest -n 2 --dist loadfile -m "not nightly"

.DEFAULT_GOAL := help
.PHONY: help run test check format bench nightly promises docs constraints clean

help: ## Say what each target does.
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(VENV)/.run ## Start everything on this machine; Ctrl-C stops it. Ports: make run KRONIKA_PORT=9000
	@$(BIN)/kronika up

test: $(VENV)/.test ## Run the whole test suite on real servers (free ports). One file: make test ARGS=tests/run
	$(TESTS) $(ARGS)

check: $(VENV)/.check ## Format, lint, types, import contracts, generated pages.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright --level error
	$(BIN)/lint-imports
	@if [ -f docs/generate.py ]; then $(BIN)/python docs/generate.py --check; fi

format: $(VENV)/.check ## Format the code and mend what the linter can mend.
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(VENV)/.test ## Measure moves per second, latency, rebuild, memory, legal moves (ARGS=--help).
	$(BIN)/python -m tests.bench $(ARGS)

nightly: $(VENV)/.test ## Run the long tests: kill -9, paused instances, thousands of moves.
	$(BIN)/python -m pytest -m nightly $(ARGS)

promises: $(VENV)/.test ## List the houses' promises that no test names yet.
	@$(BIN)/python -m tests.house.promises

docs: $(VENV)/.test ## Write the generated pages of docs/ anew.
	$(BIN)/python docs/generate.py

constraints: $(VENV)/.made ## Resolve every dependency anew and write deploy/constraints.txt.
	deploy/constraints.sh $(BIN)/python $(LIMITS)

clean: ## Remove the environment and caches; matches in .kronika/ stay.
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache .bench build *.egg-info
	find services shared tests -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Kronika needs Python 3.11 or newer; '$(PYTHON)' is not that. Name one: make PYTHON=python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make an environment: its venv and ensurepip are missing." >&2; \
	  echo "On Debian and Ubuntu: apt install python3-venv. Or name another Python: make PYTHON=…" >&2; exit 1; }
	@echo "Making the environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.run: GROUPS = engine
$(VENV)/.test: GROUPS = engine,test,oracles
$(VENV)/.check: GROUPS = engine,test,oracles,containers,check
$(VENV)/.run $(VENV)/.test $(VENV)/.check: $(VENV)/.made pyproject.toml $(LIMITS)
	@echo "Installing what $(@F:.%=make %) needs …"
	@$(INSTALL) -e '.[$(GROUPS)]'
	@touch $@
