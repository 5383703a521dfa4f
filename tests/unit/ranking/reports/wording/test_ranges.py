"""What rank ranges account for, in words: exact for the level, and for what a table cannot support."""

from typing import Any

import pytest

from ranking.core.rankings.counted_judgments import EffectiveUnits
from ranking.core.rankings.range_kinds import (
    RANGE_KINDS,
    RangeKind,
    RangeOptions,
    RangeParts,
)
from ranking.core.uncertainty import RangeLimit
from ranking.reports.range_choices import (
    RangeChoiceError,
    completed_ranges,
    range_limits,
)
from ranking.reports.wording.ranges import UnitCounts, limit_in_words

MANY = EffectiveUnits(segments=100.0, judges=20.0)
FEW = RangeLimit.FEW_JUDGES


def test_levels_that_resample_too_few_units_are_limited_too() -> None:
    two_judges = EffectiveUnits(segments=100.0, judges=2.0)
    assert range_limits(RangeOptions(resample="judges"), [], two_judges) == [
        "few_judges",
    ]
    # Levels that never claimed to account for judges claim no less with two of them.
    for level in ("segments", "blocks", "pairs"):
        choice = RangeOptions(resample=level)
        assert range_limits(choice, [], two_judges) == []
    assert range_limits(RangeOptions(), [FEW], two_judges) == ["few_judges"]
    three_segments = EffectiveUnits(segments=3.0, judges=20.0)
    assert range_limits(RangeOptions(resample="segments"), [], three_segments) == [
        "few_segments",
    ]


@pytest.mark.parametrize(
    ("level", "limits"),
    [("two_way", ["one_document"]), ("segments", ["one_document"])],
)
def test_one_document_limits_ranges_over_segments(
    level: Any,
    limits: list[str],
) -> None:
    choice = RangeOptions(resample=level)
    assert range_limits(choice, [], MANY, one_document=True) == limits


def test_one_document_says_nothing_of_ranges_that_leave_segments_out() -> None:
    for choice in (
        RangeOptions(resample="blocks"),
        completed_ranges({"ranges": "sign_test"}),
    ):
        assert range_limits(choice, [], MANY, one_document=True) == []
    few = [RangeLimit.FEW_SEGMENTS]
    assert range_limits(RangeOptions(), few, MANY, one_document=True) == [
        "few_segments",
    ]


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"resample": "documents"}, "resample"),
        ({"ranges": "guess"}, "ranges"),
        ({"sides": 3}, "sides"),
        ({"ranges": "anytime", "sides": 1}, "sides"),
        (
            {"ranges": "confidence_set", "correction": "benjamini_hochberg"},
            "correction",
        ),
        ({"ranges": "anytime", "correction": "none"}, "correction"),
        ({"ranges": "sign_test", "resample": "two_way"}, "resample"),
        ({"ranges": "anytime", "resample": "blocks"}, "resample"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
    ],
)
def test_options_without_ranges_are_refused_by_name(
    parts: RangeParts,
    field: str,
) -> None:
    with pytest.raises(RangeChoiceError) as refused:
        completed_ranges(parts)
    assert refused.value.field == field


@pytest.mark.parametrize("kind", RANGE_KINDS)
def test_recorded_ranges_do_not_depend_on_defaults(kind: RangeKind) -> None:
    choice = completed_ranges({"ranges": kind})
    assert RangeOptions(**choice.recorded) == choice  # type: ignore[arg-type]  # a correction by name


def test_a_choice_is_read_back_from_what_a_run_recorded() -> None:
    choice = completed_ranges(
        {"ranges": "sign_test", "correction": "holm", "confidence": 0.9},
    )
    assert RangeOptions.from_record({**choice.recorded, "seed": 3}) == choice


@pytest.mark.parametrize("limit", list(RangeLimit))
def test_limit_of_a_group_does_not_give_numbers_of_all_judgments(
    limit: RangeLimit,
) -> None:
    """With eight judges of equal shares in all, an effective number of 8 would contradict the limit."""
    counts = UnitCounts(
        judges=8,
        segments=8,
        documents=8,
        effective_judges=8.0,
        effective_segments=8.0,
        effective_documents=8.0,
    )
    sentence = limit_in_words(limit, counts, ranges="percentile")
    assert "8" not in sentence
    assert "group of systems" in sentence
