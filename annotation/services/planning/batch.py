"""Plan HITs in one transaction, under the lock of a test set's `HITSequence`."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models.functions import Now

from annotation.models import HIT, Design, HITSequence, PlanningBatch
from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.planning import HITPlanning
from annotation.sampling.repeats import Purpose
from annotation.selectors.corpus import TestSetTexts, texts_of_others
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import draw_inputs
from annotation.selectors.planned import plans_read
from annotation.services.planning.storage import hits_store
from campaign.models import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOfAJudge:
    """For whom a sort's HITs are drawn that each are of one judge's samples.

    Attributes
    ----------
    judge : str
        Their pseudonym.
    taken : mapping
        The sentences of each comparison that they have, or that are planned for them.
    most : int
        Sentences of a comparison that they are given.
    """

    judge: str
    taken: Mapping[tuple[str, str], int]
    most: int


class PlanningTransaction(HITPlanning):
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
    withdrawn : frozenset of str
        Names of the systems that are withdrawn: under the lock, so that no HIT with one is planned later.

    HITs that are planned `for_standby` count as planned blocks, but draws do not learn of them before
    they are lent (`lent_from_standby`): most never are.
    """

    def __init__(
        self,
        *,
        task: Task,
        design: Design,
        sequence: HITSequence,
        now: datetime,
        texts: TestSetTexts | None = None,
        judge_id: int | None = None,
        avoid: Collection[int] = (),
        hide: Collection[str] = (),
        for_standby: bool = False,
        sample: SampleOfAJudge | None = None,
    ) -> None:
        self.task, self.design, self.sequence, self.now = task, design, sequence, now
        self._turns_before = sequence.turns
        self.has_withdrawn = False
        self.stored_ids: dict[int, int] = {}
        # Under the lock no system comes or is withdrawn.
        inputs = draw_inputs(task=task, design=design, sequence=sequence, at=now, texts=texts)
        if sample is not None:
            inputs = inputs.limited(sample.taken, most=sample.most)
        self._texts = inputs.texts
        super().__init__(
            parameters=design.parameters,
            drawer=inputs.drawer(
                avoid=avoid,
                hide=hide,
                for_one_judge=judge_id is not None,
                sample_of=sample.judge if sample else None,
            ),
            withdrawn=inputs.withdrawn,
            counters=sequence,
            blocks_wanted=task.blocks_wanted,
            for_standby=for_standby,
        )
        self._batch = PlanningBatch(
            task=task,
            design=design,
            judge_id=judge_id,
            avoided=sorted(avoid),
            hidden=sorted(hide),
            withdrawn=sorted(self.withdrawn),
            segment_blocks=[] if self.quota.limit is None else list(sequence.segment_blocks),
            segment_limit=self.quota.limit,
            state=inputs.state,
            # Damaged references are those approved then; see `hit_redraw`.
            created_at=self._texts.at or now,
        )

    @classmethod
    def locked(cls, task_id: int, **fields: Any) -> "PlanningTransaction":
        """Lock the test set's `HITSequence` until the commit and read what draws depend on."""
        task = Task.objects.get(pk=task_id)
        HITSequence.objects.get_or_create(task=task)
        sequence = HITSequence.objects.select_for_update().annotate(now=Now()).get(task=task)
        design = design_in_force(task_id=task_id)
        if design is None:
            raise Design.DoesNotExist(f"Test set {task_id} has no design to draw HITs by.")
        if sequence.design_id != design.pk:
            # Each design begins its schedule anew.
            sequence.design = design
            sequence.scheduled = sequence.inter_scheduled = sequence.turns = 0
        return cls(task=task, design=design, sequence=sequence, now=sequence.now, **fields)

    @property
    def texts(self) -> Mapping[int, SegmentOutputs]:
        """The texts that may be shown, without those of systems that are withdrawn."""
        return texts_of_others(self._texts, self.withdrawn)

    @property
    def systems(self) -> Mapping[str, int]:
        """The id of each system by name."""
        return self._texts.systems

    def withdraw(self, hits: Collection[HIT]) -> None:
        """Withdraw HITs that were never lent; their blocks may be planned for others.

        Their rows stay: HITs that were drawn after them depend on them.
        """
        self.has_withdrawn = True
        self.uncount(hits)
        HIT.objects.filter(pk__in=[hit.pk for hit in hits]).update(
            completed_at=self.now, withdrawn_at=self.now, is_standby=False
        )

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
