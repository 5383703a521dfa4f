from collections.abc import Sequence
from itertools import permutations, product
from math import exp, log

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.stats import binom

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.clicking import (
    JUDGES_ALLOWED_FOR,
    ClickingEvidence,
    line_chances,
    tail_of_sum,
)
from ranking.core.judges.patterns import Patterns, tally_lines
from tests.clickers import CLICKERS, REFERENCE, SYSTEMS, clicking, reading, suspected
from tests.measured_judges import (
    reference_ignored,
    reference_preferences,
    straight_lining,
    typed_in_order,
)
from tests.some_now import some_now

Int64Array = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def convolved(
    values: Int64Array,
    shares: FloatArray,
    trials: Int64Array,
    at_least: int,
) -> float:
    """Convolve the trials one after the other: the second implementation."""
    reach = int(np.abs(values).max(initial=0))
    distribution = np.ones(1)
    for row, share, times in zip(values, shares, trials, strict=True):
        of_trial = np.zeros(2 * reach + 1)
        np.add.at(of_trial, row + reach, share)
        for _trial in range(times):
            distribution = np.convolve(distribution, of_trial)
    sums = np.arange(len(distribution)) - reach * int(trials.sum())
    return float(distribution[sums >= at_least].sum())


kinds = st.lists(
    st.tuples(
        st.lists(st.integers(-4, 4), min_size=3, max_size=3),
        st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any),
        st.integers(1, 40),
    ),
    max_size=4,
)


@given(kinds, st.integers(-60, 60))
def test_tail_of_sum_equals_convolution(
    drawn: list[tuple[list[int], list[int], int]],
    away: int,
) -> None:
    values = np.array([row for row, _, _ in drawn], dtype=np.int64).reshape(-1, 3)
    shares = np.array([row for _, row, _ in drawn], dtype=np.float64).reshape(-1, 3)
    shares /= shares.sum(axis=1, keepdims=True)
    trials = np.array([times for _, _, times in drawn], dtype=np.int64)
    at_least = away + round(float(trials @ (values * shares).sum(axis=1)))
    found = tail_of_sum(values, shares, trials, at_least)
    assert found == pytest.approx(
        convolved(values, shares, trials, at_least),
        abs=1e-12,
    )


def test_trials_that_only_give_even_sums_are_exact() -> None:
    # Half of the frequencies matter then, at both ends.
    values, shares, trials = (
        np.array([[-2, 2]]),
        np.array([[0.5, 0.5]]),
        np.array([5000]),
    )
    odd = tail_of_sum(values, shares, trials, 1)
    assert odd == pytest.approx(tail_of_sum(values, shares, trials, 2), abs=1e-12)
    assert odd == pytest.approx(binom.sf(2500, 5000, 0.5), abs=1e-10)


RANDOM_REF = ("_ref",)
RANDOM_SYSTEMS = ["a", "b", "c", "d", "_ref"]


def test_hand_worked_preference() -> None:
    rows = [
        BlockRow("ann", 1, ["a", RANDOM_REF, "b"], [2, 1, 1]),
        BlockRow("ann", 2, ["a", RANDOM_REF, "b"], [2, 3, None]),
        BlockRow(
            "ann",
            3,
            ["a", RANDOM_REF, "b"],
            [2, None, 1],
        ),  # the reference has no label
        BlockRow(
            "ann",
            4,
            [("a", "_ref"), "b"],
            [1, 2],
        ),  # a is the reference, word for word
        BlockRow("bob", 4, ["a", "b"], [1, 2]),
    ]
    ann, bob = reference_preferences(blocks_from_rows(rows, RANDOM_SYSTEMS), "_ref")
    assert (ann.comparisons, ann.preferred, ann.tied) == (4, 2, 1)
    assert ann.share == 0.5
    assert (bob.comparisons, bob.share, bob.p_random, bob.p_lowest) == (
        0,
        None,
        None,
        None,
    )


