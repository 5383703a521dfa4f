"""A real web server over HTTP, on the test database."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gunicorn import web_server


@pytest.fixture
def web(transactional_db: None, tmp_path: Path) -> Iterator[str]:
    """Where gunicorn answers, as `make demo` runs it."""
    with web_server(tmp_path, "--threads=8") as address:
        yield address
