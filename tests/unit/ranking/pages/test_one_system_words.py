"""Figures of the page of a system."""

import pytest
from django.utils import translation

from ranking.pages.formats import share, whole_per_cent
from ranking.pages.one_system_in_words import system_words
from ranking.selectors.one_system import SystemStanding


def test_a_score_is_rounded_not_cut_off() -> None:
    standing = SystemStanding(
        row={"rank": 2, "rank_low": 2, "rank_high": 3, "score": 0.66667, "wins": 2, "losses": 1}
        | {"ties": 0},
        systems=(),
        opponents=(),
        method="expected_wins",
        parameters={},
        watermark=3,
    )
    with translation.override("en"):
        assert system_words("A", standing, None).lead == "Rank 2–3, Expected Wins 0.667."


@pytest.mark.parametrize(
    ("value", "whole"), [(0.0, 0), (0.001, 1), (0.504, 50), (0.999, 99), (1.0, 100)]
)
def test_only_exact_shares_are_0_or_100(value: float, whole: int) -> None:
    assert whole_per_cent(value) == whole
    with translation.override("en"):
        assert share(value) == f"{whole} %"
