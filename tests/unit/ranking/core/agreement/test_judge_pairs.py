import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.inter_rater import cohens_kappa

from ranking.core.agreement.judge_pairs import cohen_of_judge_pairs, judge_pair_tables
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows


def some_blocks(count: int) -> Blocks:
    rng = np.random.default_rng(9)
    rows = [
        BlockRow(
            f"j{rng.integers(4)}", int(rng.integers(1, 9)), "abcd", rng.integers(1, 4, 4).tolist()
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
        }
    )
    joined = frame.merge(frame, on="item")
    joined = joined[joined.judge_x < joined.judge_y]
    expected = np.zeros((6, 6, 3, 3), dtype=np.int64)
    np.add.at(expected, (joined.judge_x, joined.judge_y, joined.outcome_x, joined.outcome_y), 1)
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
    pairs = cohen_of_judge_pairs(blocks).pairs
    inter = measure_agreement(blocks, chance=Chance.COHEN, resamples=1).inter
    assert [pair.judges for pair in pairs] == [
        ("j0", "j1"), ("j0", "j2"), ("j0", "j3"), ("j1", "j2"), ("j1", "j3"), ("j2", "j3"),
    ]  # fmt: skip
    assert sum(pair.comparable for pair in pairs) == inter.comparable
    assert sum(pair.agreeing for pair in pairs) == inter.agreeing
    p_chance = sum(pair.p_chance * pair.comparable for pair in pairs) / inter.comparable
    assert inter.p_chance == pytest.approx(p_chance)


def test_mean_and_deviation_over_the_pairs() -> None:
    found = cohen_of_judge_pairs(some_blocks(80))
    kappas = [pair.kappa for pair in found.pairs if pair.kappa is not None]
    assert len(kappas) == len(found.pairs)
    assert found.mean == pytest.approx(np.mean(kappas))
    assert found.deviation == pytest.approx(np.std(kappas, ddof=1))


def test_kappa_of_a_pair_is_that_of_statsmodels() -> None:
    rng = np.random.default_rng(7)
    labels = rng.integers(1, 3, size=(2, 30))
    rows = [
        BlockRow(judge, item, "ab", [int(label), 2])
        for judge, own in zip(["ann", "bob"], labels, strict=True)
        for item, label in enumerate(own)
    ]
    (pair,) = cohen_of_judge_pairs(blocks_from_rows(rows, "ab"), symmetric=False).pairs
    table = np.zeros((2, 2))
    np.add.at(table, (labels[0] - 1, labels[1] - 1), 1)
    assert pair.kappa == pytest.approx(cohens_kappa(table, return_results=False))


def test_judges_without_a_common_item_are_no_pair_and_only_ties_no_kappa() -> None:
    rows = [BlockRow(judge, 1, "ab", [1, 1]) for judge in ("ann", "bob")]
    rows.append(BlockRow("cat", 2, "ab", [1, 2]))
    found = cohen_of_judge_pairs(blocks_from_rows(rows, "ab"))
    (pair,) = found.pairs
    assert pair.judges == ("ann", "bob")
    assert (pair.kappa, pair.reason) == (None, "chance_is_certain")
    assert (found.mean, found.deviation) == (None, None)
