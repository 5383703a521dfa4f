"""Every case in tests/data/cases is used by a test that names it."""

from pathlib import Path

import pytest

_TESTS = Path(__file__).parents[2]
_MODULES = "".join(
    path.read_text(encoding="utf-8")
    for path in sorted(_TESTS.glob("*/cases/test_*.py"))
    if path != Path(__file__)
)


@pytest.mark.parametrize(
    "name",
    sorted(path.name for path in (_TESTS / "data/cases/files").iterdir()),
)
def test_case_is_named_by_a_test(name: str) -> None:
    assert name in _MODULES
