"""What rank ranges account for, in words: exact for the level, and for what a table cannot support."""

from typing import Any

import pytest

from ranking.core.anytime.ranges import Refusal
from ranking.core.counting.resampling import LEVELS
from ranking.core.rankings.effective_units import EffectiveUnits
from ranking.core.rankings.range_kinds import RANGE_KINDS, RangeKind, RangeOptions
from ranking.core.uncertainty.two_way import RangeLimit
from ranking.range_choices import RangeChoice, RangeChoiceError, completed_choice, recorded_choice
from ranking.range_limits import LIMITS, range_limits
from ranking.wording.ranges import level_words, limit_in_words, ranges_in_words, ranges_meaning

MANY = EffectiveUnits(segments=100.0, judges=20.0)
FEW = RangeLimit.FEW_JUDGES
COUNTS = {"judges": 12, "segments": 90, "effective_judges": 2.34, "effective_segments": 3.1}


def said(choice: RangeChoice, *limits: str) -> str:
    return " ".join(ranges_in_words(choice, resamples=1000, limits=limits))


def test_every_level_is_on_offer_once_and_the_first_is_the_default() -> None:
    offered = [row.level for row in level_words()]
    assert sorted(offered) == sorted(LEVELS)
    assert offered[0] == RangeChoice().resample


@pytest.mark.parametrize(
    ("level", "limits", "words"),
    [
        ("two_way", [], "95 % rank ranges that account for segments and judges, from 1,000 draws."),
        ("two_way", ["few_judges"], "account for segments, not for judges, from"),
        ("two_way", ["few_segments"], "account for judges, not for segments, from"),
        ("two_way", ["few_judges", "few_segments"], "account for neither segments nor judges"),
        ("two_way", ["one_document"], "account for segments and judges, from"),
        ("segments", [], "account for segments, not for judges, from"),
        ("segments", ["few_segments"], "account for neither segments nor judges"),
        ("judges", [], "account for judges, not for segments, from"),
        ("judges", ["few_judges"], "account for neither segments nor judges"),
        ("blocks", [], "1,000 resamples of blocks. They treat blocks as independent"),
        ("pairs", [], "1,000 resamples of comparisons. They treat comparisons as independent"),
    ],
)
def test_percentile_ranges_say_their_level(level: Any, limits: list[str], words: str) -> None:
    assert words in said(RangeChoice(resample=level), *limits)


def test_no_other_ranges_are_said_to_be_resampled() -> None:
    kinds: list[dict[str, Any]] = [
        {"ranges": "confidence_set"},
        {"ranges": "confidence_set", "correction": "holm"},
        {"ranges": "confidence_set", "resample": "segments"},
        {"ranges": "anytime"},
        {"ranges": "sign_test"},
        {"ranges": "sign_test", "correction": "holm"},
        {"ranges": "sign_test", "correction": "benjamini_hochberg", "sides": 2},
    ]
    sentences = [said(completed_choice({"confidence": 0.975, **kind})) for kind in kinds]
    assert len(set(sentences)) == len(sentences)
    for sentence in sentences:
        assert sentence.startswith("97.5 % ")
        assert "resampl" not in sentence
        assert "draws" not in sentence
    assert all("treat comparisons as independent" in sentence for sentence in sentences[4:])
    assert "account for segments, not for judges" in sentences[2]


@pytest.mark.parametrize("level", ["segments", "judges", "blocks", "pairs"])
def test_the_explanation_is_of_the_level(level: Any) -> None:
    noun = {"pairs": "comparisons"}.get(level, level)
    meaning = ranges_meaning(RangeChoice(resample=level), limits=())
    assert f"could have with other {noun}." in meaning
    assert ranges_meaning(RangeChoice(), limits=()) != meaning


@pytest.mark.parametrize(
    ("limit", "counts", "words"),
    [
        ("few_judges", {"judges": 1, "effective_judges": 1.0}, "Only one judge: rank ranges"),
        (
            "few_judges",
            {"judges": 2, "effective_judges": 1.9},
            "Only two judges: rank ranges",
        ),
        (
            "few_judges",
            {},
            "A few of the twelve judges gave most of the judgments, which counts like only 2.3 ",
        ),
        ("few_segments", {"segments": 3}, "Only three segments: rank ranges"),
        (
            "few_segments",
            {},
            "A few of the 90 segments got most of the judgments, which counts like only 3.1 ",
        ),
        ("one_document", {}, "All judged segments come from one document"),
        ("something_new", {}, "something_new"),
    ],
)
def test_limits_are_said(limit: str, counts: dict[str, Any], words: str) -> None:
    said = limit_in_words(limit, {**COUNTS, **counts}, ranges="percentile")
    assert said.startswith(words)


