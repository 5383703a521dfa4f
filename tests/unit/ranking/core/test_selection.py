"""Cross-validated model selection: what it promises about folds, ties and the oracle."""

import math
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

from ranking.core.counting.counts import Tallies, tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.shares import expected_wins
from ranking.core.scores import Scores
from ranking.core.selection import (
    LOSS,
    TIE,
    UNKNOWN,
    WIN,
    best_radius,
    by_pairs,
    data_requirements,
    folds_of_segments,
    predict_by_ability,
    predict_by_scores,
    select_method,
)

NAMES = "abcd"


def judged(segments: int, *, noise: float, seed: int = 1) -> Blocks:
    """Judge each segment twice, systems falling in quality from a to d."""
    rng = np.random.default_rng(seed)
    rows = []
    for k in range(2 * segments):
        order = rng.permutation(4)
        seen = order + rng.normal(0, noise, 4)
        labels = [int(label) for label in 1 + np.clip(np.round(seen), 0, 4)]
        rows.append(BlockRow(f"j{k % 2}", k // 2, [(NAMES[s],) for s in order], labels))
    return blocks_from_rows(rows, NAMES)


def test_folds_are_of_segments_and_nearly_equal() -> None:
    blocks = judged(23, noise=1)
    fold = folds_of_segments(blocks.segment, 10, seed=3)
    for segment in np.unique(blocks.segment):
        assert len(np.unique(fold[blocks.segment == segment])) == 1
    sizes = [len(np.unique(blocks.segment[fold == each])) for each in range(10)]
    assert sorted(sizes) == [2] * 7 + [3] * 3
    shuffled = np.random.default_rng(0).permutation(len(blocks))
    assert np.array_equal(
        folds_of_segments(blocks.take(shuffled).segment, 10, seed=3),
        fold[shuffled],
    )


@pytest.mark.parametrize("folds", [1, 24])
def test_folds_that_cannot_be_made_are_refused(folds: int) -> None:
    with pytest.raises(ValueError, match="number of segments, 23"):
        folds_of_segments(judged(23, noise=1).segment, folds)


def test_no_method_learns_from_a_segment_it_is_asked_about() -> None:
    blocks = judged(12, noise=1)
    learnt_from: list[set[int]] = []

    def spy(learnt: Blocks) -> npt.NDArray[np.int8]:
        learnt_from.append(set(learnt.segment.tolist()))
        return by_pairs(learnt)

    select_method(blocks, {"spy": spy}, folds=4)
    missing = [set(blocks.segment.tolist()) - each for each in learnt_from]
    assert [len(each) for each in missing] == [3] * 4
    assert set.union(*missing) == set(range(12))


def test_oracle_bounds_the_pair_statistics() -> None:
    for seed in range(5):
        blocks = judged(20, noise=2, seed=seed)
        always = {
            str(k): lambda _, k=k: (
                np.random.default_rng(k).integers(-1, 2, (4, 4)).astype(np.int8)
            )
            for k in range(20)
        }
        antisymmetric = {
            name: lambda learnt, p=predict: (
                np.triu(p(learnt), 1) - np.triu(p(learnt), 1).T
            )
            for name, predict in always.items()
        }
        found = select_method(blocks, antisymmetric, folds=5)
        shares = [each.correct / each.comparisons for each in found.methods.values()]
        assert max(shares) <= found.oracle


def test_the_best_comes_first_and_others_are_measured_by_their_distance() -> None:
    blocks = judged(60, noise=1)
    found = select_method(
        blocks,
        {"backwards": lambda learnt: -by_pairs(learnt), "pairs": by_pairs},
        folds=20,
    )
    best, worst = found.methods.values()
    assert list(found.methods) == ["pairs", "backwards"]
    assert (best.behind, best.behind_error) == (0, 0)
    assert worst.behind == pytest.approx(best.accuracy - worst.accuracy)
    assert 0 < worst.behind_error < worst.behind


def test_majority_is_the_commonest_outcome_as_shown() -> None:
    # The first shown wins in three blocks, the second in one; each fold leaves one out.
    rows = [
        BlockRow("j", k, [("a",), ("b",)], labels)
        for k, labels in enumerate([(1, 2), (1, 2), (1, 2), (2, 1)])
    ]
    found = select_method(blocks_from_rows(rows, "ab"), {"pairs": by_pairs}, folds=4)
    assert found.majority == 0.75
    assert found.oracle == 0.75


def test_unpredictable_comparisons_are_counted_as_unknown() -> None:
    rows = [
        BlockRow("j", 1, [("a",), ("b",)], [1, 2]),
        BlockRow("j", 2, [("c",), ("d",)], [1, 2]),
    ]
    found = select_method(
        blocks_from_rows(rows, NAMES),
        {
            "ew": partial(
                predict_by_scores,
                lambda blocks: expected_wins(tally(blocks).wins),
            ),
        },
        folds=2,
    )
    assert (found.methods["ew"].correct, found.methods["ew"].unknown) == (0, 2)
    with pytest.raises(ValueError, match="at least one method"):
        select_method(blocks_from_rows(rows, NAMES), {}, folds=2)
    with pytest.raises(ValueError, match="no comparison"):
        select_method(
            blocks_from_rows(rows, NAMES).without(["b", "d"]),
            {"pairs": by_pairs},
            folds=2,
        )


def test_the_radius_is_the_best_there_is() -> None:
    rng = np.random.default_rng(6)
    for _ in range(40):
        wins, ties = rng.integers(0, 6, (5, 5)), np.triu(rng.integers(0, 9, (5, 5)), 1)
        np.fill_diagonal(wins, 0)
        tallies = Tallies(tuple("vwxyz"), wins, ties + ties.T)
        values = rng.integers(0, 6, 5).astype(float)
        difference = values[:, np.newaxis] - values[np.newaxis, :]
        known = np.ones((5, 5), dtype=np.bool_)

        def correct(
            radius: float,
            difference: npt.NDArray[np.float64],
            tallies: Tallies,
        ) -> int:
            tie = np.abs(difference) <= radius
            won = tallies.wins[~tie & (difference > 0)].sum()
            return int(won + np.triu(tallies.ties)[tie].sum())

        # Between equals nobody is ahead, so not to call a tie there is never compared.
        best = max(
            correct(radius, difference, tallies) for radius in np.arange(0, 7) + 0.5
        )
        found = best_radius(tallies, difference, known & (difference != 0))
        assert correct(max(found, 0), difference, tallies) >= best


def test_a_predictor_by_scores_calls_near_equals_ties() -> None:
    rows = [BlockRow("j", 1, [("a",), ("b",), ("c",)], [1, 1, 2]) for _ in range(3)]
    blocks = blocks_from_rows(rows, NAMES)
    scores = Scores(
        values=np.array([0.9, 0.8, 0.1, np.nan]),
        estimable=np.array([True, True, True, False]),
    )
    predicted = predict_by_scores(lambda _: scores, blocks)
    assert predicted[0].tolist() == [TIE, TIE, WIN, UNKNOWN]
    assert predicted[2].tolist() == [LOSS, LOSS, TIE, UNKNOWN]
    parameters = {"radius": None, "inference": "collapsed"}
    assert predict_by_ability(parameters, 0, blocks)[0].tolist() == [
        TIE,
        TIE,
        WIN,
        UNKNOWN,
    ]


def test_smaller_shares_are_parts_of_larger_ones() -> None:
    blocks = judged(40, noise=1)
    learnt_from: list[set[int]] = []

    def spy(learnt: Blocks) -> npt.NDArray[np.int8]:
        learnt_from.append(set(learnt.key.tolist()))
        return by_pairs(learnt)

    found = data_requirements(blocks, {"spy": spy}, shares=(0.1, 0.5, 1), folds=4)
    for k in range(0, 12, 3):
        small, half, all_ = learnt_from[k : k + 3]
        assert small < half < all_
        assert (len(small), len(half), len(all_)) == (6, 30, 60)
    assert [row.share for row in found] == [0.1, 0.5, 1]
    assert found[2].comparisons == pytest.approx(0.75 * tally(blocks).comparisons)
    whole = select_method(blocks, {"spy": by_pairs}, folds=4)
    assert found[2].accuracy["spy"] == pytest.approx(whole.methods["spy"].accuracy)
    assert math.isfinite(found[0].accuracy["spy"])
    with pytest.raises(ValueError, match="shares"):
        data_requirements(blocks, {"spy": spy}, shares=(0.0,), folds=4)
