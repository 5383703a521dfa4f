"""Moments over every kind of unit, and the choice between documents and segments."""

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
    moments_of_blocks,
)
from ranking.core.judged.blocks import Blocks

Drawn = Callable[[int], Blocks]


def assert_same(found: Moments, expected: Moments) -> None:
    assert found.few_documents == expected.few_documents
    for name in ("cells", *CLUSTER_UNITS):
        np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


@pytest.mark.parametrize("fewest", [0, MIN_UNITS, 99])
@pytest.mark.parametrize("ties", [True, False])
def test_the_chosen_moments_are_those_of_all_blocks(
    drawn_blocks: Drawn, ties: bool, fewest: float
) -> None:
    blocks = drawn_blocks(150)
    blocks = replace(blocks, document=blocks.segment % 7)
    layout = Layout(len(blocks.systems), ties=ties)
    found = all_moments(blocks, layout).chosen(
        count(blocks, layout), several_documents=True, fewest_documents=fewest
    )
    assert_same(found, moments_of_blocks(blocks, layout, fewest_documents=fewest))


def test_few_documents_are_recognised_by_the_comparisons_that_count(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(150)
    document, labels = blocks.segment % 4, blocks.labels.copy()
    # Decided comparisons are of document 3.
    labels[(document < 3)[:, np.newaxis] & (labels > 0)] = 1
    blocks = replace(blocks, labels=labels, document=document)
    for ties in (False, True):
        layout = Layout(len(blocks.systems), ties=ties)
        found = all_moments(blocks, layout).chosen(count(blocks, layout), several_documents=True)
        assert_same(found, moments_of_blocks(blocks, layout))
        assert found.few_documents is not ties


def test_a_single_document_does_not_replace_segments(drawn_blocks: Drawn) -> None:
    """It is no few documents either: nobody named any."""
    blocks = drawn_blocks(60)
    layout = Layout(len(blocks.systems))
    named = replace(blocks, document=np.zeros(60, dtype=np.int32))
    for fewest in (0, MIN_UNITS):
        found = all_moments(named, layout).chosen(
            count(blocks, layout), several_documents=False, fewest_documents=fewest
        )
        assert_same(found, moments_of_blocks(blocks, layout))


def test_as_many_documents_as_are_needed_are_enough(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(150)
    blocks = replace(blocks, document=blocks.segment % 7)
    layout = Layout(len(blocks.systems))
    cells, moments = count(blocks, layout), all_moments(blocks, layout)
    of_documents = moments.chosen(cells, several_documents=True, fewest_documents=0)
    effective = of_documents.effective("segments")
    found = moments.chosen(cells, several_documents=True, fewest_documents=effective)
    assert_same(found, of_documents)
    more = float(np.nextafter(effective, np.inf))
    assert moments.chosen(cells, several_documents=True, fewest_documents=more).few_documents


@pytest.mark.parametrize("layout", [Layout(6), Layout(6, ties=True)])
def test_moments_of_some_systems_are_those_of_the_blocks_without_the_others(
    drawn_blocks: Drawn, layout: Layout
) -> None:
    blocks = drawn_blocks(80)
    blocks = replace(blocks, document=blocks.segment % 7)
    kept = np.array([0, 2, 5])
    fewer = blocks.without([blocks.systems[index] for index in (1, 3, 4)])
    smaller = replace(layout, systems=3)
    found, expected = (
        all_moments(blocks, layout).of_systems(layout, kept),
        all_moments(fewer, smaller),
    )
    for field in fields(found):
        np.testing.assert_array_equal(getattr(found, field.name), getattr(expected, field.name))
    np.testing.assert_array_equal(
        count(blocks, layout)[layout.cells_of(kept)], count(fewer, smaller)
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
