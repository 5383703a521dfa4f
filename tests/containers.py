"""The processes of docker-compose.yml and of the chart, run by themselves with the environment that stands there.

There is no engine for containers here: the programs are those of this machine, addresses of servers lead to ours,
and files of secrets lie in a folder of the test. Nothing else is told to them.
"""

import contextlib
import http.client
import os
import re
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import yaml

from launcher.data_directory import CHECKOUT
from launcher.services import Services
from tests.unit.deploy import test_chart

COMPOSE: dict[str, Any] = yaml.safe_load((CHECKOUT / "docker-compose.yml").read_text())
#: The queues of each worker, as `--queues` names them.
WORKERS: dict[str, str] = {
    name: word.removeprefix("--queues=")
    for name, service in COMPOSE["services"].items()
    for word in service.get("command", [])
    if word.startswith("--queues=")
}
SECRETS = {
    "secret_key": "k" * 50,
    "metrics_token": "m" * 32,
    "export_storage_options": "",
    "media_storage": "",
    "postgres_password": "p@ss/word",
    "application_password": "w:rd%",
}


@dataclass(frozen=True)
class Process:
    """A process of a container.

    Attributes
    ----------
    healthcheck : list[str]
        What asks whether it is well; empty if nothing does.
    """

    command: list[str]
    environment: dict[str, str]
    healthcheck: list[str]


def of_compose(name: str) -> Process:
    """A service of docker-compose.yml with its defaults."""
    service = COMPOSE["services"][name]
    # The image's own command, where the file names none.
    docker = re.findall(
        r"^CMD (.+)$",
        (CHECKOUT / "Dockerfile").read_text(),
        re.MULTILINE,
    )[0]
    test = service.get("healthcheck", {}).get("test", [])
    check = ["sh", "-c", *test[1:]] if test[:1] == ["CMD-SHELL"] else test[1:]
    return Process(
        [_filled(each) for each in service.get("command", yaml.safe_load(docker))],
        {key: _filled(value) for key, value in service["environment"].items()},
        [_filled(each) for each in check],
    )


def _filled(text: str) -> str:
    return re.sub(r"\$\{\w+:-([^}]*)\}", r"\1", text).replace("$$", "$")


def of_chart(name: str, values: dict[str, Any]) -> Process:
    """A container of the chart."""
    pod = dict(test_chart.pods(values))[name]["containers"][0]
    probe = pod.get("livenessProbe", {}).get("exec", {}).get("command", [])
    environment = {each["name"]: each["value"] for each in pod["env"]}
    return Process(pod["args"], environment, probe)


@dataclass(frozen=True)
class IgnorePattern:
    """A line of `.dockerignore`: a path excluded from the image, or included again."""

    expression: re.Pattern[str]
    comes_in: bool

    @classmethod
    def of(cls, line: str) -> Self:
        pattern = re.escape(line.removeprefix("!"))
        for wildcard, expression in (
            (r"\*\*/", "(?:.*/)?"),
            (r"\*", "[^/]*"),
            (r"\?", "[^/]"),
        ):
            pattern = pattern.replace(wildcard, expression)
        # What lies in a folder is as the folder is.
        return cls(re.compile(f"{pattern}(?:/.*)?"), line.startswith("!"))


def image_files(folder: Path) -> set[str]:
    """Return the files of a checkout that are copied into the image, according to its `.dockerignore`."""
    lines = (CHECKOUT / ".dockerignore").read_text().splitlines()
    patterns = [
        IgnorePattern.of(line) for line in lines if line and not line.startswith("#")
    ]
    top_level = {line[1:].partition("/")[0] for line in lines if line.startswith("!")}
    given = set()
    for directory, folders, names in os.walk(folder):
        if directory == str(folder):
            # Nothing else comes in, and there may be much of it.
            folders[:] = top_level.intersection(folders)
        for name in names:
            path = (Path(directory) / name).relative_to(folder).as_posix()
            # The last line that names a file decides.
            matches = [
                pattern for pattern in patterns if pattern.expression.fullmatch(path)
            ]
            if not matches or matches[-1].comes_in:
                given.add(path)
    return given


