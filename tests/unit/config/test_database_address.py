"""Connection settings from addresses of databases."""

import pytest
from psycopg2.extensions import parse_dsn

from config.database_address import database_settings

ADDRESSES = [
    "postgresql://quintet@/quintet?host=/run/postgresql",
    "postgresql://quintet@%2Frun%2Fpostgresql/quintet",
    "postgresql://quintet:a%40b%25c%2Fd+e@[::1]:5433/quintet",
    "postgresql://quintet@one:5432,two:5433/quintet?target_session_attrs=read-write",
    "postgresql://quintet@host/quintet?sslmode=verify-full&sslrootcert=/etc/ssl/own%20root.pem",
]


@pytest.mark.parametrize("url", ADDRESSES)
def test_pages_connect_to_the_server_that_backups_connect_to(url: str) -> None:
    settings = database_settings(url)
    connected = {
        "dbname": settings["NAME"],
        "user": settings["USER"],
        "password": settings["PASSWORD"],
        "host": settings["HOST"],
        "port": settings["PORT"],
        **settings["OPTIONS"],
    }
    assert {name: value for name, value in connected.items() if value} == parse_dsn(url)


def test_a_parameter_that_libpq_does_not_know_is_named() -> None:
    with pytest.raises(SystemExit, match=r'wrong; .*"sslmod"'):
        database_settings("postgresql://quintet:hunter2@host/quintet?sslmod=require")
