from collections import defaultdict
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from scipy.stats import t as student
from statsmodels.stats.inter_rater import cohens_kappa

from ranking.core.agreement.intervals import NoInterval
from ranking.core.agreement.judge_pairs import agreement_of_pairs, judge_pair_tables
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.statistics import Chance, cohen_of_tables
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.collapsed_candidates import Outcome, collapsed_comparisons
from ranking.core.scores import NotEstimable
from ranking.core.simulation.model import Model, simulate_blocks


def some_blocks(count: int) -> Blocks:
    rng = np.random.default_rng(9)
    rows = [
        BlockRow(
            f"j{rng.integers(4)}",
            int(rng.integers(1, 9)),
            "abcd",
            rng.integers(1, 4, 4).tolist(),
        )
        for _ in range(count)
    ]
    return blocks_from_rows(rows, "abcd")


def test_tables_are_those_of_a_self_join() -> None:
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(
        {
            "item": rng.integers(0, 40, 300),
            "judge": rng.integers(0, 6, 300),
            "outcome": rng.integers(0, 3, 300),
        },
    )
    joined = frame.merge(frame, on="item")
    joined = joined[joined.judge_x < joined.judge_y]
    expected = np.zeros((6, 6, 3, 3), dtype=np.int64)
    np.add.at(
        expected,
        (joined.judge_x, joined.judge_y, joined.outcome_x, joined.outcome_y),
        1,
    )
    found = judge_pair_tables(
        frame["item"].to_numpy(),
        frame["judge"].to_numpy(),
        frame["outcome"].to_numpy(),
        items=40,
        judges=6,
    )
    assert np.array_equal(found, expected)
    for one, other in [(0, 1), (2, 5)]:
        pair = joined[(joined.judge_x == one) & (joined.judge_y == other)]
        crossed = pd.crosstab(pair.outcome_x, pair.outcome_y).to_numpy()
        assert np.array_equal(found[one, other], crossed)


def test_pairs_add_up_to_the_agreement_of_all() -> None:
    blocks = some_blocks(80)
    found = agreement_of_pairs(blocks)
    pairs = [found.pair_agreement(row) for row in range(len(found))]
    inter = measure_agreement(blocks, chance=Chance.COHEN, resamples=1).inter
    assert [pair.judges for pair in pairs] == [
        ("j0", "j1"), ("j0", "j2"), ("j0", "j3"), ("j1", "j2"), ("j1", "j3"), ("j2", "j3"),
    ]  # fmt: skip
    assert sum(pair.comparable for pair in pairs) == inter.comparable
    assert sum(pair.agreeing for pair in pairs) == inter.agreeing
    p_chance = sum(pair.p_chance * pair.comparable for pair in pairs) / inter.comparable
    assert inter.p_chance == pytest.approx(p_chance)


def tables_of(blocks: Blocks) -> npt.NDArray[np.int64]:
    found = collapsed_comparisons(blocks)
    return judge_pair_tables(
        found.item,
        found.judge,
        found.outcome,
        items=found.items,
        judges=len(blocks.judges),
    )


def test_kappa_of_a_pair_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(7)
    labels = rng.integers(1, 3, size=(2, 30))
    rows = [
        BlockRow(judge, item, "ab", [int(label), 2])
        for judge, own in zip(["ann", "bob"], labels, strict=True)
        for item, label in enumerate(own)
    ]
    found = tables_of(blocks_from_rows(rows, "ab"))[0, 1]
    _pairs, p_agree, p_chance = cohen_of_tables(found)
    table = np.zeros((2, 2))
    np.add.at(table, (labels[0] - 1, labels[1] - 1), 1)
    expected = cohens_kappa(table, return_results=False)
    assert (p_agree - p_chance) / (1 - p_chance) == pytest.approx(expected)


def judged_blocks(count: int = 160, judges: int = 4) -> Blocks:
    rng = np.random.default_rng(9)
    rows = [
        BlockRow(
            f"j{rng.integers(judges)}",
            int(rng.integers(1, 20)),
            "abcd",
            rng.integers(1, 4, 4).tolist(),
        )
        for _ in range(count)
    ]
    return blocks_from_rows(rows, "abcd")


