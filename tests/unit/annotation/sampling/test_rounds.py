"""Rounds: every text in one HIT of its round, systems met alike, and no segment twice in a HIT."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from annotation.sampling.corpus import OutputKind, SegmentOutputs, SystemOutput
from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.plans import HITPlan, Purpose
from annotation.sampling.rounds import Rounds, round_drawn

PARAMETERS = DesignParameters(
    kind=DesignKind.UNIFORM,
    seed=7,
    systems_per_block=1,
    segments_per_hit=10,
)
SYSTEMS = [f"S{n:02}" for n in range(1, 8)]


def segment(number: int, texts: list[str]) -> SegmentOutputs:
    outputs = tuple(
        SystemOutput(system, 100 * number + place, text, OutputKind.SYSTEM)
        for place, (system, text) in enumerate(zip(SYSTEMS, texts, strict=True))
    )
    return SegmentOutputs(number, 12, outputs)


def all_different(count: int) -> dict[int, SegmentOutputs]:
    return {
        n: segment(n, [f"{n} {system}" for system in SYSTEMS])
        for n in range(1, count + 1)
    }


def test_rounds_contain_every_segment_once() -> None:
    segments = list(range(1, 34))
    rounds = [Rounds(segments=segments, size=10, seed=7).window(n) for n in range(1, 6)]
    assert [len(each) for each in rounds] == [10, 10, 10, 3, 0]
    assert sorted(n for each in rounds for n in each) == segments
    # By chance, not by document.
    assert list(rounds[0]) != segments[:10]


def test_every_text_is_in_one_hit_and_systems_are_balanced() -> None:
    texts = all_different(10)
    hits = round_drawn(range(1, 11), number=1, texts=texts, parameters=PARAMETERS)
    assert len(hits) == len(SYSTEMS)
    shown = Counter(block.candidates for blocks in hits for block in blocks)
    assert len(shown) == 10 * len(SYSTEMS)
    assert set(shown.values()) == {1}
    for blocks in hits:
        assert len({block.segment for block in blocks}) == len(blocks) == 10
        met = Counter(block.systems[0][0] for block in blocks)
        assert set(met) == set(SYSTEMS)
        assert max(met.values()) - min(met.values()) == 1


@pytest.mark.parametrize("seed", range(5))
def test_systems_that_share_texts_share_a_block(seed: int) -> None:
    random = Random(seed)
    texts = {
        n: segment(n, [random.choice("abcde") for _system in SYSTEMS])
        for n in range(1, 11)
    }
    hits = round_drawn(range(1, 11), number=1, texts=texts, parameters=PARAMETERS)
    shown = Counter(
        (block.segment, block.systems) for blocks in hits for block in blocks
    )
    assert set(shown.values()) == {1}
    assert sum(shown.values()) == sum(
        len({output.text for output in each.outputs}) for each in texts.values()
    )
    for blocks in hits:
        assert len({block.segment for block in blocks}) == len(blocks)


def test_a_pass_shows_the_same_in_another_order() -> None:
    [blocks, *_others] = round_drawn(
        range(1, 11),
        number=1,
        texts=all_different(10),
        parameters=PARAMETERS,
    )
    first = HITPlan(number=3, blocks=blocks, why={})
    rounds = Rounds(segments=range(1, 11), size=10, seed=7)
    again = rounds.again(first, hit=90, purpose=Purpose.INTRA)
    assert again.why == {"purpose": "intra", "repeats": 3}
    assert again.blocks != blocks
    assert sorted(again.blocks, key=lambda each: each.segment) == sorted(
        blocks,
        key=lambda each: each.segment,
    )


def read_together(*windows: tuple[int, ...]) -> Rounds:
    return Rounds(
        segments=[number for window in windows for number in window],
        size=1,
        seed=7,
        together=windows,
    )


def test_segments_read_together_are_of_one_system_and_in_order() -> None:
    rounds = read_together((1, 2, 3), (4, 5), (8, 9, 10))
    windows = [rounds.window(number) for number in range(1, 5)]
    assert sorted(windows[:3]) == [(1, 2, 3), (4, 5), (8, 9, 10)]
    assert windows[3] == ()
    texts = all_different(10)
    for number in range(1, 4):
        hits = rounds.drawn(number, texts=texts, parameters=PARAMETERS)
        for blocks in hits:
            assert tuple(block.segment for block in blocks) == rounds.window(number)
            assert len({block.systems for block in blocks}) == 1
        assert sorted(blocks[0].systems[0][0] for blocks in hits) == SYSTEMS
        # By chance, and the same each time.
        assert hits == rounds.drawn(number, texts=texts, parameters=PARAMETERS)
    orders = {
        tuple(
            blocks[0].systems
            for blocks in rounds.drawn(n, texts=texts, parameters=PARAMETERS)
        )
        for n in range(1, 4)
    }
    assert len(orders) == 3
    first = HITPlan(number=3, blocks=hits[0], why={})
    assert rounds.again(first, hit=90, purpose=Purpose.REDUNDANCY).blocks == hits[0]


def test_systems_that_wrote_the_same_throughout_are_read_as_one() -> None:
    same = ["a", "a", "a", "d", "e", "f", "g"]
    other = ["a", "a", "c", "d", "e", "f", "g"]
    texts = {1: segment(1, same), 2: segment(2, other)}
    hits = read_together((1, 2)).drawn(1, texts=texts, parameters=PARAMETERS)
    assert sorted(blocks[0].systems[0] for blocks in hits) == [
        ("S01", "S02"),
        *((name,) for name in SYSTEMS[2:]),
    ]
    [shared] = [blocks for blocks in hits if len(blocks[0].systems[0]) == 2]
    assert [block.candidates for block in shared] == [((100, 101),), ((200, 201),)]


def test_system_without_output_of_a_segment_is_not_read() -> None:
    texts = all_different(2)
    missing = SegmentOutputs(2, 12, texts[2].outputs[1:])
    hits = read_together((1, 2)).drawn(
        1,
        texts={**texts, 2: missing},
        parameters=PARAMETERS,
    )
    assert sorted(blocks[0].systems[0][0] for blocks in hits) == SYSTEMS[1:]


# --- Attention checks ------------------------------------------------------------------------------


def with_damaged(
    texts: dict[int, SegmentOutputs],
    *segments: int,
) -> dict[int, SegmentOutputs]:
    """Give these segments a damaged reference, with the id 100 · segment + 99."""
    return {
        n: SegmentOutputs(
            n,
            12,
            (
                *each.outputs,
                SystemOutput(
                    "damaged",
                    100 * n + 99,
                    f"{n} damaged",
                    OutputKind.BAD_REFERENCE,
                ),
            ),
        )
        if n in segments
        else each
        for n, each in texts.items()
    }


@pytest.mark.parametrize("rate", [0.02, 0.05, 0.1, 0.5, 1.0])
def test_damaged_references_come_on_top_at_their_rate(rate: float) -> None:
    texts = with_damaged(all_different(10), *range(1, 11))
    parameters = replace(PARAMETERS, bad_reference_rate=rate)
    checks = blocks = 0
    for number in range(1, 101):
        hits = round_drawn(
            range(1, 11),
            number=number,
            texts=texts,
            parameters=parameters,
        )
        shown = Counter(
            block.candidates for each in hits for block in each if not block.control
        )
        # All that is there without checks, as often.
        assert len(shown) == 10 * len(SYSTEMS)
        assert set(shown.values()) == {1}
        for each in hits:
            assert len({block.segment for block in each}) == len(each) > 0
        of_hits = [sum(bool(block.control) for block in each) for each in hits]
        assert max(of_hits) - min(of_hits) <= 1
        found = [block for each in hits for block in each if block.control]
        assert {block.control for block in found} <= {("damaged",)}
        assert all(block.why["bad_reference"] == "damaged" for block in found)
        assert all(
            block.candidates == ((100 * block.segment + 99,),) for block in found
        )
        checks += len(found)
        blocks += sum(map(len, hits))
    # At most one of each segment.
    promised = min(rate, 1 / (len(SYSTEMS) + 1))
    assert checks / blocks == pytest.approx(promised, rel=0.1)


def test_no_check_where_no_reference_is_damaged_and_none_without_a_rate() -> None:
    texts = with_damaged(all_different(10), 4)
    window = range(1, 11)
    without = round_drawn(window, number=1, texts=texts, parameters=PARAMETERS)
    assert without == round_drawn(
        window,
        number=1,
        texts=all_different(10),
        parameters=PARAMETERS,
    )
    checked = round_drawn(
        window,
        number=1,
        texts=texts,
        parameters=replace(PARAMETERS, bad_reference_rate=1.0),
    )
    assert [block.segment for each in checked for block in each if block.control] == [4]


@pytest.mark.parametrize("seed", range(5))
def test_checks_go_round_the_hits_where_systems_share_texts(seed: int) -> None:
    random = Random(seed)
    texts = with_damaged(
        {
            n: segment(n, [random.choice("abcde") for _system in SYSTEMS])
            for n in range(1, 11)
        },
        *random.sample(range(1, 11), 6),
    )
    parameters = replace(PARAMETERS, bad_reference_rate=1.0)
    hits = round_drawn(range(1, 11), number=seed, texts=texts, parameters=parameters)
    shown = Counter((block.segment, block.systems) for each in hits for block in each)
    assert set(shown.values()) == {1}
    distinct = sum(
        len({output.text for output in each.outputs}) for each in texts.values()
    )
    assert sum(shown.values()) == distinct
    of_hits = [sum(bool(block.control) for block in each) for each in hits]
    assert sum(of_hits) == 6
    assert max(of_hits) - min(of_hits) <= 1
    for each in hits:
        assert len({block.segment for block in each}) == len(each)
