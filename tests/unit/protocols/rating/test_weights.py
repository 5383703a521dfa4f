"""Weights of criteria on the command line and on pages."""

import pytest

from protocols.frame.scale.computed import weight_read


@pytest.mark.parametrize(
    ("text", "weight"),
    [("fluency:2", ("fluency", 2)), ("Other: style:1", ("Other: style", 1))],
)
def test_criterion_of_a_weight_may_have_a_colon(
    text: str,
    weight: tuple[str, int],
) -> None:
    assert weight_read(text) == weight


@pytest.mark.parametrize(
    "text",
    ["fluency", "fluency:0", ":2", "fluency:1,effort:1", "fluency:1 effort:1"],
)
def test_refused_weights_show_how_to_write_them(text: str) -> None:
    with pytest.raises(ValueError, match="weights=fluency:2 weights=adequacy:1"):
        weight_read(text)
