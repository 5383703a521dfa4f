from dataclasses import replace
from itertools import permutations
from math import nan
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.judged.blocks import (
    CONTENT_KEY_VERSION,
    BlockRow,
    Blocks,
    CodedJudgments,
    blocks_from_rows,
    blocks_of_codes,
)

candidates = st.lists(
    st.lists(st.text(max_size=3), max_size=3, unique=True),
    max_size=3,
)
judged = st.tuples(st.integers(0, 2**31 - 1), st.text(max_size=3), candidates)


def key_of(segment: int, judge: str, shown: list[list[str]]) -> int:
    """Return the content key of a judged block."""
    coded = CodedJudgments(
        judge=np.zeros(1, dtype=np.int32),
        judges=(judge,),
        segment=np.array([segment], dtype=np.int32),
        candidate=np.arange(len(shown), dtype=np.int32)[np.newaxis],
        candidates=tuple(map(tuple, shown)),
        label=np.zeros((1, len(shown)), dtype=np.int8),
    )
    return int(blocks_of_codes(coded, []).key[0])


def test_version_1_keys_never_change() -> None:
    # Published ranges hang on these bits. If this fails, raise CONTENT_KEY_VERSION.
    assert CONTENT_KEY_VERSION == 1
    shown = [["jhu"], ["onlineB", "Übersetzer"], ["_ref"]]
    rows = [BlockRow("judge01", 1018, shown, [label, 2, 3]) for label in (1, 2)]
    found = blocks_from_rows(rows, ["jhu", "onlineB", "Übersetzer", "_ref"])
    assert found.key.tolist() == [0x55F185BC47DE8D07, 0x4CA267275F009593]


@given(judged, judged)
def test_different_judgments_have_different_keys(
    one: tuple[int, str, list[list[str]]],
    other: tuple[int, str, list[list[str]]],
) -> None:
    def meaning(judgment: tuple[int, str, list[list[str]]]) -> object:
        segment, judge, shown = judgment
        return segment, judge, [frozenset(systems) for systems in shown]

    same = meaning(one) == meaning(other)
    assert (key_of(*one) == key_of(*other)) is same


@pytest.mark.parametrize(
    "other",
    [
        (2, "j", [["a", "b"], ["c"]]),
        (1, "k", [["a", "b"], ["c"]]),
        (1, "j", [["c"], ["a", "b"]]),
        (1, "j", [["a"], ["b", "c"]]),
        (1, "j", [["a,b"], ["c"]]),
    ],
)
def test_segment_judge_and_outputs_in_shown_order_count(
    other: tuple[int, str, list[list[str]]],
) -> None:
    assert key_of(*other) != key_of(1, "j", [["a", "b"], ["c"]])


def test_the_order_of_systems_within_a_candidate_does_not_count() -> None:
    assert key_of(1, "j", [["b", "a"]]) == key_of(1, "j", [["a", "b"]])


def test_repeated_judgments_are_numbered_by_their_labels_not_by_their_rows() -> None:
    shown = [("a",), ("b", "c")]
    rows = [BlockRow("j", 1, shown, labels) for labels in ([2, 1], [None, 3], [1, 2])]
    by_label = {0: 0xBC59F0D52920F530, 1: 0x3B53229F2C8E4D7D, 2: 0xECC758281529AB85}
    for order in permutations(rows):
        blocks = blocks_from_rows([*order, BlockRow("j", 2, shown, [1, 1])], "abc")
        found = dict(
            zip(blocks.labels[:3, 0].tolist(), blocks.key.tolist(), strict=False),
        )
        assert found == by_label


def test_a_corrected_label_leaves_the_key() -> None:
    one = blocks_from_rows([BlockRow("j", 1, ["a", "b"], [1, 2])], "ab")
    other = blocks_from_rows([BlockRow("j", 1, ["a", "b"], [2, 1])], "ab")
    assert one.key.tolist() == other.key.tolist()


def test_keys_do_not_depend_on_which_systems_are_ranked() -> None:
    rows = [BlockRow("j", 1, ["a", "b"], [1, 2])]
    assert blocks_from_rows(rows, "ab").key == blocks_from_rows(rows, "abcdef").key
    assert np.all(
        blocks_from_rows(rows, "ab").without("a").key
        == blocks_from_rows(rows, "ab").key,
    )


Rows = st.SearchStrategy[list[BlockRow]]

ROWS = [
    BlockRow("zoe", 7, [("b",), ("c", "a")], [2, 1]),
    BlockRow("abe", 3, [("_ref",), ("a",), ("b",)], [1, None, 3]),
]


@pytest.fixture
def blocks() -> Blocks:
    return blocks_from_rows(ROWS, ["c", "b", "a", "_ref"])


def test_columns_hold_what_the_rows_say(blocks: Blocks) -> None:
    assert blocks.systems == ("_ref", "a", "b", "c")
    assert blocks.judges == ("abe", "zoe")
    assert blocks.labels.tolist() == [[0, 1, 2, 1], [1, 0, 3, 0]]
    assert blocks.candidates.tolist() == [[-1, 1, 0, 1], [0, 1, 2, -1]]
    assert blocks.judge.tolist() == [1, 0]
    assert blocks.segment.tolist() == [7, 3]
    assert blocks.positions == 3


def test_no_rows_make_no_blocks() -> None:
    empty = blocks_from_rows([], ["a", "b"])
    assert len(empty) == 0
    assert empty.labels.shape == (0, 2)
    assert empty.positions == 0


