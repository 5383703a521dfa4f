"""Texts are composed in linear time, and as Unicode says."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.texts.normalisation import composed, normalise_text


def test_text_of_marks_alone_takes_no_time() -> None:
    began = time.process_time()
    normalise_text("a" + "\u0315\u0300" * 100_000)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    "unit",
    ["Cafe\u0301 ", "\u1112\u1161\u11ab\u1100\u1173\u11af ", "\u304b\u3099\u4e2d\u56fd", "q\u0323\u0307"],
)  # fmt: skip
def test_long_texts_are_composed_as_short_ones_are(unit: str) -> None:
    text = unit * 5_000
    assert composed(text) == unicodedata.normalize("NFC", text)


@given(
    st.lists(
        st.sampled_from(["e", "\u0301", "\u0323", " ", "\u1112", "\u1161", "中"]),
        max_size=50,
    ),
)
def test_short_texts_are_composed(characters: list[str]) -> None:
    text = "".join(characters)
    assert composed(text) == unicodedata.normalize("NFC", text)
