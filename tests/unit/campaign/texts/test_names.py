"""Names are stored on one line and can be seen."""

import pytest

from campaign.texts.names import name_within, visible_name


@pytest.mark.parametrize(
    ("entered", "stored"),
    [
        ("Ada  Lovelace ", "Ada Lovelace"),
        ("Ada\r\nBcc: x@example.org", "Ada Bcc: x@example.org"),
        ("\u202eadA", "adA"),
        ("A\u200bda", "Ada"),
        ("\u200b", ""),
        ("\u200d", ""),
        ("Jose\u0301", "José"),
        ("نیم\u200cفاصله", "نیم\u200cفاصله"),
        ("👩\u200d🔬 Ada", "👩\u200d🔬 Ada"),
    ],
)
def test_name_is_one_visible_line(entered: str, stored: str) -> None:
    assert visible_name(entered) == stored


def test_long_names_with_equal_beginnings_stay_apart() -> None:
    first, second = (name_within(f"{'x' * 100}{end}", 100) for end in "ab")
    assert first != second
    assert len(first) == len(second) == 100
    assert name_within("x" * 100, 100) == "x" * 100
