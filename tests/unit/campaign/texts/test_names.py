"""Names are stored on one line and can be seen."""

import pytest

from campaign.texts.names import visible_name


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
