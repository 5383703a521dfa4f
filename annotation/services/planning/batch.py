"""Plan HITs in one transaction, under the lock of a test set's `HITSequence`."""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db.models.functions import Now

from annotation.models import HIT, Design, HITSequence, PlanningBatch, SamplingState
from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.parameters import Checks
from annotation.sampling.plans import HITPlan
from annotation.sampling.repeats import Purpose, repeated
from annotation.sampling.state import DrawState
from annotation.selectors.corpus import TestSetTexts, texts_without, windows_of
from annotation.selectors.designs import design_in_force
from annotation.selectors.planned import plans_read
from annotation.services.planning.drawing import HITDrawer, SegmentQuota
from annotation.services.planning.storage import PlannedHIT, hits_store
from campaign.models import TestSet


class PlanningTransaction:
    """Draw HITs one after the other, each depending on the ones before it; store them at once.

    Attributes
    ----------
    sequence : HITSequence
        Locked; written by `store`.
    planned : list of PlannedHIT
    has_withdrawn : bool
        Whether a HIT was withdrawn. Then no further HIT may be drawn: it would not follow from what is
        recorded.
    stored_ids : dict of int to int
        Row ids of first HITs by number, for the HITs that repeat them.
    now : datetime
        By the database's clock.

    HITs that are planned `for_standby` count as planned blocks, but draws do not learn of them before
    they are lent (`lent_from_standby`): most never are.
    """

    def __init__(
        self,
        *,
        test_set: TestSet,
        design: Design,
        sequence: HITSequence,
        now: datetime,
        texts: TestSetTexts | None = None,
        judge_id: int | None = None,
        avoid: Collection[int] = (),
        hide: Collection[str] = (),
        for_standby: bool = False,
    ) -> None:
        self.test_set, self.design, self.sequence, self.now = test_set, design, sequence, now
        self._for_standby = for_standby
        self._turns_before = sequence.turns
        self.parameters = design.parameters
        self.planned: list[PlannedHIT] = []
        self.has_withdrawn = False
        self.stored_ids: dict[int, int] = {}
        self._texts = TestSetTexts(test_set, at=now) if texts is None else texts
        self.quota = SegmentQuota(
            limit=test_set.blocks_per_segment,
            counts=list(sequence.segment_blocks),
            redundancy=self.parameters.redundancy,
        )
        self._batch = PlanningBatch(
            test_set=test_set,
            design=design,
            judge_id=judge_id,
            avoided=sorted(avoid),
            hidden=sorted(hide),
            segment_blocks=[] if self.quota.limit is None else list(sequence.segment_blocks),
            segment_limit=self.quota.limit,
            state=self._state().to_json(),
            # Damaged references are those approved then; see `hit_redraw`.
            created_at=self._texts.at or now,
        )
        shown: Mapping[int, SegmentOutputs] = texts_without(
            self._texts, hide, self.parameters.normalisation
        )
        self._drawer = HITDrawer(
            parameters=self.parameters,
            windows=windows_of(test_set, design),
            texts=shown,
            state=DrawState.from_json(self._batch.state),
            quota=self.quota,
            checkable=lambda: self._texts.checkable,
            avoid=avoid,
            for_one_judge=judge_id is not None,
        )

    @classmethod
    def locked(cls, test_set_id: int, **fields: Any) -> "PlanningTransaction":
        """Lock the test set's `HITSequence` until the commit and read what draws depend on."""
        test_set = TestSet.objects.get(pk=test_set_id)
        HITSequence.objects.get_or_create(test_set=test_set)
        sequence = (
            HITSequence.objects.select_for_update().annotate(now=Now()).get(test_set=test_set)
        )
        design = design_in_force(test_set_id=test_set_id)
        if design is None:
            raise Design.DoesNotExist(f"Test set {test_set_id} has no design to draw HITs by.")
        if sequence.design_id != design.pk:
            # Each design begins its schedule anew.
            sequence.design = design
            sequence.scheduled = sequence.inter_scheduled = sequence.turns = 0
        return cls(test_set=test_set, design=design, sequence=sequence, now=sequence.now, **fields)

    @property
    def is_all_planned(self) -> bool:
        """Whether as many blocks are planned as the test set wants."""
        wanted = self.test_set.blocks_wanted
        return wanted is not None and self.sequence.blocks_planned >= wanted

    def number_next(self) -> int:
        """Return the number of the next HIT; each is given out once."""
        self.sequence.last_number += 1
        return self.sequence.last_number

    def draw(self, checks: Checks) -> HITPlan | None:
        """Draw and return the next first HIT; None if no segment is left to draw."""
        turn = self.sequence.turns + 1
        plan = self._drawer.first(number=self.number_next(), turn=turn, checks=checks)
        if plan is not None:
            self.sequence.turns = turn
        return plan

    def add(self, plan: HITPlan, purpose: Purpose, **fields: Any) -> None:
        """Add this HIT to those to be stored; `fields` are those of `PlannedHIT`."""
        self._drawer.add(plan, purpose)
        self.sequence.blocks_planned += sum(not block.control for block in plan.blocks)
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

    def withdraw(self, hit: HIT) -> None:
        """Withdraw a HIT that was never lent; its blocks may be planned for others.

        Its row stays: HITs that were drawn after it depend on it.
        """
        self.has_withdrawn = True
        self.uncount([hit])
        hit.completed_at = hit.withdrawn_at = self.now
        hit.is_standby = False
        hit.save(update_fields=["completed_at", "withdrawn_at", "is_standby"])

    def uncount(self, hits: Collection[HIT]) -> None:
        """Count the blocks of these HITs, which were never lent, as not planned."""
        plans = plans_read([hit.pk for hit in hits])
        for hit in hits:
            plan = plans[hit.pk]
            self._drawer.remove(plan, Purpose(hit.purpose), drawn=not hit.is_standby)
            self.sequence.blocks_planned -= sum(not block.control for block in plan.blocks)

    def lent_from_standby(self, hits: Collection[HIT]) -> None:
        """Take HITs off standby, because they were lent: later draws depend on them."""
        plans = plans_read([hit.pk for hit in hits])
        for hit in hits:
            self._drawer.learn(plans[hit.pk], Purpose(hit.purpose))
        HIT.objects.filter(pk__in=plans).update(is_standby=False)

    def store(self) -> None:
        """Write the planned HITs, their batch and the state that the next draw depends on."""
        if self.planned:
            self._batch.save(force_insert=True)
            hits_store(
                batch=self._batch,
                planned=self.planned,
                texts=self._texts,
                stored_ids=self.stored_ids,
            )
        if self._for_standby:
            self.sequence.turns = self._turns_before
        else:
            self.sequence.state = self._drawer.state.to_json()
        self.sequence.segment_blocks = self.quota.counts
        self.sequence.save()

    def _state(self) -> DrawState:
        """Return the draw state so far; for an active design with the comparisons judged so far."""
        stored = self.sequence.state
        state = DrawState.from_json(stored) if stored else DrawState.empty()
        # All systems, so that a batch records which systems existed.
        state = state.covering(self._texts.ranked_systems)
        if self.design.kind == Design.Kind.ACTIVE:
            found = SamplingState.objects.filter(test_set=self.test_set).first()
            if found is not None:
                state = state.judged(
                    systems=found.systems,
                    wins=found.wins,
                    ties=found.ties,
                    watermark=found.watermark,
                )
        takes_part = self._texts.ranked_systems
        if self.parameters.reference_rate is not None:
            takes_part = self._texts.only_systems
        return state.for_design(self.parameters, takes_part)
