"""Names on a line, with those below them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.texts.name_lines import names_line, names_of_line

NAMES = (
    st.text('ab",:;/= ', min_size=1)
    .map(lambda text: " ".join(text.split()))
    .filter(bool)
)


@given(NAMES, st.lists(NAMES))
def test_names_with_any_punctuation_are_read_as_written(
    name: str,
    below: list[str],
) -> None:
    assert names_of_line(names_line(name, below)) == (name, below)


@pytest.mark.parametrize(
    ("line", "name", "below"),
    [
        ("Fluency: Grammar, , Register,", "Fluency", ["Grammar", "Register"]),
        (
            'Fluency: "Grammar, spelling", Register',
            "Fluency",
            ["Grammar, spelling", "Register"],
        ),
        ('"Other: specify"', "Other: specify", []),
        ('Style: "Awkward", 5" pipe', "Style", ['"Awkward"', '5" pipe']),
    ],
)
def test_only_quotes_that_a_name_needs_are_read(
    line: str,
    name: str,
    below: list[str],
) -> None:
    assert names_of_line(line) == (name, below)
