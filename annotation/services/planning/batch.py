"""Plan and store HITs with their blocks in one transaction, under the lock of a task's `HITSequence`."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import zip_longest

from django.db.models import IntegerField, Max
from django.db.models.functions import Cast, Now

from annotation.models import (
    HIT,
    Assignment,
    Block,
    BlockControl,
    Design,
    HITPurpose,
    HITSequence,
    PlanningBatch,
)
from annotation.models.block import stands_for
from annotation.models.hit import UNTIL_THE_FIRST_IS_DONE, HITQuerySet
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.planning import HITPlanning, PlannedHIT, checks_among
from annotation.sampling.plans import HITPlan, Purpose
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import TestSetTexts, draw_inputs, texts_of_others
from annotation.selectors.hits import plans_read
from annotation.selectors.target import blocks_to_plan
from campaign.database.many_rows import pgtrigger_ignore_preset
from campaign.models import OutputCorrection, Task


def hits_lock(*, task: Task) -> None:
    """Lock the HITs of a task until the commit, after its `HITSequence`, so that none is planned or lent meanwhile."""
    list(HITSequence.objects.select_for_update().filter(task=task))
    hits = HIT.objects.filter(task=task).order_by("pk")
    list(hits.select_for_update().values_list("pk"))


def hits_discard(*, task: Task) -> None:
    """Delete the HITs of a task, none of which was ever lent, so that they are planned anew; training stays.

    Call it after `hits_lock`.
    """
    hits = HIT.objects.filter(task=task).exclude(purpose=HITPurpose.TRAINING)
    if not hits.exists():
        return
    planning = PlanningTransaction.locked(task.pk)
    planning.uncount(list(hits.filter(withdrawn_at=None)))
    # Delete copies before their originals.
    hits.exclude(repeats=None).delete()
    hits.delete()
    sequence = planning.sequence
    sequence.scheduled = sequence.inter_scheduled = 0
    planning.turns_return()
    planning.store()


def hits_store(
    *,
    batch: PlanningBatch,
    planned: Sequence[PlannedHIT],
    texts: TestSetTexts,
    stored_ids: dict[int, int],
) -> None:
    """Write the HITs and their blocks.

    `stored_ids` maps numbers of first HITs to row ids; the HITs written here are added.
    Must be called in a transaction.
    """
    pgtrigger_ignore_preset()
    # HITs that are repeated come first.
    for are_repeats in (False, True):
        rows = []
        for hit in planned:
            if (hit.repeats is not None) is are_repeats:
                rows.append(_hit(hit, batch, texts, stored_ids))
        for row in HIT.objects.bulk_create(rows):
            stored_ids[row.number] = row.pk
    Block.objects.bulk_create(_blocks(planned, texts, stored_ids))


def _blocks(
    planned: Sequence[PlannedHIT],
    texts: TestSetTexts,
    stored_ids: Mapping[int, int],
) -> Iterator[Block]:
    for hit in planned:
        for position, block in enumerate(hit.plan.blocks, start=1):
            if block.control:
                control = BlockControl.ATTENTION
            else:
                control = BlockControl.NONE
            yield Block(
                hit_id=stored_ids[hit.plan.number],
                segment_id=texts.segment_id(block.segment),
                position=position,
                outputs=[output for outputs in block.candidates for output in outputs],
                stands_for=stands_for([len(outputs) for outputs in block.candidates]),
                control=control,
                expected=block.expected,
            )


def _hit(
    hit: PlannedHIT,
    batch: PlanningBatch,
    texts: TestSetTexts,
    stored_ids: Mapping[int, int],
) -> HIT:
    blocks = hit.plan.blocks
    systems: set[str] = set()
    for block in blocks:
        for names in block.systems:
            systems.update(names)
    row = HIT(
        task=batch.task,
        design=batch.design,
        batch=batch,
        number=hit.plan.number,
        family=hit.family,
        purpose=hit.purpose.value,
        repeats_id=None if hit.repeats is None else stored_ids[hit.repeats],
        reserved_for_id=hit.reserved_for,
        reserved_until=hit.reserved_until,
        segment_ids=[texts.segment_id(block.segment) for block in blocks],
        system_ids=sorted(texts.systems[name] for name in systems),
        holds_check=hit.plan.holds_check,
        why={
            **hit.plan.why,
            "purpose": hit.purpose.value,
            "blocks": [{"segment": block.segment, **block.why} for block in blocks],
        },
        is_standby=hit.is_standby,
        part=hit.part,
    )
    if hit.repeats is not None and answer_kind_of(batch.task).has_stages:
        row.available_at = UNTIL_THE_FIRST_IS_DONE
    return row


def missing_of_each_kind(
    available: HITQuerySet,
    *,
    size: int,
    attention_every: int,
) -> tuple[int, int]:
    """Return how many HITs with a check, and how many others, `available` needs to reach `size`."""
    if not attention_every:
        return 0, max(0, size - available.count())
    checks = checks_among(size, attention_every)
    return (
        max(0, checks - available.filter(holds_check=True).count()),
        max(0, size - checks - available.filter(holds_check=False).count()),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleOfAJudge:
    """The samples of a judge for whom a sort's HITs are drawn.

    Attributes
    ----------
    judge : str
        The judge's pseudonym.
    sentences : mapping
        Number of sentences of each comparison that the judge has, or that are planned for them.
    most : int
        Maximum number of sentences per comparison given to the judge.
    """

    judge: str
    sentences: Mapping[tuple[str, str], int]
    most: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OneJudge:
    """A judge for whom HITs are planned.

    Attributes
    ----------
    judge_id : int
    avoid : collection of int
        Numbers of segments that the judge has seen.
    hide : collection of str
        Names of systems that the judge may not see.
    sample : SampleOfAJudge or None
    """

    judge_id: int
    avoid: Collection[int] = ()
    hide: Collection[str] = ()
    sample: SampleOfAJudge | None = None


class PlanningTransaction(HITPlanning):
    """Draws HITs one after the other, each depending on those before it, and stores them together.

    Attributes
    ----------
    sequence : HITSequence
        Locked; written by `store`.
    planned : list of PlannedHIT
    has_withdrawn : bool
        Whether a HIT was withdrawn. If so, no further HIT may be drawn, because it would not follow
        from the recorded state.
    stored_ids : dict of int to int
        Row ids of first HITs by number, for the HITs that repeat them.
    now : datetime
        By the database's clock.
    withdrawn : frozenset of str
        Names of the withdrawn systems, read under the lock, so that no HIT with one is planned later.

    HITs planned `for_standby` count as planned blocks, but do not affect later draws until they are
    lent (`lent_from_standby`), since most never are.
    """

    def __init__(
        self,
        *,
        task: Task,
        design: Design,
        sequence: HITSequence,
        texts: TestSetTexts | None = None,
        judge: OneJudge | None = None,
        for_standby: bool = False,
    ) -> None:
        self.task = task
        self.design = design
        self.sequence = sequence
        self.now: datetime = sequence.now  # type: ignore[attr-defined]  # annotated
        self._turns_before = sequence.turns
        self.has_withdrawn = False
        self.stored_ids: dict[int, int] = {}
        # Under the lock, no system can be added or withdrawn.
        inputs = draw_inputs(
            task=task,
            design=design,
            sequence=sequence,
            moment=self.now,
            texts=texts,
        )
        if judge is None:
            drawer = inputs.drawer()
        elif judge.sample is None:
            drawer = inputs.drawer(
                avoid=judge.avoid,
                hide=judge.hide,
                for_one_judge=True,
            )
        else:
            inputs = inputs.limited(judge.sample.sentences, most=judge.sample.most)
            drawer = inputs.drawer(
                avoid=judge.avoid,
                hide=judge.hide,
                for_one_judge=True,
                sample_of=judge.sample.judge,
            )
        self._texts = inputs.texts
        self._segment_blocks = inputs.segment_blocks
        super().__init__(
            drawer=drawer,
            withdrawn=inputs.withdrawn,
            counters=sequence,
            blocks_wanted=blocks_to_plan(task),
            for_standby=for_standby,
        )
        self._batch = PlanningBatch(
            task=task,
            design=design,
            withdrawn=sorted(self.withdrawn),
            segment_limit=self.quota.limit,
            state=inputs.state,
            # The damaged references approved at this time take part.
            created_at=self._texts.moment or self.now,
        )
        if judge is not None:
            self._batch.judge_id = judge.judge_id
            self._batch.avoided = sorted(judge.avoid)
            self._batch.hidden = sorted(judge.hide)
        if self.quota.limit is not None:
            self._batch.segment_blocks = list(inputs.segment_blocks)

    @classmethod
    def locked(
        cls,
        task_id: int,
        *,
        texts: TestSetTexts | None = None,
        judge: OneJudge | None = None,
        for_standby: bool = False,
    ) -> "PlanningTransaction":
        """Lock the task's `HITSequence` until the commit and read the inputs of draws."""
        task = Task.objects.get(pk=task_id)
        HITSequence.objects.get_or_create(task=task)
        sequence = (
            HITSequence.objects.select_for_update().annotate(now=Now()).get(task=task)
        )
        design = design_in_force(task_id=task_id)
        if design is None:
            raise Design.DoesNotExist(f"Task {task_id} has no design to draw HITs by.")
        if sequence.design_id != design.pk:
            # Each design restarts its schedule.
            sequence.design = design
            sequence.scheduled = sequence.inter_scheduled = sequence.turns = 0
        return cls(
            task=task,
            design=design,
            sequence=sequence,
            texts=texts,
            judge=judge,
            for_standby=for_standby,
        )

    @property
    def texts(self) -> Mapping[int, SegmentOutputs]:
        """The texts that may be shown, excluding those of withdrawn systems."""
        return texts_of_others(self._texts, self.withdrawn)

    @property
    def systems(self) -> Mapping[str, int]:
        """The id of each system by name."""
        return self._texts.systems

    def shows_withdrawn(self, plan: HITPlan) -> bool:
        """Return whether a HIT shows an output that has been corrected since, or one of a withdrawn system."""
        return super().shows_withdrawn(plan) or any(
            output in self._corrected_outputs
            for block in plan.blocks
            for outputs in block.candidates
            for output in outputs
        )

    @cached_property
    def _corrected_outputs(self) -> frozenset[int]:
        return frozenset(
            OutputCorrection.objects.filter(
                before__segment__test_set=self.task.test_set_id,
            ).values_list("before", flat=True),
        )

    def withdraw(self, hits: Collection[HIT]) -> None:
        """Withdraw HITs that were never lent; their blocks may be planned again.

        Their rows stay, because HITs drawn after them depend on them.
        """
        self.has_withdrawn = True
        self.uncount(hits)
        HIT.objects.filter(pk__in=[hit.pk for hit in hits]).update(
            completed_at=self.now,
            withdrawn_at=self.now,
            is_standby=False,
        )

    def give_up(self, hits: Collection[HIT]) -> None:
        """Withdraw the locked HITs that were never lent, and mark the lent ones done, keeping their judgments."""
        ids = Assignment.objects.filter(hit__in=[hit.pk for hit in hits])
        lent = set(ids.values_list("hit", flat=True))
        free_hits = []
        for hit in hits:
            if hit.pk not in lent:
                free_hits.append(hit)
        self.withdraw(free_hits)
        HIT.objects.filter(pk__in=lent).update(completed_at=self.now)
        self.store()

    def turns_return(self) -> None:
        """Return to the windows from which withdrawn HITs were drawn, so that no text is skipped."""
        hits = HIT.objects.filter(
            design=self.design,
            purpose=HITPurpose.FIRST,
            withdrawn_at__isnull=True,
        )
        last = hits.aggregate(last=Max(Cast("why__turn", IntegerField())))["last"]
        self.sequence.turns = min(self.sequence.turns, last or 0)
        self._turns_before = self.sequence.turns

    def uncount(self, hits: Collection[HIT]) -> None:
        """Stop counting the blocks of these HITs, which were never lent, as planned."""
        plans = plans_read([hit.pk for hit in hits])
        for hit in hits:
            plan = plans[hit.pk]
            self._drawer.remove(plan, Purpose(hit.purpose), drawn=not hit.is_standby)
            for block in plan.blocks:
                if not block.control:
                    self.sequence.blocks_planned -= 1

    def lent_from_standby(self, hits: Collection[HIT]) -> None:
        """Take HITs off standby because they were lent, so that later draws depend on them."""
        plans = plans_read([hit.pk for hit in hits])
        for hit in hits:
            self._drawer.learn(plans[hit.pk], Purpose(hit.purpose))
        HIT.objects.filter(pk__in=plans).update(is_standby=False)

    def store(self) -> None:
        """Write the planned HITs, their batch, and the state for the next draw."""
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
        self.sequence.segment_blocks = self._segment_blocks_planned()
        self.sequence.save()

    def _segment_blocks_planned(self) -> list[int]:
        """Return the number of blocks planned for each segment, including those that the quota leaves out."""
        changes = []
        for before, after in zip_longest(
            self._segment_blocks,
            self.quota.counts,
            fillvalue=0,
        ):
            changes.append(after - before)
        planned = zip_longest(self.sequence.segment_blocks, changes, fillvalue=0)
        return [count + change for count, change in planned]
