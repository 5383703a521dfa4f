"""Unit tests need no database, broker or browser, so that `make test-unit` starts none."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse unit tests that ask for a database.

    Raises:
        pytest.UsageError: names those that belong in tests/integration.
    """
    wrong = [
        item.nodeid
        for item in items
        if item.path.is_relative_to(HERE) and item.get_closest_marker("django_db")
    ]
    if wrong:
        raise pytest.UsageError(
            f"Move to tests/integration, for their database: {wrong}",
        )
