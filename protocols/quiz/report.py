"""How much readers of each system's outputs understood: a report, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.quiz.files import QuizRead, readings_chosen
from protocols.quiz.statistics import (
    FEWEST_SNIPPETS,
    QuizScore,
    QuizScores,
    Readings,
    quiz_scores,
    reader_scores,
)
from ranking.analyses import AnalysisKind, Begin
from ranking.analyses.common import CONFIDENCE
from ranking.analyses.judgments import ChosenJudgments
from ranking.code_version import code_version
from ranking.core.scores import Shortage
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Report, Table
from ranking.wording.not_yet import lowered, not_yet_in_words
from ranking.wording.numbers import percent_in_figures


def quiz_report(
    read: QuizRead,
    systems: Sequence[QuizScore],
    readers: Sequence[QuizScore],
    *,
    confidence: float,
) -> Report:
    """Tell the share of right answers by system, and by reader."""
    files = [{"name": file.name, "sha256": file.sha256} for file in read.files]
    return _report(read.readings, systems, readers, confidence, about={"files": files}, notes=[])


def task_quiz_report(given: Input, found: QuizScores) -> Report:
    """Tell the same of the readings of a task."""
    return _report(
        given.answers,
        found.systems,
        found.readers,
        found.confidence,
        about=input_data(given),
        notes=input_notes(given),
    )


def _report(
    readings: Readings,
    systems: Sequence[QuizScore],
    readers: Sequence[QuizScore],
    confidence: float,
    *,
    about: dict[str, Any],
    notes: Sequence[str],
) -> Report:
    return Report(
        notes=[*notes, *_notes(readings, confidence)],
        tables=[
            _table("systems", _("Right answers by system"), _("System"), systems),
            _table("readers", _("Right answers by judge"), _("Judge"), readers),
        ],
        data={
            "input": {
                **about,
                "readings": len(readings),
                "snippets": len(readings.snippets),
                "judges": len(readings.judges),
                "met_again": readings.met_again,
            },
            "systems": systems,
            "readers": readers,
            "confidence": confidence,
            "version": code_version(),
        },
    )


def _notes(readings: Readings, confidence: float) -> list[str]:
    notes = [
        _("Readings: %(readings)s; snippets: %(snippets)s; judges: %(judges)s.")
        % {
            "readings": number_format(len(readings)),
            "snippets": number_format(len(readings.snippets)),
            "judges": number_format(len(readings.judges)),
        },
        _(
            "Guessing gives half of the answers right. Intervals: Clopper and Pearson on the effective number of answers, snippets and judges as clusters, confidence %(confidence)s %%."
        )
        % {"confidence": percent_in_figures(confidence)},
    ]
    if alone := readings.of_one_judge:
        notes.append(
            _(
                "Warning: one judge alone read outputs of %(systems)s, so that how judges differ is not in these intervals."
            )
            % {"systems": ", ".join(alone)}
        )
    if readings.met_again:
        notes.append(
            _("Warning: readings by judges who had read the snippet before: %(count)s.")
            % {"count": number_format(readings.met_again)}
        )
    return notes


def _table(name: str, title: str, heading: str, rows: Sequence[QuizScore]) -> Table:
    is_ranked = name == "systems"
    return Table(
        name=name,
        title=title,
        columns=(
            Column("name", heading, is_text=True, names="system" if is_ranked else "judge"),
            *((Column("rank", _("Rank")),) if is_ranked else ()),
            Column("share", _("Right")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("right", _("Right answers")),
            Column("questions", _("Questions")),
            Column("unanswered", _("Unanswered")),
            Column("snippets", _("Snippets")),
        ),
        rows=[
            (
                row.name,
                *((row.rank,) if is_ranked else ()),
                row.share.value,
                row.share.low,
                row.share.high,
                row.share.successes,
                row.share.trials,
                row.unanswered,
                row.snippets,
            )
            for row in rows
        ],
        notes=[
            _("Intervals: %(system)s: %(why)s.")
            % {
                "system": row.name,
                "why": lowered(
                    not_yet_in_words(Shortage("snippets", row.snippets, FEWEST_SNIPPETS))
                ),
            }
            for row in rows
            if row.snippets < FEWEST_SNIPPETS
        ],
        plot=Plot(kind="intervals", label="name", value="share", low="low", high="high", mark=0.5),
    )


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, _options: Mapping[str, Any]
) -> Readings:
    return readings_chosen(task=task, watermark=watermark, chosen=judgments)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> QuizScores:
    begin(_("Counting"))
    readings: Readings = given.answers
    if not len(readings):
        raise ValueError(_("No judgment counts by this choice."))
    confidence = options[CONFIDENCE.name]
    return QuizScores(
        systems=quiz_scores(readings, confidence=confidence),
        readers=reader_scores(readings, confidence=confidence),
        confidence=confidence,
    )


def _tell(given: Input, _options: Mapping[str, Any], found: QuizScores) -> Report:
    return task_quiz_report(given, found)


ANALYSIS = AnalysisKind(
    name="quiz",
    title=gettext_lazy("Right answers"),
    question=gettext_lazy(
        "How many statements about what they read do readers of each system judge right?"
    ),
    options=(CONFIDENCE,),
    protocols=frozenset({Protocol.QUIZ}),
    stands_for_ranking=True,
    read=_read,
    find=_find,
    tell=_tell,
)
