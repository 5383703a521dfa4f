"""How much readers of each system's outputs understood, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.quiz.readings_read import readings_chosen
from protocols.quiz.report import task_quiz_report
from protocols.quiz.statistics.answers import (
    QuizScores,
    Readings,
    quiz_scores,
    reader_scores,
)
from ranking.analyses import AnalysisKind, Begin
from ranking.analyses.common import CONFIDENCE
from ranking.analyses.judgments import ChosenJudgments
from ranking.reports import Report
from ranking.reports.inputs import Input


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


UNDERSTOOD = AnalysisKind(
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
