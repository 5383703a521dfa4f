"""The database of another cell, beside one's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import environ
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.backends.base.base import BaseDatabaseWrapper

_OTHER: Final = "other-cell"


@contextmanager
def database_of(url: str) -> Iterator[BaseDatabaseWrapper]:
    """Connect to the database at an address, with the options of one's own."""
    own = connections.settings[DEFAULT_DB_ALIAS]
    given: dict[str, Any] = environ.Env.db_url_config(url)
    options = {**own["OPTIONS"], **given.get("OPTIONS", {})}
    if "host" not in given.get("OPTIONS", {}):
        options.pop("host", None)
    connections.settings[_OTHER] = {
        **own,
        **{name: given.get(name) or "" for name in ("NAME", "USER", "PASSWORD", "HOST", "PORT")},
        "OPTIONS": options,
    }
    try:
        yield connections[_OTHER]
    finally:
        connections[_OTHER].close()
        del connections[_OTHER]
        del connections.settings[_OTHER]


@contextmanager
def asked_by_default(other: BaseDatabaseWrapper) -> Iterator[None]:
    """Let everything that this thread asks of its database be asked of the other, in its transaction."""
    own = connections[DEFAULT_DB_ALIAS]
    connections[DEFAULT_DB_ALIAS] = other
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = own
