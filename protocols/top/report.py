"""Reports on “top or not” for page, REST and command: scores of best-worst scaling, and active time per block."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, F, Q, Sum
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Judgment
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.shown import candidate_count
from campaign.models import Protocol, Task
from campaign.texts.studies import study_name
from protocols.frame.lines import judgments_of
from protocols.frame.tables import AnalysisOptions, report_of_answers
from protocols.top.statistics import (
    BestMinusWorst,
    Times,
    TimesCompared,
    best_minus_worst,
    split_half_reliability,
    times_compared,
)
from ranking.reports.analyses.kind import Begin, ChosenJudgments, ProtocolAnalysis
from ranking.reports.analyses.options import CONFIDENCE, Option
from ranking.reports.inputs import Input
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    Value,
    end_columns,
    system_column,
)
from ranking.reports.wording.methods import lowered, not_yet_in_words
from ranking.reports.wording.numbers import all_in_figures, percent_in_figures

_MILLISECONDS = 1000


@dataclass(frozen=True)
class TimesRead:
    """The times of two tasks, up to a watermark of each."""

    tasks: tuple[Task, Task]
    watermarks: tuple[int, int]
    first: Times
    second: Times


def _read(
    task: Task,
    watermark: int,
    judgments: ChosenJudgments,
    options: AnalysisOptions,
) -> TimesRead:
    """Read the active time of each judged block of two tasks.

    The times of all judgments of a block are added: revisions take time, too. Blocks with a
    judgment without a time, or with a total of 0, are left out, as are controls.
    """
    protocol = options[BESIDE.name]
    # Looked up by test set, so that both use the same campaign.
    beside = task.test_set.tasks.filter(protocol=protocol).first()
    if beside is None or judgments.beside is None:
        raise ValueError(
            _("No other task “%(name)s” in this test set.")
            % {"name": study_name(protocol)},
        )
    watermarks = (watermark, judgments.beside[0].watermark)
    of_both = []
    for one_task, number in zip((task, beside), watermarks, strict=True):
        of_both.append(_rows_of(one_task, number, judgments))
    judges_of_both = set()
    for rows in of_both:
        for judge, *_others in rows:
            judges_of_both.add(judge)
    judges = sorted(judges_of_both)
    places = {judge: n for n, judge in enumerate(judges)}
    first, second = (_times(rows, places) for rows in of_both)
    return TimesRead((task, beside), watermarks, first, second)


def _rows_of(
    task: Task,
    until: int,
    chosen: ChosenJudgments,
) -> list[tuple[str, int, int, int]]:
    """Return judge, segment, number of candidates and milliseconds of each judged block."""
    judgments = judgments_of(
        Judgment.objects.of(task.pk).counted().until(until),
        without=chosen.without,
        documents=chosen.documents,
    )
    return list(
        judgments.values("judge", "block")
        .annotate(
            milliseconds=Sum("active_ms"),
            untimed=Count("pk", filter=Q(active_ms__isnull=True)),
            shown=candidate_count("block__"),
            name=F("judge__pseudonym"),
        )
        .filter(untimed=0, milliseconds__gt=0)
        .order_by("judge", "block")
        .values_list("name", "block__segment", "shown", "milliseconds"),
    )


def _times(rows: list[tuple[str, int, int, int]], places: dict[str, int]) -> Times:
    columns = []
    for name, *others in rows:
        columns.append((places[name], *others))
    judge, segment, output_count, milliseconds = (
        np.array(columns, dtype=np.int64).reshape(-1, 4).T
    )
    return Times(milliseconds / _MILLISECONDS, judge, segment, output_count)


def _tell(
    analysis_input: Input,
    options: AnalysisOptions,
    compared: TimesCompared,
) -> Report:
    """Report active seconds per block of both tasks, and the ratio with its interval."""
    read: TimesRead = analysis_input.answers
    confidence = options[CONFIDENCE.name]
    return report_of_answers(
        analysis_input=analysis_input,
        notes=_notes(read, compared),
        tables=[_table(read, compared, confidence)],
        data={
            "tasks": [task.pk for task in read.tasks],
            "watermarks": read.watermarks,
            "confidence": confidence,
            "candidates": [_mean_candidates(read.first), _mean_candidates(read.second)],
            "compared": compared,
        },
    )


def _notes(read: TimesRead, compared: TimesCompared) -> Iterator[str]:
    yield _(
        "Judges: %(judges)s, of whom %(both)s worked on both tasks.",
    ) % all_in_figures(judges=compared.judges, both=compared.judges_of_both)
    output_counts = []
    for times in (read.first, read.second):
        output_counts.append(_mean_candidates(times))
    if None not in output_counts and output_counts[0] != output_counts[1]:
        yield _(
            "Blocks of the two tasks show different numbers of outputs, which also affects times.",
        )
    if compared.shortage is not None:
        yield _("No interval for the ratio: %(why)s in each task.") % {
            "why": lowered(not_yet_in_words(compared.shortage)),
        }
    elif compared.ratio is not None and compared.low is None:
        yield _("No interval for the ratio: all times are equal.")


def _table(read: TimesRead, compared: TimesCompared, confidence: float) -> Table:
    rows: list[list[Value]] = [
        [
            task.get_protocol_display(),
            len(times.seconds),
            _mean_candidates(times),
            compared.means[index],
            compared.medians[index],
            *(
                (compared.ratio, compared.low, compared.high)
                if index == 0
                else (None, None, None)
            ),
        ]
        for index, (task, times) in enumerate(
            zip(read.tasks, (read.first, read.second), strict=True),
        )
    ]
    percent = {"percent": percent_in_figures(confidence)}
    return Table(
        name="times",
        title=_("Active time per block"),
        columns=[
            Column("protocol", _("Protocol"), is_text=True),
            Column("blocks", _("Blocks")),
            Column("candidates", _("Outputs per block")),
            Column("mean", _("Seconds, mean")),
            Column("median", _("Seconds, median")),
            Column("ratio", _("Ratio of means")),
            Column("low", _("From (%(percent)s%%)") % percent),
            Column("high", _("To (%(percent)s%%)") % percent),
        ],
        rows=rows,
    )


def _mean_candidates(times: Times) -> float | None:
    if len(times.candidates):
        return float(times.candidates.mean())
    return None


BESIDE = Option(
    name="beside",
    label=gettext_lazy("Compare with task"),
    default=Protocol.RANKING.value,
    choices={
        protocol.value: protocol.label
        for protocol in Protocol
        if protocol != Protocol.TOP
    },
    help=gettext_lazy("Name of a task of the same test set."),
)


def _find(
    analysis_input: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> TimesCompared:
    begin(_("Counting"))
    read: TimesRead = analysis_input.answers
    return times_compared(read.first, read.second, confidence=options[CONFIDENCE.name])


ANALYSIS = ProtocolAnalysis(
    name="top",
    title=gettext_lazy("Active time per block"),
    page="progress",
    question=gettext_lazy(
        "How much active time does a block take, compared with another task on the same texts?",
    ),
    options=(BESIDE, CONFIDENCE),
    protocols=frozenset({Protocol.TOP}),
    beside=BESIDE.name,
    read=_read,
    find=_find,
    tell=_tell,
)


@dataclass(frozen=True)
class BestWorstResult:
    """Scores of best-worst scaling, best first, and their split-half reliability."""

    scores: list[BestMinusWorst]
    reliability: float | None


def _best_worst_find(
    analysis_input: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> BestWorstResult:
    begin(_("Counting"))
    return BestWorstResult(
        scores=best_minus_worst(
            analysis_input.blocks,
            confidence=options[CONFIDENCE.name],
        ),
        reliability=split_half_reliability(analysis_input.blocks),
    )


def _best_worst_tell(
    analysis_input: Input,
    options: AnalysisOptions,
    result: BestWorstResult,
) -> Report:
    notes = []
    if result.reliability is not None:
        notes.append(
            _(
                "Split-half reliability: %(correlation)s (Spearman’s correlation of the scores by two random halves of the blocks, averaged over 100 splits).",
            )
            % {"correlation": number_format(result.reliability, 3)},
        )
    table = Table.of(
        result.scores,
        name="best-worst",
        title=_("Best minus worst"),
        columns=[
            system_column(),
            Column("shown", _("Blocks")),
            Column("best", _("Share chosen best")),
            Column("worst", _("Share chosen worst")),
            Column("score", _("Score")),
            *end_columns(),
        ],
    )
    data = {"confidence": options[CONFIDENCE.name], "best_worst": result}
    return report_of_answers(
        analysis_input=analysis_input,
        notes=notes,
        tables=[table],
        data=data,
    )


BEST_WORST = ProtocolAnalysis(
    name="best_worst",
    title=gettext_lazy("Best minus worst"),
    question=gettext_lazy(
        "How often was each system the best, and how often the worst?",
    ),
    options=(CONFIDENCE,),
    protocols=frozenset({Protocol.TOP}),
    fits=lambda task: answer_kind_of(task).best_worst,
    find=_best_worst_find,
    tell=_best_worst_tell,
)
ANALYSES = (ANALYSIS, BEST_WORST)
