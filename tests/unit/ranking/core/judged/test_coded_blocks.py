"""Judgments as numbers become the blocks that reading them by name gives, by either way."""

import numpy as np
import pytest

from ranking.core.judged.blocks import (
    BlockRow,
    Blocks,
    CandidateSets,
    CodedJudgments,
    blocks_from_rows,
    blocks_of_codes,
    blocks_of_parts,
)

JUDGES = ("zoë", "adam", "eve", "nobody")
NAMES = tuple(f"system {index:02} Ünï" for index in range(26))


def drawn(
    seed: int,
    *,
    systems: int,
    count: int,
) -> tuple[CodedJudgments, list[BlockRow]]:
    """Draw judgments with blanks, collapsed outputs and repeats, as numbers and by name."""
    random = np.random.default_rng(seed)
    sets = CandidateSets(NAMES[:systems])
    parts, rows = [], []
    for _ in range(count):
        shown = random.permutation(systems)[: random.integers(2, systems + 1)]
        cuts = np.flatnonzero(random.random(len(shown) - 1) < 0.7) + 1
        size = np.diff([0, *cuts.tolist(), len(shown)])
        number = sets.numbered(shown[np.newaxis].astype(np.int32), size[np.newaxis])[0]
        label = random.choice([0, 1, 2, 3, 4, 5], len(size))
        judge, segment = int(random.integers(3)), int(random.integers(1, 4))
        parts.append((judge, segment, number, label))
        groups = np.split(shown, cuts)
        rows.append(
            BlockRow(
                judge=JUDGES[judge],
                segment=segment,
                candidates=[[NAMES[one] for one in group.tolist()] for group in groups],
                labels=[one or None for one in label.tolist()],
            ),
        )
    candidate = np.full((count, systems), -1, dtype=np.int32)
    labels = np.zeros((count, systems), dtype=np.int8)
    for row, (_judge, _segment, number, label) in enumerate(parts):
        candidate[row, : len(number)], labels[row, : len(number)] = number, label
    coded = CodedJudgments(
        judge=np.array([part[0] for part in parts], dtype=np.int32),
        judges=JUDGES,
        segment=np.array([part[1] for part in parts], dtype=np.int32),
        candidate=candidate,
        candidates=sets.candidates,
        label=labels,
    )
    return coded, rows


def assert_same(found: Blocks, expected: Blocks) -> None:
    assert (found.systems, found.judges) == (expected.systems, expected.judges)
    for name in ("labels", "candidates", "judge", "segment", "key"):
        one, other = getattr(found, name), getattr(expected, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=name)


@pytest.mark.parametrize(("seed", "systems"), [(1, 2), (2, 3), (3, 9), (4, 26)])
def test_blocks_are_those_read_by_name(seed: int, systems: int) -> None:
    coded, rows = drawn(seed, systems=systems, count=150)
    expected = blocks_from_rows(rows, NAMES)
    assert len(np.unique(expected.key)) == 150
    assert_same(blocks_of_codes(coded, NAMES), expected)


def test_a_candidate_with_another_system_is_not_shown() -> None:
    coded, _rows = drawn(3, systems=4, count=50)
    known = NAMES[:3]
    blocks = blocks_of_codes(coded, known)
    everything = blocks_of_codes(coded, NAMES)
    shared = everything.candidates[:, 3, np.newaxis] == everything.candidates[:, :3]
    expected = np.where(shared, 0, everything.labels[:, :3])
    np.testing.assert_array_equal(blocks.labels, expected)
    np.testing.assert_array_equal(blocks.key, everything.key)


def test_without_judges_leaves_the_others_as_they_are() -> None:
    coded, rows = drawn(5, systems=4, count=60)
    left = [row for row in rows if row.judge != "adam"]
    found = blocks_of_codes(coded, NAMES).without_judges(["adam", "nobody", "unknown"])
    assert_same(found, blocks_from_rows(left, NAMES))


def test_parts_are_those_built_alone_though_they_share_and_repeat_judgments() -> None:
    coded, _rows = drawn(6, systems=4, count=40)
    # A judgment that was revised: the same content, with another label, in either part or both.
    coded = coded.take(np.r_[np.arange(40), 7, 7])
    coded.label[40, :2], coded.label[41, :2] = 1, 2
    parts = [np.r_[np.arange(30), 40], np.arange(5, 42) != 9, slice(3, 41)]
    parts[1] = np.r_[np.zeros(5, dtype=np.bool_), parts[1]]
    # Each of the three without the others: their keys are those of a judgment that is not repeated.
    parts += [np.r_[np.arange(8)], np.r_[np.arange(7), 40], np.r_[np.arange(7), 41]]
    document = coded.segment // 12
    found = blocks_of_parts(coded, parts, NAMES, document=document)
    for blocks, rows in zip(found, parts, strict=True):
        alone = blocks_of_codes(coded.take(rows), NAMES, document=document[rows])
        assert_same(blocks, alone)
        assert len(np.unique(blocks.key)) == len(blocks)
        np.testing.assert_array_equal(blocks.document, document[rows])


def test_no_judgment_gives_no_block() -> None:
    coded, _rows = drawn(1, systems=3, count=5)
    none = coded.take(np.empty(0, dtype=np.int64))
    assert_same(blocks_of_codes(none, NAMES), blocks_from_rows([], NAMES))


def test_sets_of_systems_have_one_number_in_any_order() -> None:
    sets = CandidateSets("abcd")
    system = np.array([[0, 1, 2], [3, 1, 0], [2, 0, 1]], dtype=np.int32)
    size = np.array([[2, 1], [1, 2], [1, 2]])
    assert sets.numbered(system, size).tolist() == [[4, 2], [3, 4], [2, 4]]
    again = sets.numbered(np.array([[2, 1, 0, 3]], dtype=np.int32), np.array([[3, 1]]))
    assert again.tolist() == [[5, 3]]
    assert sets.candidates == [
        ("a",),
        ("b",),
        ("c",),
        ("d",),
        ("a", "b"),
        ("a", "b", "c"),
    ]
