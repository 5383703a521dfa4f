"""Figures of pages are rounded, not cut off, and written as the language writes them."""

import re
from pathlib import Path

import pytest
from django.utils import translation

from ranking.pages.formats import figure
from ranking.pages.report_shown import rendered_tables
from ranking.reports.tables import Column, Report, Table
from ranking.reports.wording.numbers import decimals, p_in_words


@pytest.mark.parametrize(
    ("value", "places", "words"),
    [(0.50363, 3, "0.504"), (-0.2897, 3, "−0.290"), (0.9996, 3, "1.000"), (-0.0001, 3, "0.000"), (1234.56, 1, "1,234.6"), (2e-7, 3, "0.000")],
)  # fmt: skip
def test_a_number_is_rounded_to_its_decimals(
    value: float,
    places: int,
    words: str,
) -> None:
    with translation.override("en"):
        assert decimals(value, places) == words


@pytest.mark.parametrize(("p", "words"), [(0.0341, "p = 0.034"), (0.0004, "p < 0.001")])
def test_a_small_p_is_not_written_as_equal_to_a_bound(p: float, words: str) -> None:
    with translation.override("en"):
        assert p_in_words(p) == words


def test_no_p_of_any_report_is_nothing() -> None:
    """Columns whose titles name p are all known to hold one."""
    texts = [
        path.read_text()
        for folder in ("ranking", "protocols")
        for path in Path(folder).rglob("*.py")
    ]
    columns = re.findall(r'Column\(\s*"(\w+)",\s*_\("([^"]+)"\)', "\n".join(texts))
    named = sorted({key for key, title in columns if re.search(r"\bp\b", title)})
    assert len(named) > 5
    of = Column("of", "of", is_text=True)
    for key in named:
        (shown,) = rendered_tables(
            Report(
                tables=[Table("t", "T", [of, Column(key, "p")], [("x", 2e-7)])],
                data={},
            ),
        )
        assert ">&lt; 0.001<" in shown.body, key


def test_a_whole_number_has_the_same_minus_sign() -> None:
    assert figure(-1) == decimals(-1.0, 0) == "−1"
