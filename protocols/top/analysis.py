"""How much active time blocks of “top or not” take beside those of another task, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.top.report import times_report
from protocols.top.statistics.times import TimesCompared, times_compared
from protocols.top.times import TimesRead, times_read
from ranking.analyses import AnalysisKind, Begin, Option
from ranking.analyses.common import CONFIDENCE
from ranking.analyses.judgments import ChosenJudgments
from ranking.reports import Report
from ranking.reports.inputs import Input

BESIDE = Option(
    name="beside",
    label=gettext_lazy("Beside the task"),
    default=Protocol.RANKING.value,
    choices={each.value: each.label for each in Protocol if each != Protocol.TOP},
    help=gettext_lazy("Of the same test set."),
)


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, options: Mapping[str, Any]
) -> TimesRead:
    protocol = options[BESIDE.name]
    # By its test set, so that both say the same of the campaign.
    beside = task.test_set.tasks.filter(protocol=protocol).first()
    if beside is None or judgments.beside is None:
        raise ValueError(
            _("This test set has no other task “%(name)s”.") % {"name": Protocol(protocol).label}
        )
    return times_read(
        task=task,
        beside=beside,
        watermarks=(watermark, judgments.beside[0].watermark),
        judgments=judgments,
    )


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> TimesCompared:
    begin(_("Counting"))
    read: TimesRead = given.answers
    return times_compared(read.first, read.second, confidence=options[CONFIDENCE.name])


def _tell(given: Input, options: Mapping[str, Any], found: TimesCompared) -> Report:
    return times_report(given.answers, found, confidence=options[CONFIDENCE.name], given=given)


TIMES_COMPARED = AnalysisKind(
    name="top",
    title=gettext_lazy("Active time per block"),
    question=gettext_lazy(
        "How much active time does a block take, beside one of another task on the same texts?"
    ),
    options=(BESIDE, CONFIDENCE),
    protocols=frozenset({Protocol.TOP}),
    beside=BESIDE.name,
    read=_read,
    find=_find,
    tell=_tell,
)
