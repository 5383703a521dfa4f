# Quintet's commands. `make start`, `make demo` and `make test` need Python 3.11 or newer (with venv) and make.
# Written for GNU make 3.81 (macOS) and later.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# PYTHON=/path/to/python3.12 make … chooses the interpreter; otherwise the first one new enough, beginning with the system's.
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
# Keep compiled Python files whatever the environment says: dozens of processes import the same thousand modules.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --require-hashes

# tests/services.py sets the number of processes; each takes whole files in the order of tests/order.py. A crashed
# worker is restarted once.
PROCESSES := --numprocesses=auto --max-worker-restart=1 --dist=loadfile --no-loadscope-reorder

# One stamp per set of requirements: reinstall only when one of its files changes.
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
KERNEL_STAMP := $(VENV)/.compiled
WORDS_STAMP := $(VENV)/.translated
SCRIPTS_STAMP := node_modules/.installed

.PHONY: help start demo backup restore install wheel install-dev test test-unit test-thorough test-oldest test-released fuzz mutants faults soak alarms check check-fast advisories migration-freeze messages untranslated lock screenshots bench attack clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-14s %s\n", $$1, $$2}' Makefile

start: $(RUN_STAMP) $(WORDS_STAMP) ## start Quintet with your own campaigns (PORT=8000, QUINTET_HOME=.quintet)
	@exec ./quintet start

demo: $(RUN_STAMP) $(WORDS_STAMP) ## start Quintet with four demo campaigns (PORT=8000, QUINTET_HOME=.quintet)
	@exec ./quintet demo

backup: $(RUN_STAMP) ## write a backup to a new folder and verify it (TO=/folder)
	@./quintet backup --to="$(TO)"

restore: $(RUN_STAMP) ## restore a backup (FROM=/folder/quintet-…; YES=1 sets existing data aside)
	@test -n "$(FROM)" || { echo "FROM is missing: make restore FROM=/folder/quintet-…" >&2; exit 2; }
	@./quintet restore "$(FROM)" $(if $(filter 1,$(YES)),--yes)

install: $(RUN_STAMP) $(WORDS_STAMP) ## create the environment in .venv only (EXTRAS="numba parquet png metrics dask s3 errors")
	@for extra in $(EXTRAS); do \
	  $(PIP) -r requirements/base.txt -r requirements/$$extra.txt || exit 1; \
	done
	@$(if $(filter numba,$(EXTRAS)),$(BIN)/python -m ranking.core.compile_kernels)

wheel: $(WORDS_STAMP) ## build the quintet-ranking wheel in dist/
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

install-dev: $(DEV_STAMP) $(SCRIPTS_STAMP) ## create the environment with the requirements of tests and checks

test: $(DEV_STAMP) $(WORDS_STAMP) $(KERNEL_STAMP) ## run all tests except slow ones; install a browser if missing (ARGS=… for pytest)
	@$(BIN)/python -m launcher.browser
	@$(BIN)/python -m pytest $(PROCESSES) $(ARGS)

test-unit: $(DEV_STAMP) $(WORDS_STAMP) ## run the tests without database, broker or browser
	@$(BIN)/python -m pytest tests/unit $(PROCESSES) $(ARGS)

test-thorough: $(DEV_STAMP) $(WORDS_STAMP) ## run the slow tests (over half an hour): many judges, large files, faults, backups, the wheel, all combinations
	@$(BIN)/python -m launcher.browser
	@$(BIN)/python -m pytest -m "thorough or hypothesis" --hypothesis-profile=thorough $(PROCESSES) $(ARGS)

test-oldest: $(DEV_STAMP) $(WORDS_STAMP) $(KERNEL_STAMP) ## run the tests on the oldest supported PostgreSQL and Redis (Debian 12; installed as root)
	@$(BIN)/python -m tests.oldest $(ARGS)

test-released: $(DEV_STAMP) $(WORDS_STAMP) ## run the tests on released WMT texts (folder QUINTET_REAL_DATA)
	@$(BIN)/python -m pytest -m released_texts $(PROCESSES) $(ARGS)

# Tests with the marker thorough run only where an expression names it.
fuzz: $(DEV_STAMP) $(WORDS_STAMP) ## property-based tests with more random examples (FUZZ_EXAMPLES=2000 each)
	@$(BIN)/python -m pytest -m "hypothesis and (thorough or not thorough)" --hypothesis-profile=fuzz --numprocesses=auto $(ARGS)

mutants: $(DEV_STAMP) $(WORDS_STAMP) ## mutation testing (MODULE=file.py TESTS=tests/…)
	@test -n "$(MODULE)" -a -n "$(TESTS)" || { echo "MODULE or TESTS is missing: make mutants MODULE=… TESTS=…" >&2; exit 2; }
	@printf '[cosmic-ray]\nmodule-path = "%s"\ntimeout = 600.0\nexcluded-modules = []\ntest-command = "%s"\n[cosmic-ray.distributor]\nname = "local"\n' \
	  "$(MODULE)" "$(BIN)/python -m pytest -x -q -n 0 $(TESTS)" > .mutants.toml
	@$(BIN)/cosmic-ray init --force .mutants.toml .mutants.sqlite
	@OMP_NUM_THREADS=1 $(BIN)/python -m launcher run --temporary -- $(BIN)/cosmic-ray exec .mutants.toml .mutants.sqlite
	@$(BIN)/cr-report --surviving-only --show-diff .mutants.sqlite

