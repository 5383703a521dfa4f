"""What suggested errors change, by hand and in simulation."""

import numpy as np
import pytest

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity, Span, Start
from protocols.spans.statistics.suggestions import SuggestionEffects, suggestion_effects

MINOR, MAJOR = Severity.MINOR, Severity.MAJOR
ONE, TWO, THREE = Span(0, 3, MINOR), Span(4, 7, MAJOR), Span(8, 11, MINOR)


def judgment(
    segment: int,
    score: float,
    start: Start | None,
    *spans: Span,
    judge: str = "ann",
    seconds: float | None = None,
) -> ScoredJudgment:
    return ScoredJudgment(
        source_language="en",
        target_language="de",
        document="news",
        segment=str(segment),
        judge=judge,
        outputs=(ScoredOutput(("amber",), score, spans, "eins zwei drei", start),),
        duration_ms=None if seconds is None else round(1000 * seconds),
    )


def effects(judgments: list[ScoredJudgment]) -> SuggestionEffects:
    return suggestion_effects(judgments, weights=None, confidence=0.95)


def test_differences_are_those_worked_by_hand() -> None:
    shown, withheld = Start((ONE,)), Start((ONE,), is_shown=False)
    judgments = [
        *(judgment(n, 60 + n % 2 * 10, shown, ONE, TWO, seconds=20) for n in range(10)),
        *(
            judgment(n, 70 + n % 2 * 10, withheld, ONE, seconds=30)
            for n in range(10, 20)
        ),
        # Nothing was suggested in these, so that they were not drawn.
        *(judgment(n, 0, None, seconds=900) for n in range(20, 30)),
    ]
    score, errors, seconds = effects(judgments).differences
    assert (score.shown, score.withheld, score.difference) == (65, 75, -10)
    # Deviations of 5 in 10 of 20 segments on either side: variance 2 · 10 · (5 / 10)² · 20 / 19; t with 9 degrees.
    reach = 2.2621571628 * np.sqrt(5 * 20 / 19)
    assert score.low == pytest.approx(-10 - reach)
    assert score.high == pytest.approx(-10 + reach)
    assert (errors.difference, seconds.difference) == (1, -10)


def test_agreement_is_compared_over_pairs_of_judges() -> None:
    shown, withheld = Start((ONE,)), Start((ONE,), is_shown=False)
    judgments = [
        judgment(number, 50, start, *spans, judge=judge)
        for number in range(4)
        for start, judge, spans in (
            (shown, "ann", [ONE]),
            (shown, "ben", [ONE]),
        )
    ] + [
        judgment(number, 50, withheld, *spans, judge=judge)
        for number in range(4, 8)
        for judge, spans in (("ann", [ONE]), ("ben", [THREE]))
    ]
    f1 = effects(judgments).differences[-1]
    assert (f1.measure, f1.shown, f1.withheld, f1.low) == ("f1", 1, 0, None)


def test_outcomes_of_suggested_errors_are_counted() -> None:
    start = Start((ONE, TWO, THREE), planted=2)
    judgments = [
        judgment(1, 50, start, ONE, Span(4, 7, MINOR)),
        judgment(2, 50, start, ONE, THREE),
        judgment(3, 50, Start((ONE,)), Span(2, 5, MINOR), TWO, Span(12, 14, MINOR)),
        judgment(4, 50, Start((ONE,), is_shown=False)),
    ]
    found = effects(judgments)
    counts = {
        name: (share.successes, share.trials) for name, share in found.outcomes.items()
    }
    assert counts == {
        "kept": (2, 5),
        "changed": (2, 5),
        "removed": (1, 5),
        "planted": (1, 2),
    }
    assert found.added == 2


def test_missing_content_is_kept_changed_or_removed() -> None:
    missing = Span(None, None, MINOR)
    for spans, outcome in (
        ([missing], "kept"),
        ([Span(None, None, MAJOR)], "changed"),
        ([ONE], "removed"),
    ):
        shares = effects([judgment(1, 50, Start((missing,)), *spans)]).outcomes
        assert [name for name, share in shares.items() if share.successes] == [outcome]


@pytest.mark.parametrize("withheld", [10, 40])
def test_intervals_hold_the_true_difference(withheld: int) -> None:
    generator = np.random.default_rng(3)
    outside = 0
    runs = 200
    for _run in range(runs):
        level = generator.normal(70, 12, 100)
        judgments = [
            judgment(
                number,
                float(np.clip(level[number] + generator.normal(0, 5), 0, 100)),
                Start((ONE,), is_shown=number >= withheld),
            )
            for number in range(100)
        ]
        score = effects(judgments).differences[0]
        assert score.low is not None
        assert score.high is not None
        outside += not score.low <= 0 <= score.high
    assert outside / runs <= 0.07
