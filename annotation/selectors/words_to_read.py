"""Words that judges read per block of a design, and their reading times so far."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import partial
from typing import Any, Final

from django.db.models import Count, FloatField, Func, Q, QuerySet, Sum

from annotation.models import BlockControl, Design, Judgment
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.designs import design_or_default, systems_drawn
from annotation.selectors.shown import candidate_count
from campaign.models import (
    Campaign,
    Judge,
    Output,
    Reference,
    Segment,
    SystemKind,
    Task,
)
from campaign.texts.languages import without_spaces

#: Number of latest judgments measured, which bounds the time in large campaigns.
MOST_MEASURED: Final = 1_000
# Number of segments whose words are counted, spaced evenly over the test set to keep pages fast.
_MOST_SEGMENTS: Final = 300


# Number of words in a text: the number of spaces plus one.
_SPACED: Final = "(length(trim(%(expressions)s)) - length(replace(trim(%(expressions)s), ' ', '')) + 1)::float"
# Number of words in a text without spaces: half the number of characters.
_HALVED: Final = "(length(trim(%(expressions)s)) / 2.0)::float"


@dataclass(frozen=True, slots=True)
class SegmentWords:
    """Number of words in a segment's source, in all its references and in an average output; and number of outputs."""

    source: float
    references: float
    output: float
    outputs: int

    def of_block(self, candidates: float, campaign: Campaign) -> float:
        """Return the number of words in a block with this many candidates."""
        if campaign.show_source:
            shown = self.source
        else:
            shown = 0.0
        shown += self.references if campaign.show_reference else 0.0
        return shown + candidates * self.output


@dataclass(frozen=True, slots=True)
class DesignWords:
    """Averages over the blocks of a design.

    Attributes
    ----------
    segments : int
        Segments that may be drawn.
    systems : int
        Systems that are ranked.
    words : float
        Words to read in a block.
    candidates : float
        Candidates in a block.
    comparisons : float
        Pairs of ranked candidates in a block that an answer compares.
    """

    segments: int
    systems: int
    words: float
    candidates: float
    comparisons: float


def design_words(*, task: Task, design: Design) -> DesignWords:
    """Return averages over a design's blocks, from at most 300 segments. Five queries."""
    parameters = design.parameters
    segments = Segment.objects.filter(
        test_set_id=task.test_set_id, source_text__isnull=False
    )
    if design.documents:
        segments = segments.filter(document__position__in=design.documents)
    if design.segments:
        segments = segments.filter(number__in=design.segments)
    systems = systems_drawn(task=task, design=design)
    count, sample = _sampled(segments, design)
    words = segment_words(sample, task=task, systems=systems)
    best_worst = answer_kind_of(task).best_worst
    totals = [0.0, 0.0, 0.0]
    drawn = 0
    damaged = parameters.bad_reference_rate
    for word in words.values():
        candidates = min(parameters.block_size(round(word.source)), word.outputs)
        if candidates < 2:
            continue
        drawn += 1
        totals[0] += word.of_block(candidates, task.test_set.campaign)
        totals[1] += candidates
        # A damaged reference is not ranked.
        totals[2] += (candidates - 1) * (candidates / 2 - damaged)
        if best_worst:
            # Neither the best nor the worst, so not compared with each other.
            totals[2] -= (candidates - 2) * (candidates - 3) / 2
    means = []
    for total in totals:
        if drawn:
            means.append(total / drawn)
        else:
            means.append(0.0)
    return DesignWords(count, systems.count(), *means)


