"""Judgments, skips and problem reports, as lists to filter or individually with their texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import combinations
from typing import Any, Final

from django.contrib.postgres.fields import ArrayField
from django.db.models import (
    BooleanField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    Func,
    IntegerField,
    Max,
    OuterRef,
    Prefetch,
    Q,
    QuerySet,
    Subquery,
    TextChoices,
    TextField,
    Value,
)
from django.db.models.expressions import CombinedExpression
from django.utils.translation import gettext_lazy

from annotation.models import (
    Judgment,
    JudgmentNumber,
    JudgmentSequence,
    ProblemReply,
    ProblemReport,
    QualityAction,
    QualityActionKind,
    Skip,
)
from annotation.models.block import by_candidate
from annotation.models.hit import IsAnyOf, PositionIn
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.shown import outputs_of
from campaign.models import Campaign, GroupMember, Judge, Output, Segment, Task
from campaign.texts.languages import WITHOUT_SPACES
from campaign.texts.media import MARK_SQL

ROWS: Final = 50
#: Number of judgments scanned for a page if no index finds the rows that match a filter.
WINDOW: Final = 3_000


class HasTies(Func):
    """True if any rank occurs more than once among the labels."""

    template = "(SELECT count(label) > count(DISTINCT label) FROM unnest(%(expressions)s) label)"
    output_field = BooleanField()


def numbers_to_filter(*, task: Task) -> QuerySet[JudgmentNumber, Any]:
    """Return the numbers of a task, for filters: `equal_labels_tie` tells whether outputs with one label are tied."""
    ties = Value(answer_kind_of(task).equal_labels_tie, output_field=BooleanField())
    return JudgmentNumber.objects.filter(task=task).alias(equal_labels_tie=ties)


def judgments_listed(*, task: Task) -> QuerySet[JudgmentNumber, Any]:
    """Return the numbers of a task with the data that lists show about judgments, including controls.

    `later` is the number of the judgment that corrects it.
    """
    # Not by joins, because PostgreSQL plans at most eight tables together.
    later = JudgmentNumber.objects.filter(judgment__supersedes=OuterRef("judgment"))
    rows: QuerySet[Any, Any] = numbers_to_filter(task=task).annotate(
        judge_id=F("judgment__judge"),
        judge=F("judgment__judge__pseudonym"),
        segment=F("judgment__block__segment__number"),
        document=F("judgment__block__segment__document__name"),
        block_id=F("judgment__block"),
        labels=F("judgment__labels"),
        active_ms=F("judgment__active_ms"),
        duration_ms=F("judgment__duration_ms"),
        comment=F("judgment__comment"),
        submitted_at=F("judgment__submitted_at"),
        control=F("judgment__block__control"),
        later=Subquery(later.values("number")),
        is_reported=reported_by_judge(),
    )
    return rows


def reported_by_judge() -> Exists:
    """Return a condition on judgment numbers: the judge reported a problem with the block."""
    reports = ProblemReport.objects.filter(
        block=OuterRef("judgment__block"),
        judge=OuterRef("judgment__judge"),
    )
    return Exists(reports)


def shows_system(name: str) -> Exists:
    """Return a condition on judgment numbers: the block shows an output of the system with this name."""
    return Exists(outputs_of("judgment__block__").filter(system__name=name))


def _number(template: str, *expressions: Any, **options: Any) -> Func:
    """Return an integer SQL expression from a template over these expressions."""
    return Func(*expressions, template=template, output_field=IntegerField(), **options)


# The candidate that represents the output at a position; NULL for a NULL position.
_CANDIDATE: Final = (
    "(SELECT COALESCE((SELECT min(number) FROM (SELECT number, sum(size) OVER (ORDER BY number) AS last"
    " FROM unnest(stands_for) WITH ORDINALITY AS sizes(size, number)) AS candidates"
    " WHERE last >= place), place) FROM (SELECT %(expressions)s) AS asked(place, stands_for))"
)
# Number of labels equal to a given one.
_ALIKE: Final = (
    "(SELECT count(*) FROM (SELECT %(expressions)s) AS asked(labels, own),"
    " unnest(labels) AS label WHERE label = own)"
)


def _candidate_of(name: str) -> Func:
    """Return an expression on judgment numbers: the candidate that represents a system, or NULL if there is none."""
    # Found by the index on segment and system: the output that the block shows, even if corrected
    # later.
    output = Output.objects.filter(
        IsAnyOf(F("pk"), OuterRef("judgment__block__outputs")),
        segment=OuterRef("judgment__block__segment"),
        system__name=name,
    ).values("pk")[:1]
    position = PositionIn(F("judgment__block__outputs"), Subquery(output))
    return _number(_CANDIDATE, position, F("judgment__block__stands_for"))


def _label_of(candidate: str) -> Func:
    """Return an expression on judgment numbers: the label of the candidate whose number is in this column."""
    return _number(
        "(%(expressions)s]",
        F("judgment__labels"),
        F(candidate),
        arg_joiner=")[",
    )


class Outcome(TextChoices):
    """Outcome of a comparison for a system."""

    WON = "won", gettext_lazy("Won")
    LOST = "lost", gettext_lazy("Lost")
    TIED = "tied", gettext_lazy("Tied")


#: Condition on numbers from `numbers_to_filter`: equal labels are ties.
EQUAL_LABELS_TIE: Final = Q(equal_labels_tie=True)


def of_outcome(
    rows: QuerySet[JudgmentNumber, Any],
    *,
    system: str,
    other: str = "",
    outcome: str = "",
) -> QuerySet[JudgmentNumber, Any]:
    """Return the numbers of judgments in which a system was compared, with this outcome if one is given.

    With `other`, the comparison is with that system. Otherwise, the outcome must hold against at
    least one other system.
    """
    labels = F("judgment__labels")
    numbers: QuerySet[JudgmentNumber, Any] = rows.alias(candidate=_candidate_of(system))
    numbers = numbers.alias(own=_label_of("candidate"))
    if other:
        numbers = numbers.alias(other_candidate=_candidate_of(other))
        numbers = numbers.alias(others=_label_of("other_candidate"))
        # A candidate is not compared with itself.
        numbers = numbers.filter(~Q(candidate=F("other_candidate")))
        numbers = numbers.filter(EQUAL_LABELS_TIE | ~Q(own=F("others")))
        return numbers.filter(
            {
                "": Q(own__isnull=False, others__isnull=False),
                Outcome.WON: Q(own__lt=F("others")),
                Outcome.LOST: Q(own__gt=F("others")),
                Outcome.TIED: Q(own=F("others")),
            }[outcome],
        )
    if outcome == Outcome.TIED:
        numbers = numbers.filter(EQUAL_LABELS_TIE)
        return numbers.alias(alike=_number(_ALIKE, labels, F("own"))).filter(
            alike__gte=2,
        )
    if outcome == Outcome.LOST:
        best = _number(
            "(SELECT min(label) FROM unnest(%(expressions)s) AS label)",
            labels,
        )
        return numbers.filter(own__gt=best)
    worst = _number("(SELECT max(label) FROM unnest(%(expressions)s) AS label)", labels)
    return numbers.filter(own__lt=worst)


def counted_in_rankings() -> Q:
    """Return the condition that a judgment counts: not a control, not superseded, and its judge not excluded."""
    excluded = QualityAction.objects.in_force().filter(
        judge=OuterRef("judgment__judge"),
        action=QualityActionKind.EXCLUDE,
    )
    # Not a join, which PostgreSQL would expect to return no rows.
    later = Judgment.objects.filter(supersedes=OuterRef("judgment"))
    return Q(~Exists(later), ~Exists(excluded), judgment__block__control="")


def by_group(name: str) -> Exists:
    """Return a condition on judgment numbers: the judge is in the campaign's group with this name."""
    members = GroupMember.objects.filter(
        judge=OuterRef("judgment__judge"),
        group__removed_at__isnull=True,
        group__name__iexact=name,
    )
    return Exists(members)


