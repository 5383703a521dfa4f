"""The HITs that a design would draw next, as judges would see them: drawn as planned, and not stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.db.models.functions import Now

from annotation.models import Design, HITSequence
from annotation.sampling.parameters import DesignParameters
from annotation.sampling.planning import HITPlanning, PlannedHIT
from annotation.sampling.plans import BlockPlan
from annotation.sampling.schedule import (
    MissingHITs,
    RepeatSchedule,
    checks_among,
    hits_schedule,
)
from annotation.selectors.corpus import texts_of_others
from annotation.selectors.designs import design_in_force
from annotation.selectors.drawing import DrawInputs, draw_inputs
from annotation.selectors.first_design import design_unless_chosen
from annotation.selectors.passes import has_passes, raters_of, rounds_of
from annotation.selectors.planned import firsts_scheduled
from annotation.selectors.shown import BlockData, DrawnBlock, blocks_drawn
from campaign.models import Output, Task


@dataclass(frozen=True, slots=True)
class PreviewedBlock:
    """A block of a previewed HIT.

    Attributes
    ----------
    shown : BlockData
        All that a judge would see; its ids are those of no stored block.
    plan : BlockPlan
        Which systems stand behind the candidates, in shown order, and why: for organisers only.
    """

    shown: BlockData
    plan: BlockPlan


@dataclass(frozen=True, slots=True)
class PreviewedHIT:
    """A HIT that would be planned.

    Attributes
    ----------
    number : int
    purpose : str
        A `Purpose`: first, redundancy or inter.
    repeats : int or None
        The number of the HIT that it repeats.
    source_language, target_language : str
    blocks : list of PreviewedBlock
        In shown order.
    """

    number: int
    purpose: str
    repeats: int | None
    source_language: str
    target_language: str
    blocks: list[PreviewedBlock]


def previewed_hits(
    *,
    task_id: int,
    parameters: DesignParameters | None,
    numbers: range,
    documents: Sequence[int] = (),
    segments: Sequence[int] = (),
) -> list[PreviewedHIT]:
    """Return the HITs that would be planned from the present state, as judges would see them.

    They are what `hits_plan(count=len(numbers))` would plan if the next number were the first of
    `numbers`: a number at which nothing can be ranked is passed over. Stores nothing and locks nothing.

    Parameters
    ----------
    task_id : int
    parameters : DesignParameters or None
        Of a design that is to follow the one in force; None for the one in force.
    numbers : range
        Of the HITs.
    documents, segments : sequence of int
        Those that are judged, of the design given by `parameters`; empty means all.

    Returns
    -------
    list of PreviewedHIT
        Fewer than `numbers` if no more can be ranked. Their texts are read together; of repeats and checks
        some come on top, two queries for what stands together.
    """
    task: Any = (
        Task.objects.select_related("test_set__campaign").annotate(now=Now()).get(pk=task_id)
    )
    design = _design(task, parameters, documents, segments)
    sequence = _sequence(task, design)
    sequence.last_number = numbers.start - 1
    inputs = draw_inputs(task=task, design=design, sequence=sequence, at=task.now)
    drawer = inputs.drawer()
    # Anywhere in the test set: read together, so that their number decides nothing.
    firsts_only = range(numbers.start, numbers.stop, design.redundancy)
    inputs.texts.read_ahead(drawer.segments_ahead(firsts_only, turn=sequence.turns + 1))
    planning = HITPlanning(
        parameters=design.parameters,
        drawer=drawer,
        withdrawn=inputs.withdrawn,
        counters=sequence,
        # Organisers may look at a design also when all is planned.
        blocks_wanted=None,
        only_wanted=False,
    )
    if has_passes(task):
        _rounds_add(planning, inputs, sequence, count=len(numbers))
        return _shown(planning.planned[: len(numbers)], task)
    firsts = firsts_scheduled(design=design, sequence=sequence, count=len(numbers))
    missing = MissingHITs(
        planning,
        sequence,
        count=len(numbers),
        checks=checks_among(len(numbers), design.attention_every),
    )
    schedule = RepeatSchedule(
        planning, sequence, firsts={family: plan for _pk, family, plan in firsts}
    )
    hits_schedule(planning, schedule, missing)
    return _shown(planning.planned, task)


def _rounds_add(
    planning: HITPlanning, inputs: DrawInputs, sequence: HITSequence, *, count: int
) -> None:
    """Plan rounds, as for a task that shows judges its texts twice, until there are so many HITs or no more."""
    rounds = rounds_of(task=inputs.task, design=inputs.design)
    texts, raters = texts_of_others(inputs.texts, inputs.withdrawn), raters_of(inputs.task)
    number = sequence.turns
    while len(planning.planned) < count:
        number += 1
        window = rounds.window(number)
        if not window:
            return
        inputs.texts.read_ahead(window)
        rounds.add(planning, number, texts=texts, raters=raters)


def next_numbers(*, task_id: int, count: int) -> range:
    """Return the numbers of the next HITs to be planned."""
    found = HITSequence.objects.filter(task=task_id).values_list("last_number", flat=True)
    last = found.first() or 0
    return range(last + 1, last + 1 + count)


def _design(
    task: Task,
    parameters: DesignParameters | None,
    documents: Sequence[int],
    segments: Sequence[int],
) -> Design:
    if parameters is None:
        found = design_in_force(task_id=task.pk)
        return found or design_unless_chosen(task=task, campaign=task.test_set.campaign, seed=0)
    return Design.of(parameters, task=task, documents=list(documents), segments=list(segments))


def _sequence(task: Task, design: Design) -> HITSequence:
    """Return how far the test set is planned; each design begins its schedule anew. Never saved."""
    found = HITSequence.objects.filter(task=task).first()
    sequence = found or HITSequence(task=task)
    if design.pk is None or sequence.design_id != design.pk:
        sequence.scheduled = sequence.inter_scheduled = sequence.turns = 0
    return sequence


def _shown(planned: Sequence[PlannedHIT], task: Task) -> list[PreviewedHIT]:
    outputs = {ids[0] for hit in planned for block in hit.plan.blocks for ids in block.candidates}
    texts = dict(Output.objects.filter(pk__in=outputs).values_list("pk", "text"))
    plans = [(hit.plan.number, block) for hit in planned for block in hit.plan.blocks]
    drawn = [
        DrawnBlock(
            id=uuid5(NAMESPACE_OID, f"{task.pk} {number} {block.segment}"),
            segment=block.segment,
            texts=[texts[ids[0]] or "" for ids in block.candidates],
        )
        for number, block in plans
    ]
    shown = iter(blocks_drawn(drawn, task=task))
    return [
        PreviewedHIT(
            number=hit.plan.number,
            purpose=hit.purpose.value,
            repeats=hit.repeats,
            source_language=task.test_set.source_language,
            target_language=task.test_set.target_language,
            blocks=[PreviewedBlock(shown=next(shown), plan=plan) for plan in hit.plan.blocks],
        )
        for hit in planned
    ]
