"""One text for each value, by RFC 8785."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.texts.canonical_json import canonical, digest_of

# Appendix B of the RFC, and what ECMAScript prints.
NUMBERS = [
    (0.0, "0"),
    (-0.0, "0"),
    (1.0, "1"),
    (-1.5, "-1.5"),
    (0.1, "0.1"),
    (1e-6, "0.000001"),
    (1e-7, "1e-7"),
    (1.5e-9, "1.5e-9"),
    (5e-324, "5e-324"),
    (1e20, "100000000000000000000"),
    (1e21, "1e+21"),
    (1.7976931348623157e308, "1.7976931348623157e+308"),
    (333333333.33333329, "333333333.3333333"),
    (123456.789, "123456.789"),
]


@pytest.mark.parametrize(("number", "text"), NUMBERS)
def test_numbers_are_written_as_ecmascript_does(number: float, text: str) -> None:
    assert canonical(number) == text


def test_keys_stand_in_the_order_of_utf_16() -> None:
    # U+1F600 is written with surrogates, which come before U+FB33.
    value = {"\ufb33": 1, "\U0001f600": 2, "b": [True, None, 'ä\n"'], "a": {}}
    assert (
        canonical(value)
        == '{"a":{},"b":[true,null,"ä\\n\\""],"\U0001f600":2,"\ufb33":1}'
    )


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, {"a": {1, 2}}])
def test_non_json_value_is_refused(value: object) -> None:
    with pytest.raises((ValueError, TypeError)):
        canonical(value)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(codec="utf-8")), inner)
    ),
    max_leaves=20,
)


@given(_JSON)
def test_reading_and_writing_again_gives_the_same_text(value: object) -> None:
    text = canonical(value)
    assert json.loads(text) == value
    assert canonical(json.loads(text)) == text
    assert digest_of(json.loads(text)) == digest_of(value)
