"""Counts of agreement, in shards of segments and without comparisons."""

from dataclasses import replace

import numpy as np
import pytest

from ranking.core.agreement import units as counts
from ranking.core.agreement.units import AgreementCounts, count_agreement
from ranking.core.judged.blocks import Blocks, blocks_from_rows
from tests.some_now import some_now
from tests.unit.ranking.core.agreement.rows_without_units import some_rows


def assert_same(found: AgreementCounts, expected: AgreementCounts) -> None:
    for name in ("segments", "segment", "judge", "counts"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype == np.int64
        np.testing.assert_array_equal(one, other, err_msg=name)
    assert found.shared_items is not None
    assert expected.shared_items is not None
    for name in ("others", "moments"):
        one, other = (getattr(each.shared_items, name) for each in (found, expected))
        np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.mark.parametrize("judges", [1, 2, 5, 12])
@pytest.mark.parametrize("seed", some_now(range(4)))
def test_shards_of_a_segment_or_two_add_up_to_the_same_counts(
    seed: int,
    judges: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    blocks = blocks_from_rows(
        some_rows(seed, judges=judges, segments=7, blocks=90),
        "abcd",
    )
    expected = count_agreement(blocks, shared_items=True)
    monkeypatch.setattr(counts, "_BLOCKS_AT_A_TIME", 16)
    assert_same(count_agreement(blocks, shared_items=True), expected)


def nothing() -> Blocks:
    return blocks_from_rows(some_rows(0), "abcd").take(np.arange(0))


def blank() -> Blocks:
    rows = [replace(row, labels=[None, 1, None]) for row in some_rows(1, blocks=4)]
    return blocks_from_rows(rows, "abcd")


@pytest.mark.parametrize(
    "blocks",
    [nothing(), blank()],
    ids=["no block", "no comparison"],
)
def test_without_comparisons_nothing_is_counted(blocks: Blocks) -> None:
    found = count_agreement(blocks, shared_items=True)
    assert found.counts.shape == (0, 6)
    assert found.shared_items is not None
    assert not found.shared_items.others.any()


def test_shared_items_are_counted_where_asked_for() -> None:
    blocks = blocks_from_rows(some_rows(3), "abcd")
    found = count_agreement(blocks)
    assert found.shared_items is None
    np.testing.assert_array_equal(
        found.counts,
        count_agreement(blocks, shared_items=True).counts,
    )
