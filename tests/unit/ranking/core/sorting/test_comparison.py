"""A comparison by judge, by all judges, and by both majorities; and when it is closed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from ranking.core.counting.counts import tally
from ranking.core.rankings.two_systems import (
    ComparisonResult,
    PairJudgments,
    Preference,
    blocks_of,
    compare,
)
from ranking.core.sorting import Decision, SortSettings, decide
from tests.simulated.sorts import SimulatedCampaign, SimulatedWorld

Row = tuple[str, int, int]


def judged(rows: Sequence[Row], identical: Sequence[Row] = ()) -> PairJudgments:
    every = [*rows, *((judge, segment, None) for judge, segment, _answer in identical)]
    return PairJudgments.of_rows(("X", "Y"), every)


ROWS: list[Row] = [
    *[("ann", segment, 1) for segment in range(1, 5)],
    ("ann", 5, 0),
    *[("bob", segment, 1) for segment in range(1, 3)],
    *[("bob", segment, -1) for segment in range(3, 6)],
    ("eve", 9, 1),
]


def test_the_four_readings() -> None:
    result = compare(judged(ROWS, identical=[("bob", 6, 0)]))
    assert result.judges == {
        "ann": Preference(4, 0, 1),
        "bob": Preference(2, 3, 0, 1),
        "eve": Preference(1, 0),
    }
    assert replace(result.pooled, drawn_error=0, level="judgments") == Preference(
        7,
        3,
        1,
        1,
    )
    assert result.of_judges == Preference(2, 1)
    # Segments 1 and 2 are X’s, 5 is Y’s, 3 and 4 are split; 6 and 9 have one judge or were not shown.
    assert result.of_sentences == Preference(2, 1, 2)
    assert result.against_majority == ("bob",)


def test_judges_with_samples_of_their_own_have_no_majority_of_sentences() -> None:
    result = compare(
        judged([("ann", 1, 1), ("ann", 2, 1), ("bob", 3, -1), ("bob", 4, 0)]),
    )
    assert result.of_sentences is None
    assert (result.pooled.level, result.pooled.drawn_error) == ("judgments", 0)


def test_no_opposition_without_a_lead() -> None:
    result = compare(judged([("ann", 1, 1), ("bob", 2, -1)]))
    assert result.against_majority == ()
    assert result.of_judges == Preference(1, 1)


WORLD = SimulatedWorld(
    {"X": 0.1, "Y": 0.0},
    same=0.3,
    luck=0.6,
    taste=0.1,
    is_shared=True,
)


@pytest.fixture(scope="module")
def shared() -> PairJudgments:
    return SimulatedCampaign(WORLD, seed=2).judgments(("X", "Y"))


def test_judges_who_share_segments_are_less_sure_together(
    shared: PairJudgments,
) -> None:
    pooled = compare(shared, resamples=300).pooled
    assert pooled.level == "two_way"
    assert pooled.error > 1.2 * replace(pooled, drawn_error=0).error
    low, high = pooled.interval(0.05)
    assert (low + high) / 2 == pytest.approx(pooled.mean)
    assert high - low == pytest.approx(2 * 1.96 * pooled.error, rel=1e-4)


def test_a_comparison_is_the_same_from_both_sides(shared: PairJudgments) -> None:
    one, other = compare(shared, resamples=50), compare(shared.reversed(), resamples=50)
    assert one.pooled.error == pytest.approx(other.pooled.error)
    assert one.pooled.lead == -other.pooled.lead
    assert one.against_majority == other.against_majority


def test_rows_in_another_order_give_the_same_bits(shared: PairJudgments) -> None:
    mixed = np.random.default_rng(1).permutation(len(shared))
    other = replace(
        shared,
        judges=[shared.judges[row] for row in mixed],
        segments=shared.segments[mixed],
        answers=shared.answers[mixed],
    )
    # Sums of floating-point weights are whole numbers, and so exact in any order.
    assert compare(shared, resamples=50).pooled == compare(other, resamples=50).pooled


def test_any_shared_sentence_makes_judgments_depend_on_each_other() -> None:
    # Samples of their own, which share a few sentences by chance.
    judgments = SimulatedCampaign(replace(WORLD, is_shared=False), seed=2).judgments(
        ("X", "Y"),
    )
    assert 0.9 * len(judgments) < len(set(judgments.segments.tolist())) < len(judgments)
    pooled = compare(judgments, resamples=50).pooled
    assert pooled.level == "two_way"
    assert compare(judgments, error="judgments").pooled.level == "judgments"


@pytest.mark.parametrize("shared", [30, 49])
def test_equal_systems_are_seldom_told_apart_however_much_is_shared(
    shared: int,
) -> None:
    """Seven judges of 100 sentences, so many of them the same; a sentence's luck makes these alike."""
    told = []
    for run in range(60):
        random = np.random.default_rng([shared, run])
        segments = np.arange(700).reshape(7, 100)
        segments[:, :shared] = segments[0, :shared]
        luck = 2 * random.standard_normal(700)
        answers = np.sign(luck[segments] + random.standard_normal((7, 100))).astype(int)
        judges = [str(judge) for judge in range(7) for _sentence in range(100)]
        rows = zip(
            judges,
            segments.ravel().tolist(),
            answers.ravel().tolist(),
            strict=True,
        )
        judgments = PairJudgments.of_rows(("X", "Y"), list(rows))
        told.append(
            compare(judgments, seed=run, resamples=20).pooled.p("normal") <= 0.05,
        )
    assert np.mean(told) <= 0.1


