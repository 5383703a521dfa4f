#!/bin/sh
# The checks that read the settings; `make check` runs them with a PostgreSQL and a Valkey of their own.
set -eu

mypy .
lint-imports
python manage.py check --fail-level WARNING
python manage.py migrate --verbosity 0
python manage.py makemigrations --check --dry-run
git ls-files -z -- '*.html' | xargs -0 -r djade --check --target-version 5.2 >/dev/null
