"""Report on readers' comprehension of each system's outputs, for page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol
from protocols.frame.tables import analysis_of_lines, one_judge_notes, report_of_answers
from protocols.quiz.files import LINES, Reading, readings_of
from protocols.quiz.statistics import (
    FEWEST_SNIPPETS,
    QuizScore,
    QuizScores,
    Readings,
    scores_of_readings,
)
from ranking.analyses.options import CONFIDENCE
from ranking.core.scores import Shortage
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.tables import Column, Plot, Report, Table
from ranking.wording.methods import lowered, not_yet_in_words
from ranking.wording.numbers import percent_in_figures


def _tell(given: Input | AnswersOfFiles, _options: Mapping[str, Any], found: QuizScores) -> Report:
    """Report the share of correct answers by system and by reader."""
    readings = readings_of(given.answers.rows)
    return report_of_answers(
        given=given,
        counted={
            "readings": len(readings),
            "snippets": len(readings.snippets),
            "judges": len(readings.judges),
            "met_again": readings.met_again,
        },
        notes=_notes(given.answers.rows, readings, found.confidence),
        tables=[
            _table("systems", _("Right answers by system"), _("System"), found.systems),
            _table("readers", _("Right answers by judge"), _("Judge"), found.readers),
        ],
        data={
            "systems": found.systems,
            "readers": found.readers,
            "confidence": found.confidence,
        },
    )


def _notes(rows: list[Reading], readings: Readings, confidence: float) -> list[str]:
    notes = [
        _("Readings: %(readings)s; snippets: %(snippets)s; judges: %(judges)s.")
        % {
            "readings": number_format(len(readings)),
            "snippets": number_format(len(readings.snippets)),
            "judges": number_format(len(readings.judges)),
        },
        _(
            "Guessing gets half of the answers right. Intervals: Clopper–Pearson on the effective number of answers, clustered by snippet and judge (%(confidence)s%% confidence)."
        )
        % {"confidence": percent_in_figures(confidence)},
    ]
    notes += one_judge_notes((row.systems, row.judge) for row in rows)
    if readings.met_again:
        notes.append(
            _("Warning: readings by judges who had already read the snippet: %(count)s.")
            % {"count": number_format(readings.met_again)}
        )
    return notes


def _table(name: str, title: str, heading: str, rows: Sequence[QuizScore]) -> Table:
    is_ranked = name == "systems"
    return Table.of(
        rows,
        name=name,
        title=title,
        columns=(
            Column("name", heading, is_text=True, names="system" if is_ranked else "judge"),
            *((Column("rank", _("Rank")),) if is_ranked else ()),
            Column("share", _("Right"), of=lambda row: row.share.value),
            Column("low", _("From"), of=lambda row: row.share.low),
            Column("high", _("To"), of=lambda row: row.share.high),
            Column("right", _("Right answers"), of=lambda row: row.share.successes),
            Column("questions", _("Questions"), of=lambda row: row.share.trials),
            Column("unanswered", _("Unanswered")),
            Column("snippets", _("Snippets")),
        ),
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


ANALYSIS = analysis_of_lines(
    LINES,
    name="quiz",
    title=gettext_lazy("Right answers"),
    question=gettext_lazy("How many statements do readers of each system judge correctly?"),
    options=(CONFIDENCE,),
    protocols=frozenset({Protocol.QUIZ}),
    stands_for_ranking=True,
    step=gettext_lazy("Counting"),
    find=lambda given, options: scores_of_readings(
        readings_of(given.answers.rows), confidence=options[CONFIDENCE.name]
    ),
    tell=_tell,
)
