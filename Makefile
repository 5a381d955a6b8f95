# Each target creates the environment that it needs; only Python 3.11 or newer, pip and make are required.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PARALLEL := --numprocesses auto --dist loadfile --no-loadscope-reorder

# Otherwise each start of the app would compile all its files again, and tests start it a hundred times.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: lock sbom demo test test-alone soak soak-windows live conform mutate terminals check lint format structure bench fuzz screenshots gallery snapshots strings docs docs-pages packages zipapp test-newest clean

demo: $(VENV)/.run ## run the app with a demo server
	@$(BIN)/narrowcast demo

test: $(VENV)/.dev ## run all tests in parallel
	@$(BIN)/python -m pytest $(PARALLEL) $(PYTEST_ARGS)

test-alone: $(VENV)/.dev ## run each test file in a process of its own
	@$(BIN)/python tests/alone.py $(ALONE_ARGS)

check: lint ## check style, types and imports, and run the tests affected by changes since main
	@changed=$$($(BIN)/python tests/affected.py); \
		if [ -n "$$changed" ]; then $(BIN)/python -m pytest $(PARALLEL) -q $$changed; fi

lint: $(VENV)/.dev ## check style, types and the direction of imports
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

SOAK_ARGS ?= --count 100000 --seconds 3600 --state .soak
soak: $(VENV)/.dev ## run random histories under simulated time for an hour; the next run continues
	@cd tests && ../$(BIN)/python -m simulation $(SOAK_ARGS)

soak-windows: $(VENV)/.dev ## run 4 windows of 3 accounts in terminals for some minutes, with kills and network failures
	@cd tests && ../$(BIN)/python -m faults.apps $(SOAK_WINDOWS_ARGS)

live: $(VENV)/.dev ## test the library against your own Zulip server, whose data it changes permanently
	@cd tests && ../$(BIN)/python -m live $(SITE) $(LIVE_ARGS)

conform: $(VENV)/.dev ## check all answers of the embedded server against an OpenAPI description: make conform FILE=zulip.yaml
	@cd tests && ../$(BIN)/python -m pytest -q -p conform.plugin --description $(abspath $(FILE)) server $(PYTEST_ARGS)

mutate: $(VENV)/.dev ## mutation tests: change conditions and constants, report changes that no test detects
	@$(BIN)/python tests/mutation.py $(MUTATE_ARGS)

terminals: $(VENV)/.dev ## test the app in the installed terminals on a virtual screen
	@cd tests && ../$(BIN)/python -m terminals $(TERMINALS_ARGS)

lock: ## update the dependencies in requirements.lock, with hashes (needs uv)
	@$(PYTHON) tests/inventory.py lock

sbom: $(VENV)/.dev ## write the components of requirements.lock to dist/ as CycloneDX
	@$(BIN)/python tests/inventory.py sbom

structure: $(VENV)/.dev ## print the numbers of ARCHITECTURE.md
	@$(BIN)/python tests/structure.py $(STRUCTURE_ARGS)

format: $(VENV)/.dev
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(VENV)/.dev ## check performance budgets, as ratios to a reference measured in the same run
	@cd tests && ../$(BIN)/python -m bench $(BENCH_ARGS)

fuzz: $(VENV)/.dev ## send 30,000 random requests to all operations of the server
	@PYTHONPATH=tests $(BIN)/python -m fuzz $(FUZZ_ARGS)

screenshots: $(VENV)/.dev ## write screenshots/ from the running app
	@$(BIN)/python screenshots/draw.py

gallery: $(VENV)/.dev ## draw the main screens at four sizes in five looks to dist/gallery
	@cd tests && ../$(BIN)/python -m gallery $(GALLERY_ARGS)

snapshots: $(VENV)/.dev ## update the screen snapshots after an intended change
	@NARROWCAST_SNAPSHOTS=write $(BIN)/python -m pytest -q tests/tui/test_snapshots.py

strings: $(VENV)/.dev ## list all user-visible strings, for reviewing the wording
	@cd tests && ../$(BIN)/python -m support.strings $(STRINGS_ARGS)

docs: $(VENV)/.docs ## build the documentation site in dist/docs; fails on broken links
	@$(BIN)/zensical build --clean --strict
	@mkdir -p dist/docs/pictures && cp screenshots/*.svg dist/docs/pictures/
	@echo "dist/docs/index.html (its search needs a server: $(PYTHON) -m http.server --directory dist/docs)"

docs-pages: $(VENV)/.dev ## write the pages generated from the code, and the list of public names
	@$(BIN)/python docs/write_pages.py
	@$(BIN)/python api/reference.py
	@$(BIN)/python tests/public_surface.py

packages: $(VENV)/.packages ## build sdist and wheel twice, install the wheel by pip, pipx and uv on every Python here
	@$(BIN)/python tests/packages.py $(PACKAGES_ARGS)

zipapp: $(VENV)/.packages ## build dist/narrowcast.pyz: one file that runs with Python alone
	@mkdir -p dist
	@$(BIN)/pex . --console-script narrowcast --venv prepend --sh-boot --disable-cache --output-file dist/narrowcast.pyz
	@dist/narrowcast.pyz --version

test-newest: ## run all tests with the newest release of each dependency, ignoring version bounds
	@$(PYTHON) tests/newest.py $(PYTEST_ARGS)

clean:
	rm -rf $(VENV) $(VENV)-newest .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

# Some distributions package venv separately; if it is missing, a local virtualenv is used instead.
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
