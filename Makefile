# `make judge` judges the shipped sample facts; `make test` passes the tests. Both need Python 3.11+, make and git only.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
WORKERS ?= 2

.PHONY: judge test deep bench bench-large lock clean

judge: $(VENV)/run.stamp
	@code=0; $(BIN)/fiel judge --facts facts/permits/flights.json || code=$$?; \
	echo "exit code $$code"; test $$code -eq 1

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(WORKERS)

deep: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n $(WORKERS) tests/deep -o addopts="-q -s -p no:cacheprovider"

bench: $(VENV)/run.stamp
	$(BIN)/python bench/run.py

bench-large: $(VENV)/run.stamp
	$(BIN)/python bench/run.py --large

$(VENV)/python.stamp:
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "Fiel needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/run.stamp: $(VENV)/python.stamp requirements/build.txt requirements/run.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/build.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	touch $@

# Writes the hashed files anew from the .in files; needs `uv`. They name no index address.
lock:
	cd requirements && for f in run build dev english; do \
	  uv pip compile $$f.in --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --no-annotate -q -o $$f.txt || exit 1; done

clean:
	rm -rf $(VENV) build dist *.egg-info