def test_probability_is_that_of_all_ways_to_shuffle_the_labels_given() -> None:
    # Two blocks, with two and one outputs beside the reference, which wins two of three.
    rows = [
        BlockRow("ann", 1, ["a", RANDOM_REF, "b"], [2, 1, 1]),
        BlockRow("ann", 2, ["a", RANDOM_REF], [2, 1]),
    ]
    (ann,) = reference_preferences(blocks_from_rows(rows, RANDOM_SYSTEMS), "_ref")
    # Margins 1, 1, -2 with labels 1, 1, 2; and 1, -1. At least 2 in two cases of six.
    assert ann.p_random == pytest.approx(2 / 6)
    assert ann.p_lowest == pytest.approx(2 / 6)
    assert ann.p_binomial == pytest.approx(3 * 0.4**2 * 0.6 + 0.4**3)


@given(
    st.lists(
        st.lists(st.sampled_from([1, 2, 3, 4, 5, None]), min_size=1, max_size=5),
        min_size=1,
        max_size=2,
    ),
)
@example([[1, 1, 1, 2], [5, 3], [2, None, 2]])
def test_reference_p_value_equals_counting_every_shuffle(
    labels: list[list[int | None]],
) -> None:
    names = [RANDOM_REF, "a", "b", "c", "d"]
    rows = [
        BlockRow("ann", n, names[: len(each)], each) for n, each in enumerate(labels)
    ]
    (ann,) = reference_preferences(blocks_from_rows(rows, RANDOM_SYSTEMS), "_ref")

    def margin(shuffled: Sequence[int]) -> int:
        first, *others = shuffled
        return sum((first < other) - (first > other) for other in others)

    given_labels = [[label for label in each if label] for each in labels if each[0]]
    compared = [each for each in given_labels if len(each) > 1]
    if not compared:
        assert ann.p_random is None
        return
    seen = sum(map(margin, compared))
    sums = np.zeros(1)
    for each in compared:
        sums = np.add.outer(sums, list(map(margin, permutations(each)))).ravel()
    assert ann.p_random == pytest.approx(np.mean(sums >= seen))
    assert ann.p_lowest == pytest.approx(np.mean(sums == sums.max()))


@pytest.mark.parametrize("kind", some_now(CLICKERS, most=2))
def test_clickers_of_every_kind_pass_as_often_as_the_level_says(kind: str) -> None:
    blocks = clicking(kind, judges=1500, blocks=60, seed=1)
    found = reference_preferences(blocks, "_ref")
    passed = np.mean(
        [each.p_random is not None and each.p_random <= 0.05 for each in found],
    )
    if kind == "one label for all":
        # No order of equal labels says anything: nothing is ever told from clicking.
        assert passed == 0
        assert {each.p_lowest for each in found} == {1.0}
        return
    # Three standard errors of 0.0056 around 3 to 5 %.
    assert 0.013 <= passed <= 0.067


LINE_SYSTEMS = ["a", "b", "c", "d", "e"]


def blocks(*labels: list[int | None], judge: str = "ann") -> Blocks:
    rows = [
        BlockRow(judge, number, LINE_SYSTEMS[: len(each)], each)
        for number, each in enumerate(labels, start=1)
    ]
    return blocks_from_rows(rows, LINE_SYSTEMS)


def test_hand_worked_lines() -> None:
    (ann,) = straight_lining(
        blocks(
            [3, 3, 3, 3, 3],  # one label
            [1, 2, 3, 4, 5],  # in shown order
            [5, 5, 2, 2, 1],  # in reverse
            [2, 1, 3, 4, 5],  # neither
            [1, None, 2, 3, None],  # blanks aside, in shown order
            [1, 1],  # two outputs say nothing
            [4, None, None, 4, None],
        ),
    )
    assert (ann.one_label.successes, ann.one_label.trials) == (1, 5)
    assert (ann.shown_order.successes, ann.shown_order.trials) == (3, 4)
    # 2 of 5!, 2 of 5! / (2! 2!), 2 of 5!, 2 of 3!
    assert ann.expected == pytest.approx(2 / 120 + 2 / 30 + 2 / 120 + 2 / 6)


