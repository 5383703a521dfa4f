"""Whole numbers that organisers enter."""

import pytest
from django.core.exceptions import ValidationError

from campaign.pages.forms import WholeNumberField


@pytest.mark.parametrize(
    ("entered", "number"),
    [
        ("30", 30),
        (" 30 ", 30),
        ("٣٠", 30),
        ("1.000", 1000),
        ("1,000", 1000),
        ("1 000", 1000),
        ("1\u202f000", 1000),
        ("12’500", 12_500),
        ("1.000.000", 1_000_000),
        ("-5", -5),
        ("", None),
    ],
)
def test_groups_of_thousands_are_read(entered: str, number: int | None) -> None:
    """Django reads “1.000” as 1."""
    assert WholeNumberField(required=False).clean(entered) == number


@pytest.mark.parametrize(
    "entered",
    ["1.5", "0.125", "1.000,5", "1,000.000", "10,00", "3e2", "x"],
)
def test_anything_else_is_refused(entered: str) -> None:
    with pytest.raises(ValidationError, match="Enter a whole number"):
        WholeNumberField().clean(entered)