def test_answers_are_ordinary_judgments_of_two_candidates() -> None:
    identical = [("bob", 6, 0)]
    tallies = tally(blocks_of([judged(ROWS, identical)], ["Z", "Y", "X"]))
    assert tallies.systems == ("X", "Y", "Z")
    # Identical outputs are one candidate, which is no comparison.
    assert (tallies.wins[0, 1], tallies.wins[1, 0], tallies.ties[0, 1]) == (7, 3, 1)


def result_of(wins: int, losses: int, same: int = 0) -> ComparisonResult:
    answers = [1] * wins + [-1] * losses + [0] * same
    return compare(
        judged([("ann", segment, answer) for segment, answer in enumerate(answers)]),
    )


SIGN = SortSettings(quota=100, extension=100)
EXTEND = SortSettings(quota=100, extension=100, on_undecided="extend", cap=250)


@pytest.mark.parametrize(
    ("counts", "rule", "decision"),
    [
        ((40, 30, 10), SIGN, Decision(None, None, 100, 20)),
        ((50, 40, 10), SIGN, Decision("X", "Y", 100, 0)),
        ((40, 50, 12), SIGN, Decision("Y", "X", 100, 0)),
        ((45, 45, 10), SIGN, Decision(None, None, 200, 100)),
        # An extension that has begun is looked at when it is complete.
        ((46, 45, 10), SIGN, Decision(None, None, 200, 99)),
        ((96, 95, 10), SIGN, Decision("X", "Y", 100, 0)),
        ((50, 40, 10), EXTEND, Decision(None, None, 200, 100)),
        ((65, 35), EXTEND, Decision("X", "Y", 100, 0)),
        ((105, 95), EXTEND, Decision(None, None, 250, 50)),
        ((130, 120), EXTEND, Decision("X", "Y", 250, 0)),
    ],
)
def test_a_comparison_is_closed_at_its_quota(
    counts: tuple[int, ...],
    rule: SortSettings,
    decision: Decision,
) -> None:
    assert decide(result_of(*counts), rule) == decision


@pytest.mark.parametrize(
    ("counts", "missing"),
    [
        ((2, 2), 4),
        # One more judgment does not close what an even quota has opened.
        ((3, 2), 3),
        ((4, 3), 1),
        ((4, 4), 0),
        # R was not 0 at the quota, whichever judgment came last.
        ((4, 1), 0),
        ((5, 1), 0),
    ],
)
def test_an_extension_is_completed_where_only_judgments_are_known(
    counts: tuple[int, int],
    missing: int,
) -> None:
    decision = decide(result_of(*counts), SortSettings(quota=4, extension=4))
    assert decision.missing == missing
    assert (decision.winner is None) == (missing > 0)


def test_the_exact_test_extends_where_the_normal_one_closes() -> None:
    sixty = result_of(60, 40)
    assert decide(sixty, EXTEND).winner == "X"
    assert decide(sixty, replace(EXTEND, test="exact")).winner is None


def test_the_seed_decides_where_the_extension_does_not() -> None:
    even = result_of(90, 90, 20)
    drawn = Counter(
        decide(even, replace(SIGN, seed=seed)).winner for seed in range(200)
    )
    assert all(decide(even, replace(SIGN, seed=seed)).arbitrary for seed in range(9))
    assert set(drawn) == {"X", "Y"}
    assert 70 < drawn["X"] < 130
    turned = compare(judged([("ann", segment, 0) for segment in range(200)]).reversed())
    assert decide(turned, replace(SIGN, seed=4)) == decide(even, replace(SIGN, seed=4))


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"extension": 0, "on_undecided": "extend"}, "extension"),
        ({"cap": 99}, "cap"),
    ],
)
def test_rules_that_make_no_sense_are_refused(
    wrong: dict[str, float],
    problem: str,
) -> None:
    with pytest.raises(ValueError, match=problem):
        replace(SIGN, **wrong)  # type: ignore[arg-type]
