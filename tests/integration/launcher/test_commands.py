"""``python -m launcher``, as people and `make` call it."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import requests

from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.processes import is_running
from launcher.services import Services
from launcher.serving import fingerprint
from tests.integration.launcher.conftest import eventually, working_in

STOP_LINE = "Stop       Ctrl-C"


def launcher(
    directory: DataDirectory,
    *arguments: str,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "launcher", *arguments],
        cwd=CHECKOUT,
        env={**os.environ, "QUINTET_HOME": str(directory.path), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@contextlib.contextmanager
def started(
    directory: DataDirectory,
    command: str,
    program: Sequence[str] = (str(CHECKOUT / "quintet"),),
    **environment: str,
) -> Iterator[subprocess.Popen[str]]:
    """A start, or a demo, on any free port."""
    with subprocess.Popen(
        [*program, command],
        env={
            **os.environ,
            "QUINTET_HOME": str(directory.path),
            "PORT": "0",
            **environment,
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
                process.communicate()


def read_until(process: subprocess.Popen[str], words: str) -> list[str]:
    """Return the lines that a start says, up to the one with these words."""
    said: list[str] = []
    assert process.stdout is not None
    for line in process.stdout:
        said.append(line)
        if words in line:
            return said
    pytest.fail("".join(said))


@contextlib.contextmanager
def served(
    directory: DataDirectory,
    command: str,
    program: Sequence[str] = (str(CHECKOUT / "quintet"),),
) -> Iterator[tuple[subprocess.Popen[str], list[str]]]:
    """A start, or a demo, that has said where to go; what it said is with it."""
    with started(directory, command, program) as process:
        yield process, read_until(process, STOP_LINE)


def address_of(said: list[str]) -> str:
    (address,) = re.findall(r"http://127\.0\.0\.1:\d+", said[-1])
    return str(address)


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=60) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def recorded(directory: DataDirectory, name: str) -> int | None:
    entry = json.loads((directory.path / "processes.json").read_text()).get(name)
    return int(entry["pid"]) if entry else None


@pytest.mark.thorough
def test_run_gives_a_command_both_services_and_passes_its_exit_code_on(
    directory: DataDirectory,
) -> None:
    with Services(directory):
        pass
    done = launcher(
        directory,
        "run",
        "--",
        "sh",
        "-c",
        "echo $DATABASE_URL $REDIS_URL; exit 3",
    )
    database, redis = done.stdout.split()
    assert database.startswith("postgresql://quintet_app@/quintet?host=")
    assert redis.startswith("unix:///")
    assert done.returncode == 3
    assert working_in(directory.path) == []


def test_run_where_nothing_was_started_says_so_and_makes_no_folder(
    directory: DataDirectory,
) -> None:
    done = launcher(directory, "run", "--", "true")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        f"Quintet is not set up in the data folder {directory.path}. Run "
        f"`QUINTET_HOME={directory.path} make start` first; or, if your campaigns are elsewhere, set QUINTET_HOME to "
        "their data folder.\n"
    )
    assert not directory.path.exists()


@pytest.mark.thorough
def test_a_temporary_database_flushes_to_the_disk_if_asked_to_and_leaves_the_data_folder_alone(
    directory: DataDirectory,
) -> None:
    asks = (
        "import os, psycopg2; cursor = psycopg2.connect(os.environ['DATABASE_URL']).cursor();"
        "cursor.execute('SHOW fsync'); print('fsync', *cursor.fetchone())"
    )
    command = ["run", "--temporary", "--durable", "--", sys.executable, "-c", asks]
    assert "fsync on" in launcher(directory, *command).stdout
    assert not directory.path.exists()


def test_a_taken_port_is_named_with_a_way_out_and_nothing_is_left_running(
    directory: DataDirectory,
) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = launcher(directory, "start", PORT=str(port))
    assert done.returncode == 1
    assert f"Port {port} on 127.0.0.1 cannot be used" in done.stderr
    assert f"PORT={port + 1} make start" in done.stderr
    assert working_in(directory.path) == []


def test_a_port_that_is_no_number_is_refused_in_words(directory: DataDirectory) -> None:
    done = launcher(directory, "demo", PORT="http")
    assert (done.returncode, done.stderr) == (
        1,
        "PORT=http is not a port number. Example: PORT=8001 make demo\n",
    )


def assert_loading(address: str) -> None:
    """Every address says that Quintet starts, and for how long not to ask again."""
    page = requests.get(f"{address}/i/a-link/", timeout=30)
    assert (page.status_code, page.headers["Retry-After"]) == (503, "2")
    assert '<meta http-equiv="refresh" content="2">' in page.text
    assert '<progress max="4"' in page.text
    for path, kind in (
        ("/api/v1/", "application/problem+json"),
        ("/readyz", "application/json"),
    ):
        answer = requests.post(f"{address}{path}", data="x" * 100_000, timeout=30)
        assert (answer.status_code, answer.headers["Content-Type"]) == (503, kind)
        assert answer.headers["Retry-After"] == "2"


def test_a_start_refuses_tables_that_have_changed_since_an_earlier_one_prepared_them(
    directory: DataDirectory,
) -> None:
    with Services(directory) as services:
        assert services.postgres is not None
        # Nothing is left to prepare: the web server is the first to look at the tables, which are gone.
        done = {"tables": fingerprint("tables"), "organiser": True}
        (services.postgres.folder / "prepared.json").write_text(json.dumps(done))
    refused = launcher(directory, "start", PORT="0")
    assert refused.returncode == 1
    assert f"the data folder {directory.path} has no tables. What to do: run" in (
        refused.stderr
    )
    assert working_in(directory.path) == []


@pytest.mark.thorough
def test_the_demo_starts_is_killed_starts_again_and_stops(
    directory: DataDirectory,
) -> None:
    with started(directory, "demo") as process:
        assert_loading(address_of(read_until(process, "shows the progress")))
        process.kill()  # amid its preparation
        process.wait()

    with started(directory, "demo") as process:
        text = "".join(read_until(process, STOP_LINE))
        told = json.loads(directory.demo_file.read_text())
        assert told["organiser"]["url"] in text
        assert told["judges"][0]["url"] in text
        assert "make start` serves this folder and loads no demo" in text
        assert directory.demo_file.stat().st_mode & 0o077 == 0
        assert answers(f"{told['base_url']}/readyz")
        beside = launcher(
            directory,
            "run",
            "--",
            sys.executable,
            "manage.py",
            "migrate",
            "--check",
        )
        assert beside.returncode == 0, beside.stderr
        link = launcher(
            *(
                directory,
                "run",
                "--",
                sys.executable,
                "manage.py",
                "add_judge",
                "at another port",
            ),
            *("--campaign", "museum"),
        ).stdout.strip()
        assert link.startswith(f"{told['base_url']}/i/")
        assert answers(link)
        refused = launcher(directory, "demo", PORT="0")
        assert refused.returncode == 1
        assert f"(process {process.pid})" in refused.stderr
        read_until(process, "demo campaigns loaded")
        port = told["base_url"].rpartition(":")[2]
        process.kill()
        process.wait()

    orphans = working_in(directory.path)
    assert {"postgres", "valkey-server"} <= {orphan.name() for orphan in orphans}
    with started(directory, "demo", PORT=port) as process:
        text = "".join(read_until(process, STOP_LINE))
        assert "stopped processes of an earlier run" in text
        assert not any(map(is_running, orphans))
        # Nothing has changed: none of it is done again.
        assert not re.search("static files|tables|Loading", text)
        assert json.loads(directory.demo_file.read_text())["protocols"] != []
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate()
        assert rest.endswith("Quintet has stopped. Your data is kept.\n")
        assert process.returncode == 0
    assert working_in(directory.path) == []


@pytest.mark.thorough
def test_failed_preparation_shows_on_an_open_page_and_stops_the_start(
    directory: DataDirectory,
) -> None:
    with Services(DataDirectory(directory.path.parent / "other")) as other:
        # The application may not make tables.
        url = other.environment["DATABASE_URL"]
        with started(directory, "start", DATABASE_URL=url) as process:
            address = address_of(read_until(process, "shows the progress"))
            seen = ""
            while "could not start" not in seen:
                seen = requests.get(address, timeout=30).text
            assert "refresh" not in seen
            rest, _ = process.communicate(timeout=120)
            assert "Preparing the database failed" in rest
            assert process.returncode == 1
    assert working_in(directory.path) == []


@pytest.mark.thorough
def test_a_start_waits_for_an_external_postgresql_that_is_away(
    directory: DataDirectory,
) -> None:
    with Services(DataDirectory(directory.path.parent / "other")) as other:
        assert other.postgres is not None
        urls = {
            name: other.environment[name]
            for name in ("DATABASE_URL", "MIGRATION_DATABASE_URL")
        }
        other.postgres.stop()
        with started(directory, "start", **urls) as process:
            address = address_of(read_until(process, "shows the progress"))
            read_until(process, "waiting for PostgreSQL")
            assert "Waiting for the database" in requests.get(address, timeout=30).text
            other.postgres.start()
            read_until(process, "Quintet is ready")
            assert requests.get(f"{address}/readyz", timeout=30).status_code == 200
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=120)
    assert working_in(directory.path) == []


def quintet(
    directory: DataDirectory,
    *arguments: str,
) -> subprocess.CompletedProcess[str]:
    """Run `./quintet`, from another folder, as people do."""
    return subprocess.run(
        [CHECKOUT / "quintet", *arguments],
        cwd="/",
        env={**os.environ, "QUINTET_HOME": str(directory.path)},
        capture_output=True,
        text=True,
        check=False,
    )


def answer_to(address: str, **form: str) -> str:
    """Return where a browser arrives that opens a page and, with a form, sends it."""
    with requests.Session() as session:
        page = session.get(address, timeout=30)
        if form:
            key = {"csrfmiddlewaretoken": session.cookies["csrftoken"]}
            page = session.post(address, data=form | key, timeout=30)
        page.raise_for_status()
        return str(page.url)


@pytest.mark.thorough
def test_a_start_lets_the_first_organiser_in_is_killed_starts_again_and_stops(
    directory: DataDirectory,
) -> None:
    with served(directory, "start") as (process, lines):
        text = "".join(lines)
        (link,) = re.findall(r"http://\S+/account/", text)
        base = link.partition("/i/")[0]
        assert f"QUINTET_HOME={directory.path} make demo` adds demo campaigns" in text
        assert not directory.demo_file.exists()
        connection = psycopg2.connect(
            json_of(directory, "services.json")["DATABASE_URL"],
        )
        with connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT current_setting('fsync'), current_setting('synchronous_commit')",
            )
            assert cursor.fetchone() == ("on", "on")
            cursor.execute("SELECT count(*) FROM campaign_campaign")
            assert cursor.fetchone() == (0,)
        connection.close()
        entered = {
            "name": "Rosa",
            "email": "rosa@example.org",
            "password": "a long way home",
        }
        assert answer_to(link, **entered) == f"{base}/"
        again = quintet(directory, "organiser_link", "rosa@example.org")
        assert again.stdout.startswith(f"{base}/i/"), again.stderr
        assert "Assumed" not in again.stderr
        assert "/account/" not in "".join(
            path.read_text().replace("[hidden]/account/", "")
            for path in directory.logs.iterdir()
        )
        process.kill()
        process.wait()

    with served(directory, "start") as (process, lines):
        text = "".join(lines)
        assert "/account/" not in text
        assert "organiser_link EMAIL` prints a link" in text
        (base,) = re.findall(r"Organise +(http://[^/\s]+)/", text)
        assert answer_to(f"{base}/") == f"{base}/sign-in/?next=/"
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate()
        assert rest.endswith("Quintet has stopped. Your data is kept.\n")
        assert process.returncode == 0
    assert working_in(directory.path) == []

    assumed = quintet(directory, "organiser_link", "rosa@example.org")
    assert assumed.stdout.startswith(f"{base}/i/")
    assert f"using {base}." in assumed.stderr


def json_of(directory: DataDirectory, name: str) -> Any:
    return json.loads((directory.path / name).read_text())


@pytest.mark.thorough
def test_a_preparation_whose_postgresql_is_killed_is_repeated(
    directory: DataDirectory,
) -> None:
    with started(directory, "demo") as process:
        read_until(process, "tables up to date")
        server = recorded(directory, "postgresql")
        assert server is not None
        os.kill(server, signal.SIGKILL)
        said = "".join(read_until(process, "demo campaigns loaded"))
    assert "preparing the database again" in said


@pytest.mark.thorough
def test_the_demo_starts_whatever_of_it_is_killed(directory: DataDirectory) -> None:
    with served(directory, "demo"):
        ready = f"{json.loads(directory.demo_file.read_text())['base_url']}/readyz"
        for name in ("web", "worker", "valkey", "postgresql"):
            before = recorded(directory, name)
            assert before is not None
            os.kill(before, signal.SIGKILL)
            eventually(
                lambda n=name, b=before: recorded(directory, n) not in (None, b),  # type: ignore[misc]
                f"new {name}",
            )
            eventually(
                lambda: answers(ready),
                f"the web server is ready after {name} was killed",
            )


def test_a_fingerprint_follows_its_sources_and_no_generated_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "demo" / "__pycache__").mkdir(parents=True)
    file = tmp_path / "demo" / "a.txt"
    seen = {fingerprint("demo", tmp_path)}
    file.write_text("one")
    seen.add(fingerprint("demo", tmp_path))
    file.write_text("two")
    seen.add(fingerprint("demo", tmp_path))
    file.rename(file.with_name("b.txt"))
    seen.add(fingerprint("demo", tmp_path))
    for ignored in ("__pycache__/a.pyc", "a.py310.nbi", "a.py310.1.nbc"):
        (tmp_path / "demo" / ignored).write_text("")
    seen.add(fingerprint("demo", tmp_path))
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "a.js").write_text("")
    seen.add(fingerprint("demo", tmp_path))
    assert len(seen) == 4