def kappa_of(sums: npt.NDArray[np.float64]) -> float:
    n, agreeing, own, other = sums
    t, u = own / n, other / n
    chance = t * u + (1 - t) * (1 - u) / 2
    return float((agreeing / n - chance) / (1 - chance))


def by_hand(
    blocks: Blocks,
    one: int,
    other: int,
    confidence: float,
) -> tuple[float, float]:
    """Return the interval, pair by pair of comparisons, with slopes by differences."""
    found = collapsed_comparisons(blocks)
    single = []
    of_segment: defaultdict[int, npt.NDArray[np.float64]] = defaultdict(
        lambda: np.zeros(4),
    )
    for i in np.flatnonzero(found.judge == one).tolist():
        for j in np.flatnonzero(found.judge == other).tolist():
            if found.item[i] == found.item[j]:
                a, b = found.outcome[i], found.outcome[j]
                single.append([1, a == b, a == Outcome.TIE, b == Outcome.TIE])
                of_segment[int(found.item_segment[found.item[i]])] += single[-1]
    counts = np.array(list(of_segment.values()))
    sums = counts.sum(axis=0)
    slope = np.array(
        [
            (kappa_of(sums + step) - kappa_of(sums - step)) / 2e-4
            for step in np.eye(4) * 1e-4
        ],
    )
    g = sums[0] ** 2 / (counts[:, 0] ** 2).sum()
    n = len(single)
    variance = max(
        g / (g - 1) * ((counts @ slope) ** 2).sum(),
        n / (n - 1) * ((np.array(single, dtype=float) @ slope) ** 2).sum(),
    )
    reach = (
        student.ppf((1 + confidence) / 2, g - 1)
        * np.sqrt(variance)
        / (1 - kappa_of(sums))
    )
    return (
        1 - (1 - kappa_of(sums)) * np.exp(reach),
        1 - (1 - kappa_of(sums)) * np.exp(-reach),
    )


def test_kappas_are_those_of_pairs_of_judges() -> None:
    blocks = judged_blocks()
    tables = tables_of(blocks)
    found = agreement_of_pairs(blocks)
    assert len(found) == np.count_nonzero(tables.any(axis=(2, 3)))
    for row, where in enumerate(zip(found.first, found.second, strict=True)):
        here, table = found.pair_agreement(row), tables[where]
        comparable, p_agree, p_chance = cohen_of_tables(table, symmetric=True)
        assert here.judges == tuple(blocks.judges[judge] for judge in where)
        assert (here.comparable, here.agreeing) == (
            int(comparable),
            int(np.trace(table)),
        )
        assert here.kappa == pytest.approx((p_agree - p_chance) / (1 - p_chance))
        assert here.p_chance == pytest.approx(p_chance)
        assert sum(map(sum, here.outcomes)) == comparable
        assert sum(here.outcomes[k][k] for k in range(3)) == here.agreeing


def test_intervals_are_those_worked_by_hand() -> None:
    blocks = judged_blocks()
    found = agreement_of_pairs(blocks, confidence=0.9)
    assert found.confidence == pytest.approx(1 - 0.1 / 6)
    for row in range(len(found)):
        pair = int(found.first[row]), int(found.second[row])
        low, high = by_hand(blocks, *pair, found.confidence)
        assert found.pair_agreement(row).low == pytest.approx(low, abs=1e-6)
        assert found.pair_agreement(row).high == pytest.approx(high, abs=1e-6)


