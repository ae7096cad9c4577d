# What a newcomer types.  The first use of any target sets up .venv.

PYTHON ?= python3
BIN    := .venv/bin
EXTRAS ?= dev

.PHONY: report test lint docs clean

report: .venv/ready
	$(BIN)/neonlab report --no-pages --embed README.md
	$(BIN)/neonlab schemes --into reports

test: .venv/ready
	$(BIN)/python -m pytest -n auto

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Pages in build/docs, from docs/; a warning is an error.
docs: .venv/ready
	$(BIN)/mkdocs build --strict -f docs/mkdocs.yml

clean:
	rm -rf .venv dist build

.venv/ready: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("neonlab needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@touch $@
