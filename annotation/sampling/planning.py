"""Plan HITs one after the other: first HITs, scheduled repeats, and HITs with attention checks.

If a design sets how often a judge gets a check, HITs with and without one are planned in the
proportion in which they are lent, so that both kinds last equally long. Otherwise, chance decides
which HITs hold checks.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, TypeAlias

from annotation.sampling.drawing import HITDrawer, SegmentQuota
from annotation.sampling.parameters import Checks
from annotation.sampling.plans import HITPlan, Purpose, Slot, repeated, slot
from campaign.texts.hash_draw import HashDraw


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedHIT:
    """A planned HIT to be stored.

    Attributes
    ----------
    plan : HITPlan
    purpose : Purpose
    family : int or None
        Family in the schedule; None if the HIT is planned for one judge.
    repeats : int or None
        Number of the first HIT that it repeats.
    reserved_for : int or None
        The id of a judge.
    reserved_until : datetime or None
    is_standby : bool
    part : int
        Pass, in a protocol with passes.
    """

    plan: HITPlan
    purpose: Purpose
    family: int | None = None
    repeats: int | None = None
    reserved_for: int | None = None
    reserved_until: datetime | None = None
    is_standby: bool = False
    part: int = 0


# A `HITSequence`, which models may not be imported for: last_number, blocks_planned, scheduled …
Counters: TypeAlias = Any


class HITPlanning:
    """Draws HITs one after the other, each depending on those before it.

    Attributes
    ----------
    parameters : DesignParameters
    planned : list of PlannedHIT
    quota : SegmentQuota
    withdrawn : frozenset of str
        Names of withdrawn systems; no HIT with one of them is planned.
    """

    def __init__(
        self,
        *,
        drawer: HITDrawer,
        withdrawn: frozenset[str],
        counters: Counters,
        blocks_wanted: int | None,
        for_standby: bool = False,
        only_wanted: bool = True,
    ) -> None:
        self.parameters = drawer.parameters
        self.planned: list[PlannedHIT] = []
        self.withdrawn = withdrawn
        self._drawer = drawer
        self._counters = counters
        self._blocks_wanted = blocks_wanted
        self._for_standby = for_standby
        # True if a sort plans only the blocks it currently needs.
        self._only_wanted = only_wanted

    @property
    def quota(self) -> SegmentQuota:
        """Number of blocks planned for each segment."""
        return self._drawer.quota

    @property
    def is_all_planned(self) -> bool:
        """True if all blocks of the task's target, or all that a sort currently needs, are planned."""
        target = self._blocks_wanted
        if self._only_wanted and self._drawer.is_all_compared:
            return True
        return target is not None and bool(self._counters.blocks_planned >= target)

    def number_next(self) -> int:
        """Return the number for the next HIT; each number is used once."""
        self._counters.last_number += 1
        return int(self._counters.last_number)

    def draw(self, checks: Checks) -> HITPlan | None:
        """Draw and return the next first HIT; None if no segment is left to draw."""
        turn = self._counters.turns + 1
        plan = self._drawer.first(number=self.number_next(), turn=turn, checks=checks)
        if plan is not None:
            self._counters.turns = turn
        return plan

    def add(self, plan: HITPlan, purpose: Purpose, **fields: Any) -> None:
        """Add this HIT to those to be stored; `fields` are further fields of `PlannedHIT`."""
        self._drawer.add(plan, purpose)
        for block in plan.blocks:
            if not block.control:
                self._counters.blocks_planned += 1
        planned = PlannedHIT(
            plan=plan,
            purpose=purpose,
            is_standby=self._for_standby,
            **fields,
        )
        self.planned.append(planned)

    def copies_add(self) -> None:
        """Add copies of the latest first HIT for other judges, as many as the design requires."""
        first = self.planned[-1].plan
        for _copy in range(self.parameters.redundancy - 1):
            copy = repeated(
                first,
                seed=self.parameters.seed,
                number=self.number_next(),
                purpose=Purpose.REDUNDANCY,
            )
            self.add(copy, Purpose.REDUNDANCY, repeats=first.number)

    def shows_withdrawn(self, plan: HITPlan) -> bool:
        """Return whether a HIT shows an output of a withdrawn system."""
        for block in plan.blocks:
            for names in block.systems:
                if not self.withdrawn.isdisjoint(names):
                    return True
        return False


# Consecutive empty draws after which the task counts as having nothing left to rank.
_EMPTY_DRAWS_ALLOWED: Final = 200


