from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting.counts import Layout, count
from ranking.core.counting.resampling import (
    LEVELS,
    Level,
    Resampling,
    poisson_weights,
    uniform_numbers,
    unit_keys,
)
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from tests.properties import examples

Rows = st.SearchStrategy[list[BlockRow]]
Drawn = Callable[[int], Blocks]


@pytest.mark.parametrize("level", LEVELS)
@given(data=st.data())
@examples(30)
def test_a_resample_is_a_function_of_seed_and_id(
    level: Level, rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject
) -> None:
    rows = data.draw(rows_strategy)
    resampling, layout = Resampling(level, seed=3), Layout(len(systems), ties=True)
    blocks = blocks_from_rows(rows, systems)
    shuffled = blocks_from_rows(data.draw(st.permutations(rows)), systems)
    cut = data.draw(st.integers(0, 12))
    whole = resampling.counts(blocks, layout, range(12))
    parts = [resampling.counts(shuffled, layout, ids) for ids in (range(cut), range(cut, 12))]
    np.testing.assert_array_equal(whole, np.concatenate(parts))


@pytest.mark.parametrize("level", ["blocks", "segments", "judges"])
@given(data=st.data())
@examples(30)
def test_resamples_are_weighted_counts_and_shards_add_up(
    level: Level, rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    resampling = Resampling(level, seed=4)
    layout = Layout(len(systems), ties=True, outright=True)
    whole = resampling.counts(blocks, layout, range(5))
    weights = resampling.weights(blocks, range(5))
    for r in range(5):
        np.testing.assert_array_equal(whole[r], count(blocks, layout, weights[:, r]))
    cut = data.draw(st.integers(0, len(blocks)))
    shards = [blocks.take(slice(0, cut)), blocks.take(slice(cut, None))]
    parts = [resampling.counts(shard, layout, range(5)) for shard in shards]
    np.testing.assert_array_equal(whole, parts[0] + parts[1])


def test_blocks_of_a_segment_or_a_judge_go_together(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(300)
    for level, unit in (("segments", blocks.segment), ("judges", blocks.judge)):
        assert level in LEVELS
        key = unit_keys(blocks, level)
        same_unit = unit[:, np.newaxis] == unit[np.newaxis, :]
        np.testing.assert_array_equal(key[:, np.newaxis] == key[np.newaxis, :], same_unit)


def test_units_have_keys_of_their_names_only() -> None:
    rows = [BlockRow("ann", 7, [("a",), ("b",)], [1, 2]), BlockRow("bob", 7, [("b",)], [1])]
    alone = blocks_from_rows(rows[:1], "ab")
    both = blocks_from_rows(rows, "ab")
    for level in ("segments", "judges"):
        assert level in LEVELS
        assert unit_keys(alone, level)[0] == unit_keys(both, level)[0]
    # Written down so that no later version can change them unnoticed.
    assert unit_keys(alone, "segments").tolist() == [SEGMENT_7]
    assert unit_keys(alone, "judges").tolist() == [JUDGE_ANN]


SEGMENT_7, JUDGE_ANN = 9408045459563456474, 9677422622338338988


def test_pairs_are_drawn_like_single_comparisons_with_replacement(drawn_blocks: Drawn) -> None:
    """One multinomial draw has the moments of drawing comparisons one by one (Koehn 2012, §5.1)."""
    tallies = tally(drawn_blocks(200))
    n = len(tallies.systems)
    above = np.triu_indices(n, 1)
    kinds = np.concatenate([tallies.wins[above], tallies.wins.T[above], tallies.ties[above]])
    drawn = Resampling("pairs", seed=5).draw_pairs(tallies, range(4000)).reshape(4000, -1)
    assert set(drawn.sum(axis=1).tolist()) == {tallies.comparisons}
    literal = literal_pair_resamples(kinds, 4000)
    share = kinds / kinds.sum()
    error = np.sqrt(kinds.sum() * share * (1 - share) / 4000)
    for sample in (drawn, literal):
        assert np.all(np.abs(sample.mean(axis=0) - kinds) <= 4.5 * error)
    spread = [np.cov(sample.T)[np.triu_indices(len(kinds))] for sample in (drawn, literal)]
    np.testing.assert_allclose(spread[0], spread[1], atol=0.12 * float(np.max(spread[1])))


def literal_pair_resamples(kinds: npt.NDArray[np.int64], resamples: int) -> npt.NDArray[np.int64]:
    rng = np.random.default_rng(6)
    comparison = np.repeat(np.arange(len(kinds)), kinds)
    return np.stack(
        [
            np.bincount(
                comparison[rng.integers(0, len(comparison), len(comparison))], None, len(kinds)
            )
            for _ in range(resamples)
        ]
    )


def test_a_resample_of_pairs_is_a_function_of_seed_and_id(drawn_blocks: Drawn) -> None:
    tallies, resampling = tally(drawn_blocks(80)), Resampling("pairs", seed=8)
    whole = resampling.draw_pairs(tallies, range(20))
    np.testing.assert_array_equal(resampling.draw_pairs(tallies, range(7, 20)), whole[7:])
    above = np.triu_indices(len(tallies.systems), 1)
    kinds = np.stack([tallies.wins[above], tallies.wins.T[above], tallies.ties[above]])
    for id_ in (0, 7, 19):
        random = np.random.Generator(np.random.Philox(key=np.array([8, id_], dtype=np.uint64)))
        seen = kinds[kinds > 0]
        expected = random.multinomial(seen.sum(), seen / seen.sum())
        np.testing.assert_array_equal(whole[id_][kinds > 0], expected)


def test_wins_are_drawn_alike_with_and_without_ties(drawn_blocks: Drawn) -> None:
    tallies, resampling = tally(drawn_blocks(80)), Resampling("pairs", seed=8)
    whole = resampling.draw_pairs(tallies, range(20))
    decided = resampling.draw_pairs(tallies, range(20), ties=False)
    np.testing.assert_array_equal(whole[:, :2], decided[:, :2])
    assert whole[:, 2].any()
    assert not decided[:, 2].any()


def test_a_pair_resample_as_blocks_is_the_one_that_is_counted(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(50)
    resampling, layout = Resampling("pairs", seed=7), Layout(len(blocks.systems), ties=True)
    counted = resampling.counts(blocks, layout, range(3))
    for r in range(3):
        pairs = resampling.pair_blocks(blocks, r)
        assert len(pairs) == tally(blocks).comparisons
        np.testing.assert_array_equal(counted[r], count(pairs, layout))


def test_weights_over_segments_and_judges_are_products_thinned_to_the_share(
    drawn_blocks: Drawn,
) -> None:
    blocks = drawn_blocks(200)
    resampling = Resampling("two_way", seed=6, share=0.4)
    factors = []
    levels: tuple[Level, ...] = ("segments", "judges")
    for level in levels:
        arguments = {"seed": 6, "resamples": 30, "first_resample": 5}
        key = unit_keys(blocks, level)
        weight = poisson_weights(key, **arguments)
        weight[uniform_numbers(key, **arguments) >= 0.4] = 1
        factors.append(weight)
    weights = resampling.weights(blocks, range(5, 35))
    np.testing.assert_array_equal(weights, factors[0] * factors[1])
    layout = Layout(len(blocks.systems), ties=True, outright=True)
    counts = resampling.counts(blocks, layout, range(5, 35))
    for row in range(30):
        np.testing.assert_array_equal(counts[row], count(blocks, layout, weights[:, row]))


def test_a_share_of_nought_draws_nothing_and_one_draws_everything(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(100)
    assert (Resampling("two_way", share=0.0).weights(blocks, range(9)) == 1).all()
    whole = Resampling("two_way").weights(blocks, range(9))
    parts = [Resampling(level).weights(blocks, range(9)) for level in ("segments", "judges")]
    np.testing.assert_array_equal(whole, parts[0] * parts[1])


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_is_between_nought_and_one(share: float) -> None:
    with pytest.raises(ValueError, match="share: expected"):
        Resampling("two_way", share=share)


def test_unknown_levels_and_seeds_are_refused() -> None:
    with pytest.raises(ValueError, match="resample"):
        Resampling("documents")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="seed"):
        Resampling(seed=-1)


def test_blocks_won_outright_cannot_be_counted_in_pairs(drawn_blocks: Drawn) -> None:
    with pytest.raises(ValueError, match="pairs"):
        Resampling("pairs").counts(drawn_blocks(3), Layout(6, outright=True), range(2))
