"""HITs as they were drawn, lent or not, and the HITs that a design would draw next."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import NAMESPACE_OID, uuid5

from django.db.models import Exists, F, OuterRef, QuerySet
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Assignment,
    Block,
    Design,
    HITPurpose,
    HITSequence,
    Judgment,
)
from annotation.models.block import by_candidate
from annotation.models.hit import UNTIL_THE_FIRST_IS_DONE, HITQuerySet, IsAnyOf
from annotation.sampling.planning import (
    HITPlanning,
    MissingHITs,
    PlannedHIT,
    RepeatSchedule,
    checks_among,
    hits_schedule,
)
from annotation.sampling.plans import (
    BlockPlan,
    HITHistoryEntry,
    HITPlan,
    Purpose,
    Why,
    slot,
)
from annotation.selectors.designs import design_or_default
from annotation.selectors.drawing import DrawInputs, draw_inputs, texts_of_others
from annotation.selectors.passes import has_passes, passes_of, rounds_of
from annotation.selectors.shown import BlockData, DrawnBlock, blocks_drawn
from campaign.models import Output, Segment, System, SystemKind, Task


def hits_explained(*, task_id: int) -> HITQuerySet:
    """Return the HITs of a task with all data shown to organisers. One query per page."""
    open_assignments = Assignment.objects.filter(
        hit=OuterRef("pk"),
        completed_at__isnull=True,
        released_at__isnull=True,
    )
    hits: HITQuerySet = (
        HIT.objects.filter(task=task_id)
        .select_related("design", "repeats", "reserved_for")
        .annotate(is_lent=Exists(open_assignments))
    )
    return hits


def designs_of(*, task_id: int) -> QuerySet[Design]:
    """Return the designs that drew the HITs of a task, each with the name of the user who chose it."""
    return (
        Design.objects.filter(task=task_id)
        .not_imported()
        .select_related("judge_group")
        .annotate(changed_by_name=F("changed_by__name"))
    )


def hit_state(hit: HIT) -> str:
    """Return `done`, `withdrawn`, `lent`, `waiting` or `available` for a HIT from `hits_explained`."""
    if hit.withdrawn_at is not None:
        return "withdrawn"
    if hit.completed_at is not None:
        return "done"
    if hit.available_at == UNTIL_THE_FIRST_IS_DONE:
        return "waiting"
    if getattr(hit, "is_lent", False):
        return "lent"
    return "available"


def plans_read(hit_ids: Iterable[int]) -> dict[int, HITPlan]:
    """Return the plans of these HITs by id. Four queries."""
    hits = HIT.objects.only("number", "why").in_bulk(list(hit_ids))
    blocks_by_hit: dict[int, list[Block]] = {pk: [] for pk in hits}
    blocks = list(Block.objects.filter(hit__in=hits).order_by("position"))
    for block in blocks:
        blocks_by_hit[block.hit_id].append(block)
    segments = Segment.objects.filter(pk__in={block.segment_id for block in blocks})
    numbers = dict(segments.values_list("pk", "number"))
    systems = _systems_of_outputs(blocks)
    plans = {}
    for pk, hit in hits.items():
        # Blocks that were not drawn here have no explanation.
        explanations = hit.why.get("blocks", [{}] * len(blocks_by_hit[pk]))
        block_plans = []
        for block, explanation in zip(blocks_by_hit[pk], explanations, strict=True):
            number = numbers[block.segment_id]
            block_plans.append(_block_plan(block, number, systems, explanation))
        plans[pk] = HITPlan(
            number=hit.number,
            blocks=tuple(block_plans),
            why=_omit_key(hit.why, "blocks"),
        )
    return plans


def _omit_key(why: Why, left_out: str) -> Why:
    return {key: value for key, value in why.items() if key != left_out}


def _systems_of_outputs(blocks: Iterable[Block]) -> dict[int, System]:
    """Return the system of each output that these blocks show, by the id of the output."""
    output_ids = set()
    for block in blocks:
        output_ids.update(block.outputs)
    outputs = Output.objects.filter(pk__in=output_ids).select_related("system")
    return {
        output.pk: output.system
        for output in outputs.only("system__name", "system__kind")
    }


def _block_plan(
    block: Block,
    segment: int,
    systems: Mapping[int, System],
    why: Why,
) -> BlockPlan:
    """Return the plan of a block of segment number `segment`; `systems` by the id of their output."""
    candidates = []
    names = []
    control: tuple[str, ...] = ()
    for outputs in by_candidate(block.outputs, block.stands_for):
        candidates.append(tuple(sorted(outputs)))
        names.append(tuple(sorted(systems[output].name for output in outputs)))
        if any(systems[output].kind == SystemKind.BAD_REFERENCE for output in outputs):
            control = control or names[-1]
    return BlockPlan(
        segment=segment,
        candidates=tuple(candidates),
        systems=tuple(names),
        control=control,
        why=_omit_key(why, "segment"),
    )


def firsts_scheduled(
    *,
    design: Design,
    sequence: HITSequence,
    count: int,
) -> list[tuple[int, int, HITPlan]]:
    """Return the first HITs that the next `count` steps of a schedule repeat, each as id, family and plan."""
    parameters = design.parameters
    if design.pk is None or (not parameters.inter_share and parameters.redundancy == 1):
        return []
    # Skipped steps are extra; their first HITs are read by the next call.
    families = set()
    inter = sequence.inter_scheduled
    for step in range(1, 2 * count + 1):
        next_slot = slot(
            parameters=parameters,
            step=sequence.scheduled + step,
            inter=inter,
        )
        families.add(next_slot.family)
        inter += next_slot.purpose is Purpose.INTER
    firsts = HIT.objects.filter(
        design=design,
        family__in=families,
        purpose=HITPurpose.FIRST,
        # Withdrawn HITs have no judgments to compare a repeat with.
        withdrawn_at__isnull=True,
    ).values_list("pk", "family")
    rows = {}
    for pk, family in firsts:
        if family is not None:
            rows[pk] = family
    scheduled = []
    for pk, plan in plans_read(rows).items():
        scheduled.append((pk, rows[pk], plan))
    return scheduled


def judge_history(
    *,
    judge_id: int,
    task_id: int,
) -> tuple[list[HITHistoryEntry], dict[int, int]]:
    """Return the HITs lent to a judge in order, and the ids of those that are not intra repeats.

    Training is left out, and HITs that show a withdrawn system are not repeatable. The dictionary maps the number of a
    HIT to its id.
    """
    judged = Judgment.objects.filter(
        judge=OuterRef("judge"),
        block__hit=OuterRef("hit"),
    )
    withdrawn = System.objects.filter(
        IsAnyOf(F("pk"), OuterRef("hit__system_ids")),
        withdrawn_at__isnull=False,
    )
    assignments = (
        Assignment.objects.filter(judge=judge_id, hit__task=task_id)
        .exclude(hit__purpose=HITPurpose.TRAINING)
        .annotate(may_be_repeated=Exists(judged) & ~Exists(withdrawn))
        .select_related("hit")
        .only("completed_at", "hit__number", "hit__purpose", "hit__repeats")
        .order_by("ordinal")
    )
    own: dict[
        int,
        int,
    ] = {}  # maps the first HIT of a family to the number of this judge's HIT
    hit_ids: dict[int, int] = {}
    history: list[HITHistoryEntry] = []
    for assignment in assignments:
        hit = assignment.hit
        first = hit.repeats_id or hit.pk
        if hit.purpose == HITPurpose.INTRA:
            history.append(HITHistoryEntry(number=hit.number, repeats=own.get(first)))
            continue
        own[first] = hit.number
        hit_ids[hit.number] = hit.pk
        is_repeatable = (
            assignment.completed_at is not None and assignment.may_be_repeated
        )
        history.append(HITHistoryEntry(number=hit.number, repeatable=is_repeatable))
    return history, hit_ids


@dataclass(frozen=True, slots=True)
class PreviewedBlock:
    """A block of a previewed HIT.

    Attributes
    ----------
    block_data : BlockData
        The data that a judge would see; its ids belong to no stored block.
    plan : BlockPlan
        The systems behind the candidates, in display order, and the explanation; for organisers
        only.
    """

    block_data: BlockData
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
    blocks : list of PreviewedBlock
        In display order.
    """

    number: int
    purpose: str
    repeats: int | None
    blocks: list[PreviewedBlock]


