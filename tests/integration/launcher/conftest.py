"""Fixtures for the launcher: data folders of their own, and an environment that names no service."""

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg2
import pytest
import redis

from launcher.data_directory import DataDirectory, wait_until
from launcher.services import Services


@pytest.fixture(autouse=True)
def _no_services_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        *("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL", "QUINTET_HOME"),
        *("HOST", "PORT"),
    ):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def directory() -> Iterator[DataDirectory]:
    """A new data folder. Not pytest's own: its path is closed to the account of PostgreSQL."""
    with tempfile.TemporaryDirectory(prefix="quintet-launcher-") as folder:
        path = Path(folder).resolve()
        if sys.platform != "win32":
            path.chmod(0o711)
        yield DataDirectory(path / "home")
        for process in working_in(path):
            process.kill()


def working_in(folder: Path) -> list[psutil.Process]:
    """Every living process that a start from this data folder left: by working folder or environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                continue
            inside = Path(process.cwd()).is_relative_to(folder)
            told = process.environ().get("QUINTET_HOME", "").startswith(str(folder))
        except (psutil.Error, OSError):
            continue
        if (inside or told) and process.pid != psutil.Process().pid:
            found.append(process)
    return found


def eventually(holds: Callable[[], bool], what: str, seconds: float = 600) -> None:
    """Fail unless ``holds()`` comes true in time."""
    assert wait_until(holds, seconds=seconds), f"not within {seconds} s: {what}"


def remember(services: Services, word: str) -> None:
    """Commit a word to both services."""
    url = services.environment["MIGRATION_DATABASE_URL"]
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute("CREATE TABLE IF NOT EXISTS said (word text)")
        cursor.execute("INSERT INTO said VALUES (%s)", [word])
    connection.close()
    with redis.Redis.from_url(services.environment["REDIS_URL"]) as client:
        client.rpush("said", word)


def remembered(services: Services) -> tuple[list[str], list[str]]:
    """The words that PostgreSQL and Valkey know."""
    connection = psycopg2.connect(services.environment["MIGRATION_DATABASE_URL"])
    with connection, connection.cursor() as cursor:
        cursor.execute("SELECT word FROM said ORDER BY word")
        words = [row[0] for row in cursor.fetchall()]
    connection.close()
    with redis.Redis.from_url(
        services.environment["REDIS_URL"],
        decode_responses=True,
    ) as client:
        return words, sorted(client.lrange("said", 0, -1))
