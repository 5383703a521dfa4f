"""Draw HITs one after the other from a recorded state, for planning and for redrawing them."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.hits import DrawnWindow, draw_hit, is_compared
from annotation.sampling.parameters import Checks, DesignKind, DesignParameters
from annotation.sampling.plans import HITPlan, Purpose
from annotation.sampling.state import DrawState
from annotation.sampling.windows import Windows
from campaign.texts.hash_draw import HashDraw


def sample_order(
    segments: Iterable[int],
    *,
    seed: int,
    pair: tuple[str, str],
    judge: str,
) -> list[int]:
    """Return the order in which a judge is asked about the segments of a comparison.

    A sample of m segments consists of the first m. The order depends only on the seed, the
    comparison and the judge's pseudonym: different judges' orders are independent, and omitting
    segments does not change the order of the others.
    """
    draw = HashDraw(seed=seed, number=0, scheme="sample")
    return draw.shuffled(segments, int, *pair, judge)


def sample_window(
    order: Sequence[int],
    *,
    length: int,
    is_compared: Callable[[int], bool],
    around: Collection[int] | None = None,
) -> tuple[int, ...]:
    """Return the next `length` comparable segments of an order, starting with the first of those `around`, if given.

    Empty if none of those `around` can be compared.
    """
    window = tuple(islice(filter(is_compared, order), length))
    if around is None:
        return window
    for first in order:
        if first in around and is_compared(first):
            others = [segment for segment in window if segment != first]
            return (first, *others[: length - 1])
    return ()


@dataclass(slots=True, kw_only=True)
class SegmentQuota:
    """Number of blocks planned and allowed for each segment.

    Attributes
    ----------
    limit : int or None
        `Task.blocks_per_segment`.
    counts : list of int
        Indexed by segment number, from 1; shorter if the last segments have none.
    redundancy : int
        Blocks that a family of HITs adds to each of its segments.
    """

    limit: int | None
    counts: list[int]
    redundancy: int

    @property
    def full(self) -> set[int]:
        """Segments that would exceed the limit with another family of HITs."""
        if self.limit is None:
            return set()
        most = self.limit - self.redundancy
        full = set()
        for number, count in enumerate(self.counts, start=1):
            if count > most:
                full.add(number)
        return full

    def add(self, plan: HITPlan, times: int = 1) -> None:
        """Count the blocks of a HIT, except controls; `times` is -1 to subtract them."""
        for block in plan.blocks:
            if block.control:
                continue
            uncounted = block.segment - len(self.counts)
            self.counts.extend([0] * uncounted)
            self.counts[block.segment - 1] += times

    def allows(self, plan: HITPlan) -> bool:
        """Return whether the quota allows judging the HIT once more."""
        if self.limit is None:
            return True
        for block in plan.blocks:
            if block.control or block.segment > len(self.counts):
                continue
            if self.counts[block.segment - 1] >= self.limit:
                return False
        return True


@dataclass(slots=True, kw_only=True)
class HITDrawer:
    """Draws first HITs; each depends on the HITs before it through `state` and `quota`.

    With `for_one_judge`, HITs do not repeat segments of earlier ones, because no judge is shown a
    segment twice. `checkable` returns the segments that have a damaged reference. With `sample_of`,
    a judge's pseudonym, HITs are drawn from this judge's sample of each comparison of a sort
    instead of windows of consecutive segments.
    """

    parameters: DesignParameters
    windows: Windows
    texts: Mapping[int, SegmentOutputs]
    state: DrawState
    quota: SegmentQuota
    checkable: Callable[[], Sequence[int]]
    avoid: frozenset[int] = frozenset()
    for_one_judge: bool = False
    sample_of: str | None = None

    @property
    def is_all_compared(self) -> bool:
        """True if enough blocks are planned for all open comparisons of a sort; False for other designs."""
        is_sort = self.parameters.kind is DesignKind.SORTING
        return is_sort and not (self.state.blocks_wanted > 0).any()

    def segments_ahead(self, numbers: range, *, turn: int) -> set[int]:
        """Return the segments of the windows from which HITs with these numbers would be drawn, without checks."""
        segments: set[int] = set()
        avoid = self.avoid | self.quota.full
        for later, number in enumerate(numbers):
            window = self.windows.window(
                order=self.parameters.segment_order,
                draw=HashDraw(seed=self.parameters.seed, number=number),
                turn=turn + later,
                avoid=avoid,
            )
            segments.update(window or ())
        return segments

    def first(self, *, number: int, turn: int, checks: Checks) -> HITPlan | None:
        """Draw and return first HIT `number`; None if no segment is left to draw, or a sort has no open comparison.

        The HIT has no blocks if nothing in its window can be ranked or if, with `Checks.SOME`, no
        block can be a check.
        """
        if self.parameters.kind is DesignKind.SORTING and not self.state.comparisons:
            return None
        avoid = self.avoid | self.quota.full
        around = None
        if checks is Checks.SOME:
            around = self.checkable()
        pair = None
        if self.sample_of is not None:
            pair, segments = self._sample(self.sample_of, avoid, around)
        else:
            segments = self.windows.window(
                order=self.parameters.segment_order,
                draw=HashDraw(seed=self.parameters.seed, number=number),
                turn=turn,
                avoid=avoid,
                around=around,
            )
        if segments is None:
            return None
        window = DrawnWindow(
            segments=segments,
            checks=checks,
            pair=pair,
            is_page=self.windows.are_pages,
        )
        plan = draw_hit(
            window,
            number=number,
            parameters=self.parameters,
            texts=self.texts,
            state=self.state,
        )
        plan.why["turn"] = turn
        if self.sample_of is not None:
            plan.why["sample"] = True
        if self.parameters.bad_reference_rate:
            plan.why["checks"] = checks.value
        if checks is Checks.SOME and not plan.holds_check:
            plan = replace(plan, blocks=())
        return plan

    def _sample(
        self,
        judge: str,
        avoid: Collection[int],
        around: Collection[int] | None,
    ) -> tuple[tuple[str, str] | None, tuple[int, ...] | None]:
        """Return the comparison with the most blocks still wanted, and the next segments of a judge's sample of it."""
        free = set(self.windows.segments).difference(avoid)
        for pair, blocks_wanted in self.state.next_comparisons:
            if blocks_wanted <= 0:
                break
            window = sample_window(
                sample_order(free, seed=self.parameters.seed, pair=pair, judge=judge),
                length=min(blocks_wanted, self.parameters.segments_per_hit),
                is_compared=partial(self._is_compared, pair=pair),
                around=around,
            )
            if window:
                return pair, window
        return None, None

    def _is_compared(self, segment: int, *, pair: tuple[str, str]) -> bool:
        return is_compared(self.texts.get(segment), self.parameters, pair)

    def add(self, plan: HITPlan, purpose: Purpose) -> None:
        """Update the draw state with this HIT."""
        self.quota.add(plan)
        self.learn(plan, purpose)

    def learn(self, plan: HITPlan, purpose: Purpose) -> None:
        """Update the draw state with this HIT, whose blocks already count in the quota."""
        if purpose is Purpose.FIRST:
            # Repeats show the same pairs again, so pairs are balanced over first HITs only.
            self.state = self.state.after(plan)
            if self.for_one_judge:
                self.avoid |= {block.segment for block in plan.blocks}

    def remove(self, plan: HITPlan, purpose: Purpose, *, drawn: bool) -> None:
        """Remove an unused HIT from the quota, and from the draw state if it is `drawn`."""
        self.quota.add(plan, -1)
        if drawn and purpose is Purpose.FIRST:
            self.state = self.state.without_hit(plan)