def test_the_probability_is_that_of_all_ways_to_shuffle() -> None:
    given = ([1, 2, 3], [1, 1, 2, 3], [2, 2, 5])
    (ann,) = straight_lining(blocks([1, 2, 3], [3, 2, 1, 1], [2, 5, 2]))

    def is_line(labels: tuple[int, ...]) -> bool:
        return list(labels) in (sorted(labels), sorted(labels, reverse=True))

    ways = list(product(*(list(permutations(labels)) for labels in given)))
    at_least_two = sum(sum(map(is_line, way)) >= 2 for way in ways)
    assert ann.shown_order.successes == 2
    assert ann.p_shuffled == pytest.approx(at_least_two / len(ways))


def test_random_judges_are_detected_at_the_level() -> None:
    rng = np.random.default_rng(4)
    rows = [
        BlockRow(
            f"j{judge:03d}",
            segment,
            LINE_SYSTEMS,
            rng.permutation([1, 2, 2, 3, 4]).tolist(),
        )
        for judge in range(300)
        for segment in range(60)
    ]
    p_values = [
        each.p_shuffled
        for each in straight_lining(blocks_from_rows(rows, LINE_SYSTEMS))
    ]
    found = np.mean([p is not None and p <= 0.05 for p in p_values])
    assert found <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_chances_of_a_line_worked_by_hand() -> None:
    judged = blocks([3, 3, 3], [1, 2], [1, 2, 3], [2, 1, 3], [1, 2, 2])
    found = Patterns.of(tally_lines(judged))
    patterns = [tuple(used) for used in found.used[:, :3].tolist()]
    assert list(
        zip(patterns, found.detail.tolist(), found.blocks.tolist(), strict=True),
    ) == [
        ((1, 1, 0), 1, 1),
        ((1, 1, 1), 0, 1),
        ((1, 1, 1), 1, 1),
        ((1, 2, 0), 1, 1),
        ((3, 0, 0), 1, 1),
    ]
    assert line_chances(found.used) == pytest.approx([0, 2 / 6, 2 / 6, 4 / 6, 0])


def test_the_probability_is_that_of_a_sum_of_unequal_trials() -> None:
    rng = np.random.default_rng(6)
    labels: list[list[int | None]] = [
        rng.integers(1, 6, 3 + n % 3).tolist() for n in range(150)
    ]
    (ann,) = straight_lining(blocks(*labels))
    found = Patterns.of(tally_lines(blocks(*labels)))
    distribution = np.ones(1)
    for chance, times in zip(
        line_chances(found.used),
        found.blocks.tolist(),
        strict=True,
    ):
        outcomes = binom.pmf(np.arange(times + 1), times, chance)
        distribution = np.convolve(distribution, outcomes)
    expected = distribution[ann.shown_order.successes :].sum()
    assert ann.p_shuffled == pytest.approx(expected, rel=1e-11)


JUDGES = 400
REF = (REFERENCE,)


def test_hand_worked_evidence_of_a_reference_ignored() -> None:
    rows = [
        BlockRow("ann", 1, ["a", REF], [1, 2]),  # the reference lost: margin -1
        BlockRow("ann", 2, ["a", REF, "b"], [2, 1, 2]),  # won: margins 2, -1, -1
        BlockRow("ann", 3, ["a", REF], [3, 3]),  # says nothing
        BlockRow("ann", 4, ["a", REF], [3, None]),
        BlockRow("bob", 4, ["a", "b"], [1, 2]),
    ]
    ann, bob = reference_ignored(blocks_from_rows(rows, SYSTEMS), REFERENCE, odds=4)
    # A half in the exponent of 4 is a factor of 2 for each unit of the margin.
    expected = (1 / 2 * 2 + 1 / 2 / 2) / (1 / 2) * ((1 / 3 * 4 + 2 / 3 / 2) / 4)
    assert ann.blocks == 2
    assert exp(ann.log_e) == pytest.approx(expected)
    assert (bob.blocks, bob.log_e) == (0, 0.0)


