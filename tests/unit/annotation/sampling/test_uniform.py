"""The uniform design: what it promises for every test set, seed and number."""

from collections import Counter

from annotation.sampling.hits import DrawnWindow, draw_hit
from annotation.sampling.parameters import DesignKind, DesignParameters, SegmentOrder
from annotation.sampling.state import DrawState
from annotation.sampling.windows import Windows
from campaign.texts.hash_draw import HashDraw
from tests.drawn_texts import blocks_drawn, segment_texts

UNIFORM = DesignParameters(kind=DesignKind.UNIFORM, seed=7)


def test_the_drawn_numbers_are_those_of_the_first_release() -> None:
    """A golden value: HITs that are out there must be drawn the same for ever."""
    draw = HashDraw(seed=2026, number=1)
    assert draw.integer("window") == 1638107424442106225
    assert draw.shuffled("abcdefg", str, "order") == list("ecdafbg")


def test_the_drawn_hits_are_those_of_the_first_release() -> None:
    """Window, systems and order, as the code before the other designs drew them."""
    names = [f"s{place}" for place in range(8)]
    texts = {
        number: segment_texts(
            number,
            {name: "shared" if name in {"s1", "s4", "s6"} else name for name in names},
        )
        for number in range(1, 11)
    }
    windows = Windows([list(range(1, 7)), list(range(7, 11))], length=3)
    shown = {}
    for number in (1, 42):
        draw = HashDraw(seed=7, number=number)
        window = windows.window(order=SegmentOrder.RANDOM, draw=draw, turn=number)
        plan = draw_hit(
            DrawnWindow(segments=window or ()),
            parameters=UNIFORM,
            number=number,
            texts=texts,
            state=DrawState.empty(),
        )
        shown[number] = [
            (block.segment, "".join(names[0][1] for names in block.systems))
            for block in plan.blocks
        ]
    assert shown == {
        1: [(4, "01752"), (5, "73125"), (6, "73102")],
        42: [(4, "21053"), (5, "37251"), (6, "57132")],
    }


def chi_square(counts: Counter[str]) -> float:
    expected = counts.total() / len(counts)
    return sum((count - expected) ** 2 / expected for count in counts.values())


def test_systems_and_positions_come_up_equally_often() -> None:
    """Over 4,000 blocks of 9 systems; the draws are fixed, so the figure is too."""
    texts = {1: segment_texts(1, {f"s{place}": f"text {place}" for place in range(9)})}
    blocks = blocks_drawn(UNIFORM, texts, hits=4000)
    shown = Counter(names[0] for block in blocks for names in block.systems)
    first = Counter(block.systems[0][0] for block in blocks)
    for counts in (shown, first):
        assert len(counts) == 9
        assert (
            chi_square(counts) < 26.1
        )  # the 99.9th percentile with 8 degrees of freedom


def test_a_text_shared_by_many_systems_does_not_stand_higher() -> None:
    texts = {
        1: segment_texts(
            1,
            {f"s{place}": "shared" if place < 5 else f"{place}" for place in range(9)},
        ),
    }
    positions = Counter(
        str(position)
        for block in blocks_drawn(UNIFORM, texts, hits=2000)
        for position, names in enumerate(block.systems)
        if len(names) == 5
    )
    assert len(positions) == 5
    assert chi_square(positions) < 18.5
