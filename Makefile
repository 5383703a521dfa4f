# Quintet's commands. `make start`, `make demo` and `make test` need Python 3.11 or newer (with venv) and make.
# Written for GNU make 3.81 (macOS) and later.

SHELL := /bin/sh
.DEFAULT_GOAL := help

# PYTHON=/path/to/python3.12 make … chooses the interpreter; otherwise the first one new enough.
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
# Dozens of processes import the same thousand files: what Python compiles is kept, whatever the environment says.
export PYTHONDONTWRITEBYTECODE :=
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --no-input --require-hashes

# As many as tests/services.py says, which take whole files in the order of tests/order.py. A test that ended its
# process is begun once more.
PROCESSES := --numprocesses=auto --max-worker-restart=1 --dist=loadfile --no-loadscope-reorder

# A stamp per set of requirements: installed again only when one of its files changed.
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

demo: $(RUN_STAMP) $(WORDS_STAMP) ## start Quintet with four demo campaigns, too (PORT=8000, QUINTET_HOME=.quintet)
	@exec ./quintet demo

backup: $(RUN_STAMP) ## write a backup into a new folder, and read it again (TO=/folder)
	@./quintet backup --to="$(TO)"

restore: $(RUN_STAMP) ## restore a backup (FROM=/folder/quintet-…; YES=1 sets aside what is there)
	@test -n "$(FROM)" || { echo "Say which backup: make restore FROM=/folder/quintet-…" >&2; exit 2; }
	@./quintet restore "$(FROM)" $(if $(filter 1,$(YES)),--yes)

install: $(RUN_STAMP) $(WORDS_STAMP) ## make the environment in .venv and stop there (EXTRAS="numba parquet png metrics dask s3 errors")
	@for extra in $(EXTRAS); do \
	  $(PIP) -r requirements/base.txt -r requirements/$$extra.txt || exit 1; \
	done
	@$(if $(filter numba,$(EXTRAS)),$(BIN)/python -m ranking.core.compile_kernels)

wheel: $(WORDS_STAMP) ## build the wheel of the distribution quintet-ranking into dist/
	@$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .

install-dev: $(DEV_STAMP) $(SCRIPTS_STAMP) ## the environment with what the tests and checks need

test: $(DEV_STAMP) $(WORDS_STAMP) $(KERNEL_STAMP) ## set up a browser if there is none and run all but the slow tests (ARGS=… for pytest)
	@$(BIN)/python -m launcher.browser
	@$(BIN)/python -m pytest $(PROCESSES) $(ARGS)

test-unit: $(DEV_STAMP) $(WORDS_STAMP) ## the tests that need no database, broker or browser
	@$(BIN)/python -m pytest tests/unit $(PROCESSES) $(ARGS)

test-thorough: $(DEV_STAMP) $(WORDS_STAMP) ## the tests that take long (over half an hour): many judges, large files, faults, backups, the wheel, each combination
	@$(BIN)/python -m launcher.browser
	@$(BIN)/python -m pytest -m "thorough or hypothesis" --hypothesis-profile=thorough $(PROCESSES) $(ARGS)

test-oldest: $(DEV_STAMP) $(WORDS_STAMP) $(KERNEL_STAMP) ## the tests on the oldest PostgreSQL and Redis that are supported (Debian 12; root installs them)
	@$(BIN)/python -m tests.oldest $(ARGS)

test-released: $(DEV_STAMP) $(WORDS_STAMP) ## the tests on the texts WMT released, in the folder QUINTET_REAL_DATA
	@$(BIN)/python -m pytest -m released_texts $(PROCESSES) $(ARGS)

fuzz: $(DEV_STAMP) $(WORDS_STAMP) ## look for examples that break a property, at random (FUZZ_EXAMPLES=2000 each)
	@$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=fuzz --numprocesses=auto $(ARGS)

mutants: $(DEV_STAMP) $(WORDS_STAMP) ## break a module in one place after the other, and list what no test notices (MODULE=file.py TESTS=tests/…)
	@test -n "$(MODULE)" -a -n "$(TESTS)" || { echo "Say what to break and which tests should notice: make mutants MODULE=… TESTS=…" >&2; exit 2; }
	@printf '[cosmic-ray]\nmodule-path = "%s"\ntimeout = 600.0\nexcluded-modules = []\ntest-command = "%s"\n[cosmic-ray.distributor]\nname = "local"\n' \
	  "$(MODULE)" "$(BIN)/python -m pytest -x -q -n 0 $(TESTS)" > .mutants.toml
	@$(BIN)/cosmic-ray init --force .mutants.toml .mutants.sqlite
	@OMP_NUM_THREADS=1 $(BIN)/python -m launcher run --temporary -- $(BIN)/cosmic-ray exec .mutants.toml .mutants.sqlite
	@$(BIN)/cr-report --surviving-only --show-diff .mutants.sqlite

faults: $(DEV_STAMP) $(WORDS_STAMP) ## kill, stop and starve a running Quintet while judges work, and compare (ARGS=--short; docs/reliability.md)
	@$(BIN)/python -m tests.faults $(ARGS)

