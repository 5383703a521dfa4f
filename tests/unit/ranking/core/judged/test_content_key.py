from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.judged.blocks import (
    CONTENT_KEY_VERSION,
    BlockRow,
    blocks_from_rows,
    content_key,
    judgment_content,
)

candidates = st.lists(st.lists(st.text(max_size=3), max_size=3, unique=True), max_size=3)
judged = st.tuples(st.integers(0, 2**31 - 1), st.text(max_size=3), candidates)


def test_version_1_keys_never_change() -> None:
    # Published ranges hang on these bits. If this fails, raise CONTENT_KEY_VERSION.
    assert CONTENT_KEY_VERSION == 1
    content = judgment_content(1018, "judge01", [["jhu"], ["onlineB", "Übersetzer"], ["_ref"]])
    assert content_key(content) == 0x55F185BC47DE8D07
    assert content_key(content, 1) == 0x4CA267275F009593


@given(judged, judged)
def test_different_judgments_have_different_contents(
    one: tuple[int, str, list[list[str]]], other: tuple[int, str, list[list[str]]]
) -> None:
    def meaning(judgment: tuple[int, str, list[list[str]]]) -> object:
        segment, judge, shown = judgment
        return segment, judge, [frozenset(systems) for systems in shown]

    same = meaning(one) == meaning(other)
    assert (judgment_content(*one) == judgment_content(*other)) is same


@pytest.mark.parametrize(
    "other",
    [
        judgment_content(2, "j", [["a", "b"], ["c"]]),
        judgment_content(1, "k", [["a", "b"], ["c"]]),
        judgment_content(1, "j", [["c"], ["a", "b"]]),
        judgment_content(1, "j", [["a"], ["b", "c"]]),
        judgment_content(1, "j", [["a,b"], ["c"]]),
    ],
)
def test_segment_judge_and_outputs_in_shown_order_count(other: bytes) -> None:
    assert content_key(other) != content_key(judgment_content(1, "j", [["a", "b"], ["c"]]))


def test_the_order_of_systems_within_a_candidate_does_not_count() -> None:
    assert judgment_content(1, "j", [["b", "a"]]) == judgment_content(1, "j", [["a", "b"]])


def test_repeated_judgments_are_numbered_by_their_labels_not_by_their_rows() -> None:
    shown = [("a",), ("b", "c")]
    rows = [BlockRow("j", 1, shown, labels) for labels in ([2, 1], [None, 3], [1, 2])]
    content = judgment_content(1, "j", shown)
    by_label = {0: content_key(content, 0), 1: content_key(content, 1), 2: content_key(content, 2)}
    for order in permutations(rows):
        blocks = blocks_from_rows([*order, BlockRow("j", 2, shown, [1, 1])], "abc")
        found = dict(zip(blocks.labels[:3, 0].tolist(), blocks.key.tolist(), strict=False))
        assert found == by_label


def test_a_corrected_label_leaves_the_key() -> None:
    one = blocks_from_rows([BlockRow("j", 1, ["a", "b"], [1, 2])], "ab")
    other = blocks_from_rows([BlockRow("j", 1, ["a", "b"], [2, 1])], "ab")
    assert one.key.tolist() == other.key.tolist()


def test_keys_do_not_depend_on_which_systems_are_ranked() -> None:
    rows = [BlockRow("j", 1, ["a", "b"], [1, 2])]
    assert blocks_from_rows(rows, "ab").key == blocks_from_rows(rows, "abcdef").key
    assert np.all(blocks_from_rows(rows, "ab").without("a").key == blocks_from_rows(rows, "ab").key)