# Number of words in a text; in languages without spaces, half the number of characters. A picture or recording counts
# as a word.
_WORDS: Final = (
    "(SELECT CASE WHEN lower(split_part(language, '-', 1)) = ANY(unspaced)"
    " THEN (length(regexp_replace(text, '\\s', '', 'g')) + 1) / 2"
    " ELSE cardinality(regexp_split_to_array(regexp_replace(text, '^\\s+|\\s+$', '', 'g'), '\\s+')) END"
    " FROM (SELECT %(expressions)s) AS asked(text, language, unspaced))"
)


def with_words(rows: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
    """Annotate judgment numbers with `words`, the number of source words; NULL without a source text."""
    words = _number(
        _WORDS,
        Func(
            F("judgment__block__segment__source_text"),
            Value(MARK_SQL),
            Value("--"),
            Value("g"),
            function="regexp_replace",
        ),
        F("task__test_set__source_language"),
        Value(sorted(WITHOUT_SPACES), output_field=ArrayField(TextField())),
    )
    annotated: QuerySet[Any, Any] = rows.alias(words=words)
    return annotated


def on_day(day: date) -> Q:
    """Return a condition on judgment numbers: submitted on a day, in UTC as in analyses."""
    start = datetime.combine(day, time(), UTC)
    return Q(
        judgment__submitted_at__gte=start,
        judgment__submitted_at__lt=start + timedelta(1),
    )


#: Number of judgments whose times are sampled, evenly from the first to the last.
_LOOKED_AT: Final = 500


def number_near_day(*, task: Task, day: date, oldest_first: bool) -> int | None:
    """Return the number from which to search for the judgments of a day; None for the start of the list. Two queries.

    Numbers mostly rise with time, so the times of a few judgments approximately locate a day.
    """
    sequence = JudgmentSequence.objects.filter(pk=task.pk).values_list(
        "last_number",
        flat=True,
    )
    last = sequence.first() or 0
    if last <= WINDOW:
        return None
    step = max(1, last // _LOOKED_AT)
    looked = JudgmentNumber.objects.filter(
        task=task,
        number__in=range(step, last + 1, step),
    ).values_list("number", "judgment__submitted_at")
    start = datetime.combine(day, time(), UTC)
    if oldest_first:
        before = []
        for number, judged_at in looked:
            if judged_at < start:
                before.append(number)
        return max(before, default=None)
    after = []
    for number, judged_at in looked:
        if judged_at >= start + timedelta(1):
            after.append(number)
    return min(after, default=None)


@dataclass(frozen=True, slots=True)
class JudgmentsPage:
    """A page of judgments. `then` is the number from which the next page continues, if there may be one.

    `looked` is the range of numbers searched, if it was not all of them.
    """

    rows: list[Any]
    then: int | None
    looked: tuple[int, int] | None


def judgments_page(
    numbers: QuerySet[JudgmentNumber, Any],
    *,
    task: Task,
    start: int | None,
    oldest_first: bool,
    is_indexed: bool,
    segments: Sequence[int] | None = None,
) -> JudgmentsPage:
    """Return at most `ROWS` of the judgments found, latest first, or those after or before `start`. Two queries.

    Unless an index finds them (`is_indexed`), at most `WINDOW` numbers are searched. With `segments`, ids of segments
    with few judgments, all of these judgments are sorted.
    """
    sequence = JudgmentSequence.objects.filter(pk=task.pk).values_list(
        "last_number",
        flat=True,
    )
    last = sequence.first() or 0
    if oldest_first:
        low = (start or 0) + 1
        if is_indexed:
            high = last
        else:
            high = min(last, low + WINDOW - 1)
    else:
        high = min(last, last if start is None else start - 1)
        if is_indexed:
            low = 1
        else:
            low = max(1, high - WINDOW + 1)
    within = numbers.filter(number__gte=low, number__lte=high)
    by: F | CombinedExpression = F("number")
    if segments is not None:
        # A sum keeps PostgreSQL from scanning the index of numbers until a page is full.
        by = by + 0
        within = within.filter(judgment__block__segment__in=segments)
    within = within.order_by(by.asc() if oldest_first else by.desc())
    rows: list[Any] = list(within[: ROWS + 1])
    page_rows = rows[:ROWS]
    if len(rows) > ROWS:
        return JudgmentsPage(page_rows, then=page_rows[-1].number, looked=None)
    if oldest_first:
        is_all = high >= last
    else:
        is_all = low <= 1
    if is_all:
        return JudgmentsPage(page_rows, then=None, looked=None)
    return JudgmentsPage(
        page_rows,
        then=high if oldest_first else low,
        looked=(low, high),
    )


@dataclass(frozen=True, slots=True)
class RankedText:
    """A candidate of a block: its text, the names and ids of the systems behind it, and its rank."""

    text: str | None
    systems: tuple[tuple[str, int], ...]
    rank: int | None


def ranked_texts(
    *,
    outputs: Sequence[int],
    stands_for: Sequence[int] | None,
    labels: Sequence[int | None],
) -> list[RankedText]:
    """Return the candidates of a block in display order. One query."""
    rows = Output.objects.filter(pk__in=outputs).select_related("system")
    by_id = {output.pk: output for output in rows}
    outputs_by_candidate = by_candidate(
        [by_id[output] for output in outputs],
        stands_for,
    )
    texts = []
    for outputs_of_text, label in zip(outputs_by_candidate, labels, strict=True):
        texts.append(
            RankedText(
                outputs_of_text[0].text,
                tuple(
                    sorted(
                        (output.system.name, output.system_id)
                        for output in outputs_of_text
                    ),
                ),
                label,
            ),
        )
    return texts


#: Filters that can use an index, with the value that does so if not all do. Filters by document
#: qualify only if they match few judgments.
_INDEXED: Final = {"judge": None, "segment": None, "comment": "yes", "reported": "yes"}


def has_index(values: Mapping[str, object]) -> bool:
    """Return whether an index finds the judgments that match a filter, regardless of its other conditions."""
    return any(
        values.get(name) not in (None, "") and value in (None, values[name])
        for name, value in _INDEXED.items()
    )


#: Judgments of a document are not sorted for a page if there are more than this.
_FEW: Final = 5_000


def segments_with_few(
    *,
    task: Task,
    document: str = "",
    segment: str = "",
) -> list[int] | None:
    """Return the ids of the segments of a document, or of a segment by number; None if they have too many judgments.

    The number is estimated from the share of segments. Two queries; none if neither is given.
    """
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    if segment.isascii() and segment.isdigit() and len(segment) < 10:
        return list(segments.filter(number=int(segment)).values_list("pk", flat=True))
    if not document:
        return None
    last = Subquery(
        JudgmentSequence.objects.filter(pk=task.pk).values("last_number")[:1],
        output_field=IntegerField(),
    )
    judged, total = segments.aggregate(judged=Max(last), total=Count("pk")).values()
    own = list(segments.filter(document__name=document).values_list("pk", flat=True))
    if (judged or 0) * len(own) <= _FEW * (total or 1):
        return own
    return None


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts that a judge compared.

    Attributes
    ----------
    first, second : sequence of str
        Names of the systems that wrote each text; the first text was shown before the second.
    first_label, second_label : int
        From 1, the best, to 5.
    """

    first: Sequence[str]
    second: Sequence[str]
    first_label: int
    second_label: int

    @property
    def outcome(self) -> Outcome:
        """Outcome for the first text."""
        if self.first_label == self.second_label:
            return Outcome.TIED
        if self.first_label < self.second_label:
            return Outcome.WON
        return Outcome.LOST

    def turned(self) -> "Comparison":
        """Return the same with the second text as the first."""
        return Comparison(self.second, self.first, self.second_label, self.first_label)


def comparisons_of(
    candidates: Sequence[Sequence[str]],
    labels: Sequence[int | None],
    *,
    best_worst: bool = False,
) -> Iterator[Comparison]:
    """Yield the comparisons of a judgment: a pair for any two texts that both have a label, in display order.

    `candidates` and `labels` have the same length, at least one. In best-worst scaling, equal labels are no comparison.
    """
    ranked = []
    for names, label in zip(candidates, labels, strict=True):
        if label is not None:
            ranked.append((names, label))
    for (first, first_label), (second, second_label) in combinations(ranked, 2):
        if not best_worst or first_label != second_label:
            yield Comparison(first, second, first_label, second_label)


def comparison_matches(
    comparison: Comparison,
    *,
    system: str,
    other: str,
    outcome: str,
) -> bool:
    """Return True if a comparison, in this direction, matches the given system, other system and outcome, if any."""
    return (
        system in comparison.first
        and (not other or other in comparison.second)
        and (not outcome or comparison.outcome == outcome)
    )


#: Number of reports shown to a judge.
OWN_REPORTS_SHOWN: Final = 50


def problem_reports_of(*, campaign: Campaign) -> QuerySet[ProblemReport, Any]:
    """Return the reports of a campaign with their states, latest first."""
    rows = ProblemReport.objects.filter(task__test_set__campaign=campaign).with_state()
    return rows.select_related(
        "judge",
        "task__test_set",
        "block__segment__document",
    ).order_by("-pk")


def own_problem_reports(judge: Judge) -> QuerySet[ProblemReport, Any]:
    """Return a judge's reports, newest first, with `answers`: organisers' replies not withdrawn. Two queries."""
    replies = ProblemReply.objects.standing().exclude(text="").order_by("number")
    answers = Prefetch("replies", queryset=replies, to_attr="answers")
    own = ProblemReport.objects.filter(judge=judge).with_state().select_related("block")
    return own.prefetch_related(answers).order_by("-pk")


@dataclass(frozen=True, slots=True)
class ReportedBlock:
    """Block of a problem report; `judgment` is the number of the judge's latest judgment of it, if any."""

    texts: list[RankedText]
    judgment: int | None


def reported_block(report: ProblemReport) -> ReportedBlock:
    """Return the candidates in display order, with the judge's ranks if there are any. Two queries."""
    numbers = JudgmentNumber.objects.filter(
        judgment__block=report.block_id,
        judgment__judge=report.judge_id,
    )
    latest = (
        numbers.order_by("-number").values_list("number", "judgment__labels").first()
    )
    outputs = report.block.outputs
    stands_for = report.block.stands_for
    number, labels = latest or (None, [None] * len(by_candidate(outputs, stands_for)))
    ranks = answer_kind_of(report.task).ranks(labels)
    texts = ranked_texts(outputs=outputs, stands_for=stands_for, labels=ranks)
    return ReportedBlock(texts=texts, judgment=number)


def skips_listed(*, task: Task) -> QuerySet[Skip]:
    """Return skips with judge and segment, latest first; `is_judged` tells whether the judge later judged the block."""
    # Not Exists, for which PostgreSQL may read and hash all judgments for a page of a hundred skips.
    ranked = Judgment.objects.filter(judge=OuterRef("judge"), block=OuterRef("block"))[
        :1
    ]
    return (
        Skip.objects.filter(task=task)
        .select_related("judge", "block__segment__document")
        .alias(ranked=Subquery(ranked.values("pk")))
        .annotate(is_judged=ExpressionWrapper(Q(ranked__isnull=False), BooleanField()))
        .order_by("-pk")
    )