def test_undefined_agreement_has_a_reason() -> None:
    rows = [
        # ann and bob share one segment; ann and cat agree on two; bob and cat tie on two.
        BlockRow("ann", 1, "ab", [1, 2]),
        BlockRow("bob", 1, "ab", [2, 1]),
        BlockRow("ann", 2, "ab", [1, 2]),
        BlockRow("cat", 2, "ab", [1, 2]),
        BlockRow("ann", 3, "ab", [2, 1]),
        BlockRow("cat", 3, "ab", [2, 1]),
        BlockRow("bob", 4, "ab", [1, 1]),
        BlockRow("cat", 4, "ab", [1, 1]),
        BlockRow("bob", 5, "ab", [1, 1]),
        BlockRow("cat", 5, "ab", [1, 1]),
        BlockRow("dan", 6, "ab", [1, 2]),
    ]
    found = agreement_of_pairs(blocks_from_rows(rows, "ab"))
    one, two, three = (found.pair_agreement(row) for row in range(3))
    assert (one.judges, one.segments, one.kappa) == (("ann", "bob"), 1, -1)
    assert one.no_interval is NoInterval.TOO_FEW_SEGMENTS
    assert (two.judges, two.segments, two.kappa, two.low) == (
        ("ann", "cat"),
        2,
        1,
        None,
    )
    assert two.no_interval is NoInterval.NO_VARIATION
    assert two.outcomes == ((1, 0, 0), (0, 0, 0), (0, 0, 1))
    assert (three.judges, three.kappa, three.p_agree) == (("bob", "cat"), None, 1)
    assert three.reason is NotEstimable.CHANCE_IS_CERTAIN
    with pytest.raises(ValueError, match="confidence"):
        agreement_of_pairs(blocks_from_rows(rows, "ab"), confidence=1)


def test_nothing_in_common_is_no_pair() -> None:
    rows = [BlockRow("ann", 1, "ab", [1, 2]), BlockRow("bob", 2, "ab", [1, 2])]
    assert len(agreement_of_pairs(blocks_from_rows(rows, "ab"))) == 0
    assert len(agreement_of_pairs(blocks_from_rows([], "ab"))) == 0


def test_a_judge_who_reverses_all_leaves_the_band_and_those_alike_do_not() -> None:
    blocks, _quality = simulate_blocks(
        Model(systems=8, noise=4, judge_noise=2, segments=60),
        blocks=1500,
        seed=3,
        experiment=0,
        judges=12,
    )
    alike = agreement_of_pairs(blocks)
    assert not alike.beside(
        float(np.mean(alike.kappa)),
        float(np.mean(alike.kappa)),
    ).any()
    labels = blocks.labels.copy()
    reversed_ = (blocks.judge == 0)[:, np.newaxis] & (labels > 0)
    labels[reversed_] = 6 - labels[reversed_]
    found = agreement_of_pairs(replace(blocks, labels=labels))
    beside = found.beside(0.1, 0.9)
    with_them = (found.first == 0) | (found.second == 0)
    assert (beside[with_them] < 0).all()
    assert not (beside[~with_them] < 0).any()


def test_the_first_output_is_that_of_the_system_that_comes_first_by_name() -> None:
    rows = [
        BlockRow("ann", 1, ["b", "a"], [2, 1]),
        BlockRow("bob", 1, ["b", "a"], [1, 2]),
        BlockRow("ann", 2, [("a", "c"), "b"], [1, 2]),
        BlockRow("bob", 2, ["b", ("a", "c")], [1, 1]),
    ]
    pair = agreement_of_pairs(blocks_from_rows(rows, "abc")).pair_agreement(0)
    # ann: a before b, and a, c before b; bob: b before a, and a tie.
    assert pair.outcomes == ((0, 1, 1), (0, 0, 0), (0, 0, 0))


def test_two_segments_that_happen_to_be_alike_do_not_make_an_interval_short() -> None:
    rows = [
        BlockRow(judge, segment, "abc", labels)
        for segment in (1, 2)
        for judge, labels in (("ann", [1, 2, 3]), ("bob", [1, 3, 2]))
    ]
    pair = agreement_of_pairs(blocks_from_rows(rows, "abc")).pair_agreement(0)
    # Four of six agree; Student with one degree of freedom says next to nothing.
    assert pair.kappa == pytest.approx(1 / 3)
    assert pair.low == -1
    assert pair.high is not None
    assert pair.high > 0.9
