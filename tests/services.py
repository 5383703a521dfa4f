"""A pytest plugin: PostgreSQL and Valkey of our own for the run, before Django reads its settings.

Loaded by ``-p tests.services`` in pyproject.toml. Services that DATABASE_URL or REDIS_URL name already are
used instead. The data folder is temporary, and so may forget everything in a crash. A run of tests/unit alone
starts neither.
"""

import contextlib
import os
import signal
import tempfile
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import pytest

from launcher.data_directory import CHECKOUT, DataDirectory
from launcher.services import Services, Valkey
from launcher.serving import ONE_THREAD
from translations.catalogues import catalogue_compile, locales

# Each has a PostgreSQL, a Valkey and a browser.
MOST_PROCESSES = 4
_SERVICES = pytest.StashKey[Services]()
# Names of the variables that processes running tests set for themselves.
_LEFT = "QUINTET_TESTS_LEFT"


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None]:
    """Start the services. A wrapper, because pytest-django reads the settings in this very hook."""
    # Whoever ends the run with SIGTERM (`timeout`, a CI job's limit) must not leave servers behind.
    if signal.getsignal(signal.SIGTERM) == signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    # As Quintet's own processes run. Threads that wait for work of numerical libraries keep processors busy that other
    # processes of the run need: 300 × 300 matrices take a tenth of the processor time in one thread.
    for name, value in ONE_THREAD.items():
        os.environ.setdefault(name, value)
    # Templates name their static files as they are; no test has to collect them first.
    os.environ.setdefault("STATIC_HASHED", "0")
    # Tests ask for every address in a minute; those of the limits set their own.
    os.environ |= {"API_READS_A_MINUTE": "0", "API_WRITES_A_MINUTE": "0"}
    runs_tests = "PYTEST_XDIST_WORKER" in os.environ
    if not runs_tests:
        for locale in locales(CHECKOUT):
            catalogue_compile(CHECKOUT, locale)
    paths = early_config.known_args_namespace.file_or_dir
    if not services_needed(paths, folder=early_config.invocation_params.dir):
        _absent_services_name()
        yield
        return
    if early_config.known_args_namespace.numprocesses and not runs_tests:
        # Each process that runs tests starts services of its own, since tests stop and empty them.
        os.environ[_LEFT] = " ".join(_absent_services_name())
        yield
        return
    for name in os.environ.pop(_LEFT, "").split():
        del os.environ[name]
    held = contextlib.ExitStack()
    early_config.add_cleanup(held.close)
    folder = held.enter_context(tempfile.TemporaryDirectory(prefix="quintet-tests-"))
    services = held.enter_context(
        Services(DataDirectory(Path(folder).resolve()), durable=False),
    )
    os.environ.update(services.environment)
    early_config.stash[_SERVICES] = services
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_xdist_auto_num_workers() -> int:
    """Use one process more than cores, at most four, because each waits a third of the time."""
    return min(MOST_PROCESSES, (os.cpu_count() or 1) + 1)


def services_needed(paths: Sequence[str], *, folder: Path) -> bool:
    """Return whether a run needs services; only runs of unit tests do not.

    Args:
        paths: what the command line names, such as ``tests/unit/campaign/formats/test_tsv.py::test_name``; all
            tests if empty.
        folder: where relative paths begin.
    """
    unit = CHECKOUT / "tests" / "unit"
    chosen = [(folder / path.split("::")[0]).resolve() for path in paths]
    return not chosen or not all(path.is_relative_to(unit) for path in chosen)


def _absent_services_name() -> list[str]:
    """Set the addresses required by Django's settings to unused services; return their names."""
    absent = {
        name: address
        for name, address in {
            "SECRET_KEY": "starts no services",
            "DATABASE_URL": "postgres:///starts-no-services",
            "REDIS_URL": "redis://starts-no-services",
        }.items()
        if name not in os.environ
    }
    os.environ.update(absent)
    return list(absent)


@pytest.fixture(scope="session")
def services(pytestconfig: pytest.Config) -> Services:
    """The services of this run."""
    return pytestconfig.stash[_SERVICES]


@pytest.fixture
def broker(services: Services) -> Iterator[Valkey]:
    """The Valkey of this run, for tests that ``stop()`` it; restarted after the test."""
    if services.valkey is None:
        pytest.skip("REDIS_URL names a Valkey that is not ours to stop")
    yield services.valkey
    if services.valkey.pid is None:
        services.valkey.start()
