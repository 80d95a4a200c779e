# Each word makes its own .venv when there is none; Python 3.11 or later, pip and make are enough.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check style format prove clean

demo: $(READY)        ## show what there is: scenes, and what the built-in models get right
	$(BIN)/counterpoint demo

test: $(READY)        ## run the tests
	$(BIN)/pytest -n auto

style: $(READY)       ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: style test     ## everything that has to hold before a commit

format: $(READY)      ## put the code in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

prove: $(READY)       ## the full figures of the heavy proofs, printed
	$(BIN)/counterpoint study plain --scenes 2000
	$(BIN)/python -m benchmarks.world_speed
	$(BIN)/python -m benchmarks.builtin_speed

clean:
	rm -rf .venv demo build dist

$(READY): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $(READY)
