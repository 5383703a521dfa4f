"""Windows of segments: where they lie, in which order they come, what they avoid."""

from collections import Counter
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.parameters import SegmentOrder
from annotation.sampling.windows import Windows
from campaign.texts.hash_draw import HashDraw

lengths = st.lists(st.integers(1, 12), min_size=1, max_size=5)
draws = st.builds(
    HashDraw,
    seed=st.integers(0, 2**63 - 1),
    number=st.integers(1, 10**6),
)
orders = st.sampled_from(SegmentOrder)
turns = st.integers(1, 1000)


def documents_of(lengths: list[int]) -> list[list[int]]:
    documents, first = [], 1
    for length in lengths:
        documents.append(list(range(first, first + length)))
        first += length
    return documents


@given(lengths, st.integers(1, 6), orders, draws, turns)
def test_a_window_is_consecutive_segments_of_one_document(
    lengths: list[int],
    length: int,
    order: SegmentOrder,
    draw: HashDraw,
    turn: int,
) -> None:
    documents = documents_of(lengths)
    window = Windows(documents, length=length).window(order=order, draw=draw, turn=turn)
    assert window is not None
    home = next(document for document in documents if window[0] in document)
    assert list(window) == home[home.index(window[0]) :][: len(window)]
    if order is SegmentOrder.RANDOM:
        assert len(window) == min(length, len(home))


@given(lengths, st.integers(1, 6), orders, draws, turns, st.sets(st.integers(1, 60)))
def test_a_window_holds_nothing_to_avoid_and_is_full_where_one_is_left(
    lengths: list[int],
    length: int,
    order: SegmentOrder,
    draw: HashDraw,
    turn: int,
    avoid: set[int],
) -> None:
    documents = documents_of(lengths)
    everything = set(chain.from_iterable(documents))
    window = Windows(documents, length=length).window(
        order=order,
        draw=draw,
        turn=turn,
        avoid=avoid,
    )
    if everything <= avoid:
        assert window is None
        return
    assert window is not None
    assert not set(window) & avoid
    assert list(window) == list(range(window[0], window[-1] + 1))
    assert any(set(window) <= set(document) for document in documents)


def test_short_windows_come_only_when_no_full_one_is_left() -> None:
    windows = Windows([list(range(1, 11))], length=3)
    for number in range(1, 200):
        window = windows.window(
            order=SegmentOrder.RANDOM,
            draw=HashDraw(seed=3, number=number),
            turn=number,
            avoid={2, 6, 7, 8, 9},
        )
        assert window == (3, 4, 5)
    lonely = windows.window(
        order=SegmentOrder.RANDOM,
        draw=HashDraw(seed=3, number=1),
        turn=1,
        avoid=set(range(1, 11)) - {4, 5},
    )
    assert lonely == (4, 5)


@given(lengths, st.integers(1, 6), st.integers(1, 3))
def test_sequential_windows_tile_every_document_and_then_start_again(
    lengths: list[int],
    length: int,
    sweeps: int,
) -> None:
    documents = documents_of(lengths)
    windows = Windows(documents, length=length)
    tiles = sum(-(-len(document) // length) for document in documents)
    drawn = [
        windows.window(
            order=SegmentOrder.SEQUENTIAL,
            draw=HashDraw(seed=1, number=9),
            turn=turn,
        )
        for turn in range(1, sweeps * tiles + 1)
    ]
    seen = [segment for window in drawn for segment in window or ()]
    assert seen == sweeps * list(chain.from_iterable(documents))


def test_a_sequence_passes_over_what_it_must_avoid() -> None:
    windows = Windows([list(range(1, 10))], length=3)
    order, draw = SegmentOrder.SEQUENTIAL, HashDraw(seed=1, number=1)
    assert windows.window(order=order, draw=draw, turn=1, avoid={2, 4}) == (7, 8, 9)
    assert windows.window(order=order, draw=draw, turn=1, avoid={2, 4, 8}) == (5, 6)
    assert (
        windows.window(order=order, draw=draw, turn=1, avoid=set(range(1, 10))) is None
    )


def test_segments_on_both_sides_of_one_left_out_are_not_consecutive() -> None:
    windows = Windows([list(range(1, 8))], length=3, only={1, 2, 3, 5, 6, 7})
    drawn = {
        windows.window(
            order=SegmentOrder.RANDOM,
            draw=HashDraw(seed=1, number=number),
            turn=number,
        )
        for number in range(1, 100)
    }
    assert drawn == {(1, 2, 3), (5, 6, 7)}


@pytest.mark.parametrize("avoid", [set[int](), {10}])
def test_all_windows_have_the_same_chance(avoid: set[int]) -> None:
    windows = Windows([list(range(1, 8)), list(range(8, 10)), [10, 11, 12]], length=3)
    count: Counter[tuple[int, ...] | None] = Counter(
        windows.window(
            order=SegmentOrder.RANDOM,
            draw=HashDraw(seed=6, number=number),
            turn=number,
            avoid=avoid,
        )
        for number in range(1, 3001)
    )
    assert len(count) == 7 - bool(avoid)
    expected = 3000 / len(count)
    chi_square = sum((n - expected) ** 2 / expected for n in count.values())
    assert chi_square < 22.5  # the 99.9th percentile with 6 degrees of freedom


def test_without_segments_there_is_no_window() -> None:
    windows = Windows([], length=3)
    draw = HashDraw(seed=1, number=1)
    assert windows.window(order=SegmentOrder.RANDOM, draw=draw, turn=1) is None
    assert windows.window(order=SegmentOrder.SEQUENTIAL, draw=draw, turn=1) is None


@given(lengths, st.integers(1, 10), draws, st.integers(0, 2))
def test_pages_divide_each_document_into_equal_parts(
    lengths: list[int],
    length: int,
    draw: HashDraw,
    turn: int,
) -> None:
    documents = documents_of(lengths)
    windows = Windows(documents, length=length, are_pages=True)
    assert [list(chain.from_iterable(windows.pages))] == [
        list(chain.from_iterable(documents)),
    ]
    for document in documents:
        sizes = [len(page) for page in windows.pages if page[0] in document]
        assert len(sizes) == -(-len(document) // length)
        assert max(sizes) - min(sizes) <= 1
    for order in SegmentOrder:
        assert windows.window(order=order, draw=draw, turn=turn + 1) in windows.pages


def test_every_page_with_a_check_is_equally_likely() -> None:
    windows = Windows(documents_of([2, 9, 5]), length=9, are_pages=True)
    drawn = Counter(
        windows.window(
            order=SegmentOrder.RANDOM,
            draw=HashDraw(seed=1, number=number),
            turn=1,
            around=[1, 3, 12],
        )
        for number in range(300)
    )
    assert set(drawn) == set(windows.pages)
    assert min(drawn.values()) > 70


def test_pages_are_whole_as_long_as_one_is_left() -> None:
    windows = Windows(documents_of([2, 9, 5]), length=9, are_pages=True)
    drawn = {
        windows.window(
            order=SegmentOrder.RANDOM,
            draw=HashDraw(seed=1, number=number),
            turn=1,
            avoid={1, 2, 4},
        )
        for number in range(50)
    }
    assert drawn == {tuple(range(12, 17))}