def test_evidence_against_who_reads_at_the_odds_is_worth_nothing_on_average() -> None:
    # Over all labels of the reference in two blocks, as likely as the odds say, the mean is 1.
    odds, blocks = 1.75, ([1, 2, 2, 4, 5], [1, 1, 3])
    total, mean = 0.0, 0.0
    for first, second in product(*(range(len(labels)) for labels in blocks)):
        rows, weight = [], 1.0
        for number, (labels, chosen) in enumerate(
            zip(blocks, (first, second), strict=True),
        ):
            shown = [labels[chosen], *labels[:chosen], *labels[chosen + 1 :]]
            rows.append(
                BlockRow("ann", number, [REF, *SYSTEMS[: len(shown) - 1]], shown),
            )
            margin = sum((shown[0] < each) - (shown[0] > each) for each in shown[1:])
            weight *= odds ** (margin / 2)
        (ann,) = reference_ignored(
            blocks_from_rows(rows, SYSTEMS),
            REFERENCE,
            odds=odds,
        )
        total += weight
        mean += weight * exp(ann.log_e)
    assert mean / total == pytest.approx(1)


def test_evidence_of_typing_is_worth_nothing_on_average_over_all_shuffles() -> None:
    values = []
    for shuffled in product(permutations([1, 2, 2, 3]), permutations([1, 2, 3])):
        rows = [
            BlockRow("ann", number, SYSTEMS[: len(labels)], labels)
            for number, labels in enumerate(shuffled)
        ]
        (ann,) = typed_in_order(blocks_from_rows(rows, SYSTEMS))
        values.append(exp(ann.log_e))
    assert ann.blocks == 2
    assert np.mean(values) == pytest.approx(1)


def test_display_order_expected_by_chance_is_no_evidence() -> None:
    rows = [
        BlockRow("ann", 1, SYSTEMS[:3], [1, 1, 2]),  # 4 of 6 shuffles are lines
        BlockRow("ann", 2, SYSTEMS[:4], [3, 3, 3, 3]),
        BlockRow("ann", 3, SYSTEMS[:2], [1, 2]),
    ]
    (ann,) = typed_in_order(blocks_from_rows(rows, SYSTEMS))
    assert (ann.blocks, ann.log_e) == (0, 0.0)


def test_a_probability_allows_for_all_judges() -> None:
    evidence = ClickingEvidence(blocks=9, log_e=log(10_000))
    assert evidence.p_value() == pytest.approx(JUDGES_ALLOWED_FOR / 10_000)
    assert evidence.p_value(200) == pytest.approx(0.02)
    assert ClickingEvidence(blocks=9, log_e=-3.0).p_value() == 1.0


@pytest.mark.parametrize(
    ("kind", "within", "at_least"),
    some_now(
        [
            ("each label at random", 60, 0.88),
            ("1 to 5 in random order", 60, 0.92),
            ("1-2-3-4-5 as shown", 6, 1.0),
            ("5-4-3-2-1 as shown", 6, 1.0),
            ("one of two labels at random", 60, 0.75),
            ("one label for all", 20, 1.0),
        ],
        most=2,
    ),
)
def test_clickers_are_caught_by_the_suggested_rules(
    kind: str,
    within: int,
    at_least: float,
) -> None:
    assert _caught(kind, within) >= at_least


def _caught(kind: str, within: int) -> float:
    """Share of clickers who break a suggested rule at some look."""
    blocks = clicking(kind, judges=JUDGES, blocks=within, seed=5)
    caught = np.zeros(JUDGES, dtype=np.bool_)
    for day in range(2, within + 1, 2 if within < 30 else 6):
        caught |= suspected(blocks.take(slice(0, JUDGES * day)), judges=45)
    return float(caught.mean())


@pytest.mark.thorough
def test_judges_who_read_are_hardly_ever_suspected_at_any_look() -> None:
    # At the odds of the standard: 50 judges are allowed for, so 0.04 / 50 each and no more.
    judges = 1500
    blocks = reading(preferred=0.748, judges=judges, blocks=60, seed=6)
    ever = np.zeros(judges, dtype=np.bool_)
    for day in range(5, 61, 5):
        ever |= suspected(blocks.take(slice(0, judges * day)), judges=45)
    # 1,500 times 0.04 / 50 are 1.2; three standard deviations more are 4.5.
    assert ever.sum() <= 4