def _sampled(
    segments: QuerySet[Segment], design: Design | None = None
) -> tuple[int, list[int]]:
    """Return the number of segments about which a design asks people, and the ids of at most 300, evenly spaced. One query."""
    rows = segments.order_by("number").values_list("pk", "number")
    sampled = []
    for pk, number in rows:
        if design is None or not design.is_for_machines_alone(number):
            sampled.append(pk)
    return len(sampled), sampled[:: max(1, -(-len(sampled) // _MOST_SEGMENTS))]


def mean_words(*, task: Task) -> SegmentWords | None:
    """Return the average words of a segment, from at most 300 segments; None without texts. Four queries."""
    segments = Segment.objects.filter(
        test_set_id=task.test_set_id, source_text__isnull=False
    )
    _count, sample = _sampled(segments)
    words = segment_words(sample, task=task).values()
    if not words:
        return None
    columns = zip(*map(astuple, words), strict=True)
    source, references, output, outputs = (
        sum(column) / len(words) for column in columns
    )
    return SegmentWords(source, references, output, round(outputs))


def block_words(*, task: Task) -> float | None:
    """Return the average number of words to read in a block of the design in force; None without texts.

    In languages written without spaces, two characters count as a word. At most six queries.
    """
    words = mean_words(task=task)
    if words is None:
        return None
    size = design_or_default(task=task).parameters.block_size(round(words.source))
    return words.of_block(min(size, words.outputs), task.test_set.campaign)


def segment_words(
    segments: Iterable[int], *, task: Task, systems: Any = None
) -> dict[int, SegmentWords]:
    """Return the words of these segments of a test set by id, limited to outputs of `systems` if
    given. Three queries.
    """
    of_source, of_target = (
        partial(
            Func,
            template=_HALVED if without_spaces(tag) else _SPACED,
            output_field=FloatField(),
        )
        for tag in (task.test_set.source_language, task.test_set.target_language)
    )
    sources = Segment.objects.filter(
        pk__in=segments, source_text__isnull=False
    ).values_list("pk", of_source("source_text"))
    of_these = Q(segment__test_set__tasks=task, segment__in=segments)
    references = (
        Reference.objects.filter(of_these)
        .order_by()
        .values_list("segment")
        .annotate(words=Sum(of_target("text")))
    )
    outputs = Output.objects.current().filter(of_these, text__isnull=False)
    outputs = outputs.exclude(system__kind=SystemKind.BAD_REFERENCE)
    if systems is not None:
        outputs = outputs.filter(system__in=systems)
    rows = (
        outputs.order_by()
        .values_list("segment")
        .annotate(count=Count("pk"), words=Sum(of_target("text")))
    )
    in_references = dict(references)
    in_outputs = {}
    for segment, count, words in rows:
        in_outputs[segment] = (count, words)
    return {
        segment: SegmentWords(
            source=source,
            references=in_references.get(segment, 0.0),
            output=in_outputs[segment][1] / in_outputs[segment][0],
            outputs=in_outputs[segment][0],
        )
        for segment, source in sources
        if segment in in_outputs
    }


@dataclass(frozen=True, slots=True)
class ReadBlocks:
    """Blocks that people judged, each with the judge's id, its words, and the active time in seconds."""

    judges: list[int]
    words: list[float]
    seconds: list[float]

    def __len__(self) -> int:
        return len(self.judges)


def blocks_read(*, task: Task) -> ReadBlocks:
    """Return the blocks that people judged with a time, among the latest `MOST_MEASURED` judgments. Four queries.

    Training, revisions, simulated judges and imported judgments are left out.
    """
    judgments = Judgment.objects.filter(
        numbered__task_id=task.pk, task=task.pk
    ).order_by("-numbered__number")
    # Filtered in Python: a query for matching ones might read all judgments.
    blocks = judgments.annotate(candidates=candidate_count("block__")).values_list(
        *("judge", "block__segment", "candidates", "active_ms"),
        *("assignment", "supersedes", "judge__origin", "block__control"),
    )[:MOST_MEASURED]
    rows = []
    for row in blocks:
        if (
            row[3]
            and row[4] is not None
            and row[5] is None
            and row[6] == Judge.Origin.PERSON
            and row[7] != BlockControl.TRAINING
        ):
            rows.append(row[:4])
    if not rows:
        return ReadBlocks([], [], [])
    words = segment_words({row[1] for row in rows}, task=task)
    known = []
    for row in rows:
        if row[1] in words:
            known.append(row)
    words_read = []
    for _judge, segment, candidates, _ms in known:
        words_read.append(words[segment].of_block(candidates, task.test_set.campaign))
    return ReadBlocks(
        judges=[judge for judge, *_rest in known],
        words=words_read,
        seconds=[(milliseconds or 0) / 1000 for *_rest, milliseconds in known],
    )
