"""Choose the parameters of a test that `make test` runs."""

from collections.abc import Iterable
from typing import Any

import pytest


def some_now(cases: Iterable[Any], most: int = 1) -> list[Any]:
    """Return all cases; those after the first few are only run by `make test-thorough`.

    Args:
        cases: values of one parameter, or tuples of values of several.
        most: how many `make test` tries.
    """
    return [case if place < most else _later(case) for place, case in enumerate(cases)]


def _later(case: Any) -> Any:
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.thorough)
