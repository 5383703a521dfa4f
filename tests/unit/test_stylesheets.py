"""The style sheets in browsers other than the Chromium of the tests."""

import re
from pathlib import Path

import pytest

STYLES = Path(__file__).resolve().parents[2] / "static" / "css"
RULES = [
    rule
    for path in sorted(STYLES.glob("*.css"))
    for rule in re.findall(r"[^{}]+\{[^{}]*\}", path.read_text())
]


@pytest.mark.parametrize(
    ("written", "needed"),
    [
        (r"\buser-select:", "-webkit-user-select:"),
        (r"\bbox-decoration-break:", "-webkit-box-decoration-break:"),
        # Otherwise Safari stretches the rows of a menu to its greatest height, and the menu covers the text.
        (r":popover-open \{\s*display: grid;", "align-content:"),
    ],
)
def test_a_rule_has_what_safari_needs(written: str, needed: str) -> None:
    concerned = [rule for rule in RULES if re.search(written, rule)]
    assert concerned
    assert [rule for rule in concerned if needed not in rule] == []
