# Each target does its own set-up in .venv; the plain pip commands behind them stand in README.md.
PYTHON ?= python3
VENV ?= .venv
KAEL ?= -e .
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.PHONY: book test lint verify nightly clean

book:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -c book/constraints.txt $(KAEL)'[book]'
	PYTHONSAFEPATH=1 $(BIN)/python -m kael.cli book --build-only

test:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -c .ci/constraints.txt $(KAEL)'[test]'
	PYTHONSAFEPATH=1 $(BIN)/python -m pytest

lint:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) install -c .ci/constraints.txt $(KAEL)'[test,dev]'
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/cython-lint chapters kael
	$(BIN)/lint-imports

verify:
	PYTHONSAFEPATH=1 $(BIN)/python -m kael.cli ex verify

nightly:
	PYTHON=$(PYTHON) bash .ci/nightly

clean:
	rm -rf build dist book/_build .venv
	find kael chapters \( -name '*.so' -o -name '*.pyd' -o -name '__pycache__' \) -prune -exec rm -rf {} +
	rm -f kael/_built.json
