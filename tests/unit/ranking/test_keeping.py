"""Which rankings are kept for good, and how many these can become."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.models import KeptFor, RankingRun
from ranking.services.kept_rankings import is_last_of_its_day, kept_for

MILLION = 1_000_000


def ranking(
    watermark: int,
    parameters: Mapping[str, object] | None = None,
    **changes: object,
) -> RankingRun:
    values = {"method": "expected_wins", "seed": 0, "code_version": "1", **changes}
    recorded = {"method_parameters": {}, **(parameters or {})}
    return RankingRun(watermark=watermark, parameters=recorded, **values)


@pytest.mark.parametrize(
    ("watermark", "reason"),
    [(100, None), (101, None), (102, KeptFor.GROWTH), (250, KeptFor.GROWTH)],
)
def test_two_per_cent_more_judgments_are_a_milestone(
    watermark: int,
    reason: KeptFor | None,
) -> None:
    assert kept_for(ranking(watermark), last=ranking(100)) == reason


def test_the_first_that_meets_a_stopping_rule_is_a_milestone() -> None:
    found = kept_for(ranking(101), last=ranking(100), is_first_of_rule=True)
    assert found == KeptFor.RULE


@pytest.mark.parametrize("changes", [{"method": "bradley_terry"}, {"parameters": {"excluded_judges": ["ada"]}}, {"seed": 1}, {"code_version": "2"}])  # fmt: skip
def test_ranking_with_other_parameters_is_kept(changes: dict[str, Any]) -> None:
    assert kept_for(ranking(100, **changes), last=ranking(100)) == KeptFor.PARAMETERS
    # There and back again: the latest of the history must be what is shown.
    assert kept_for(ranking(100), last=ranking(100, **changes)) == KeptFor.PARAMETERS


def kept_by_growth(watermarks: list[int]) -> list[int]:
    kept: list[RankingRun] = []
    for watermark in watermarks:
        run = ranking(watermark)
        if kept_for(run, last=kept[-1] if kept else None) is not None:
            kept.append(run)
    return [run.watermark for run in kept]


@given(st.lists(st.integers(1, MILLION), min_size=1, unique=True).map(sorted))
def test_however_judgments_come_growth_keeps_few(watermarks: list[int]) -> None:
    kept = kept_by_growth(watermarks)

    most = max(watermarks)
    assert len(kept) <= min(most, 50 + log(max(most, 50) / 50) / log(1.02))
    # Nothing is more than two per cent away from what is kept before it.
    assert kept[0] == watermarks[0]
    for before, after in pairwise([*kept, most]):
        between = [each for each in watermarks if before < each < after]
        assert all(100 * each < 102 * before for each in between)


def test_a_day_ends_at_midnight_by_utc() -> None:
    midnight = datetime(2026, 3, 10, tzinfo=UTC)
    late = midnight - timedelta(seconds=1)

    assert is_last_of_its_day(late, now=midnight)
    assert not is_last_of_its_day(midnight, now=midnight + timedelta(hours=23))
    assert not is_last_of_its_day(late, now=late)
    # The clock of a zone does not matter.
    prague = late.astimezone(datetime(2026, 3, 10, tzinfo=UTC).astimezone().tzinfo)
    assert is_last_of_its_day(prague, now=midnight)
