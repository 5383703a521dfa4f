"""The uniform design: what it promises for every test set, seed and number."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.draw import Draw
from annotation.sampling.uniform import SystemOutput, draw_block, draw_hit, draw_window

texts = st.sampled_from(["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben"])
outputs = st.lists(texts, min_size=1, max_size=9).map(
    lambda drawn: [
        SystemOutput(system=f"system{i}", output_id=100 + i, text=text)
        for i, text in enumerate(drawn)
    ]
)
draws = st.builds(
    Draw, seed=st.integers(0, 2**63 - 1), number=st.integers(min_value=1, max_value=10**6)
)


@given(outputs, st.integers(2, 6), draws)
def test_a_block_shows_different_texts_and_each_stands_for_all_its_systems(
    outputs: list[SystemOutput], size: int, draw: Draw
) -> None:
    block = draw_block(1, outputs, size=size, draw=draw)
    distinct = {output.text for output in outputs}
    if len(distinct) < 2:
        assert block is None
        return
    assert block is not None
    assert len(block.candidates) == min(size, len(distinct))
    text_of = {output.output_id: output.text for output in outputs}
    shown = [{text_of[output_id] for output_id in candidate} for candidate in block.candidates]
    assert all(len(texts) == 1 for texts in shown)
    assert len({next(iter(texts)) for texts in shown}) == len(shown)
    for candidate, texts in zip(block.candidates, shown, strict=True):
        assert {o.output_id for o in outputs if o.text in texts} == set(candidate)


@given(outputs, draws)
def test_a_block_does_not_depend_on_the_order_outputs_come_in(
    outputs: list[SystemOutput], draw: Draw
) -> None:
    assert draw_block(1, outputs[::-1], size=5, draw=draw) == draw_block(
        1, outputs, size=5, draw=draw
    )


@given(st.lists(st.integers(1, 12), min_size=1, max_size=5), st.integers(1, 6), draws)
def test_a_window_is_consecutive_segments_of_one_document(
    lengths: list[int], length: int, draw: Draw
) -> None:
    documents, first = [], 1
    for document_length in lengths:
        documents.append(list(range(first, first + document_length)))
        first += document_length
    window = list(draw_window(documents, length=length, draw=draw))
    home = next(document for document in documents if window[0] in document)
    assert len(window) == min(length, len(home))
    assert window == home[home.index(window[0]) :][: len(window)]


def test_hit_k_can_be_drawn_alone_and_again() -> None:
    outputs = {
        segment: [SystemOutput(f"s{i}", 10 * segment + i, f"text {i}") for i in range(8)]
        for segment in (1, 2, 3)
    }
    first = draw_hit((1, 2, 3), outputs, systems_per_block=5, draw=Draw(seed=7, number=42))
    again = draw_hit((1, 2, 3), outputs, systems_per_block=5, draw=Draw(seed=7, number=42))
    other = draw_hit((1, 2, 3), outputs, systems_per_block=5, draw=Draw(seed=7, number=43))
    assert first == again
    assert first != other


def test_the_drawn_numbers_are_those_of_the_first_release() -> None:
    """A golden value: HITs that are out there must be drawn the same for ever."""
    draw = Draw(seed=2026, number=1)
    assert draw.integer("window") == 1638107424442106225
    assert draw.shuffled("abcdefg", str, "order") == list("ecdafbg")


def test_systems_and_positions_come_up_equally_often() -> None:
    """Chi-square over 4,000 blocks of 9 systems; the draws are fixed, so the figure is too."""
    outputs = [SystemOutput(f"s{i}", i, f"text {i}") for i in range(9)]
    shown: Counter[int] = Counter()
    first: Counter[int] = Counter()
    for number in range(1, 4001):
        block = draw_block(1, outputs, size=5, draw=Draw(seed=1, number=number))
        assert block is not None
        shown.update(candidate[0] for candidate in block.candidates)
        first[block.candidates[0][0]] += 1
    for counts in (shown, first):
        expected = sum(counts.values()) / 9
        chi_square = sum((count - expected) ** 2 / expected for count in counts.values())
        assert chi_square < 26.1  # the 99.9th percentile with 8 degrees of freedom


def test_a_text_shared_by_many_systems_does_not_stand_higher() -> None:
    outputs = [SystemOutput(f"s{i}", i, "shared" if i < 5 else f"own {i}") for i in range(9)]
    positions: Counter[int] = Counter()
    for number in range(1, 2001):
        block = draw_block(1, outputs, size=5, draw=Draw(seed=1, number=number))
        assert block is not None
        for position, candidate in enumerate(block.candidates):
            positions[position] += len(candidate) == 5
    expected = sum(positions.values()) / 5
    assert sum((count - expected) ** 2 / expected for count in positions.values()) < 18.5


def test_a_segment_whose_outputs_are_all_identical_is_never_shown() -> None:
    same = [SystemOutput(f"s{i}", i, "das Gleiche") for i in range(5)]
    other = [SystemOutput(f"s{i}", 10 + i, f"text {i}") for i in range(5)]
    plans = draw_hit(
        (1, 2, 3), {1: same, 2: other}, systems_per_block=5, draw=Draw(seed=1, number=1)
    )
    assert [plan.segment for plan in plans] == [2]


def test_no_document_is_an_error() -> None:
    with pytest.raises(ValueError, match="no document"):
        draw_window([], length=3, draw=Draw(seed=1, number=1))
