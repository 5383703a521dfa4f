"""Second moments of counts, beside sums over units by hand."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ranking.core.counting.counts import Layout, count
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    effective_units_by_system,
    moments_of_blocks,
    second_moments,
    unit_counts,
    units_of,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

Drawn = Callable[[int], Blocks]


@pytest.mark.parametrize("outright", [False, True])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("blocks_of_unit", [40, 4000])
def test_moments_are_sums_over_units(
    drawn_blocks: Drawn, *, ties: bool, outright: bool, blocks_of_unit: int
) -> None:
    """By the sparse products and, with many blocks, by the compiled kernel."""
    blocks = drawn_blocks(blocks_of_unit)
    layout = Layout(len(blocks.systems), ties=ties, outright=outright)
    moments = moments_of_blocks(blocks, layout)
    np.testing.assert_array_equal(moments.cells, count(blocks, layout))
    for unit in CLUSTER_UNITS[1:]:
        numbers = units_of(blocks, unit)
        expected = np.zeros((len(layout.used),) * 2, dtype=np.int64)
        for number in np.unique(numbers).tolist():
            cells = count(blocks.take(numbers == number), layout)[layout.used]
            expected += np.outer(cells, cells)
        np.testing.assert_array_equal(getattr(moments, unit), expected)


def test_documents_count_from_the_fewest_on(drawn_blocks: Drawn) -> None:
    blocks, layout = drawn_blocks(40), Layout(6, ties=True)
    blocks = replace(blocks, document=(blocks.segment // 10).astype(np.int32))
    effective = moments_of_blocks(blocks, layout, fewest_documents=0).effective("segments")
    enough = moments_of_blocks(blocks, layout, fewest_documents=effective)
    few = moments_of_blocks(blocks, layout, fewest_documents=np.nextafter(effective, 99))
    assert (enough.few_documents, few.few_documents) == (False, True)
    assert enough.effective("segments") == effective < few.effective("segments")


def test_a_system_takes_part_in_its_own_cells() -> None:
    layout = Layout(3, ties=True, outright=True)
    found = {tuple(np.flatnonzero(column).tolist()) for column in layout.takes_part.T}
    assert found == {(0, 1), (0, 2), (1, 2), (0,), (1,), (2,)}
    assert layout.takes_part.sum() == 2 * (6 + 3) + 9


def test_effective_units_of_each_system_and_of_nobody() -> None:
    """Of a: three segments with 2, 1 and 1 comparisons; of d none."""
    rows = [
        BlockRow("i", 1, ["a", "b", "c"], [1, 2, 3]),
        BlockRow("j", 2, ["a", "b"], [1, 2]),
        BlockRow("j", 3, ["a", "c"], [1, 1]),
    ]
    layout = Layout(4, ties=True)
    moments = moments_of_blocks(blocks_from_rows(rows, "abcd"), layout)
    found = effective_units_by_system(moments, layout, "segments")
    np.testing.assert_allclose(found, [16 / 6, 9 / 5, 9 / 5, 0])
    np.testing.assert_allclose(
        effective_units_by_system(moments, layout, "judges"), [2, 9 / 5, 9 / 5, 0]
    )
    assert moments.effective("segments") == pytest.approx(25 / 11)
    none = moments_of_blocks(blocks_from_rows([], "ab"), Layout(2))
    assert [none.effective(unit) for unit in CLUSTER_UNITS] == [0, 0, 0]


def test_blocks_of_a_unit_need_not_be_beside_each_other(drawn_blocks: Drawn) -> None:
    """More blocks than are counted at a time, of units in no order."""
    blocks = drawn_blocks(2500)
    layout = Layout(len(blocks.systems), ties=True)
    unit = np.random.default_rng(1).integers(0, 400, len(blocks))
    total = unit_counts(blocks, layout, unit).toarray()
    for number in (0, 17, 399):
        expected = count(blocks.take(unit == number), layout)[layout.used]
        np.testing.assert_array_equal(total[:, number], expected)
    np.testing.assert_array_equal(second_moments(blocks, layout, unit), total @ total.T)
