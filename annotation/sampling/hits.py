"""Draw a HIT from nothing but its design, seed and number, and the recorded state."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from annotation.sampling.choosing import (
    BlockOptions,
    Chooser,
    ShownTexts,
    choose_by_chance,
)
from annotation.sampling.corpus import DistinctText, OutputKind, SegmentOutputs
from annotation.sampling.parameters import Checks, DesignKind, DesignParameters
from annotation.sampling.plans import BlockPlan, HITPlan, Purpose, Why
from annotation.sampling.rates import Rate, blocks_at_rate, blocks_by_chance
from annotation.sampling.state import DrawState
from campaign.texts.hash_draw import HashDraw


@dataclass(frozen=True, slots=True, kw_only=True)
class _Segment:
    """A segment that can be ranked, and whether its block gets a reference or a damaged one."""

    number: int
    words: int
    # All texts that may be ranked; of these, those drawn like systems, and those written by a
    # reference.
    texts: tuple[DistinctText, ...]
    systems: tuple[DistinctText, ...]
    references: tuple[DistinctText, ...]
    damaged: tuple[DistinctText, ...]
    # Systems behind `texts`.
    names: frozenset[str]
    with_reference: bool = False
    with_damaged: bool = False
    by_floor: bool = False
    # The two systems that a sort compares on this segment.
    comparison: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnWindow:
    """The segments of a HIT, and how its blocks are drawn from them.

    Attributes
    ----------
    segments : sequence of int
        Segment numbers, from `Windows.window`.
    checks : Checks
        With `SOME`, the HIT has a check unless no segment has a damaged reference.
    pair : (str, str) or None
        The comparison of a sort that the blocks make; by default, the one with the most blocks
        still wanted.
    is_page : bool
        True if blocks show one output each and are read together: they are all of one system.
    """

    segments: Sequence[int]
    checks: Checks = Checks.CHANCE
    pair: tuple[str, str] | None = None
    is_page: bool = False


def draw_hit(
    window: DrawnWindow,
    *,
    number: int,
    parameters: DesignParameters,
    texts: Mapping[int, SegmentOutputs],
    state: DrawState,
) -> HITPlan:
    """Draw the blocks of a first HIT over a window of segments.

    Parameters
    ----------
    window : DrawnWindow
    number : int
        Number of the HIT.
    parameters : DesignParameters
    texts : mapping of int to SegmentOutputs
        Must include the window's segments; a segment without texts gets no block.
    state : DrawState
        The state before this HIT. Uniform draws do not depend on it. For a sort, it must have a
        comparison.

    Returns
    -------
    HITPlan
        Has no blocks if no segment of the window has enough different texts: two, or one if blocks
        show one.
    """
    draw = HashDraw(seed=parameters.seed, number=number)
    segments = []
    for n in window.segments:
        if n in texts:
            segment = _segment(texts[n], parameters)
            if len(segment.systems) >= parameters.fewest_texts:
                segments.append(segment)
    if parameters.kind is DesignKind.SORTING:
        segments = _segments_for_comparison(segments, state, window.pair)
    if window.is_page and segments:
        segments = _segments_of_one_system(segments, parameters, state, draw)
    chooser = None
    if parameters.kind is not DesignKind.UNIFORM:
        names = frozenset().union(*(segment.names for segment in segments))
        chooser = Chooser(state, names, redundancy=parameters.redundancy)
    blocks = []
    for segment in _draw_references_and_checks(
        segments,
        parameters,
        draw,
        number,
        window.checks,
    ):
        block = _block(segment, parameters, chooser, draw)
        if chooser is not None:
            chooser.count(block)
        blocks.append(block)
    why: Why = {
        "purpose": Purpose.FIRST.value,
        "design": parameters.kind.value,
        "window": list(window.segments),
    }
    return HITPlan(number=number, blocks=tuple(blocks), why=why)


def is_compared(
    texts: SegmentOutputs | None,
    parameters: DesignParameters,
    pair: tuple[str, str],
) -> bool:
    """Return whether two participating systems have different texts for a segment."""
    return texts is not None and bool(_differing([_segment(texts, parameters)], pair))


def _segments_for_comparison(
    segments: Sequence[_Segment],
    state: DrawState,
    only: tuple[str, str] | None,
) -> list[_Segment]:
    """Return the segments on which the systems of a comparison differ, each with only their two texts.

    All blocks of a HIT make one comparison: `only`, or the one with the most blocks still wanted.
    There are no more blocks than wanted, if any are.
    """
    for pair, blocks_wanted in state.next_comparisons:
        if only not in {None, pair}:
            continue
        segments_differing = _differing(segments, pair)
        if segments_differing:
            if blocks_wanted > 0:
                return segments_differing[:blocks_wanted]
            return segments_differing
    return []


def _differing(segments: Iterable[_Segment], pair: tuple[str, str]) -> list[_Segment]:
    differing = []
    for segment in segments:
        texts = tuple(
            text for text in segment.systems if not set(pair).isdisjoint(text.systems)
        )
        if len(texts) == len(pair):
            differing.append(
                replace(
                    segment,
                    texts=texts,
                    systems=texts,
                    references=(),
                    comparison=pair,
                ),
            )
    return differing


def _segments_of_one_system(
    segments: Sequence[_Segment],
    parameters: DesignParameters,
    state: DrawState,
    draw: HashDraw,
) -> list[_Segment]:
    """Return the segments, each with only the text of a system that has outputs for all of them, if any.

    Uniform designs draw the system; others take the one that was shown least.
    """
    covering = [_names(segment.systems) for segment in segments]
    names = sorted(frozenset.intersection(*covering))
    if not names:
        return list(segments)
    ranks = {}
    numbers = draw.integers(names, "system of a page")
    covering_state = state.covering(names)
    for name in names:
        times = 0
        if parameters.kind is not DesignKind.UNIFORM:
            system = covering_state.index[name]
            times = int(covering_state.position_counts[system].sum())
        ranks[name] = (times, numbers[name])
    chosen = min(names, key=ranks.__getitem__)
    segments_of_system = []
    for segment in segments:
        systems = tuple(text for text in segment.systems if chosen in text.systems)
        segments_of_system.append(replace(segment, systems=systems))
    return segments_of_system


def _names(texts: Iterable[DistinctText]) -> frozenset[str]:
    names: set[str] = set()
    for text in texts:
        names.update(text.systems)
    return frozenset(names)


def _segment(texts: SegmentOutputs, parameters: DesignParameters) -> _Segment:
    taking_part = texts.taking_part(parameters)
    systems = taking_part
    if parameters.reference_rate is not None:
        systems = tuple(text for text in taking_part if not text.only_reference)
    damaged: tuple[DistinctText, ...] = ()
    if parameters.bad_reference_rate:
        damaged = texts.damaged(parameters.normalisation)
    return _Segment(
        number=texts.number,
        words=texts.words,
        texts=taking_part,
        systems=systems,
        references=tuple(
            text for text in taking_part if OutputKind.REFERENCE in text.kinds
        ),
        damaged=damaged,
        names=_names(taking_part),
    )


def _draw_references_and_checks(
    segments: list[_Segment],
    parameters: DesignParameters,
    draw: HashDraw,
    number: int,
    checks: Checks,
) -> list[_Segment]:
    """Return the segments with the references and checks that this HIT gets at the design's rates."""

    def chosen(count: int, among: list[_Segment], of: Rate) -> set[int]:
        if not count:
            return set()
        order = draw.shuffled(among, attrgetter("number"), of.name)
        return {segment.number for segment in order[:count]}

    def marked(rate: float, among: list[_Segment], blocks: int, of: Rate) -> set[int]:
        count = blocks_at_rate(rate, blocks, of=of, seed=parameters.seed, number=number)
        return chosen(count, among, of)

    m = len(segments)
    damaged = [segment for segment in segments if segment.damaged]
    count = _blocks_with_damaged(parameters, m, draw, checks)
    with_damaged = chosen(count, damaged, Rate.BAD_REFERENCE)
    others = [segment for segment in segments if segment.number not in with_damaged]
    # Blocks without a damaged reference, on average over HITs like this one.
    damaged_on_average = _damaged_on_average(parameters, m, checks)
    expected = m - min(damaged_on_average, len(damaged))
    rate = 0.0
    if expected:
        references = (parameters.reference_rate or 0.0) * m
        rate = min(1.0, references / expected)
    referenced = [segment for segment in others if segment.references]
    with_reference = marked(rate, referenced, len(others), Rate.REFERENCE)
    by_floor: set[int] = set()
    if parameters.kind is DesignKind.ACTIVE:
        by_floor = marked(parameters.active_floor, segments, m, Rate.ACTIVE_FLOOR)
    if not (with_damaged or with_reference or by_floor):
        return segments
    decided = []
    for segment in segments:
        segment_decided = replace(
            segment,
            with_damaged=segment.number in with_damaged,
            with_reference=segment.number in with_reference,
            by_floor=segment.number in by_floor,
        )
        decided.append(segment_decided)
    return decided


