"""Servers older than the oldest that tests run on are refused, and databases that cannot store all characters."""

import pytest

from environment.server_versions import (
    POSTGRESQL,
    REDIS,
    broker_problem,
    postgresql_problem,
)
from launcher.data_directory import CHECKOUT


@pytest.mark.parametrize(("reported", "version"), [(140023, "14.23"), (90624, "9.624")])
def test_an_old_postgresql_is_refused_with_both_versions(
    reported: int,
    version: str,
) -> None:
    problem = postgresql_problem(reported, "UTF8") or ""
    assert (
        f"points to PostgreSQL {version}, which is too old: Quintet needs PostgreSQL 15"
        in problem
    )


@pytest.mark.parametrize("reported", [150000, 150020, 180004])
def test_a_postgresql_of_a_promised_version_is_taken(reported: int) -> None:
    assert postgresql_problem(reported, "UTF8") is None


# What `createdb` makes on a server that was set up under LANG=C, and under a locale such as en_US.ISO-8859-1.
@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_that_is_not_in_utf8_is_refused(encoding: str) -> None:
    problem = postgresql_problem(150020, encoding) or ""
    assert f"a database with the encoding {encoding}" in problem


@pytest.mark.parametrize("reported", ["6.2.14", "5.0"])
def test_an_old_redis_is_refused_with_both_versions(reported: str) -> None:
    problem = broker_problem(reported) or ""
    assert (
        f"points to Redis {reported}, which is too old: Quintet needs Redis 7.0"
        in problem
    )


# The last is what Valkey 9 reports.
@pytest.mark.parametrize("reported", ["7.0.15", "8.2.1", "10.0.0", "7.2.4"])
def test_a_redis_of_a_promised_version_is_taken(reported: str) -> None:
    assert broker_problem(reported) is None


def test_the_handbook_promises_the_versions_that_are_not_refused() -> None:
    handbook = (CHECKOUT / "docs" / "operators.md").read_text()
    assert f"PostgreSQL {POSTGRESQL} or newer" in handbook
    assert f"Redis {REDIS[0]}.{REDIS[1]} or newer" in handbook
