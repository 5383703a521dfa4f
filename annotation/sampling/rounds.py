"""Allot texts to judges who see one text of a segment: every text to so many judges, each system to each alike.

The segments, in an order by chance, are divided into rounds of as many as a HIT holds. With K texts of a
segment, a round has K HITs; HIT k shows of the i-th segment the text k + i, modulo K, so that each text is in
one of them, and no HIT shows much more of one system than of another. A judge is lent one HIT of a round at most,
since all of them show the same segments. Of each HIT there are as many copies as a text has judges.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from annotation.sampling.corpus import DistinctText, SegmentOutputs
from annotation.sampling.parameters import DesignParameters
from annotation.sampling.planning import HITPlanning
from annotation.sampling.plans import BlockPlan, HITPlan
from annotation.sampling.repeats import Purpose
from campaign.texts.hash_draw import HashDraw

#: What copies and passes of a HIT are shown in: an order by chance.
_ORDER: Final = "order of a pass"


def round_count(segments: int, *, size: int) -> int:
    """Return how many rounds there are."""
    return -(-segments // size)


def segments_of_round(
    segments: Sequence[int], *, number: int, size: int, seed: int
) -> tuple[int, ...]:
    """Return the segments of a round, numbered from 1; none after the last."""
    shuffled = HashDraw(seed=seed, number=0).shuffled(segments, int, "rounds")
    return tuple(shuffled[(number - 1) * size : number * size])


def round_drawn(
    window: Sequence[int],
    *,
    number: int,
    texts: Mapping[int, SegmentOutputs],
    parameters: DesignParameters,
) -> list[tuple[BlockPlan, ...]]:
    """Return the blocks of each HIT of a round.

    Parameters
    ----------
    window : sequence of int
        Its segments.
    number : int
        Of the round.
    texts : mapping of int to SegmentOutputs
    parameters : DesignParameters
        References take part unless `reference_rate` is 0.
    """
    draw = HashDraw(seed=parameters.seed, number=number)
    shown = {n: texts[n].taking_part(parameters) for n in window}
    names = sorted({name for each in shown.values() for text in each for name in text.systems})
    place = {name: i for i, name in enumerate(draw.shuffled(names, str, "systems"))}
    ordered = {
        n: sorted(each, key=lambda text: min(place[name] for name in text.systems))
        for n, each in shown.items()
    }
    most = max((len(each) for each in ordered.values()), default=0)
    return [
        tuple(
            _block(n, ordered[n][(k + i) % most], texts[n].words)
            for i, n in enumerate(window)
            if (k + i) % most < len(ordered[n])
        )
        for k in range(most)
    ]


def round_add(
    planning: HITPlanning,
    window: Sequence[int],
    *,
    number: int,
    texts: Mapping[int, SegmentOutputs],
    raters: int,
) -> None:
    """Plan the HITs of round `number`, each for so many judges."""
    seed = planning.parameters.seed
    drawn = round_drawn(window, number=number, texts=texts, parameters=planning.parameters)
    for place, blocks in enumerate(drawn):
        first = first_of_round(
            blocks, hit=planning.number_next(), number=number, place=place, seed=seed
        )
        planning.add(first, Purpose.FIRST, part=1)
        for _copy in range(raters - 1):
            copy = shown_again(
                first, number=planning.number_next(), seed=seed, purpose=Purpose.REDUNDANCY
            )
            planning.add(copy, Purpose.REDUNDANCY, repeats=first.number, part=1)


def first_of_round(
    blocks: Sequence[BlockPlan], *, hit: int, number: int, place: int, seed: int
) -> HITPlan:
    """Return HIT `hit`: that with these blocks, at its place in round `number`."""
    return HITPlan(
        number=hit,
        blocks=in_new_order(blocks, number=hit, seed=seed),
        why={"purpose": Purpose.FIRST.value, "turn": number, "place": place},
    )


def in_new_order(blocks: Sequence[BlockPlan], *, number: int, seed: int) -> tuple[BlockPlan, ...]:
    """Return the blocks of HIT `number` in an order by chance."""
    draw = HashDraw(seed=seed, number=number)
    return tuple(draw.shuffled(blocks, lambda block: block.segment, _ORDER))


def shown_again(plan: HITPlan, *, number: int, seed: int, purpose: Purpose) -> HITPlan:
    """Return a HIT that shows what another one shows, in an order of its own."""
    return HITPlan(
        number=number,
        blocks=in_new_order(plan.blocks, number=number, seed=seed),
        why={"purpose": purpose.value, "repeats": plan.number},
    )


def _block(segment: int, text: DistinctText, words: int) -> BlockPlan:
    return BlockPlan(
        segment=segment,
        candidates=(text.output_ids,),
        systems=(text.systems,),
        why={"words": words},
    )