soak: $(DEV_STAMP) $(KERNEL_STAMP) ## let 200 judges work for an hour, and compare what they and the organiser waited for (ARGS="--judges 1000 --minutes 10")
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.load.soak $(ARGS)

alarms: ## let Prometheus check the alarms, and compute when each rings (needs promtool: Debian's package prometheus)
	@command -v promtool > /dev/null || { echo "This needs promtool: apt-get install prometheus, or your system's way." >&2; exit 2; }
	@promtool check rules deploy/prometheus/alerts.yml
	@promtool test rules deploy/prometheus/alerts.test.yml

check: $(DEV_STAMP) $(SCRIPTS_STAMP) ## lint, formatting, types (Python, JavaScript), import contracts, migrations, templates
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m launcher run --temporary -- sh launcher/check.sh

check-fast: $(DEV_STAMP) ## the checks that take seconds: lint, formatting, import contracts, templates, catalogues
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh launcher/check.sh fast

advisories: $(DEV_STAMP) ## say which pinned packages have a known vulnerability (ARGS="--renew FOLDER": first read a clone of the advisory database)
	@$(BIN)/python -m tests.advisories $(ARGS)

migration-freeze: $(DEV_STAMP) ## describe the tables of a new migration, and list the digest of its file
	@DJANGO_SETTINGS_MODULE=config.owner $(BIN)/python -m launcher run --temporary -- $(BIN)/python -m tests.upgrades.frozen

messages: $(RUN_STAMP) ## bring the catalogues in locale/ up to date with code and templates
	@$(BIN)/python -m translations update

untranslated: $(RUN_STAMP) ## list what is untranslated or wrong in the catalogues
	@$(BIN)/python -m translations check

BENCHMARKS := judging_server import_speed live_ranking

bench: $(DEV_STAMP) $(KERNEL_STAMP) ## measure the speeds that the documentation states, as ratios side by side
	@for name in $(BENCHMARKS); do echo "== $$name"; OMP_NUM_THREADS=1 $(BIN)/python -m tests.benchmarks.$$name || exit 1; done

attack: $(DEV_STAMP) ## try the limits of the nginx configuration on a web server of our own (needs nginx)
	@OMP_NUM_THREADS=1 $(BIN)/python -m tests.attacks.proxy

screenshots: $(DEV_STAMP) ## photograph the pages of the running demo into docs/screenshots
	@$(BIN)/python -m launcher.browser
	@$(BIN)/python -m launcher.screenshots

lock: $(DEV_STAMP) ## pin the newest allowed versions with their hashes (needs uv)
	@for name in base embedded numba parquet png metrics dask errors s3 dev; do \
	  uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
	    --no-emit-index-url --upgrade requirements/$$name.in -o requirements/$$name.txt || exit 1; \
	done
	@PATH="$(CURDIR)/$(BIN):$$PATH" NODE_USE_SYSTEM_CA=1 npm update --package-lock-only --loglevel=error

clean: ## remove the environment; the data folder stays
	rm -rf $(VENV) node_modules

$(VENV)/bin/python:
	@sh launcher/make_venv.sh "$(VENV)" "$(PYTHON)"

$(RUN_STAMP): requirements/base.txt requirements/embedded.txt | $(VENV)/bin/python
	@echo "Installing what Quintet runs on ..."
	@$(PIP) -r requirements/base.txt -r requirements/embedded.txt
	@# Ahead of the first start, whose processes would each compile the same thousand files.
	@$(BIN)/python -m compileall -qq -j 0 annotation campaign config demo desk environment launcher optional_packages protocols ranking whole_campaigns
	@touch $@

# Ahead of the first large campaign, which would wait for the compiler otherwise; the demo needs none.
$(KERNEL_STAMP): $(DEV_STAMP) $(wildcard ranking/core/*/*kernel*.py annotation/sampling/*kernel*.py) ranking/core/compile_kernels.py
	@echo "Compiling the numeric kernels ..."
	@$(BIN)/python -m ranking.core.compile_kernels
	@$(BIN)/python -c "import annotation.sampling.kernels"
	@touch $@

$(WORDS_STAMP): $(RUN_STAMP) $(wildcard translations/*.py locale/*/LC_MESSAGES/django.po)
	@$(BIN)/python -m translations compile
	@touch $@

# By the Node in $(VENV), with the certificates that this machine trusts.
$(SCRIPTS_STAMP): package.json package-lock.json .npmrc $(DEV_STAMP)
	@echo "Installing what checks the pages' scripts ..."
	@PATH="$(CURDIR)/$(BIN):$$PATH" NODE_USE_SYSTEM_CA=1 npm ci --loglevel=error
	@touch $@

$(DEV_STAMP): requirements/dev.txt requirements/numba.txt requirements/parquet.txt requirements/png.txt requirements/metrics.txt $(RUN_STAMP)
	@echo "Installing what the tests and checks need ..."
	@$(PIP) $(foreach name,base embedded numba parquet png metrics dev,-r requirements/$(name).txt)
	@touch $@