def checks_among(hits: int, attention_every: int) -> int:
    """Return the number of HITs with an attention check among `hits`, for designs that schedule checks."""
    if attention_every:
        return -(-hits // attention_every)
    return 0


class MissingHITs:
    """Number of HITs still missing from a batch, with and without an attention check.

    If the design does not schedule checks, chance decides, and only the total matters.
    """

    def __init__(
        self,
        planning: HITPlanning,
        counters: Counters,
        *,
        count: int,
        checks: int,
    ) -> None:
        self._planning = planning
        self._counters = counters
        self._count = count
        self._checks = checks
        self._hits_counted = self._with_check = 0

    @property
    def is_any(self) -> bool:
        with_check, without = self._hits_left()
        return with_check + without > 0

    def next_kind(self) -> Checks:
        """Return the kind of the next HIT; those with a check are spread over the batch."""
        if not self._planning.parameters.attention_every:
            return Checks.CHANCE
        with_check, without = self._hits_left()
        draw = HashDraw(
            seed=self._planning.parameters.seed,
            number=self._counters.last_number + 1,
        )
        is_with = draw.below(with_check + without, "with check") < with_check
        if is_with:
            return Checks.SOME
        return Checks.NONE

    def give_up(self, kind: Checks) -> None:
        """Plan no more HITs of this kind: none can be drawn."""
        with_check, without = self._hits_left()
        if kind is Checks.SOME:
            self._count = self._count - with_check
            self._checks = self._checks - with_check
        else:
            self._count -= without

    def _hits_left(self) -> tuple[int, int]:
        planned = len(self._planning.planned)
        if not self._planning.parameters.attention_every:
            return 0, max(0, self._count - planned)
        for hit in self._planning.planned[self._hits_counted :]:
            if hit.plan.holds_check:
                self._with_check += 1
        self._hits_counted = planned
        without_check = planned - self._with_check
        checks_left = self._checks - self._with_check
        others_left = self._count - self._checks - without_check
        return max(0, checks_left), max(0, others_left)


class RepeatSchedule:
    """Next HITs of the design's schedule, and the first HITs that they repeat, by family."""

    def __init__(
        self,
        planning: HITPlanning,
        counters: Counters,
        *,
        firsts: dict[int, HITPlan],
    ) -> None:
        self._planning = planning
        self._counters = counters
        self._firsts = firsts

    def next_slot(self) -> Slot:
        return slot(
            parameters=self._planning.parameters,
            step=self._counters.scheduled + 1,
            inter=self._counters.inter_scheduled,
        )

    def record_first(self, next_slot: Slot, plan: HITPlan) -> None:
        self._counters.scheduled += 1
        self._firsts[next_slot.family] = plan

    def repeat(self, next_slot: Slot) -> None:
        """Plan a repeat, or skip its place in the schedule.

        It is skipped if a segment has reached its quota, if the first HIT was withdrawn, or if it
        shows a withdrawn system.
        """
        self._counters.scheduled += 1
        self._counters.inter_scheduled += next_slot.purpose is Purpose.INTER
        first = self._firsts.get(next_slot.family)
        if first is None or not self._planning.quota.allows(first):
            return
        if self._planning.shows_withdrawn(first):
            return
        plan = repeated(
            first,
            seed=self._planning.parameters.seed,
            number=self._planning.number_next(),
            purpose=next_slot.purpose,
        )
        self._planning.add(
            plan,
            next_slot.purpose,
            family=next_slot.family,
            repeats=first.number,
        )


def hits_schedule(
    planning: HITPlanning,
    missing: MissingHITs,
    schedule: RepeatSchedule | None = None,
) -> None:
    """Plan HITs until none is missing, or no more can be ranked.

    These are the next HITs of the schedule or, without a schedule, first HITs with their copies.
    """
    empty_draws = 0
    while missing.is_any and not planning.is_all_planned:
        if schedule is None:
            next_slot = None
        else:
            next_slot = schedule.next_slot()
        is_repeat = next_slot is not None and next_slot.purpose is not Purpose.FIRST
        if schedule is not None and next_slot is not None and is_repeat:
            schedule.repeat(next_slot)
            continue
        kind = missing.next_kind()
        plan = planning.draw(kind)
        if plan is None or not plan.blocks:
            empty_draws += 1
            if plan is None or empty_draws >= _EMPTY_DRAWS_ALLOWED:
                missing.give_up(kind)
                empty_draws = 0
            continue
        empty_draws = 0
        if schedule is None or next_slot is None:
            planning.add(plan, Purpose.FIRST)
            planning.copies_add()
        else:
            planning.add(plan, Purpose.FIRST, family=next_slot.family)
            schedule.record_first(next_slot, plan)