faults: $(DEV_STAMP) $(WORDS_STAMP) ## fault injection: kill, stop and starve services while judges work, then compare data (ARGS=--short; docs/reliability.md)
	@$(BIN)/python -m tests.faults $(ARGS)

soak: $(DEV_STAMP) $(KERNEL_STAMP) ## load test: 200 judges for an hour, with response times for judges and organisers (ARGS="--judges 1000 --minutes 10")
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.load.soak $(ARGS)

alarms: ## check and test the Prometheus alarms (needs promtool: Debian package prometheus)
	@command -v promtool > /dev/null || { echo "promtool is missing. Install it, for example: apt-get install prometheus" >&2; exit 2; }
	@promtool check rules deploy/prometheus/alerts.yml
	@promtool test rules deploy/prometheus/alerts.test.yml

check: $(DEV_STAMP) $(SCRIPTS_STAMP) ## run all checks: lint, formatting, types (Python, JavaScript), import contracts, migrations, templates
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m launcher run --temporary -- sh launcher/check.sh

check-fast: $(DEV_STAMP) ## run the fast checks: lint, formatting, import contracts, templates, translations
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh launcher/check.sh fast

advisories: $(DEV_STAMP) ## check pinned packages for known vulnerabilities (ARGS="--renew FOLDER" updates from a clone of the advisory database)
	@$(BIN)/python -m tests.advisories $(ARGS)

migration-freeze: $(DEV_STAMP) ## record the tables and the digest of a new migration
	@DJANGO_SETTINGS_MODULE=config.owner $(BIN)/python -m launcher run --temporary -- $(BIN)/python -m tests.upgrades.frozen

messages: $(RUN_STAMP) ## update the catalogues in locale/ from code and templates
	@$(BIN)/python -m translations update

untranslated: $(RUN_STAMP) ## list missing and wrong translations
	@$(BIN)/python -m translations check

BENCHMARKS := judging_server import_speed live_ranking

bench: $(DEV_STAMP) $(KERNEL_STAMP) ## run the benchmarks quoted in the documentation
	@for name in $(BENCHMARKS); do echo "== $$name"; OMP_NUM_THREADS=1 $(BIN)/python -m tests.benchmarks.$$name || exit 1; done

attack: $(DEV_STAMP) ## test the limits of the nginx configuration, and slow clients behind each installed proxy (needs nginx)
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.attacks.proxy
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.attacks.server

screenshots: $(DEV_STAMP) ## take screenshots of the running demo for docs/screenshots
	@$(BIN)/python -m launcher.browser
	@$(BIN)/python -m launcher.screenshots

lock: $(DEV_STAMP) ## pin the latest allowed versions with hashes (needs uv)
	@for name in base embedded numba parquet png metrics dask errors s3 dev; do \
	  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	    --no-emit-index-url --upgrade requirements/$$name.in -o requirements/$$name.txt || exit 1; \
	done
	@PATH="$(CURDIR)/$(BIN):$$PATH" NODE_USE_SYSTEM_CA=1 npm update --package-lock-only --loglevel=error

clean: ## remove the environment, but not the data folder
	rm -rf $(VENV) node_modules

$(VENV)/bin/python:
	@sh launcher/make_venv.sh "$(VENV)" "$(PYTHON)"

$(RUN_STAMP): requirements/base.txt requirements/embedded.txt | $(VENV)/bin/python
	@echo "Installing requirements ..."
	@$(PIP) -r requirements/base.txt -r requirements/embedded.txt
	@# Compile once here; otherwise each process of the first start compiles the same thousand files.
	@$(BIN)/python -m compileall -qq -j 0 annotation campaign config demo desk environment launcher optional_packages protocols ranking whole_campaigns
	@touch $@

# Compile before the first large campaign needs the kernels; the demo does not use them.
$(KERNEL_STAMP): $(DEV_STAMP) $(wildcard ranking/core/*/*kernel*.py annotation/sampling/*kernel*.py) ranking/core/compile_kernels.py
	@echo "Compiling the numeric kernels ..."
	@$(BIN)/python -m ranking.core.compile_kernels
	@$(BIN)/python -c "import annotation.sampling.kernels"
	@touch $@

$(WORDS_STAMP): $(RUN_STAMP) $(wildcard translations/*.py locale/*/LC_MESSAGES/django.po)
	@$(BIN)/python -m translations compile
	@touch $@

# Use Node from $(VENV) and the certificates trusted by this machine.
$(SCRIPTS_STAMP): package.json package-lock.json .npmrc $(DEV_STAMP)
	@echo "Installing JavaScript checkers ..."
	@PATH="$(CURDIR)/$(BIN):$$PATH" NODE_USE_SYSTEM_CA=1 npm ci --loglevel=error
	@touch $@

$(DEV_STAMP): requirements/dev.txt requirements/numba.txt requirements/parquet.txt requirements/png.txt requirements/metrics.txt $(RUN_STAMP)
	@echo "Installing requirements of tests and checks ..."
	@$(PIP) $(foreach name,base embedded numba parquet png metrics dev,-r requirements/$(name).txt)
	@touch $@