def previewed_hits(
    *,
    task_id: int,
    count: int,
    design: Design | None = None,
    from_beginning: bool = False,
) -> list[PreviewedHIT]:
    """Return the HITs that would be planned from the current state, as judges would see them.

    These are the HITs that `hits_plan(count=count)` would plan; numbers at which nothing can be
    ranked are skipped. Stores and locks nothing.

    Parameters
    ----------
    task_id : int
    count : int
        Number of HITs.
    design : Design, optional
        Unsaved design that would follow the one in force; None for the one in force.
    from_beginning : bool, optional
        Begin with the first HIT and round of the task; by default with the next ones.

    Returns
    -------
    list of PreviewedHIT
        Fewer than `count` if no more can be ranked. Texts are read together; repeats and checks may
        need further queries.
    """
    task: Any = (
        Task.objects.select_related("test_set__campaign")
        .annotate(now=Now())
        .get(pk=task_id)
    )
    design = design or design_or_default(task=task)
    sequence = _sequence(task, design)
    if from_beginning:
        sequence.last_number = 0
        _schedule_restart(sequence)
    next_number = sequence.last_number + 1
    inputs = draw_inputs(task=task, design=design, sequence=sequence, moment=task.now)
    drawer = inputs.drawer()
    # They may be anywhere in the test set, and are read together to keep the number of queries
    # constant.
    firsts_only = range(next_number, next_number + count, design.redundancy)
    inputs.texts.read_ahead(drawer.segments_ahead(firsts_only, turn=sequence.turns + 1))
    planning = HITPlanning(
        drawer=drawer,
        withdrawn=inputs.withdrawn,
        counters=sequence,
        # Organisers may preview a design even when all blocks are planned.
        blocks_wanted=None,
        only_wanted=False,
    )
    if has_passes(task):
        _rounds_add(planning, inputs, sequence, count=count)
        return _hit_previews(planning.planned[:count], task)
    firsts = firsts_scheduled(design=design, sequence=sequence, count=count)
    missing = MissingHITs(
        planning,
        sequence,
        count=count,
        checks=checks_among(count, design.attention_every),
    )
    schedule = RepeatSchedule(
        planning,
        sequence,
        firsts={family: plan for _pk, family, plan in firsts},
    )
    hits_schedule(planning, missing, schedule)
    return _hit_previews(planning.planned, task)


