"""Second moments of counts, beside sums over units by hand.

Moments over every kind of unit, and the choice between documents and segments.
"""

from collections.abc import Callable
from dataclasses import fields, replace

import numpy as np
import pytest

from ranking.core.counting.counts import Layout, count
from ranking.core.counting.moments import (
    CLUSTER_UNITS,
    MIN_UNITS,
    Moments,
    all_moments,
    effective_units_by_system,
    moments_of_blocks,
    second_moments,
    sparse_counts_of_units,
    units_of,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

Drawn = Callable[[int], Blocks]


@pytest.mark.parametrize("outright", [False, True])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("blocks_of_unit", [40, 4000])
def test_moments_are_sums_over_units(
    drawn_blocks: Drawn,
    *,
    ties: bool,
    outright: bool,
    blocks_of_unit: int,
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
    effective = moments_of_blocks(blocks, layout, fewest_documents=0).effective(
        "segments",
    )
    enough = moments_of_blocks(blocks, layout, fewest_documents=effective)
    few = moments_of_blocks(
        blocks,
        layout,
        fewest_documents=np.nextafter(effective, 99),
    )
    assert (enough.few_documents, few.few_documents) == (False, True)
    assert enough.effective("segments") == effective < few.effective("segments")


def test_a_system_takes_part_in_its_own_cells() -> None:
    layout = Layout(3, ties=True, outright=True)
    found = {tuple(np.flatnonzero(column).tolist()) for column in layout.takes_part.T}
    assert found == {(0, 1), (0, 2), (1, 2), (0,), (1,), (2,)}
    assert layout.takes_part.sum() == 2 * (6 + 3) + 9


def test_effective_units_of_each_system_and_without_judgments() -> None:
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
        effective_units_by_system(moments, layout, "judges"),
        [2, 9 / 5, 9 / 5, 0],
    )
    assert moments.effective("segments") == pytest.approx(25 / 11)
    none = moments_of_blocks(blocks_from_rows([], "ab"), Layout(2))
    assert [none.effective(unit) for unit in CLUSTER_UNITS] == [0, 0, 0]


def test_blocks_of_a_unit_need_not_be_beside_each_other(drawn_blocks: Drawn) -> None:
    """More blocks than are counted at a time, of units in no order."""
    blocks = drawn_blocks(2500)
    layout = Layout(len(blocks.systems), ties=True)
    unit = np.random.default_rng(1).integers(0, 400, len(blocks))
    total = sparse_counts_of_units(blocks, layout, unit).toarray()
    for number in (0, 17, 399):
        expected = count(blocks.take(unit == number), layout)[layout.used]
        np.testing.assert_array_equal(total[:, number], expected)
    np.testing.assert_array_equal(second_moments(blocks, layout, unit), total @ total.T)


def assert_same(found: Moments, expected: Moments) -> None:
    assert found.few_documents == expected.few_documents
    for name in ("cells", *CLUSTER_UNITS):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("fewest", [0, MIN_UNITS, 99])
@pytest.mark.parametrize("ties", [True, False])
def test_the_chosen_moments_are_those_of_all_blocks(
    drawn_blocks: Drawn,
    ties: bool,
    fewest: float,
) -> None:
    blocks = drawn_blocks(150)
    blocks = replace(blocks, document=blocks.segment % 7)
    layout = Layout(len(blocks.systems), ties=ties)
    found = all_moments(blocks, layout).chosen(
        count(blocks, layout),
        several_documents=True,
        fewest_documents=fewest,
    )
    assert_same(found, moments_of_blocks(blocks, layout, fewest_documents=fewest))


def test_few_documents_are_recognised_by_the_comparisons_that_count(
    drawn_blocks: Drawn,
) -> None:
    blocks = drawn_blocks(150)
    document, labels = blocks.segment % 4, blocks.labels.copy()
    # Decided comparisons are of document 3.
    labels[(document < 3)[:, np.newaxis] & (labels > 0)] = 1
    blocks = replace(blocks, labels=labels, document=document)
    for ties in (False, True):
        layout = Layout(len(blocks.systems), ties=ties)
        found = all_moments(blocks, layout).chosen(
            count(blocks, layout),
            several_documents=True,
        )
        assert_same(found, moments_of_blocks(blocks, layout))
        assert found.few_documents is not ties


def test_a_single_document_does_not_replace_segments(drawn_blocks: Drawn) -> None:
    """It is no few documents either: nobody named any."""
    blocks = drawn_blocks(60)
    layout = Layout(len(blocks.systems))
    named = replace(blocks, document=np.zeros(60, dtype=np.int32))
    for fewest in (0, MIN_UNITS):
        found = all_moments(named, layout).chosen(
            count(blocks, layout),
            several_documents=False,
            fewest_documents=fewest,
        )
        assert_same(found, moments_of_blocks(blocks, layout))


def test_required_number_of_documents_is_enough(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(150)
    blocks = replace(blocks, document=blocks.segment % 7)
    layout = Layout(len(blocks.systems))
    cells, moments = count(blocks, layout), all_moments(blocks, layout)
    of_documents = moments.chosen(cells, several_documents=True, fewest_documents=0)
    effective = of_documents.effective("segments")
    found = moments.chosen(cells, several_documents=True, fewest_documents=effective)
    assert_same(found, of_documents)
    more = float(np.nextafter(effective, np.inf))
    assert moments.chosen(
        cells,
        several_documents=True,
        fewest_documents=more,
    ).few_documents


@pytest.mark.parametrize("layout", [Layout(6), Layout(6, ties=True)])
def test_moments_of_some_systems_are_those_of_the_blocks_without_the_others(
    drawn_blocks: Drawn,
    layout: Layout,
) -> None:
    blocks = drawn_blocks(80)
    blocks = replace(blocks, document=blocks.segment % 7)
    kept = np.array([0, 2, 5])
    fewer = blocks.without([blocks.systems[index] for index in (1, 3, 4)])
    smaller = replace(layout, systems=3)
    found, expected = (
        all_moments(blocks, layout).of_cells(layout.used_of(kept)),
        all_moments(fewer, smaller),
    )
    for field in fields(found):
        np.testing.assert_array_equal(
            getattr(found, field.name),
            getattr(expected, field.name),
        )
    np.testing.assert_array_equal(
        count(blocks, layout)[layout.cells_of(kept)],
        count(fewer, smaller),
    )


def test_the_order_of_memory_is_always_the_same(drawn_blocks: Drawn) -> None:
    """Floats are added in the order of memory: a transposed matrix could change the last bit."""
    layout = Layout(6)
    blocks = drawn_blocks(80)
    found = all_moments(blocks, layout)
    turned = replace(found, segments=np.asfortranarray(found.segments))
    chosen = turned.chosen(count(blocks, layout), several_documents=False)
    assert chosen.segments.flags.c_contiguous
    assert chosen.segments.dtype == np.int64