def _blocks_with_damaged(
    parameters: DesignParameters,
    blocks: int,
    draw: HashDraw,
    checks: Checks,
) -> int:
    if checks is Checks.NONE:
        return 0
    rate = parameters.bad_reference_rate
    by_chance = blocks_by_chance(rate, blocks, of=Rate.BAD_REFERENCE, draw=draw)
    if checks is Checks.SOME:
        return max(1, by_chance)
    return by_chance


def _damaged_on_average(
    parameters: DesignParameters,
    blocks: int,
    checks: Checks,
) -> float:
    by_rate = parameters.bad_reference_rate * blocks
    if checks is Checks.CHANCE:
        return by_rate
    return max(1.0, by_rate) / max(1, parameters.attention_every)


def _block(
    segment: _Segment,
    parameters: DesignParameters,
    chooser: Chooser | None,
    draw: HashDraw,
) -> BlockPlan:
    free = segment.systems
    reference = None
    control = None
    if segment.with_damaged:
        control = _one_of(segment.damaged, draw, "damaged", segment.number)
        free = tuple(text for text in free if not text.only_reference)
    elif segment.with_reference:
        reference = _one_of(segment.references, draw, "reference", segment.number)
        free = tuple(text for text in free if text is not reference)
    size = parameters.block_size(segment.words)
    # Neither is an extra candidate: a block larger than others of its segment would reveal its
    # content.
    places = min(size, len(segment.systems))
    if reference is not None or control is not None:
        places -= 1
    options = BlockOptions(
        segment=segment.number,
        free=free,
        reference=reference,
        control=control,
        count=min(len(free), places),
    )
    choice = _shown_texts(options, segment, parameters, chooser, draw)
    why: Why = {
        "words": segment.words,
        "size": size,
        "texts": len(segment.systems),
        **choice.why,
    }
    if reference is not None:
        why["reference"] = reference.systems[0]
    systems_of_control: tuple[str, ...] = ()
    if control is not None:
        systems_of_control = control.systems
        why["bad_reference"] = control.systems[0]
    if segment.comparison is not None:
        why["comparison"] = list(segment.comparison)
    return BlockPlan(
        segment=segment.number,
        candidates=tuple(text.output_ids for text in choice.texts),
        systems=tuple(text.systems for text in choice.texts),
        control=systems_of_control,
        why=why,
    )


def _shown_texts(
    options: BlockOptions,
    segment: _Segment,
    parameters: DesignParameters,
    chooser: Chooser | None,
    draw: HashDraw,
) -> ShownTexts:
    if options.control is not None and not options.count and options.reference is None:
        return ShownTexts(texts=(options.control,), why={"chosen": "control"})
    if chooser is None:
        return choose_by_chance(options, draw=draw)
    if parameters.kind is DesignKind.ACTIVE and not segment.by_floor:
        return chooser.active(options, draw=draw)
    return chooser.balanced(options, draw=draw)


def _one_of(
    texts: Sequence[DistinctText],
    draw: HashDraw,
    *purpose: object,
) -> DistinctText:
    return texts[draw.below(len(texts), *purpose)]
