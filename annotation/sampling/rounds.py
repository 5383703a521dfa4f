"""Allotment of texts to judges who see one text per segment, with a fixed number of judges per text.

The segments, in random order, are divided into rounds of as many segments as a HIT holds. If
segments have K texts, a round has K HITs; HIT k shows text k + i, modulo K, of the i-th segment, so
that each text is in one HIT, and systems are spread evenly over HITs. A judge is lent at most one
HIT of a round, since all of them show the same segments. Each HIT has as many copies as a text has
judges.

If segments are read together (`Rounds.together`), a round has one such group, in order, and each
HIT shows the whole group in the outputs of one system.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter, itemgetter

from annotation.sampling.corpus import (
    DistinctText,
    SegmentOutputs,
    SystemOutput,
    normalised,
    takes_part,
)
from annotation.sampling.parameters import DesignParameters
from annotation.sampling.planning import HITPlanning
from annotation.sampling.plans import BlockPlan, HITPlan, Purpose, Why
from annotation.sampling.rates import Rate, blocks_by_chance
from campaign.texts.hash_draw import HashDraw


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """The rounds of a task, numbered from 1.

    Attributes
    ----------
    segments : sequence of int
        Segment numbers.
    size : int
        Number of segments in a round.
    seed : int
    together : sequence of sequence of int, optional
        Disjoint groups of segments that are read together, in outputs of one system. If None,
        rounds are drawn at random.
    """

    segments: Sequence[int]
    size: int
    seed: int
    together: Sequence[Sequence[int]] | None = None

    @property
    def are_of_one_system(self) -> bool:
        """True if each HIT shows outputs of one system."""
        return self.together is not None

    def window(self, number: int) -> tuple[int, ...]:
        """Return the segments of round `number`; none after the last round."""
        draw = HashDraw(seed=self.seed, number=0)
        if self.together is None:
            shuffled = draw.shuffled(self.segments, int, "rounds")
            return tuple(shuffled[(number - 1) * self.size : number * self.size])
        windows = draw.shuffled(self.together, itemgetter(0), "rounds")
        if number <= len(windows):
            return tuple(windows[number - 1])
        return ()

    def drawn(
        self,
        number: int,
        *,
        texts: Mapping[int, SegmentOutputs],
        parameters: DesignParameters,
    ) -> list[tuple[BlockPlan, ...]]:
        """Return the blocks of each HIT of round `number`."""
        if self.are_of_one_system:
            draw = systems_drawn
        else:
            draw = round_drawn
        return draw(
            self.window(number),
            number=number,
            texts=texts,
            parameters=parameters,
        )

    def add(
        self,
        planning: HITPlanning,
        number: int,
        *,
        texts: Mapping[int, SegmentOutputs],
        raters: int,
        passes: int = 1,
    ) -> bool:
        """Plan the HITs of round `number` for `raters` judges each; return whether the round exists.

        If later passes are by other judges, `passes` counts all of them; they are planned together, for
        the same number of judges each.
        """
        if not self.window(number):
            return False
        drawn = self.drawn(number, texts=texts, parameters=planning.parameters)
        firsts = []
        for position, blocks in enumerate(drawn):
            first = self.first(
                blocks,
                hit=planning.number_next(),
                number=number,
                position=position,
            )
            planning.add(first, Purpose.FIRST, part=1)
            for _copy in range(raters - 1):
                copy = self.again(
                    first,
                    hit=planning.number_next(),
                    purpose=Purpose.REDUNDANCY,
                )
                planning.add(copy, Purpose.REDUNDANCY, repeats=first.number, part=1)
            firsts.append(first)
        for part in range(2, passes + 1):
            for first in firsts:
                for _copy in range(raters):
                    copy = self.again(
                        first,
                        hit=planning.number_next(),
                        purpose=Purpose.REDUNDANCY,
                    )
                    planning.add(
                        copy,
                        Purpose.REDUNDANCY,
                        repeats=first.number,
                        part=part,
                    )
        return True

    def first(
        self,
        blocks: Sequence[BlockPlan],
        *,
        hit: int,
        number: int,
        position: int,
    ) -> HITPlan:
        """Return HIT `hit` with these blocks, at the given place in round `number`."""
        return HITPlan(
            number=hit,
            blocks=self._blocks_in_pass_order(blocks, hit),
            why={"purpose": Purpose.FIRST.value, "turn": number, "place": position},
        )

    def again(self, plan: HITPlan, *, hit: int, purpose: Purpose) -> HITPlan:
        """Return HIT `hit`, which shows another HIT's blocks, in a new order unless the texts are read in sequence."""
        return HITPlan(
            number=hit,
            blocks=self._blocks_in_pass_order(plan.blocks, hit),
            why={"purpose": purpose.value, "repeats": plan.number},
        )

    def _blocks_in_pass_order(
        self,
        blocks: Sequence[BlockPlan],
        hit: int,
    ) -> tuple[BlockPlan, ...]:
        if self.are_of_one_system:
            return tuple(blocks)
        draw = HashDraw(seed=self.seed, number=hit)
        return tuple(draw.shuffled(blocks, attrgetter("segment"), "order of a pass"))


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
        References take part unless `reference_rate` is 0. Damaged ones are additional texts of their segments, so that
        there are checks at `bad_reference_rate` and no text loses judges to them.
    """
    draw = HashDraw(seed=parameters.seed, number=number)
    texts_by_segment = {n: texts[n].taking_part(parameters) for n in window}
    damaged = damaged_of_round(
        window,
        number=number,
        texts=texts,
        parameters=parameters,
        texts_by_segment=texts_by_segment,
    )
    names: set[str] = set()
    most = 0
    for n, segment_texts in texts_by_segment.items():
        for text in segment_texts:
            names.update(text.systems)
        most = max(most, len(segment_texts) + (n in damaged))
    order = draw.shuffled(sorted(names), str, "systems")
    rank = {name: i for i, name in enumerate(order)}
    # Checks are dealt to the HITs in turn, from a random start, so that their numbers differ by at
    # most one.
    check_hits = {}
    if damaged:
        first = draw.below(most, "first check")
        for j, n in enumerate(damaged):
            check_hits[n] = (first + j) % most
    hits: list[list[BlockPlan]] = [[] for _hit in range(most)]
    for i, n in enumerate(window):
        ordered = sorted(texts_by_segment[n], key=partial(_first_rank, rank))
        turn: list[DistinctText | None] = [*ordered]
        turn += [None] * (most - len(turn))
        if n in damaged:
            turn.insert((check_hits[n] + i) % most, damaged[n])
        for k, hit in enumerate(hits):
            text_or_none = turn[(k + i) % most]
            if text_or_none is not None:
                control = damaged.get(n)
                hit.append(_block(n, text_or_none, texts[n].words, control=control))
    return [tuple(hit) for hit in hits]


def _first_rank(rank: Mapping[str, int], text: DistinctText) -> int:
    return min(rank[name] for name in text.systems)


def damaged_of_round(
    window: Sequence[int],
    *,
    number: int,
    texts: Mapping[int, SegmentOutputs],
    parameters: DesignParameters,
    texts_by_segment: Mapping[int, Sequence[DistinctText]],
) -> dict[int, DistinctText]:
    """Return the damaged references for attention checks in a round, by segment; chance selects the segments.

    Parameters
    ----------
    window, number, texts, parameters
        As of `round_drawn`.
    texts_by_segment : mapping of int to sequence of DistinctText
        The other texts of each segment, each of which gets a block.
    """
    rate = parameters.bad_reference_rate
    if not rate:
        return {}
    draw = HashDraw(seed=parameters.seed, number=number)
    candidates = {}
    # Number of blocks in the round, excluding checks.
    blocks = 0
    for n in window:
        blocks += len(texts_by_segment[n])
        damaged_texts = texts[n].damaged(parameters.normalisation)
        if damaged_texts:
            candidates[n] = damaged_texts
    segments = draw.shuffled(candidates, int, "damaged")
    checks = blocks_by_chance(
        checks_for_each_block(rate),
        blocks,
        of=Rate.BAD_REFERENCE,
        draw=draw,
    )
    damaged = {}
    for n in sorted(segments[:checks]):
        number = draw.below(len(candidates[n]), "damaged", n)
        damaged[n] = candidates[n][number]
    return damaged


def checks_for_each_block(rate: float) -> float:
    """Return the number of checks per block without one, for a rate among all blocks; at most 1."""
    if rate < 1:
        return min(1.0, rate / (1 - rate))
    return 1.0


def systems_drawn(
    window: Sequence[int],
    *,
    number: int,
    texts: Mapping[int, SegmentOutputs],
    parameters: DesignParameters,
) -> list[tuple[BlockPlan, ...]]:
    """Return the blocks of each HIT of a round whose segments are read together.

    There is a HIT for each system, in random order; systems whose outputs are the same in all of the segments share
    one. Systems that lack an output for one of the segments take no part.

    Parameters
    ----------
    window : sequence of int
        Its segments, in the order in which they are read.
    number : int
        Of the round.
    texts : mapping of int to SegmentOutputs
    parameters : DesignParameters
        References take part unless `reference_rate` is 0. If systems are chosen, only these take
        part.
    """
    outputs_by_segment: dict[int, dict[str, SystemOutput]] = {}
    for segment in window:
        outputs = {}
        for output in texts[segment].outputs:
            if takes_part(output, parameters):
                outputs[output.system] = output
        outputs_by_segment[segment] = outputs
    complete = set.intersection(*map(set, outputs_by_segment.values()))
    sharing: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(complete):
        texts_read = []
        for outputs in outputs_by_segment.values():
            text = outputs[name].text
            texts_read.append(normalised(text, parameters.normalisation))
        sharing.setdefault(tuple(texts_read), []).append(name)
    draw = HashDraw(seed=parameters.seed, number=number)
    hits = []
    for names in draw.shuffled(sharing.values(), itemgetter(0), "systems"):
        blocks = []
        for segment, outputs in outputs_by_segment.items():
            ids = sorted(outputs[name].output_id for name in names)
            block = BlockPlan(
                segment=segment,
                candidates=(tuple(ids),),
                systems=(tuple(names),),
                why={"words": texts[segment].words},
            )
            blocks.append(block)
        hits.append(tuple(blocks))
    return hits


def _block(
    segment: int,
    text: DistinctText,
    words: int,
    *,
    control: DistinctText | None,
) -> BlockPlan:
    block = BlockPlan(
        segment=segment,
        candidates=(text.output_ids,),
        systems=(text.systems,),
        why={"words": words},
    )
    if text is not control:
        return block
    why: Why = {"words": words, "bad_reference": text.systems[0]}
    return replace(block, control=text.systems, why=why)
