from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting.counts import Layout, count
from ranking.core.counting.live_moments import LiveMoments
from ranking.core.counting.moments import CLUSTER_UNITS, moments_of_blocks
from ranking.core.counting.resampling import LEVELS, Level, Resampling
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.ranges.clusters import rank_ranges
from ranking.core.rankings.live import LiveState
from ranking.core.rankings.rank import rank
from tests.properties import examples
from tests.worlds import draw_campaign, world_named

Rows = st.SearchStrategy[list[BlockRow]]
Drawn = Callable[[int], Blocks]


def state_of(blocks: Blocks, level: Level = "blocks") -> LiveState:
    state = LiveState(blocks.systems, Resampling(level, seed=3), resamples=20)
    state.add(blocks)
    return state


def assert_same(one: LiveState, other: LiveState) -> None:
    assert one.blocks == other.blocks
    np.testing.assert_array_equal(one.cells, other.cells)
    np.testing.assert_array_equal(one.resampled, other.resampled)
    if one.resampling.level == "two_way":
        for unit in CLUSTER_UNITS:
            found, expected = getattr(one.moments, unit), getattr(other.moments, unit)
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("level", LEVELS)
@given(data=st.data())
@examples(25)
def test_adding_then_removing_a_judgment_restores_every_bit(
    level: Level, rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    cut = data.draw(st.integers(0, len(blocks)))
    kept, other = blocks.take(slice(0, cut)), blocks.take(slice(cut, None))
    state = state_of(kept, level)
    state.add(other)
    for row in data.draw(st.permutations(range(len(other)))):
        state.remove(other.take([row]))
    assert_same(state, state_of(kept, level))


@pytest.mark.parametrize("level", LEVELS)
@given(data=st.data())
@examples(25)
def test_shards_in_any_order_merge_to_the_whole(
    level: Level, rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    order = data.draw(st.permutations(range(len(blocks))))
    cut = data.draw(st.integers(0, len(blocks)))
    merged = state_of(blocks.take(order[cut:]), level)
    merged.merge(state_of(blocks.take(order[:cut]), level))
    assert_same(merged, state_of(blocks, level))


@pytest.mark.parametrize("level", LEVELS)
def test_one_by_one_and_in_bulk_are_the_same(drawn_blocks: Drawn, level: Level) -> None:
    blocks = drawn_blocks(200)
    state = LiveState(blocks.systems, Resampling(level, seed=3), resamples=20)
    for row in range(len(blocks)):
        state.add(blocks.take([row]))
    assert_same(state, state_of(blocks, level))
    half = state_of(blocks.take(slice(0, 100)), level)
    half.add(blocks.take(slice(100, None)))
    assert_same(half, state)
    np.testing.assert_array_equal(state.tallies.wins, tally(blocks).wins)
    np.testing.assert_array_equal(state.counts().ties, tally(blocks).ties)


RESAMPLED: tuple[Level, ...] = ("pairs", "blocks", "segments", "judges")


@pytest.mark.parametrize("level", RESAMPLED)
@pytest.mark.parametrize("method", ["expected_wins", "geq_others", "lopez", "bradley_terry"])
def test_scores_and_ranges_are_those_of_a_whole_ranking(
    drawn_blocks: Drawn, method: str, level: Level
) -> None:
    blocks = drawn_blocks(120)
    state, resampling = state_of(blocks, level), Resampling(level, seed=3)
    whole = METHODS[method].score_resamples(
        blocks, resampling, range(20), **METHODS[method].defaults
    )
    expected = rank_ranges(whole, confidence=0.9)
    found = state.rank_ranges(method, confidence=0.9)
    np.testing.assert_array_equal(found.low, expected.low)
    np.testing.assert_array_equal(found.high, expected.high)
    np.testing.assert_array_equal(state.scores(method).values, METHODS[method].score(blocks).values)


@pytest.mark.parametrize("method", ["expected_wins", "bojar", "geq_others", "bradley_terry"])
def test_ranges_over_segments_and_judges_are_those_of_a_whole_ranking(method: str) -> None:
    blocks, _truth = draw_campaign(world_named("100 segments"), 4)
    state = LiveState(blocks.systems, Resampling("two_way", seed=3), resamples=200)
    state.add(blocks.take(slice(500, None)))
    state.add(blocks.take(slice(0, 500)))
    found = state.rank_ranges(method)
    expected = rank(blocks, method, seed=3, resamples=200)
    for row in expected.systems:
        index = blocks.systems.index(row.system)
        # A table widens a range that misses the rank itself.
        assert (min(found.low[index], row.rank), max(found.high[index], row.rank)) == (
            row.rank_low,
            row.rank_high,
        )


def test_ties_do_not_change_the_ranges_of_a_method_that_drops_them(drawn_blocks: Drawn) -> None:
    """Only the judges of decided comparisons count, here far fewer than those of all."""
    blocks = drawn_blocks(150)
    labels = blocks.labels.copy()
    labels[(blocks.judge >= 5)[:, np.newaxis] & (labels > 0)] = 1
    blocks = replace(blocks, labels=labels)
    ranges = []
    for ties in (False, True):
        state = LiveState(blocks.systems, Resampling("two_way", seed=3), resamples=400, ties=ties)
        state.add(blocks)
        found = state.rank_ranges("expected_wins")
        ranges.append((found.low.tolist(), found.high.tolist()))
    assert ranges[0] == ranges[1]


def test_few_documents_are_recognised_by_the_comparisons_that_count(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(150)
    document, labels = blocks.segment % 4, blocks.labels.copy()
    labels[(document < 3)[:, np.newaxis] & (labels > 0)] = (
        1  # decided comparisons are of document 3
    )
    blocks = replace(blocks, labels=labels, document=document)
    layout = Layout(len(blocks.systems))
    live = LiveMoments(Layout(len(blocks.systems), ties=True), documents=True)
    live.change(blocks, 1)
    kept = count(blocks, live.layout)
    for wanted in (layout, live.layout):
        found, expected = live.moments(kept, wanted), moments_of_blocks(blocks, wanted)
        assert found.few_documents == expected.few_documents == (wanted == layout)
        for name in ("cells", *CLUSTER_UNITS):
            np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_moments_stay_as_they_were_when_judgments_are_added(drawn_blocks: Drawn) -> None:
    state = state_of(drawn_blocks(50), "two_way")
    moments, expected = state.moments, moments_of_blocks(drawn_blocks(50), state.layout)
    state.add(drawn_blocks(60).take(slice(50, None)))
    for name in ("cells", *CLUSTER_UNITS):
        np.testing.assert_array_equal(getattr(moments, name), getattr(expected, name))


def test_moments_are_those_of_all_judgments(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(150)
    found = state_of(blocks, "two_way").moments
    expected = moments_of_blocks(blocks, Layout(len(blocks.systems), ties=True))
    for name in ("cells", *CLUSTER_UNITS):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


def test_a_method_without_influence_values_has_no_ranges_over_segments_and_judges(
    drawn_blocks: Drawn,
) -> None:
    with pytest.raises(ValueError, match="lopez has no influence values"):
        state_of(drawn_blocks(9), "two_way").rank_ranges("lopez")


def test_blocks_won_outright_are_kept_if_asked_for(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(50)
    state = LiveState(blocks.systems, Resampling("blocks"), resamples=5, outright=True)
    state.add(blocks)
    expected = METHODS["gt_all_in_block"].score(blocks)
    np.testing.assert_array_equal(state.scores("gt_all_in_block").values, expected.values)
    assert len(state.rank_ranges("gt_all_in_block").low) == len(blocks.systems)
    with pytest.raises(ValueError, match="does not keep"):
        state_of(blocks).scores("gt_all_in_block")


def test_a_judgment_that_cannot_be_there_is_not_taken_out(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(3)
    state = LiveState(blocks.systems, resamples=5)
    with pytest.raises(ValueError, match="never added"):
        state.remove(blocks)
    assert_same(state, LiveState(blocks.systems, resamples=5))


def test_the_same_block_judged_again_renumbers_its_own_group_only(drawn_blocks: Drawn) -> None:
    others = [BlockRow("i", 2, ["a", "b", "c"], [1, 2, 3])]
    first = [BlockRow("j", 1, ["a", "b", "c"], [3, 2, 1])]
    again = [*first, BlockRow("j", 1, ["a", "b", "c"], [1, 2, 3])]
    state = state_of(blocks_from_rows([*others, *first], "abc"))
    state.remove(blocks_from_rows(first, "abc"))
    state.add(blocks_from_rows(again, "abc"))
    assert_same(state, state_of(blocks_from_rows([*again, *others], "abc")))


def test_what_does_not_fit_together_is_refused(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(3)
    state = LiveState(blocks.systems, resamples=5)
    with pytest.raises(ValueError, match="other systems"):
        state.add(blocks.without(["anna"]))
    with pytest.raises(ValueError, match="merged"):
        state.merge(LiveState(blocks.systems, resamples=6))
    with pytest.raises(ValueError, match="counts alone"):
        state.scores("trueskill")
    with pytest.raises(ValueError, match="pairs"):
        LiveState(blocks.systems, Resampling("pairs"), outright=True)
    with pytest.raises(ValueError, match="ties"):
        _ = LiveState(blocks.systems, ties=False).tallies


def test_judgments_leave_in_bulk_as_they_came(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(200)
    state = state_of(blocks, "two_way")
    state.remove(blocks.take(slice(80, None)))
    assert_same(state, state_of(blocks.take(slice(0, 80)), "two_way"))
    state.add(blocks.take(slice(80, None)))
    assert_same(state, state_of(blocks, "two_way"))


@pytest.mark.parametrize("count", [2, 60])
def test_judges_are_known_by_name_whatever_their_number(count: int) -> None:
    """In the first shard ben is the second judge, in the other the first."""
    rows = [
        BlockRow(("anna", "ben")[k % 2], k, ["a", "b", "c"], [1 + k % 2, 2, 3])
        for k in range(count)
    ]
    others = [
        BlockRow(("ben", "carl")[k % 2], k, ["a", "b", "c"], [3, 1 + k % 3, 2])
        for k in range(count, 2 * count)
    ]
    state = state_of(blocks_from_rows(rows, "abc"), "two_way")
    state.add(blocks_from_rows(others, "abc"))
    expected = moments_of_blocks(blocks_from_rows(rows + others, "abc"), Layout(3, ties=True))
    for name in ("cells", *CLUSTER_UNITS):
        np.testing.assert_array_equal(getattr(state.moments, name), getattr(expected, name))
