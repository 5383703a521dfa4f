"""A pytest plugin: PostgreSQL and Valkey of our own for the run, before Django reads its settings.

Loaded by ``-p tests.services`` in pyproject.toml. Services that DATABASE_URL or REDIS_URL name already are
used instead. The data folder is temporary, and so may forget everything in a crash.
"""

from __future__ import annotations

import contextlib
import os
import signal
import tempfile
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.services import Services
from launcher.valkey import Valkey
from translations.files import catalogue_compile, locales

_SERVICES = pytest.StashKey[Services]()
# Names of the variables that processes running tests set for themselves.
_LEFT = "QUINTET_TESTS_LEFT"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Start the services. A wrapper, because pytest-django reads the settings in this very hook."""
    # Whoever ends the run with SIGTERM (`timeout`, a CI job's limit) must not leave servers behind.
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Templates name their static files as they are; no test has to collect them first.
    os.environ.setdefault("STATIC_HASHED", "0")
    runs_tests = "PYTEST_XDIST_WORKER" in os.environ
    if not runs_tests:
        for locale in locales(CHECKOUT):
            catalogue_compile(CHECKOUT, locale)
    if early_config.known_args_namespace.numprocesses and not runs_tests:
        _leave_to_the_processes()
        yield
        return
    for name in os.environ.pop(_LEFT, "").split():
        del os.environ[name]
    held = contextlib.ExitStack()
    early_config.add_cleanup(held.close)
    folder = held.enter_context(tempfile.TemporaryDirectory(prefix="quintet-tests-"))
    services = held.enter_context(Services(DataDirectory(Path(folder).resolve()), durable=False))
    os.environ.update(services.environment)
    early_config.stash[_SERVICES] = services
    yield


def _leave_to_the_processes() -> None:
    """Name services nobody runs: this process only hands out tests, but Django reads its settings.

    Each process that runs tests starts services of its own, since tests stop and empty them.
    """
    left = {
        name: address
        for name, address in {
            "SECRET_KEY": "hands out tests",
            "DATABASE_URL": "postgres:///hands-out-tests",
            "REDIS_URL": "redis://hands-out-tests",
        }.items()
        if name not in os.environ
    }
    os.environ.update(left)
    os.environ[_LEFT] = " ".join(left)


@pytest.fixture(scope="session")
def services(pytestconfig: pytest.Config) -> Services:
    """The services of this run."""
    return pytestconfig.stash[_SERVICES]


@pytest.fixture
def broker(services: Services) -> Iterator[Valkey]:
    """The Valkey of this run, for tests that ``stop()`` it; it runs again when the test is over."""
    if services.valkey is None:
        pytest.skip("REDIS_URL names a Valkey that is not ours to stop")
    yield services.valkey
    if services.valkey.child.pid is None:
        services.valkey.start()
