"""What judges of two outputs chose, and how far they agree, asked for by page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.two_outputs.arranged import ChoicesRead
from protocols.two_outputs.choices import choices_read
from protocols.two_outputs.report import TwoOutputsFound, two_outputs_found, two_outputs_report
from ranking.analyses import AnalysisKind, Begin, Option, OptionError
from ranking.analyses.judge_pairs import JUDGE, OTHER
from ranking.analyses.judgments import ChosenJudgments
from ranking.reports import Report
from ranking.reports.inputs import Input

SYSTEM_X = Option(
    name="system_x",
    label=gettext_lazy("System X"),
    default="",
    help=gettext_lazy("By name. If none is named: all pairs of systems."),
)
SYSTEM_Y = Option(name="system_y", label=gettext_lazy("System Y"), default="")


def _checked(options: Mapping[str, Any]) -> dict[str, Any]:
    systems = [options[option.name] for option in (SYSTEM_X, SYSTEM_Y)]
    if any(systems) and (not all(systems) or systems[0] == systems[1]):
        raise OptionError(_("Name two different systems."), field=SYSTEM_Y.name)
    judges = _judges(options)
    if len(judges) > len(set(judges)):
        raise OptionError(_("Name two different judges."), field=OTHER.name)
    return dict(options)


def _judges(options: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(options[option.name] for option in (JUDGE, OTHER) if options[option.name])


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, options: Mapping[str, Any]
) -> ChoicesRead:
    x, y = options[SYSTEM_X.name], options[SYSTEM_Y.name]
    return choices_read(
        task=task, watermark=watermark, judgments=judgments, systems=(x, y) if x else None
    )


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> TwoOutputsFound:
    begin(_("Measuring agreement"))
    choices = given.answers.choices
    if not choices.items:
        raise ValueError(_("No judgment counts by this choice."))
    for name in _judges(options):
        if name not in choices.judges:
            raise ValueError(
                _("Nobody called %(names)s has judged what counts here.") % {"names": name}
            )
    return two_outputs_found(given.answers)


def _tell(given: Input, options: Mapping[str, Any], found: TwoOutputsFound) -> Report:
    return two_outputs_report(found, judges=_judges(options), given=given)


TWO_OUTPUTS_COMPARED = AnalysisKind(
    name="two_outputs",
    title=gettext_lazy("Two outputs"),
    question=gettext_lazy("What did judges say of two outputs, and how far do they agree?"),
    options=(SYSTEM_X, SYSTEM_Y, JUDGE, OTHER),
    check=_checked,
    protocols=frozenset({Protocol.TWO_OUTPUTS}),
    read=_read,
    find=_find,
    tell=_tell,
)
