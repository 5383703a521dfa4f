"""Plan HITs for everybody: first HITs, their repeats by schedule, and those with attention checks.

Where a design says how often a judge gets a check, both kinds are in stock, as many of either as judges
will be lent, so that both last equally long. Otherwise chance brings checks.
"""

from typing import Final

from annotation.sampling.parameters import Checks
from annotation.sampling.planning import Counters, HITPlanning
from annotation.sampling.plans import HITPlan
from annotation.sampling.repeats import Purpose, Slot, repeated, slot
from campaign.texts.hash_draw import HashDraw

# Consecutive empty draws after which the test set counts as having nothing left to rank.
_EMPTY_DRAWS_ALLOWED: Final = 200


def checks_among(hits: int, attention_every: int) -> int:
    """Return how many of so many HITs hold an attention check, where the design says which do."""
    return -(-hits // attention_every) if attention_every else 0


class MissingHITs:
    """How many HITs a batch is to have yet, with an attention check and without.

    In a design that does not say which judge gets one, chance brings them, and only their sum counts.
    """

    def __init__(
        self, planning: HITPlanning, counters: Counters, *, count: int, checks: int
    ) -> None:
        self._planning, self._counters = planning, counters
        self._count, self._checks = count, checks
        self._seen = self._with_check = 0

    @property
    def is_any(self) -> bool:
        with_check, without = self._left()
        return with_check + without > 0

    def next_kind(self) -> Checks:
        """Return of which kind the next HIT is to be: those with a check are spread over the batch."""
        if not self._planning.parameters.attention_every:
            return Checks.CHANCE
        with_check, without = self._left()
        draw = HashDraw(seed=self._planning.parameters.seed, number=self._counters.last_number + 1)
        is_with = draw.below(with_check + without, "with check") < with_check
        return Checks.SOME if is_with else Checks.NONE

    def give_up(self, kind: Checks) -> None:
        """Plan no more HITs of this kind: none can be drawn."""
        with_check, without = self._left()
        if kind is Checks.SOME:
            self._count, self._checks = self._count - with_check, self._checks - with_check
        else:
            self._count -= without

    def _left(self) -> tuple[int, int]:
        planned = len(self._planning.planned)
        if not self._planning.parameters.attention_every:
            return 0, max(0, self._count - planned)
        self._with_check += sum(
            hit.plan.holds_check for hit in self._planning.planned[self._seen :]
        )
        self._seen = planned
        return (
            max(0, self._checks - self._with_check),
            max(0, self._count - self._checks - (planned - self._with_check)),
        )


class RepeatSchedule:
    """The next HITs of the design's schedule, and the first HITs that they repeat, by family."""

    def __init__(
        self, planning: HITPlanning, counters: Counters, *, firsts: dict[int, HITPlan]
    ) -> None:
        self._planning, self._counters, self._firsts = planning, counters, firsts

    def next_slot(self) -> Slot:
        return slot(
            parameters=self._planning.parameters,
            step=self._counters.scheduled + 1,
            inter=self._counters.inter_scheduled,
        )

    def done(self, wanted: Slot, plan: HITPlan) -> None:
        self._counters.scheduled += 1
        self._firsts[wanted.family] = plan

    def repeat(self, wanted: Slot) -> None:
        """Plan a repeat, or skip its place in the schedule.

        It is skipped if a segment has its quota already, or the first HIT was withdrawn or shows a
        system that is.
        """
        self._counters.scheduled += 1
        self._counters.inter_scheduled += wanted.purpose is Purpose.INTER
        first = self._firsts.get(wanted.family)
        if first is None or not self._planning.quota.allows(first):
            return
        if self._planning.shows_withdrawn(first):
            return
        plan = repeated(
            first,
            seed=self._planning.parameters.seed,
            number=self._planning.number_next(),
            purpose=wanted.purpose,
        )
        self._planning.add(plan, wanted.purpose, family=wanted.family, repeats=first.number)


def hits_schedule(planning: HITPlanning, schedule: RepeatSchedule, missing: MissingHITs) -> None:
    """Plan the next HITs of the schedule until none is missing, or nothing (more) can be ranked."""
    empty_draws = 0
    while missing.is_any and not planning.is_all_planned:
        wanted = schedule.next_slot()
        if wanted.purpose is not Purpose.FIRST:
            schedule.repeat(wanted)
            continue
        kind = missing.next_kind()
        plan = planning.draw(kind)
        if plan is not None and plan.blocks:
            planning.add(plan, Purpose.FIRST, family=wanted.family)
            schedule.done(wanted, plan)
            empty_draws = 0
            continue
        empty_draws += 1
        if plan is None or empty_draws >= _EMPTY_DRAWS_ALLOWED:
            missing.give_up(kind)
            empty_draws = 0
