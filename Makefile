# `make demo` and `make test` do everything from nothing; the second time they only run.
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
export MPLBACKEND := Agg

.PHONY: demo test bench soak lint clean
demo: .venv/core.done            ## three players finish a hand of DouDizhu
	$(BIN)/searchdou demo $(if $(GAME),--game $(GAME))

test: .venv/dev.done             ## every test, with the JIT on, off, and with bounds checks
	$(BIN)/python -m pytest -n 2 --dist loadgroup
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -m unit -n 2
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m unit -n 2

bench: .venv/dev.done            ## our engine beside the others
	$(BIN)/searchdou bench engine

soak: .venv/dev.done             ## 10,000 mixed games that must leave nothing behind (GAMES=500 for fewer)
	$(BIN)/searchdou bench soak $(if $(GAMES),--games $(GAMES))

lint: .venv/dev.done             ## style and types
	$(BIN)/ruff check .
	$(BIN)/mypy

clean:                           ## forget the environment (compiled kernels are in the user's cache folder)
	rm -rf .venv

# The core alone plays; it takes no torch. The files of the project are used in place (editable).
.venv/core.done: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(PIP) setuptools
	$(PIP) --no-build-isolation -e .
	touch $@

.venv/dev.done: .venv/core.done
	$(PIP) --no-build-isolation -e '.[dev,train,peers,ray]'
	touch $@
