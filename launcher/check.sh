#!/bin/sh
# Run all checks except tests. `make check` provides PostgreSQL and Valkey; `make check-fast` runs the fast checks, which
# need neither. Runs every check even if one fails.
set -u
failed=""

check() {
    echo "== $*"
    "$@" || failed="$failed
  $*"
}

if [ "${1:-}" != fast ]; then
    # mypy takes as long as all other checks together and one core, so it runs in parallel.
    types=$(mktemp)
    mypy . > "$types" 2>&1 &
    typing=$!
    trap 'kill "$typing" 2> /dev/null; rm -f "$types"' EXIT
    trap 'exit 1' INT TERM
fi
# COM812: what does not fit on a line has one argument on each. Not in pyproject.toml, since the formatter warns of it.
check ruff check --extend-select COM812 .
check ruff format --check .
check lint-imports
# Our file names have no spaces; xargs on macOS has no -a.
# shellcheck disable=SC2046
check djade --check --target-version 5.2 $(git ls-files -- '*.html')
check python -m translations check
check python -m translations wording
check python -m translations joints
check python -m tests.advisories
if [ "${1:-}" != fast ]; then
    check python manage.py check --fail-level WARNING
    check python manage.py migrate --verbosity 0
    check python manage.py makemigrations --check --dry-run
    check npm run --silent lint
    check npm run --silent types
    echo "== mypy ."
    wait "$typing" || failed="$failed
  mypy ."
    cat "$types"
fi

if [ -n "$failed" ]; then
    echo "These checks failed:$failed" >&2
    exit 1
fi
