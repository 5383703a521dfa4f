"""Comparisons and labels of candidates, beside a plain count block by block."""

from itertools import combinations

import numpy as np
import pytest

from ranking.core.judged import collapsed_candidates
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows, shown_labels
from ranking.core.judged.collapsed_candidates import (
    Pairing,
    collapsed_comparisons,
    collapsed_labels,
)


def drawn(seed: int, *, systems: int) -> Blocks:
    random = np.random.default_rng(seed)
    names = [f"s{index:03}" for index in range(systems)]
    rows = []
    for _ in range(120):
        shown = random.permutation(systems)[: random.integers(2, min(systems, 7) + 1)]
        candidates = [[names[one]] for one in shown.tolist()]
        if len(candidates) > 2 and random.random() < 0.5:
            candidates[1] += candidates.pop()
        labels = [
            label or None for label in random.integers(0, 6, len(candidates)).tolist()
        ]
        rows.append(
            BlockRow(
                f"j{random.integers(4)}",
                int(random.integers(9_000, 9_004)),
                candidates,
                labels,
            ),
        )
    return blocks_from_rows(rows, names).without(names[:1])


def candidates_of(blocks: Blocks, row: int) -> list[tuple[int, tuple[int, ...], int]]:
    """Return position, systems and label of each labelled candidate of a block."""
    found = []
    for position in range(blocks.positions):
        systems = np.flatnonzero(blocks.candidates[row] == position).tolist()
        label = int(blocks.labels[row, systems[0]]) if systems else 0
        if label:
            found.append((position, tuple(systems), label))
    return found


def bits(systems: tuple[int, ...]) -> tuple[int, ...]:
    """Return what sets of systems are in order of."""
    return tuple(int(one in systems) for one in range(200))


@pytest.mark.parametrize("tables", [0, 1 << 16])
@pytest.mark.parametrize("pairing", list(Pairing))
@pytest.mark.parametrize(
    ("seed", "systems"),
    [(1, 3), (2, 20), (3, 64), (4, 65), (5, 150)],
)
def test_comparisons_are_those_of_a_plain_count(
    seed: int,
    systems: int,
    pairing: Pairing,
    tables: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(collapsed_candidates, "_SMALL_TABLE", tables)
    monkeypatch.setattr(collapsed_candidates, "_TABLE_FOR_EACH", 4 if tables else 0)
    blocks = drawn(seed, systems=systems)
    plain = set()
    for row in range(len(blocks)):
        for one, other in combinations(candidates_of(blocks, row), 2):
            first, second = one, other
            if pairing is Pairing.UNORDERED and bits(one[1]) > bits(other[1]):
                first, second = other, one
            item = (int(blocks.segment[row]), bits(first[1]), bits(second[1]))
            plain.add((row, item, 1 + int(np.sign(first[2] - second[2]))))
    items = sorted({item for _row, item, _outcome in plain})
    expected = {(row, items.index(item), outcome) for row, item, outcome in plain}
    found = collapsed_comparisons(blocks, pairing)
    columns = (found.block.tolist(), found.item.tolist(), found.outcome.tolist())
    assert set(zip(*columns, strict=True)) == expected
    assert len(found.block) == len(plain)
    assert found.item_segment.tolist() == [item[0] for item in items]
    assert found.judge.tolist() == blocks.judge[found.block].tolist()


@pytest.mark.parametrize(("seed", "systems"), [(6, 3), (7, 20), (8, 70)])
def test_labels_are_those_of_a_plain_count(seed: int, systems: int) -> None:
    blocks = drawn(seed, systems=systems)
    plain = []
    for row in range(len(blocks)):
        for _position, shown, label in candidates_of(blocks, row):
            plain.append(
                (int(blocks.segment[row]), bits(shown), label, int(blocks.judge[row])),
            )
    items = sorted({one[:2] for one in plain})
    found = collapsed_labels(blocks)
    columns = (found.item.tolist(), found.label.tolist(), found.judge.tolist())
    expected = [(items.index(one[:2]), one[2], one[3]) for one in plain]
    assert list(zip(*columns, strict=True)) == expected
    assert found.item_segment.tolist() == [item[0] for item in items]


def test_labels_by_position_are_those_of_the_candidate_there() -> None:
    blocks = drawn(9, systems=8)
    expected = np.zeros((len(blocks), blocks.positions), dtype=np.int8)
    for row in range(len(blocks)):
        for position, _systems, label in candidates_of(blocks, row):
            expected[row, position] = label
    np.testing.assert_array_equal(shown_labels(blocks), expected)


def test_no_block_has_no_comparison() -> None:
    blocks = drawn(1, systems=3).take([])
    assert collapsed_comparisons(blocks).items == collapsed_labels(blocks).items == 0
