# What a newcomer types.  The first use of any target sets up .venv.

PYTHON ?= python3
BIN    := .venv/bin
EXTRAS ?= dev
# Of pytest, for `test` and `test-all`.
OPTIONS ?=

.PHONY: report test test-all lint docs clean

# Every table in reports/ but those of `neonlab cores`, `neonlab mutate`, `neonlab optimize` and `neonlab prove`; pages of the cheapest kernel of each level.
report: .venv/ready
	$(BIN)/neonlab schemes --into reports
	$(BIN)/neonlab report --few-pages --embed docs/pages/catalogue.md

# What a person runs before each commit: 5 minutes on two cores, 8 at most. It says at the end what it left out.
test: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal $(OPTIONS)

# Every case of every test: more than an hour. Of what `make test` leaves out, each commit runs a sixteenth in CI.
test-all: .venv/ready
	$(BIN)/python -m pytest -n auto --dist worksteal --thorough $(OPTIONS)

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
	@echo 'setting up .venv, once: 1.3 GB of packages are installed and the hooks compiled; about 5 minutes'
	@$(PYTHON) -m venv .venv || { rm -rf .venv; echo 'neonlab needs the module venv: on Debian, apt install python3-venv'; exit 1; }
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	@export NEONLAB_QUIET=1; $(BIN)/neonlab prove armv8/clip_s8s8_flat_64 --shape 65 >/dev/null & proof=$$!; \
	export NEONLAB_QUIET=1; $(BIN)/neonlab check armv8/clip_s8s8_flat_64 --shape 65 >/dev/null && \
	$(BIN)/neonlab profile armv8/clip_s8s8_flat_64 --shape 65 --core cortex-a53 >/dev/null && wait $$proof
	@touch $@
