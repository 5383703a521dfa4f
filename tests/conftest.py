"""What all tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotation.notification import broker


@pytest.fixture(autouse=True)
def _no_due_marks(request: pytest.FixtureRequest) -> Iterator[None]:
    """Messages of one test must not hold back those of the next."""
    yield
    if request.node.get_closest_marker("django_db") or "db" in request.fixturenames:
        broker().flushdb()


@pytest.fixture
def real_data() -> Path:
    """The released judgments and texts of WMT, where they are at hand."""
    import os

    folder = os.environ.get("QUINTET_REAL_DATA")
    if not folder:
        pytest.skip("QUINTET_REAL_DATA is not set: tests on the released WMT data do not run")
    return Path(folder)
