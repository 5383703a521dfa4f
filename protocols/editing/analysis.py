"""How many outputs of each system could be edited into acceptable text, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.editing.edits_read import TaskEdits, task_edits
from protocols.editing.report import task_edits_report
from protocols.editing.statistics.acceptability import (
    FEWEST_EDITS,
    Acceptability,
    Counting,
    acceptability,
)
from ranking.analyses import AnalysisKind, Begin, Option
from ranking.analyses.common import CONFIDENCE
from ranking.analyses.judgments import ChosenJudgments
from ranking.reports import Report
from ranking.reports.inputs import Input

FEWEST = Option(
    name="fewest",
    label=gettext_lazy("Fewest edits"),
    default=FEWEST_EDITS,
    low=1,
    high=10_000,
    help=gettext_lazy("Systems with fewer have no percentage and no rank."),
)
ACCEPTANCES = Option(
    name="acceptances",
    label=gettext_lazy("Several acceptances of an edit"),
    default=Counting.MAJORITY.value,
    choices={
        Counting.MAJORITY.value: gettext_lazy("by majority"),
        Counting.MEAN.value: gettext_lazy("each by itself"),
    },
)


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, _options: Mapping[str, Any]
) -> TaskEdits:
    return task_edits(task=task, watermark=watermark, chosen=judgments)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> Acceptability:
    begin(_("Counting"))
    edits: TaskEdits = given.answers
    if not len(edits.edits):
        raise ValueError(_("No judgment counts by this choice."))
    return acceptability(
        edits.edits,
        fewest=options[FEWEST.name],
        counting=Counting(options[ACCEPTANCES.name]),
        confidence=options[CONFIDENCE.name],
    )


def _tell(given: Input, _options: Mapping[str, Any], found: Acceptability) -> Report:
    return task_edits_report(given, found)


ACCEPTABLE_EDITS = AnalysisKind(
    name="editing",
    title=gettext_lazy("Acceptable edits"),
    question=gettext_lazy("How many outputs of each system could be edited into acceptable text?"),
    options=(FEWEST, ACCEPTANCES, CONFIDENCE),
    protocols=frozenset({Protocol.EDITING}),
    stands_for_ranking=True,
    read=_read,
    find=_find,
    tell=_tell,
)