def _rounds_add(
    planning: HITPlanning,
    inputs: DrawInputs,
    sequence: HITSequence,
    *,
    count: int,
) -> None:
    """Plan rounds, as for a task with passes, until there are `count` HITs or no more rounds."""
    rounds = rounds_of(task=inputs.task, design=inputs.design)
    texts = texts_of_others(inputs.texts, inputs.withdrawn)
    raters = passes_of(inputs.task).raters
    number = sequence.turns
    while len(planning.planned) < count:
        number += 1
        window = rounds.window(number)
        if not window:
            return
        inputs.texts.read_ahead(window)
        rounds.add(planning, number, texts=texts, raters=raters)


def _sequence(task: Task, design: Design) -> HITSequence:
    """Return the planning progress of the task, not to be saved. Each design restarts its schedule."""
    stored = HITSequence.objects.filter(task=task).first()
    sequence = stored or HITSequence(task=task)
    if design.pk is None or sequence.design_id != design.pk:
        _schedule_restart(sequence)
    return sequence


def _schedule_restart(sequence: HITSequence) -> None:
    sequence.scheduled = sequence.inter_scheduled = sequence.turns = 0


def _hit_previews(planned: Sequence[PlannedHIT], task: Task) -> list[PreviewedHIT]:
    drawn = []
    for hit in planned:
        for block in hit.plan.blocks:
            name = f"{task.pk} {hit.plan.number} {block.segment}"
            drawn.append(
                DrawnBlock(
                    id=uuid5(NAMESPACE_OID, name),
                    segment=block.segment,
                    outputs=[ids[0] for ids in block.candidates],
                ),
            )
    blocks = iter(blocks_drawn(drawn, task=task))
    shown_hits = []
    for hit in planned:
        shown_hits.append(
            PreviewedHIT(
                number=hit.plan.number,
                purpose=hit.purpose.value,
                repeats=hit.repeats,
                blocks=[
                    PreviewedBlock(block_data=next(blocks), plan=plan)
                    for plan in hit.plan.blocks
                ],
            ),
        )
    return shown_hits
