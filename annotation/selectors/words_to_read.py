"""Words that judges read per block of a design, and their reading times so far."""

from collections.abc import Iterable
from dataclasses import astuple, dataclass
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
from campaign.texts.media import MARK_SQL

#: Number of latest judgments measured, which bounds the time in large campaigns.
MOST_MEASURED: Final = 1_000
# Number of segments whose words are counted, spaced evenly over the test set to keep pages fast.
_MOST_SEGMENTS: Final = 300


# Number of words in a text: the number of spaces plus one.
_SPACED: Final = "(length(trim(%(expressions)s)) - length(replace(trim(%(expressions)s), ' ', '')) + 1)::float"
# Number of words in a text without spaces: half the number of characters. A picture or recording counts as a word.
_HALVED: Final = f"(length(regexp_replace(trim(%(expressions)s), '{MARK_SQL}', '--', 'g')) / 2.0)::float"


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
            words = self.source
        else:
            words = 0.0
        words += self.references if campaign.show_reference else 0.0
        return words + candidates * self.output


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
        test_set_id=task.test_set_id,
        source_text__isnull=False,
    )
    if design.documents:
        segments = segments.filter(document__position__in=design.documents)
    if design.segments:
        segments = segments.filter(number__in=design.segments)
    systems = systems_drawn(task=task, design=design)
    count, sample = _sample_segments(segments, design)
    words = segment_words(sample, task=task, systems=systems)
    best_worst = answer_kind_of(task).best_worst
    totals = [0.0, 0.0, 0.0]
    drawn = 0
    damaged = parameters.bad_reference_rate
    for word in words.values():
        size = parameters.block_size(round(word.source))
        candidates = min(size, word.outputs)
        # Blocks of several outputs compare at least two.
        if candidates < min(size, 2):
            continue
        drawn += 1
        totals[0] += word.of_block(candidates, task.test_set.campaign)
        totals[1] += candidates
        if candidates > 1:
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


def _sample_segments(
    segments: QuerySet[Segment],
    design: Design | None = None,
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
        test_set_id=task.test_set_id,
        source_text__isnull=False,
    )
    _count, sample = _sample_segments(segments)
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
    segments: Iterable[int],
    *,
    task: Task,
    systems: Any = None,
) -> dict[int, SegmentWords]:
    """Return the words of these segments of a test set by id, limited to outputs of `systems` if
    given. Three queries.
    """
    test_set = task.test_set
    source_words = _words_in("source_text", test_set.source_language)
    target_words = _words_in("text", test_set.target_language)
    sources = Segment.objects.filter(
        pk__in=segments,
        source_text__isnull=False,
    ).values_list("pk", source_words)
    of_these = Q(segment__test_set__tasks=task, segment__in=segments)
    references = (
        Reference.objects.filter(of_these)
        .order_by()
        .values_list("segment")
        .annotate(words=Sum(target_words))
    )
    outputs = Output.objects.current().filter(of_these, text__isnull=False)
    outputs = outputs.exclude(system__kind=SystemKind.BAD_REFERENCE)
    if systems is not None:
        outputs = outputs.filter(system__in=systems)
    rows = (
        outputs.order_by()
        .values_list("segment")
        .annotate(count=Count("pk"), words=Sum(target_words))
    )
    in_references = dict(references)
    in_outputs = {}
    for segment, count, words in rows:
        in_outputs[segment] = (count, words)
    words_by_segment = {}
    for segment, source in sources:
        if segment in in_outputs:
            count, words = in_outputs[segment]
            words_by_segment[segment] = SegmentWords(
                source=source,
                references=in_references.get(segment, 0.0),
                output=words / count,
                outputs=count,
            )
    return words_by_segment


def _words_in(column: str, language: str) -> Func:
    """Return the number of words in a text; two characters count as a word in languages without spaces."""
    template = _SPACED
    if without_spaces(language):
        template = _HALVED
    return Func(column, template=template, output_field=FloatField())


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
        numbered__task_id=task.pk,
        task=task.pk,
    ).order_by("-numbered__number")
    # Filtered in Python: a query for matching ones might read all judgments.
    blocks = judgments.annotate(candidates=candidate_count("block__")).values_list(
        "judge",
        "block__segment",
        "candidates",
        "active_ms",
        "assignment",
        "supersedes",
        "judge__origin",
        "block__control",
        named=True,
    )[:MOST_MEASURED]
    rows = []
    for row in blocks:
        is_by_person = row.judge__origin == Judge.Origin.PERSON
        is_revision = row.supersedes is not None
        is_training = row.block__control == BlockControl.TRAINING
        if not is_by_person or is_revision or is_training:
            continue
        if row.active_ms and row.assignment is not None:
            rows.append(row)
    read = ReadBlocks([], [], [])
    if not rows:
        return read
    words = segment_words({row.block__segment for row in rows}, task=task)
    for row in rows:
        if row.block__segment in words:
            segment = words[row.block__segment]
            read.judges.append(row.judge)
            read.words.append(segment.of_block(row.candidates, task.test_set.campaign))
            read.seconds.append((row.active_ms or 0) / 1000)
    return read
