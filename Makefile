# Each target makes what it needs of .venv; Python 3.11 or later, pip and make are enough.

PYTHON ?= python3
BIN := .venv/bin
BASE := .venv/.base
READY := .venv/.ready
export PYTHONDONTWRITEBYTECODE :=  # tests start many processes, each of which would compile the package again

.PHONY: demo test check style format docs results report-pdf dist release prove clean

demo: $(BASE)         ## install the base package and show real failures of real models; SERVE=1 opens the pages
	$(BIN)/counterpoint demo
ifdef SERVE
	$(BIN)/counterpoint serve demo/lab --open
endif

test: $(READY)        ## run the tests
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder

style: $(READY)       ## formatting, lint, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check: style test     ## everything that has to hold before a commit

format: $(READY)      ## put the code in order
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY)        ## build the documentation site into build/docs; any warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dist: $(READY)        ## build the wheel and the source archive
	$(BIN)/python -m hatchling build -d dist

release: $(READY)     ## build, test and describe a release; nothing is tagged or uploaded
	$(BIN)/python -m scripts.release --dry-run

results: $(BASE)      ## write the tables of docs/results again
	$(BIN)/python scripts/results.py

report-pdf: $(READY)  ## print the technical report to build/counterpoint.pdf, with Chromium
	$(BIN)/python -m scripts.report_pdf

prove: $(READY)       ## the heavy proofs in full, with their figures printed
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -m "" --hypothesis-profile=prove
	$(BIN)/counterpoint study plain --items 2000
	$(BIN)/python -m benchmarks.world_speed
	$(BIN)/python -m benchmarks.builtin_speed
	$(BIN)/python -m benchmarks.lexicon
	$(BIN)/python -m benchmarks.extraction_speed
	$(BIN)/python -m benchmarks.interval_coverage
	$(BIN)/python -m benchmarks.comparison_size
	$(BIN)/python -m benchmarks.history_alarms
	$(BIN)/python -m benchmarks.calibration_coverage
	$(BIN)/python -m benchmarks.damage --count 2000 --seconds 1200
	$(BIN)/python -m benchmarks.attacks.damaged_labs --count 10000 --seconds 1800
	$(BIN)/python -m benchmarks.attacks.hostile_requests --count 5000 --seconds 600
	$(BIN)/python -m benchmarks.attacks.hostile_servers --seconds 1200
	$(BIN)/python -m benchmarks.attacks.kills --kills 1000 --seconds 1200
	$(BIN)/python -m benchmarks.source_speed
	$(BIN)/python -m benchmarks.suite_speed
	$(BIN)/python -m benchmarks.carets_speed
	$(BIN)/python -m benchmarks.carets_released
	$(BIN)/python -m benchmarks.referee
	$(BIN)/python -m benchmarks.text_only
	$(BIN)/python -m benchmarks.contrast_speed
	$(BIN)/python -m benchmarks.contrast_referee
	$(BIN)/python -m benchmarks.ngram_speed
	$(BIN)/python -m benchmarks.check_speed
	$(BIN)/python -m benchmarks.foil_speed
	$(BIN)/python -m benchmarks.words_speed
	$(BIN)/python -m benchmarks.noise_speed
	$(BIN)/python -m benchmarks.beyond_speed
	$(BIN)/python -m benchmarks.explorer_speed
	$(BIN)/python -m benchmarks.voting_load
	$(BIN)/python -m benchmarks.voting_load --voters 4 --groups 250 --kills 50
	$(BIN)/python -m benchmarks.voting_pace
	$(BIN)/python -m benchmarks.edit_speed
	$(BIN)/python -m benchmarks.engine_speed
	$(BIN)/python -m benchmarks.store_speed --full
	$(BIN)/python -m benchmarks.score_speed --full
	$(BIN)/python -m scripts.release --dry-run --out build/release
	$(BIN)/python -m scripts.first_ten_minutes

clean:
	rm -rf .venv demo build dist

$(BASE): pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $(BASE)

$(READY): $(BASE) constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(READY)
