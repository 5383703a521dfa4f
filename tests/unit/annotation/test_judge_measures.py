"""Thresholds as people write and read them, and what each measure can be."""

import math

import pytest
from django.utils import translation

from annotation.models.judge_measures import (
    LIMITS,
    SCALES,
    JudgeMeasure,
    ThresholdError,
    threshold_as_text,
    threshold_check,
    threshold_from_text,
    threshold_in_words,
)


@pytest.mark.parametrize(
    ("measure", "text", "threshold"),
    [
        ("reference", "55 %", 0.55),
        ("reference", " 55% ", 0.55),
        ("reference", "0.5 %", 0.005),
        ("reference", "12,5 %", 0.125),
        ("reference", "55 ٪", 0.55),
        ("reference", "٥٥٪", 0.55),
        ("ties", "100 %", 1.0),
        ("inter", "-0.2", -0.2),
        ("inter", "−0,25", -0.25),
        ("seconds", "5", 5.0),
        ("seconds", "5 s", 5.0),
        ("seconds", "86400", 86_400.0),
        ("reference_ignored", "0.03", 0.03),
        ("reference_ignored", "0,015", 0.015),
        ("reference_ignored", "3 %", 0.03),
    ],
)
def test_a_threshold_is_read_as_people_write_it(
    measure: str,
    text: str,
    threshold: float,
) -> None:
    assert threshold_from_text(measure, text) == threshold


@pytest.mark.parametrize(
    ("measure", "text", "said"),
    [
        (
            "reference",
            "50",
            "“preference for the reference” is a share: include the percent sign",
        ),
        ("reference", "0.5", "include the percent sign, such as 55%"),
        (
            "reference",
            "5000 %",
            "“preference for the reference” must be between 0% and 100%.",
        ),
        ("reference", "-1 %", "between 0% and 100%"),
        ("reference", "nan", "include the percent sign"),
        ("reference", "%", "include the percent sign"),
        ("inter", "50 %", "must be a number from −1 to 1"),
        ("inter", "1.01", "“agreement with other judges .*” must be between −1 and 1."),
        ("seconds", "5 %", "enter seconds"),
        ("seconds", "1,000", "enter seconds"),
        ("seconds", "86401", "between 0 s and 86400 s"),
        ("reference_ignored", "50", "between 0 and 1"),
        ("reference_ignored", "1e-3", "from 0 to 1, such as 0.01"),
    ],
)
def test_ambiguous_or_impossible_threshold_is_refused_with_its_range(
    measure: str,
    text: str,
    said: str,
) -> None:
    with pytest.raises(ThresholdError, match=said.replace("%", "%")):
        threshold_from_text(measure, text)


@pytest.mark.parametrize("measure", JudgeMeasure)
def test_both_ends_are_allowed_and_nothing_beyond(measure: JudgeMeasure) -> None:
    limits = LIMITS[SCALES[measure]]
    for inside in limits:
        threshold_check(measure, inside)
    for outside in (
        limits.least - 0.001,
        limits.most + 0.001,
        math.nan,
        math.inf,
        -math.inf,
    ):
        with pytest.raises(ThresholdError, match="must be between"):
            threshold_check(measure, outside)


@pytest.mark.parametrize(
    ("measure", "threshold", "english", "german"),
    [
        ("reference", 0.55, "55%", "55%"),
        ("reference", 0.07, "7%", "7%"),
        ("reference", 0.555, "55.5%", "55,5%"),
        ("inter", -0.25, "−0.25", "−0,25"),
        ("seconds", 1500.0, "1500 s", "1500s"),
        ("position", 0.001, "0.001", "0,001"),
    ],
)
def test_a_threshold_is_shown_with_every_digit_and_read_back(
    measure: str,
    threshold: float,
    english: str,
    german: str,
) -> None:
    assert threshold_in_words(measure, threshold) == english
    with translation.override("de"):
        assert "".join(threshold_in_words(measure, threshold).split()) == german
        assert (
            threshold_from_text(measure, threshold_as_text(measure, threshold))
            == threshold
        )
