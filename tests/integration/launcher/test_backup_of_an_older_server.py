"""A backup of an older PostgreSQL is restored there and into the newest one. `make test-oldest` runs this."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from urllib.parse import urlsplit, urlunsplit

import psycopg2
import pytest

from launcher.data_directory import DataDirectory
from launcher.services import programs_major
from tests.integration.launcher.test_backup import LOAD, PYTHON
from tests.integration.launcher.test_commands import launcher

#: The servers of this run. Tests of the launcher see no variables that name them.
SERVERS = {
    name: os.environ.get(name, "")
    for name in ("DATABASE_URL", "MIGRATION_DATABASE_URL", "REDIS_URL")
}
MANAGE = ("run", "--", PYTHON, "manage.py")


def renamed(url: str, database: str) -> str:
    return urlunsplit(urlsplit(url)._replace(path=f"/{database}"))


@pytest.fixture
def database() -> Iterator[Callable[[str], dict[str, str]]]:
    """Create databases on the server of this run; return the variables that name one."""
    with closing(psycopg2.connect(SERVERS["MIGRATION_DATABASE_URL"])) as owner:
        owner.autocommit = True
        if owner.server_version // 10_000 >= programs_major():
            pytest.skip("the server of this run is the newest one")
        names = []
        with owner.cursor() as cursor:

            def create(name: str) -> dict[str, str]:
                cursor.execute(f"CREATE DATABASE {name}")
                names.append(name)
                return {
                    "SECRET_KEY": "of-the-operator",
                    "REDIS_URL": SERVERS["REDIS_URL"],
                    "DATABASE_URL": renamed(SERVERS["DATABASE_URL"], name),
                    "MIGRATION_DATABASE_URL": renamed(
                        SERVERS["MIGRATION_DATABASE_URL"],
                        name,
                    ),
                }

            yield create
            for name in names:
                cursor.execute(f"DROP DATABASE {name} WITH (FORCE)")


def done(
    directory: DataDirectory,
    *arguments: str,
    environment: Mapping[str, str],
) -> str:
    process = launcher(directory, *arguments, **environment)
    assert process.returncode == 0, process.stdout + process.stderr
    return process.stdout


def test_every_ranking_comes_back_to_the_bit(
    directory: DataDirectory,
    database: Callable[[str], dict[str, str]],
) -> None:
    older = database("judged")
    done(directory, *MANAGE, "migrate", "--verbosity=0", environment=older)
    done(directory, "run", "--", PYTHON, "-c", LOAD, environment=older)
    rankings = done(directory, *MANAGE, "check_rankings", environment=older)
    place = directory.path.parent / "backups"
    done(directory, "backup", "--to", str(place), environment=older)
    [backup] = place.iterdir()

    again = database("restored")
    done(directory, "restore", str(backup), environment=again)
    assert done(directory, *MANAGE, "check_rankings", environment=again) == rankings

    newest = DataDirectory(directory.path.parent / "newest")
    done(newest, "restore", str(backup), environment={})
    assert done(newest, *MANAGE, "check_rankings", environment={}) == rankings
