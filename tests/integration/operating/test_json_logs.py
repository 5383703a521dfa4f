"""With LOG_FORMAT=json, every line of every process in docs/operators.md is JSON, from its start to its end."""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from launcher.data_directory import CHECKOUT, wait_until
from tests import conftest
from tests.gunicorn import free_port

pytestmark = [pytest.mark.thorough, pytest.mark.django_db(transaction=True)]

HANDBOOK = (CHECKOUT / "docs" / "operators.md").read_text()
_ROW = re.compile(r"^\| ([a-z ]+) \| `((?:gunicorn|celery) [^`]+)` \|", re.MULTILINE)
PROCESSES = dict(_ROW.findall(HANDBOOK))
#: Logged when a process does its work.
STARTED = {"gunicorn": "Booting worker", "worker": " ready.", "beat": "beat: Starting"}
START_SECONDS = 120


def environment(**variables: str) -> dict[str, str]:
    return {
        **os.environ,
        "DATABASE_URL": conftest.test_database_url(),
        "LOG_FORMAT": "json",
        **variables,
    }


def lines_not_json(text: str) -> list[str]:
    lines = []
    for line in text.splitlines():
        try:
            json.loads(line)
        except ValueError:
            lines.append(line)
    return lines


def test_the_table_of_processes_is_read() -> None:
    assert list(PROCESSES) == [
        "web",
        "planning worker",
        "ranking worker",
        "housekeeping worker",
        "jobs worker",
        "beat",
    ]


@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_logs_only_json(name: str, tmp_path: Path) -> None:
    port = free_port()
    command = shlex.split(PROCESSES[name].replace(":8000", f":{port}"))
    started = next(text for word, text in STARTED.items() if word in command)
    log = tmp_path / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            env=environment(),
            stdout=file,
            stderr=file,
            start_new_session=True,
        )
    try:
        assert wait_until(
            lambda: started in log.read_text(),
            seconds=START_SECONDS,
            alive=lambda: process.poll() is None,
        ), log.read_text()
        if name == "web":
            with suppress(URLError):
                urlopen(f"http://127.0.0.1:{port}/no/such/page/")
        process.terminate()
        process.wait(START_SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert lines_not_json(log.read_text()) == []


@pytest.mark.parametrize(
    "command",
    [
        "manage.py migrate",
        "manage.py collectstatic --noinput",
        "manage.py organiser_link nobody",
        "manage.py no_such_command",
        "-W always -c 'import config, warnings; warnings.warn(\"text\")'",
    ],
)
def test_a_command_logs_only_json(command: str, tmp_path: Path) -> None:
    done = _run(command, STATIC_ROOT=str(tmp_path))
    output = done.stdout + done.stderr
    assert output
    assert lines_not_json(output) == []


@pytest.mark.parametrize(
    "command",
    ["manage.py migrate", *(f"-m {command}" for command in PROCESSES.values())],
)
def test_a_process_that_cannot_start_logs_only_json(command: str) -> None:
    done = _run(command, SECRET_KEY=None)
    assert done.returncode != 0
    assert "SECRET_KEY" in done.stderr
    assert lines_not_json(done.stdout + done.stderr) == []


def _run(command: str, **variables: str | None) -> "subprocess.CompletedProcess[str]":
    chosen = environment()
    for name, value in variables.items():
        chosen.pop(name, None)
        if value is not None:
            chosen[name] = value
    return subprocess.run(
        [sys.executable, *shlex.split(command)],
        env=chosen,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
