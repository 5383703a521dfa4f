#!/bin/sh
# make_venv.sh FOLDER [PYTHON]: a virtual environment from the first Python 3.11 or newer found.
set -eu

folder=$1
chosen=${2:-}

new_enough() {
    command -v "$1" >/dev/null 2>&1 &&
        "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

if [ -n "$chosen" ]; then
    if ! new_enough "$chosen"; then
        echo "PYTHON=$chosen is not a Python 3.11 or newer." >&2
        exit 1
    fi
    candidates=$chosen
else
    # The system's Python first: Debian, Ubuntu and Fedora compile it with profile-guided optimization, which pyenv does
    # only on request. Processes then take a quarter less time.
    candidates="/usr/bin/python3 python3 python3.13 python3.12 python3.11 python3.14 python"
fi

problem=""
for python in $candidates; do
    new_enough "$python" || continue
    # --clear: what an interrupted run left behind.
    if problem=$("$python" -m venv --clear "$folder" 2>&1); then
        exit 0
    fi
    rm -rf "$folder"
done

if [ -n "$problem" ]; then
    echo "$problem" >&2
    echo "Python's venv module is missing or broken; on Debian and Ubuntu: apt install python3-venv" >&2
else
    echo "Quintet needs Python 3.11 or newer, and found none." >&2
    echo "Install one, or name it: make PYTHON=/path/to/python3.12 ..." >&2
fi
exit 1
