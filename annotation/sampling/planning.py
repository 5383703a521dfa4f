"""Plan HITs one after the other, from what is known to draw from: for the pool, and to preview them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from annotation.sampling.drawing import HITDrawer, SegmentQuota
from annotation.sampling.parameters import Checks, DesignParameters
from annotation.sampling.plans import HITPlan
from annotation.sampling.repeats import Purpose, repeated


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedHIT:
    """A planned HIT to be stored.

    Attributes
    ----------
    plan : HITPlan
    purpose : Purpose
    family : int or None
        Of the schedule; None for a HIT planned for one judge.
    repeats : int or None
        The number of the first HIT it repeats.
    reserved_for : int or None
        The id of a judge.
    reserved_until : datetime or None
    is_standby : bool
    part : int
        The pass it is of, of a protocol with passes.
    """

    plan: HITPlan
    purpose: Purpose
    family: int | None = None
    repeats: int | None = None
    reserved_for: int | None = None
    reserved_until: datetime | None = None
    is_standby: bool = False
    part: int = 0


class Counters(Protocol):
    """How far a test set is planned: what `HITSequence` counts."""

    last_number: Any
    blocks_planned: Any
    scheduled: Any
    inter_scheduled: Any
    turns: Any


class HITPlanning:
    """Draw HITs one after the other, each depending on the ones before it.

    Attributes
    ----------
    parameters : DesignParameters
    planned : list of PlannedHIT
    quota : SegmentQuota
    withdrawn : frozenset of str
        Names of the systems that are withdrawn: no HIT with one is planned.
    """

    def __init__(
        self,
        *,
        parameters: DesignParameters,
        drawer: HITDrawer,
        withdrawn: frozenset[str],
        counters: Counters,
        blocks_wanted: int | None,
        for_standby: bool = False,
        only_wanted: bool = True,
    ) -> None:
        self.parameters = parameters
        self.planned: list[PlannedHIT] = []
        self.withdrawn = withdrawn
        self._drawer = drawer
        self._counters = counters
        self._blocks_wanted = blocks_wanted
        self._for_standby = for_standby
        # Whether a sort plans no more than it asks for.
        self._only_wanted = only_wanted

    @property
    def quota(self) -> SegmentQuota:
        """How many blocks of each segment are planned."""
        return self._drawer.quota

    @property
    def is_all_planned(self) -> bool:
        """Whether as many blocks are planned as the test set wants, or as a sort asks for now."""
        wanted = self._blocks_wanted
        if self._only_wanted and self._drawer.is_all_compared:
            return True
        return wanted is not None and bool(self._counters.blocks_planned >= wanted)

    def number_next(self) -> int:
        """Return the number of the next HIT; each is given out once."""
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
        """Add this HIT to those to be stored; `fields` are those of `PlannedHIT`."""
        self._drawer.add(plan, purpose)
        self._counters.blocks_planned += sum(not block.control for block in plan.blocks)
        self.planned.append(
            PlannedHIT(plan=plan, purpose=purpose, is_standby=self._for_standby, **fields)
        )

    def copies_add(self) -> None:
        """Add the copies for other judges that the design asks for of the last first HIT."""
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
        """Return whether a HIT shows an output of a system that is withdrawn."""
        return any(
            name in self.withdrawn
            for block in plan.blocks
            for names in block.systems
            for name in names
        )
