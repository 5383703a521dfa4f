"""Quizzes as a report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from protocols.quiz.files import QuizRead
from protocols.quiz.statistics.answers import FEWEST_SNIPPETS, QuizScore, QuizScores, Readings
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
