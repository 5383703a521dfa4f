"""Plans of HITs and their blocks, as drawn and as repeated.

Numbers and steps are counted separately. A HIT's draw depends on its *number*, which is unique
within the task. Its *step* is its place in the schedule of HITs planned for all judges, from 1
within a design. HITs planned for one judge (intra repeats, or because the pool had none for them)
and empty draws take a number but no step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from annotation.sampling.parameters import DesignParameters
from campaign.texts.hash_draw import HashDraw

# Data that explain a draw to organisers, as JSON.
Why: TypeAlias = dict[str, str | int | float | bool | list[int] | list[str]]


# A block with a damaged reference checks attention: the damage is expected to come last.
_DAMAGED = 2
_OTHERS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlan:
    """A segment and its candidates in display order.

    Attributes
    ----------
    segment : int
        Its number in the task.
    candidates : tuple of tuple of int
        For each candidate, the ids of the outputs it stands for, ascending.
    systems : tuple of tuple of str
        For each candidate, the names of the systems of those outputs, in alphabetical order.
    control : tuple of str
        The entry of `systems` that is a damaged reference; empty if there is none.
    why : dict
        Explains the draw to an organiser.
    """

    segment: int
    candidates: tuple[tuple[int, ...], ...]
    systems: tuple[tuple[str, ...], ...]
    control: tuple[str, ...] = ()
    why: Why

    @property
    def ranked(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """The position, from 0, and the systems of each candidate that is not a control."""
        ranked = []
        for position, names in enumerate(self.systems):
            if names != self.control:
                ranked.append((position, names))
        return tuple(ranked)

    @property
    def expected(self) -> list[int] | None:
        """The expected rank of each candidate of a control; None for other blocks."""
        if not self.control:
            return None
        expected = [_OTHERS] * len(self.systems)
        expected[self.systems.index(self.control)] = _DAMAGED
        return expected


@dataclass(frozen=True, slots=True, kw_only=True)
class HITPlan:
    """A HIT as drawn; has no blocks if nothing in its window can be ranked."""

    number: int
    blocks: tuple[BlockPlan, ...]
    why: Why

    @property
    def holds_check(self) -> bool:
        """True if one of the blocks is an attention check."""
        return any(block.control for block in self.blocks)


# Shares are counted in millionths, so that no rounding depends on a machine.
_WHOLE = 1_000_000


class Purpose(StrEnum):
    """Purpose of a planned HIT."""

    FIRST = "first"  # a newly drawn window
    REDUNDANCY = (
        "redundancy"  # a copy for another judge, because every window is judged K times
    )
    INTER = "inter"  # a repeat by another judge, to measure agreement between judges
    INTRA = "intra"  # a repeat by the same judge, to measure self-agreement


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """The HIT that the schedule plans at a step.

    Attributes
    ----------
    purpose : Purpose
        First, redundancy or inter.
    family : int
        Number, from 1, of the design's first HIT that this HIT is or repeats.
    """

    purpose: Purpose
    family: int


def slot(*, parameters: DesignParameters, step: int, inter: int) -> Slot:
    """Return the HIT that the design's schedule plans at a step, after `inter` inter repeats.

    Of the first m steps, `inter_share * m` are inter repeats, or fewer by less than two. Each falls
    in its own stretch of `1 / inter_share` steps, at a place that depends only on the design's
    seed. The other steps are families of a first HIT and its `redundancy - 1` copies. Inter repeats
    are spread evenly over the families: if there are more families than inter repeats, each repeats
    a random one of those begun since the previous inter repeat, and none is repeated twice;
    otherwise all families are repeated equally often, give or take one.
    """
    has_inter = _millionths(parameters.inter_share) > 0
    if has_inter and step >= _inter_step(parameters, inter + 1):
        repeated_family = _inter_family(parameters, inter + 1)
        return Slot(purpose=Purpose.INTER, family=repeated_family)
    family, copy = divmod(step - inter - 1, parameters.redundancy)
    purpose = Purpose.FIRST
    if copy:
        purpose = Purpose.REDUNDANCY
    return Slot(purpose=purpose, family=family + 1)


def _inter_step(parameters: DesignParameters, inter: int) -> int:
    """Return the step of inter repeat number `inter`, by which time the repeated HIT has been lent."""
    share = _millionths(parameters.inter_share)
    before = inter * _WHOLE // share
    until = (inter + 1) * _WHOLE // share
    draw = HashDraw(seed=parameters.seed, number=0)
    return before + 1 + draw.below(until - before, "inter step", inter)


def _inter_family(parameters: DesignParameters, inter: int) -> int:
    """Return the earlier family that inter repeat number `inter` repeats."""
    share = _millionths(parameters.inter_share)
    # Families begun between two inter repeats, as a fraction.
    above = _WHOLE - share
    below = share * parameters.redundancy
    if above < below:
        return -(-inter * above // below)
    before = (inter - 1) * above // below
    until = inter * above // below
    draw = HashDraw(seed=parameters.seed, number=0)
    return before + 1 + draw.below(until - before, "inter", inter)


def _millionths(share: float) -> int:
    return round(share * _WHOLE)


def repeated(plan: HITPlan, *, seed: int, number: int, purpose: Purpose) -> HITPlan:
    """Return a plan with the same segments and candidates, each block in a different order.

    All other orders are equally likely. `seed` is the design's, and `number` the repeat's.
    """
    draw = HashDraw(seed=seed, number=number)
    why: Why = {"purpose": purpose.value, "repeats": plan.number}
    return HITPlan(
        number=number,
        blocks=tuple(_reorder_candidates(block, draw) for block in plan.blocks),
        why=why,
    )


def _reorder_candidates(block: BlockPlan, draw: HashDraw) -> BlockPlan:
    ids_by_systems = dict(zip(block.systems, block.candidates, strict=True))
    before = list(block.systems)
    order = before
    attempt = 0
    while order == before and len(before) > 1:
        order = draw.shuffled(before, tuple, "repeat", block.segment, attempt)
        attempt += 1
    return replace(
        block,
        candidates=tuple(ids_by_systems[names] for names in order),
        systems=tuple(order),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class HITHistoryEntry:
    """A HIT that a judge has done, for a history in the order of lending.

    Attributes
    ----------
    number : int
    repeats : int or None
        Number of the judge's own HIT of which it is an intra repeat.
    repeatable : bool
        Whether it has judgments to compare with: it was submitted, and not all blocks were skipped.
    """

    number: int
    repeats: int | None = None
    repeatable: bool = True


def intra_original(
    history: Sequence[HITHistoryEntry],
    *,
    repeat_gap: int,
    seed: int,
) -> int | None:
    """Return the number of the HIT that a judge's next intra repeat repeats; None if there is none yet.

    At least `repeat_gap` HITs of the judge lie between the two, and since the last repeat of the
    same HIT. HITs repeated least often come first; ties are broken at random.

    Parameters
    ----------
    history : sequence of HITHistoryEntry
        All HITs of the judge, the latest last.
    repeat_gap : int
    seed : int
        Of the design.
    """
    times: dict[int, int] = {}
    for lent in history[: max(0, len(history) - repeat_gap)]:
        if lent.repeats is None and lent.repeatable:
            times[lent.number] = 0
    for position, lent in enumerate(history, start=1):
        if lent.repeats not in times:
            continue
        if len(history) - position < repeat_gap:
            del times[lent.repeats]
        else:
            times[lent.repeats] += 1
    draw = HashDraw(seed=seed, number=0)
    ranks = {}
    for number, repeats in times.items():
        ranks[number] = (repeats, draw.integer("intra", len(history), number))
    return min(ranks, key=ranks.__getitem__, default=None)
