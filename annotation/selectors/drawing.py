"""Inputs for drawing the next HITs of a task: texts, windows, and the comparisons so far."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import chain, groupby
from operator import itemgetter
from typing import Any

from django.db.models import QuerySet
from django.db.models.functions import Now

from annotation.models import (
    HIT,
    Block,
    Design,
    HITSequence,
    Judgment,
    SamplingState,
)
from annotation.models.block import by_candidate
from annotation.protocols.answer_kinds import shows_documents
from annotation.sampling.corpus import (
    OutputKind,
    SegmentOutputs,
    SystemOutput,
    normalised,
)
from annotation.sampling.drawing import HITDrawer, SegmentQuota
from annotation.sampling.parameters import Normalisation
from annotation.sampling.state import DrawState, DrawStateJSON, Int64Array
from annotation.sampling.windows import Windows
from annotation.selectors.comparisons import blocks_waiting, blocks_wanted
from annotation.selectors.target import segments_counted
from campaign.models import Output, OutputCorrection, Segment, Task

# Segments read at once, since neighbours are usually drawn together, and chunks kept in memory.
_CHUNK = 32
_CHUNKS_KEPT = 512


def segments_chosen(task: Task, design: Design) -> QuerySet[Segment]:
    """Return the segments with a source text in the documents of a design."""
    segments = Segment.objects.filter(
        test_set_id=task.test_set_id,
        source_text__isnull=False,
    )
    if design.documents:
        segments = segments.filter(document__position__in=design.documents)
    return segments


def windows_of(task: Task, design: Design) -> Windows:
    """Return the windows from which a design draws: segments with a source text, unless excluded by the design."""
    segments = segments_chosen(task, design)
    rows = segments.order_by("document__position", "position").values_list(
        "document_id",
        "number",
    )
    documents = [
        [number for _, number in rows] for _, rows in groupby(rows, itemgetter(0))
    ]
    only = None
    if design.segments:
        only = set(design.segments)
    if design.machine_share:
        numbers = only or chain.from_iterable(documents)
        only = set()
        for number in numbers:
            if not design.is_for_machines_alone(number):
                only.add(number)
    return Windows(
        documents,
        length=design.parameters.segments_per_hit,
        only=only,
        are_pages=shows_documents(task.rules),
    )


class TestSetTexts(Mapping[int, SegmentOutputs]):
    """Texts of each segment by number, loaded on demand, a chunk of segments at a time.

    Keeps at most about 16,000 segments, so that test sets of any size can be planned.
    """

    __test__ = False

    def __init__(self, task: Task, *, moment: datetime | None = None) -> None:
        """Use the outputs and approved damaged references as of the time `moment`."""
        self._task = task
        self.moment = moment
        self._chunks: dict[int, dict[int, SegmentOutputs]] = {}
        systems = list(task.test_set.systems.values_list("name", "id", "kind"))
        self.systems: dict[str, int] = {name: id_ for name, id_, _kind in systems}
        ranked = []
        for name, _id, kind in systems:
            if kind != OutputKind.BAD_REFERENCE:
                ranked.append(name)
        self.ranked_systems = sorted(ranked)
        of_systems = []
        for name, _id, kind in systems:
            if kind == OutputKind.SYSTEM:
                of_systems.append(name)
        self.only_systems = sorted(of_systems)
        self._segment_ids: dict[int, int] = {}

    def __getitem__(self, number: int) -> SegmentOutputs:
        index = (number - 1) // _CHUNK
        if index not in self._chunks:
            self.read_ahead([number])
        return self._chunks[index][number]

    @cached_property
    def checkable(self) -> list[int]:
        """Numbers of the segments with a damaged reference that may be shown, in order."""
        damaged = Output.objects.drawable(moment=self.moment).filter(
            system__kind=OutputKind.BAD_REFERENCE,
            segment__test_set=self._task.test_set_id,
        )
        numbers = damaged.order_by("segment__number").values_list(
            "segment__number",
            flat=True,
        )
        return list(numbers.distinct())

    def __iter__(self) -> Iterator[int]:
        return iter(
            Segment.objects.filter(test_set_id=self._task.test_set_id)
            .order_by("number")
            .values_list("number", flat=True),
        )

    def __len__(self) -> int:
        return Segment.objects.filter(test_set_id=self._task.test_set_id).count()

    def segment_id(self, number: int) -> int:
        """Return the id of a segment."""
        if number not in self._segment_ids:
            self.read_ahead([number])
        return self._segment_ids[number]

    def read_ahead(self, numbers: Iterable[int]) -> None:
        """Read these segments and their neighbours at once, for a few HITs from different places."""
        if len(self._chunks) >= _CHUNKS_KEPT:
            self._chunks.clear()
        chunks = {}
        for index in {(number - 1) // _CHUNK for number in numbers}:
            chunks[index] = range(index * _CHUNK + 1, (index + 1) * _CHUNK + 1)
        numbers_read: list[int] = []
        for chunk in chunks.values():
            numbers_read.extend(chunk)
        texts_read = self._read(numbers_read)
        for index, chunk in chunks.items():
            self._chunks[index] = {
                number: texts_read[number] for number in chunk if number in texts_read
            }

    def _read(self, numbers: Sequence[int]) -> dict[int, SegmentOutputs]:
        segments = list(
            Segment.objects.filter(
                test_set_id=self._task.test_set_id,
                number__in=numbers,
            ).values_list("id", "number", "source_text"),
        )
        self._segment_ids.update((number, id_) for id_, number, _source in segments)
        outputs: dict[int, list[SystemOutput]] = {}
        outputs_then = Output.objects.drawable(moment=self.moment)
        rows = outputs_then.filter(
            segment__in=[id_ for id_, _number, _source in segments],
        ).values_list(
            "segment_id",
            "system__name",
            "id",
            "text",
            "system__kind",
            named=True,
        )
        for row in rows:
            kind = OutputKind(row.system__kind)
            output = SystemOutput(row.system__name, row.id, row.text or "", kind)
            outputs.setdefault(row.segment_id, []).append(output)
        texts_by_number = {}
        for id_, number, source in segments:
            source_words = (source or "").split()
            texts_by_number[number] = SegmentOutputs(
                number,
                len(source_words),
                tuple(outputs.get(id_, ())),
            )
        return texts_by_number


def texts_now(task_id: int) -> TestSetTexts:
    """Return the texts with the currently approved damaged references."""
    task: Any = Task.objects.annotate(now=Now()).get(pk=task_id)
    return TestSetTexts(task, moment=task.now)


class FilteredTexts(Mapping[int, SegmentOutputs]):
    """Texts without some outputs, for one judge or for an earlier point in time."""

    def __init__(
        self,
        texts: Mapping[int, SegmentOutputs],
        keep: Callable[[SegmentOutputs], tuple[SystemOutput, ...]],
    ) -> None:
        self._texts = texts
        self._keep = keep

    def __getitem__(self, number: int) -> SegmentOutputs:
        texts = self._texts[number]
        return SegmentOutputs(texts.number, texts.words, self._keep(texts))

    def __iter__(self) -> Iterator[int]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def texts_without(
    texts: Mapping[int, SegmentOutputs],
    systems: Collection[str],
    normalisation: Normalisation,
) -> Mapping[int, SegmentOutputs]:
    """Return the texts without any by these systems, even if another system wrote the same text."""

    def keep(segment: SegmentOutputs) -> tuple[SystemOutput, ...]:
        theirs = set()
        for output in segment.outputs:
            if output.system in systems:
                theirs.add(normalised(output.text, normalisation))
        others = []
        for output in segment.outputs:
            if normalised(output.text, normalisation) not in theirs:
                others.append(output)
        return tuple(others)

    if systems:
        return FilteredTexts(texts, keep)
    return texts


def texts_of_others(
    texts: Mapping[int, SegmentOutputs],
    systems: Collection[str],
) -> Mapping[int, SegmentOutputs]:
    """Return the texts without the outputs of these systems; equal texts by other systems stay."""

    def keep(segment: SegmentOutputs) -> tuple[SystemOutput, ...]:
        others = []
        for output in segment.outputs:
            if output.system not in systems:
                others.append(output)
        return tuple(others)

    if systems:
        return FilteredTexts(texts, keep)
    return texts


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawInputs:
    """Recorded inputs from which a task's HITs are drawn.

    Attributes
    ----------
    task : Task
    design : Design
        May be unsaved.
    texts : TestSetTexts
    withdrawn : frozenset of str
        Names of the systems that are withdrawn, or that did not exist at the time.
    state : DrawStateJSON
        State of the draw, as JSON; for an active design with the comparisons judged so far.
    segment_blocks : list of int
        Number of blocks planned for each segment.
    segment_limit : int or None
        Maximum number of them.
    """

    task: Task
    design: Design
    texts: TestSetTexts
    withdrawn: frozenset[str]
    state: DrawStateJSON
    segment_blocks: list[int]
    segment_limit: int | None

    def drawer(
        self,
        *,
        avoid: Collection[int] = (),
        hide: Collection[str] = (),
        for_one_judge: bool = False,
        sample_of: str | None = None,
    ) -> HITDrawer:
        """Return the drawer of the next HITs, excluding these segments and systems."""
        parameters = self.design.parameters
        texts: Mapping[int, SegmentOutputs] = texts_without(
            texts_of_others(self.texts, self.withdrawn),
            hide,
            parameters.normalisation,
        )
        return HITDrawer(
            parameters=parameters,
            windows=windows_of(self.task, self.design),
            texts=texts,
            state=DrawState.from_json(self.state),
            quota=SegmentQuota(
                limit=self.segment_limit,
                counts=list(self.segment_blocks),
                redundancy=parameters.redundancy,
            ),
            checkable=lambda: self.texts.checkable,
            avoid=frozenset(avoid),
            for_one_judge=for_one_judge,
            sample_of=sample_of,
        )

    def limited(
        self,
        blocks_by_pair: Mapping[tuple[str, str], int],
        *,
        most: int,
    ) -> "DrawInputs":
        """Return the inputs for a judge limited to `most` answers per comparison, including `blocks_by_pair`."""
        state = DrawState.from_json(self.state).limited(blocks_by_pair, most=most)
        return replace(self, state=state.to_json())


def draw_inputs(
    *,
    task: Task,
    design: Design,
    sequence: HITSequence,
    moment: datetime,
    texts: TestSetTexts | None = None,
) -> DrawInputs:
    """Return the inputs for drawing the next HITs; reload `texts` if a system was added or an output corrected since."""
    systems = dict(task.test_set.systems.values_list("name", "withdrawn_at"))
    if (
        texts is None
        or texts.systems.keys() != systems.keys()
        or _is_corrected_since(texts, task)
    ):
        texts = TestSetTexts(task, moment=moment)
    withdrawn = frozenset(
        name for name, withdrawn_at in systems.items() if withdrawn_at is not None
    )
    return DrawInputs(
        task=task,
        design=design,
        texts=texts,
        withdrawn=withdrawn,
        state=_state(design, sequence, texts, withdrawn).to_json(),
        segment_blocks=_segment_blocks(task, sequence),
        segment_limit=task.blocks_per_segment,
    )


def _segment_blocks(task: Task, sequence: HITSequence) -> list[int]:
    if task.blocks_per_segment is None:
        return list(sequence.segment_blocks)
    return segments_counted(task_id=task.pk, planned=sequence.segment_blocks)


def _is_corrected_since(texts: TestSetTexts, task: Task) -> bool:
    corrections = OutputCorrection.objects.filter(
        before__segment__test_set=task.test_set_id,
    )
    return (
        texts.moment is None or corrections.filter(created_at__gt=texts.moment).exists()
    )


def _state(
    design: Design,
    sequence: HITSequence,
    texts: TestSetTexts,
    withdrawn: Collection[str],
) -> DrawState:
    """Return the draw state so far; for an active design with the comparisons judged so far."""
    if sequence.state:
        state = DrawState.from_json(sequence.state)
    else:
        state = DrawState.empty()
    # Includes all systems, so that a batch records which systems existed.
    state = state.covering(texts.ranked_systems)
    if design.kind == Design.Kind.ACTIVE:
        recorded = SamplingState.objects.filter(task=design.task_id).first()
        if recorded is not None:
            state = state.judged(
                systems=recorded.systems,
                wins=recorded.wins,
                ties=recorded.ties,
                watermark=recorded.watermark,
            )
            # Before the first ranking, all planned comparisons count as awaited.
            waiting = _pairs_waiting(design.task_id, state)
            state = state.awaiting(waiting, redundancy=design.redundancy)
    parameters = design.parameters
    takes_part = texts.ranked_systems
    if parameters.reference_rate is not None:
        takes_part = texts.only_systems
    chosen = frozenset(parameters.systems or takes_part)
    remaining = []
    for name in takes_part:
        if name in chosen and name not in withdrawn:
            remaining.append(name)
    is_sort = design.kind == Design.Kind.SORTING
    # Recomputed each time, because what comparisons need depends on the blocks judged, lent and
    # planned.
    state = state.comparing(blocks_wanted(design=design) if is_sort else ())
    return state.for_design(parameters, remaining)


def _pairs_waiting(task_id: int, state: DrawState) -> Int64Array:
    """Return how often each pair of the state's systems meets in blocks whose judgment the state does not include.

    These are the blocks that are neither judged nor skipped, and those judged after the watermark. HITs on standby
    do not affect draws.
    """
    open_blocks = blocks_waiting(HIT.objects.filter(task=task_id, is_standby=False))
    first_judgments = Judgment.objects.filter(supersedes=None).counted()
    judged_since = first_judgments.filter(
        numbered__task=task_id,
        numbered__number__gt=state.watermark,
    )
    judged_blocks = Block.objects.filter(pk__in=judged_since.values("block"))
    blocks = [*open_blocks, *judged_blocks]
    output_ids: set[int] = set()
    for block in blocks:
        output_ids.update(block.outputs)
    outputs = Output.objects.filter(pk__in=output_ids)
    names = dict(outputs.values_list("pk", "system__name"))
    pairs = DrawState.empty(state.systems)
    for block in blocks:
        systems_of_texts = []
        for outputs_of_text in by_candidate(block.outputs, block.stands_for):
            systems = {names[output] for output in outputs_of_text}
            # Damaged references have no index.
            ranked = systems & pairs.index.keys()
            systems_of_texts.append([pairs.index[name] for name in ranked])
        pairs.count_meetings(systems_of_texts)
    return pairs.pair_counts