class World:
    """PostgreSQL, Valkey and secret files, with the containers' settings translated to them."""

    def __init__(self, services: Services, folder: Path) -> None:
        self.folder = folder
        environment = services.environment
        self._sockets = parse_qs(urlsplit(environment["DATABASE_URL"]).query)["host"][0]
        self._redis = environment["REDIS_URL"]
        self.port = self._free_port()
        addresses = {
            "secret-key": SECRETS["secret_key"],
            "metrics-token": SECRETS["metrics_token"],
            "database-url": self._here("postgresql://quintet_app:x@postgres/quintet"),
            "migration-database-url": self._here(
                "postgresql://quintet:x@postgres/quintet",
            ),
            "redis-url": self._redis,
        }
        for name, secret in (SECRETS | addresses).items():
            (folder / name).write_text(f"{secret}\n")

    def environment(self, process: Process) -> dict[str, str]:
        """The environment of the container, and the path to programs."""
        programs = f"{Path(sys.executable).parent}:/usr/bin:/bin"
        translated = {
            name: self._here(value) for name, value in process.environment.items()
        }
        image = {"DJANGO_SETTINGS_MODULE": "config.settings", "PYTHONUNBUFFERED": "1"}
        return {
            **image,
            "PATH": programs,
            "STATIC_ROOT": str(self.folder / "static"),
            "HOSTNAME": socket.gethostname(),
            # No container is root; tests may be, of which Celery warns.
            "PYTHONWARNINGS": "ignore:You're running the worker with superuser privileges",
            **translated,
        }

    def _here(self, value: str) -> str:
        if "@postgres/" in value:
            return value.replace("@postgres/", "@/") + f"?host={self._sockets}"
        if value.startswith("redis://valkey"):
            return self._redis
        return re.sub(
            r"^/(?:tmp|run/secrets(?:/quintet|/owner)?)/",
            f"{self.folder}/",
            value,
        )

    def words(self, words: list[str]) -> list[str]:
        """Return the command with a free port and files in our folder."""
        return [
            re.sub(
                r"(?:0\.0\.0\.0|127\.0\.0\.1)(.)8000",
                rf"127.0.0.1\g<1>{self.port}",
                re.sub(r"(?<!\S)/tmp/", f"{self.folder}/", word),
            )
            for word in words
        ]

    @staticmethod
    def _free_port() -> int:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return int(free.getsockname()[1])

    @contextlib.contextmanager
    def running(
        self,
        process: Process,
        log: Path,
    ) -> Iterator["subprocess.Popen[bytes]"]:
        with log.open("wb") as file:
            started = subprocess.Popen(
                self.words(process.command),
                env=self.environment(process),
                cwd=CHECKOUT,
                stdout=file,
                stderr=file,
                start_new_session=True,
            )
        try:
            yield started
        finally:
            started.terminate()
            started.wait(60)

    def is_well(self, process: Process) -> bool:
        """Run the health check."""
        done = subprocess.run(
            self.words(process.healthcheck),
            env=self.environment(process),
            cwd=CHECKOUT,
            capture_output=True,
            check=False,
            timeout=60,
        )
        return done.returncode == 0


#: Functions, because rendering the chart takes seconds, and only slow tests start these processes.
PROCESSES: dict[str, Callable[[], Process]] = {
    "compose web": partial(of_compose, "web"),
    "compose worker-planning": partial(of_compose, "worker-planning"),
    "compose worker-ranking": partial(of_compose, "worker-ranking"),
    "compose worker-housekeeping": partial(of_compose, "worker-housekeeping"),
    "compose worker-jobs": partial(of_compose, "worker-jobs"),
    "compose beat": partial(of_compose, "beat"),
    "chart web": partial(
        of_chart,
        "quintet-web",
        {"optionalSecrets": ["metrics-token"]},
    ),
    "chart web below a path": partial(
        of_chart,
        "quintet-web",
        {"urlPrefix": "/quintet"},
    ),
    "chart worker-planning": partial(of_chart, "quintet-worker-planning", {}),
    "chart worker-ranking": partial(of_chart, "quintet-worker-ranking", {}),
    "chart worker-housekeeping": partial(of_chart, "quintet-worker-housekeeping", {}),
    "chart worker-jobs": partial(of_chart, "quintet-worker-jobs", {}),
    "chart beat": partial(of_chart, "quintet-beat", {}),
}


def status(
    port: int,
    path: str,
    host: str = "127.0.0.1",
    *,
    https: bool = False,
    headers: dict[str, str] | None = None,
) -> int:
    """Return the status of a response; 0 without one."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    forwarded = {"X-Forwarded-Proto": "https"} if https else {}
    with contextlib.closing(connection):
        try:
            connection.request(
                "GET",
                path,
                headers={"Host": host} | forwarded | (headers or {}),
            )
            return connection.getresponse().status
        except OSError:
            return 0
