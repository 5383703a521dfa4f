"""The ranking without each unit: counts without it are those of all minus its own."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from ranking.core.counting.moments import units_of
from ranking.core.firmness.without_each import LeftOut, without_each
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import counts_method_named
from ranking.core.scores import ordinal_ranks

ROWS = [
    BlockRow("ann", 1, ["a", "b"], [1, 2]),
    BlockRow("ann", 2, ["a", "b"], [1, 2]),
    BlockRow("ann", 3, ["a", "b"], [1, 2]),
    BlockRow("bob", 1, ["a", "b"], [2, 1]),
    BlockRow("bob", 2, ["a", "b"], [2, 1]),
    BlockRow("cyd", 4, ["a", "b"], [1, 1]),
]


def test_hand_worked() -> None:
    blocks = blocks_from_rows(ROWS, "ab")
    found = without_each(
        blocks,
        counts_method_named("expected_wins"),
        blocks.judge,
        blocks.judges,
    )
    assert (found.first, found.second) == ("a", "b")
    assert found.lead == pytest.approx(3 / 5 - 2 / 5)
    # Without ann, a won none of two; without bob, all of three.
    assert [replace(row, lead=None) for row in found.units] == [
        LeftOut("ann", 3, "b", None, (("a", "b"),)),
        LeftOut("cyd", 1, "a", None, ()),
        LeftOut("bob", 2, "a", None, ()),
    ]
    assert [row.lead for row in found.units] == pytest.approx([-1.0, 0.2, 1.0])
    assert [row.unit for row in found.deciding] == ["ann"]


def test_a_unit_of_everything_leaves_no_score() -> None:
    blocks = blocks_from_rows(ROWS[:2], "ab")
    found = without_each(
        blocks,
        counts_method_named("bojar"),
        blocks.judge,
        blocks.judges,
    )
    assert found.units == (LeftOut("ann", 2, None, None, ()),)


def test_nothing_is_ranked() -> None:
    blocks = blocks_from_rows(ROWS[-1:], "ab")
    found = without_each(
        blocks,
        counts_method_named("bojar"),
        blocks.judge,
        blocks.judges,
    )
    assert (found.first, found.second, found.lead) == (None, None, None)
    assert found.units == (LeftOut("cyd", 1, None, None, ()),)


@pytest.mark.parametrize(
    "name",
    ["expected_wins", "geq_others", "gt_all_in_block", "bradley_terry"],
)
@pytest.mark.parametrize("unit", ["judges", "segments"])
def test_leaving_a_unit_out_equals_ranking_the_other_blocks(
    name: str,
    unit: str,
    drawn_blocks: Callable[[int], Blocks],
) -> None:
    blocks, method = drawn_blocks(300), counts_method_named(name)
    numbers = units_of(blocks, unit)  # type: ignore[arg-type]
    found = without_each(
        blocks,
        method,
        numbers,
        {n: str(n) for n in np.unique(numbers).tolist()},
    )
    whole = method.score(blocks)
    assert len(found.units) == len(np.unique(numbers))
    first, second = found.first, found.second
    assert first is not None
    assert second is not None
    a, b = blocks.systems.index(first), blocks.systems.index(second)
    assert ordinal_ranks(whole)[[a, b]].tolist() == [1, 2]
    leads = [row.lead for row in found.units if row.lead is not None]
    assert leads == sorted(leads)
    for row in found.units:
        rest = blocks.take(numbers != int(row.unit))
        scores = method.score(rest)
        assert row.blocks == len(blocks) - len(rest)
        assert row.lead == pytest.approx(scores.values[a] - scores.values[b], abs=1e-7)
        assert row.first == blocks.systems[int(np.nanargmax(scores.values))]
        assert set(row.swapped) == {
            (one, other)
            for i, one in enumerate(blocks.systems)
            for j, other in enumerate(blocks.systems)
            if whole.values[i] > whole.values[j] and scores.values[i] < scores.values[j]
        }