def test_leaving_out_the_reference_keeps_blocks_keys_and_positions(
    blocks: Blocks,
) -> None:
    rest = blocks.without(["_ref"])
    assert rest.systems == ("a", "b", "c")
    assert rest.candidates.tolist() == [[1, 0, 1], [1, 2, -1]]
    assert rest.labels.tolist() == [[1, 2, 1], [0, 3, 0]]
    assert rest.key.tolist() == blocks.key.tolist()


def test_a_candidate_keeps_the_systems_that_are_not_left_out(blocks: Blocks) -> None:
    assert blocks.without(["c"]).labels[0].tolist() == [0, 1, 2]


def test_leaving_out_an_unknown_system_is_refused(blocks: Blocks) -> None:
    with pytest.raises(ValueError, match="unknown systems: ref"):
        blocks.without(["ref"])


def test_taking_rows_keeps_their_keys(blocks: Blocks) -> None:
    taken = blocks.take([1])
    assert taken.judges[taken.judge[0]] == "abe"
    assert taken.key.tolist() == [blocks.key[1]]
    assert blocks.take(np.array([False, True])).key.tolist() == taken.key.tolist()
    assert blocks.take(slice(1, None)).key.tolist() == taken.key.tolist()


@given(data=st.data(), random=st.randoms())
def test_the_order_of_rows_only_permutes_the_columns(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    random: Random,
) -> None:
    rows = data.draw(rows_strategy)
    order = list(range(len(rows)))
    random.shuffle(order)
    one = blocks_from_rows(rows, systems)
    other = blocks_from_rows([rows[i] for i in order], reversed(systems))

    def contents(blocks: Blocks) -> list[Any]:
        columns = (
            blocks.key,
            blocks.judge,
            blocks.segment,
            blocks.labels,
            blocks.candidates,
        )
        return sorted(zip(*(column.tolist() for column in columns), strict=True))

    assert contents(one) == contents(other)
    assert len(set(one.key.tolist())) == len(rows)


@given(data=st.data(), left_out=st.sets(st.integers(0, 3)))
def test_leaving_out_judges_is_as_if_they_had_never_judged(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    left_out: set[int],
) -> None:
    """To the last bit: weights by content key, and the order of judges."""
    rows = data.draw(rows_strategy)
    judges = sorted({row.judge for row in rows})
    names = {judges[index] for index in left_out if index < len(judges)} | {"nobody"}

    rest = blocks_from_rows(rows, systems).without_judges(names)

    expected = blocks_from_rows(
        [row for row in rows if row.judge not in names],
        systems,
    )
    assert (rest.systems, rest.judges) == (expected.systems, expected.judges)
    for column in ("labels", "candidates", "judge", "segment", "key"):
        assert getattr(rest, column).tolist() == getattr(expected, column).tolist()


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        (BlockRow("j", 1, [("a",), ("b",)], [1]), "1 labels for 2 candidates"),
        (BlockRow("j", 1, [("a",), ("x",)], [1, 2]), "unknown system 'x'"),
        # As pandas reads a judge who is called NA.
        (
            BlockRow(nan, 1, [("a",), ("b",)], [1, 2]),  # type: ignore[arg-type]
            "the judge nan is not a text; pandas reads",
        ),
        (BlockRow("j", 1, [("a",), ("b", "a")], [1, 2]), "'a' is shown twice"),
        (BlockRow("j", 1, [("a",), ()], [1, 2]), "candidate 2 stands for no system"),
        (BlockRow("j", 1, [("a",), ("b",)], [1, 7]), "label 7 is not between 1 and 5"),
        (BlockRow("j", 1, [("a",), ("b",)], [1, 0]), "label 0 is not between 1 and 5"),
        (BlockRow("j", -1, [("a",), ("b",)], [1, 1]), "segment number -1"),
    ],
)
def test_an_impossible_row_is_refused_with_its_number(
    row: BlockRow,
    problem: str,
) -> None:
    with pytest.raises(ValueError, match=f"^row 3: .*{problem}"):
        blocks_from_rows([*ROWS, row], ["a", "b", "c", "_ref"])


def test_system_that_pandas_read_as_missing_is_refused() -> None:
    """langgenius/dify#42220."""
    systems: list[Any] = ["a", nan]
    with pytest.raises(ValueError, match="the system nan is not a text; pandas reads"):
        blocks_from_rows([], systems)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"systems": ("a", "a", "b", "c")}, "systems: a name occurs twice"),
        ({"judges": ("abe", "abe")}, "judges: a pseudonym occurs twice"),
        (
            {"labels": np.zeros((2, 4), np.int64)},
            "labels: expected an array of int8, got int64",
        ),
        ({"labels": [[0]]}, "labels: expected an array of int8, got list"),
        (
            {"segment": np.zeros(3, np.int32)},
            r"segment: expected shape \(2,\), got \(3,\)",
        ),
        (
            {"judge": np.array([0, 2], np.int32)},
            "judge: row 1 is not an index into judges",
        ),
        (
            {"labels": np.full((2, 4), 6, np.int8)},
            "labels: row 0 is not between 0 and 5",
        ),
        ({"candidates": np.full((2, 4), -2, np.int8)}, "candidates: row 0 is below -1"),
        (
            {"candidates": np.full((2, 4), -1, np.int8)},
            "labels: row 0 labels a system that was",
        ),
        (
            {"candidates": np.zeros((2, 4), np.int8)},
            "labels: row 0 gives candidate 0 two",
        ),
    ],
)
def test_impossible_columns_are_refused(
    blocks: Blocks,
    change: dict[str, Any],
    problem: str,
) -> None:
    with pytest.raises(ValueError, match=problem):
        replace(blocks, **change)