def test_every_reason_why_anytime_ranges_tell_nothing_is_said() -> None:
    sentences = {limit_in_words(reason, COUNTS, ranges="anytime") for reason in Refusal}
    assert len(sentences) == len(Refusal)
    assert not sentences & set(LIMITS)
    assert all("no systems can be told apart" in sentence for sentence in sentences)


def test_levels_that_resample_too_few_units_are_limited_too() -> None:
    two_judges = EffectiveUnits(segments=100.0, judges=2.0)
    assert range_limits(RangeChoice(resample="judges"), [], two_judges) == ["few_judges"]
    # Levels that never claimed to account for judges claim no less with two of them.
    for level in ("segments", "blocks", "pairs"):
        choice = RangeChoice(resample=level)
        assert range_limits(choice, [], two_judges) == []
    assert range_limits(RangeChoice(), [FEW], two_judges) == ["few_judges"]
    three_segments = EffectiveUnits(segments=3.0, judges=20.0)
    assert range_limits(RangeChoice(resample="segments"), [], three_segments) == ["few_segments"]


@pytest.mark.parametrize(
    ("level", "limits"), [("two_way", ["one_document"]), ("segments", ["one_document"])]
)
def test_one_document_limits_ranges_over_segments(level: Any, limits: list[str]) -> None:
    choice = RangeChoice(resample=level)
    assert range_limits(choice, [], MANY, one_document=True) == limits


def test_one_document_says_nothing_of_ranges_that_leave_segments_out() -> None:
    for choice in (RangeChoice(resample="blocks"), completed_choice({"ranges": "sign_test"})):
        assert range_limits(choice, [], MANY, one_document=True) == []
    few = [RangeLimit.FEW_SEGMENTS]
    assert range_limits(RangeChoice(), few, MANY, one_document=True) == ["few_segments"]


@pytest.mark.parametrize(
    ("parts", "field"),
    [
        ({"resample": "documents"}, "resample"),
        ({"ranges": "guess"}, "ranges"),
        ({"sides": 3}, "sides"),
        ({"ranges": "anytime", "sides": 1}, "sides"),
        ({"ranges": "confidence_set", "correction": "benjamini_hochberg"}, "correction"),
        ({"ranges": "anytime", "correction": "none"}, "correction"),
        ({"ranges": "sign_test", "resample": "two_way"}, "resample"),
        ({"ranges": "anytime", "resample": "blocks"}, "resample"),
        ({"confidence": 1.0}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
    ],
)
def test_what_makes_no_ranges_is_refused_by_its_name(parts: dict[str, Any], field: str) -> None:
    with pytest.raises(RangeChoiceError) as refused:
        completed_choice(parts)
    assert refused.value.field == field


@pytest.mark.parametrize("kind", RANGE_KINDS)
def test_a_completed_choice_is_what_the_core_makes_of_it(kind: RangeKind) -> None:
    options = RangeOptions(kind=kind)
    choice = completed_choice({"ranges": kind})
    assert (choice.resample, choice.correction, choice.sides) == (
        options.independent,
        options.chosen_correction,
        options.chosen_sides,
    )
    # And complete: nothing in it depends on defaults any more.
    assert completed_choice(choice.recorded) == choice


def test_nothing_chosen_is_the_default() -> None:
    assert completed_choice({}) == RangeChoice()


def test_a_choice_is_read_back_from_what_a_run_recorded() -> None:
    choice = completed_choice({"ranges": "sign_test", "correction": "holm", "confidence": 0.9})
    assert recorded_choice({**choice.recorded, "seed": 3}) == choice


def test_runs_from_before_keep_their_level_and_are_percentiles() -> None:
    before = {"resample": "blocks", "resamples": 1000, "confidence": 0.9}
    assert recorded_choice(before) == RangeChoice(resample="blocks", confidence=0.9)
