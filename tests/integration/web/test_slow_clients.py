"""No client can stop the web server, as the launcher starts it, without a proxy."""

from collections.abc import Iterator

import pytest

from tests.faults.installation import Installation
from tests.faults.installations import installation
from tests.faults.stage import Needs
from tests.slow_clients import (
    HOST,
    KINDS,
    Kind,
    percentile,
    seconds_of_requests,
    slow_clients,
)

pytestmark = pytest.mark.thorough

REQUESTS = 40
#: Of a judge, in seconds.
PROMISED = 0.1
#: A request that waits for a slow client takes this long or longer.
TIMEOUT = 5.0


@pytest.fixture(scope="module")
def running() -> Iterator[Installation]:
    with installation(Needs.NOTHING) as made:
        yield made


@pytest.fixture(scope="module")
def large_file(running: Installation) -> str:
    """Return the address of the largest static file."""
    static = running.folder / "static"
    files = [path for path in static.rglob("*") if path.suffix not in {".gz", ".br"}]
    largest = max(files, key=lambda path: path.stat().st_size)
    assert largest.stat().st_size > 1_000_000
    return f"/static/{largest.relative_to(static)}"


@pytest.mark.parametrize(
    "kinds",
    [*((kind,) for kind in KINDS), KINDS],
    ids=lambda kinds: kinds[0].name if len(kinds) == 1 else "all kinds",
)
def test_slow_clients_do_not_delay_a_judge(
    running: Installation,
    large_file: str,
    kinds: tuple[Kind, ...],
) -> None:
    url = f"http://{HOST}:{running.port}/sign-in/"
    quiet = seconds_of_requests(url, requests=REQUESTS, timeout=TIMEOUT)
    with slow_clients(running.port, large_file, *kinds):
        seconds = seconds_of_requests(url, requests=REQUESTS, timeout=TIMEOUT)
    # Other work on this machine delays both.
    assert percentile(seconds, 95) < PROMISED + 3 * percentile(quiet, 95), (
        quiet,
        seconds,
    )
