"""Compiled and interpreted counting give the same bits."""

import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting import compiled, resampling_kernel
from ranking.core.counting import kernel as counting_kernel
from ranking.core.counting.counts import Layout, count, counts_of_units
from ranking.core.counting.resampling import bootstrap_counts, generator_states, poisson_thresholds
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from tests.properties import examples

Rows = st.SearchStrategy[list[BlockRow]]
Drawn = Callable[[int], Blocks]
LAYOUTS = [
    Layout(6, ties=ties, outright=outright) for ties in (False, True) for outright in (False, True)
]


@pytest.fixture
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_WORTH_CALLING", sys.maxsize)


@pytest.fixture
def always_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled, "_WORTH_CALLING", 0)


def resampled(blocks: Blocks, layout: Layout, first: int, resamples: int) -> np.ndarray:
    return resampling_kernel.resample_cells(
        blocks.labels,
        blocks.candidates,
        generator_states(blocks.key, seed=9, resamples=resamples, first=first),
        poisson_thresholds(),
        ties=layout.ties,
        outright=layout.outright,
        size=layout.size,
        first_resample=first,
        resamples=resamples,
    ).T


@pytest.mark.usefixtures("interpreted")
@pytest.mark.parametrize("layout", LAYOUTS)
def test_resamples_are_the_same(drawn_blocks: Drawn, layout: Layout) -> None:
    blocks = drawn_blocks(1500)  # more than are counted at a time
    for first, resamples in ((0, 130), (3, 64), (1001, 1)):
        expected = bootstrap_counts(
            blocks, layout, seed=9, first_resample=first, resamples=resamples
        )
        np.testing.assert_array_equal(resampled(blocks, layout, first, resamples), expected)


@pytest.mark.usefixtures("interpreted")
@given(data=st.data())
@examples(40)
def test_counts_are_the_same(
    rows_strategy: Rows, systems: tuple[str, ...], data: st.DataObject
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    weights = np.arange(len(blocks)) % 3
    for layout in LAYOUTS:
        for times in (None, weights):
            found = counting_kernel.cells_of(
                blocks.labels,
                blocks.candidates,
                ties=layout.ties,
                outright=layout.outright,
                weights=times,
            )
            np.testing.assert_array_equal(found, [count(blocks, layout, times)])
        unit = blocks.segment.astype(np.int64) % 4
        found = counting_kernel.cells_of(
            blocks.labels,
            blocks.candidates,
            ties=layout.ties,
            outright=layout.outright,
            unit=unit,
            units=4,
        )
        np.testing.assert_array_equal(found, counts_of_units(blocks, layout, unit, 4))
        np.testing.assert_array_equal(
            found, [count(blocks.take(unit == one), layout) for one in range(4)]
        )


def test_tallies_are_the_same(drawn_blocks: Drawn, request: pytest.FixtureRequest) -> None:
    blocks = drawn_blocks(400)
    request.getfixturevalue("interpreted")
    slow = tally(blocks)
    request.getfixturevalue("always_compiled")
    fast = tally(blocks)
    np.testing.assert_array_equal(fast.wins, slow.wins)
    np.testing.assert_array_equal(fast.ties, slow.ties)


@pytest.mark.usefixtures("always_compiled")
def test_many_judgments_are_counted_in_compiled_code(drawn_blocks: Drawn) -> None:
    blocks, layout = drawn_blocks(100), Layout(6, ties=True)
    np.testing.assert_array_equal(
        bootstrap_counts(blocks, layout, seed=9, resamples=20), resampled(blocks, layout, 0, 20)
    )
