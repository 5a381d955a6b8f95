# Each target makes the environment that it needs: Python 3.11 or newer, pip and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder

# Every start of the app would compile all of its files again, and tests start it a hundred times.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: lock sbom demo test soak soak-windows live mutate terminals check lint format structure bench fuzz screenshots snapshots strings docs docs-pages packages zipapp test-newest clean

demo: $(VENV)/.run ## the app on a demo world of its own
	@$(BIN)/narrowcast demo

test: $(VENV)/.dev ## every test, several files at a time
	@$(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

check: lint ## style, types, imports, and the tests of what changed since main
	@changed=$$($(BIN)/python tests/affected.py); \
		if [ -n "$$changed" ]; then $(BIN)/python -m pytest $(PARALLEL) -q $$changed; fi

lint: $(VENV)/.dev ## style, types, and which way imports point
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

SOAK_ARGS ?= --count 100000 --seconds 3600 --state .soak
soak: $(VENV)/.dev ## random histories under simulated time, for an hour; the next run goes on
	@cd tests && ../$(BIN)/python -m simulation $(SOAK_ARGS)

soak-windows: $(VENV)/.dev ## apps in terminals, 4 windows of 3 accounts, killed and cut off for some minutes
	@cd tests && ../$(BIN)/python -m faults.apps $(SOAK_WINDOWS_ARGS)

live: $(VENV)/.dev ## the library against a Zulip server of your own, which it changes for good
	@cd tests && ../$(BIN)/python -m live $(LIVE_ARGS)

mutate: $(VENV)/.dev ## change conditions and constants; say which changes no test notices
	@$(BIN)/python tests/mutation.py $(MUTATE_ARGS)

terminals: $(VENV)/.dev ## try the app in the terminals that are installed, on a virtual screen
	@cd tests && ../$(BIN)/python -m terminals $(TERMINALS_ARGS)

lock: ## resolve the dependencies anew into requirements.lock, with hashes (needs uv)
	@$(PYTHON) tests/inventory.py lock

sbom: $(VENV)/.dev ## the components of requirements.lock as CycloneDX, in dist/
	@$(BIN)/python tests/inventory.py sbom

structure: $(VENV)/.dev ## the numbers of ARCHITECTURE.md
	@$(BIN)/python tests/structure.py $(STRUCTURE_ARGS)

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.dev ## budgets, as ratios against a yardstick of the same run
	@cd tests && ../$(BIN)/python -m bench $(BENCH_ARGS)

fuzz: $(VENV)/.dev ## 30,000 random requests to every operation of the server
	@PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ_ARGS)

screenshots: $(VENV)/.dev ## draw screenshots/ from the running app
	@$(BIN)/python screenshots/draw.py

snapshots: $(VENV)/.dev ## write the golden pictures of the screens anew, after a change that is meant
	@NARROWCAST_SNAPSHOTS=write $(BIN)/python -m pytest -q tests/tui/test_snapshots.py

strings: $(VENV)/.dev ## every text that a user may read, for a review of the wording
	@cd tests && ../$(BIN)/python -m support.strings $(STRINGS_ARGS)

docs: $(VENV)/.docs ## the documentation as a site in dist/docs; a broken link fails
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "dist/docs/index.html (its search needs a server: $(PYTHON) -m http.server --directory dist/docs)"

docs-pages: $(VENV)/.dev ## write the pages that are made from the code: keys, settings, command line, errors, levels
	@$(BIN)/python docs/write_pages.py
	@$(BIN)/python api/reference.py

packages: $(VENV)/.packages ## build sdist and wheel twice, install the wheel by pip, pipx and uv on every Python here
	@$(BIN)/python tests/packages.py $(PACKAGES_ARGS)

zipapp: $(VENV)/.packages ## dist/narrowcast.pyz: one file that runs where Python is, without pip
	@mkdir -p dist
	@$(BIN)/pex . --console-script narrowcast --venv prepend --sh-boot --disable-cache --output-file dist/narrowcast.pyz
	@dist/narrowcast.pyz --version

test-newest: ## every test, with the newest release of each dependency, bounds or not
	@$(PYTHON) tests/newest.py $(PYTEST_ARGS)

clean:
	rm -rf $(VENV) $(VENV)-newest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# venv is missing where a distribution packs it apart: virtualenv, kept inside the folder, stands in.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Narrowcast needs Python 3.11 or newer; name one with: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) 2>/dev/null || { \
		rm -rf $(VENV) && $(PYTHON) -m pip install --quiet --target $(VENV)-bootstrap virtualenv && \
		PYTHONPATH=$(VENV)-bootstrap $(PYTHON) -m virtualenv --quiet $(VENV) && rm -rf $(VENV)-bootstrap; }

$(VENV)/.run: pyproject.toml | $(BIN)/python
	@echo "Installing Narrowcast into $(VENV) ..."
	@$(PIP) install --editable .
	@touch $@

$(VENV)/.docs: pyproject.toml | $(BIN)/python
	@echo "Installing Narrowcast and what builds its documentation into $(VENV) ..."
	@$(PIP) install --editable '.[docs]'
	@touch $@ $(VENV)/.run

$(VENV)/.packages: pyproject.toml | $(BIN)/python
	@$(PIP) install 'build>=1.2,<2' 'pex>=2.60,<3' 'pipx>=1.7,<2' 'uv>=0.8,<1'
	@touch $@

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing Narrowcast and its test tools into $(VENV) ..."
	@$(PIP) install --editable '.[dev]'
	@touch $@ $(VENV)/.run
