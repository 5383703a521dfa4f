"""What the orders of tasks beside each other rest on, and what they do not tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.models import Protocol
from ranking.core.beside import ScoredTask, TasksBeside
from ranking.reports.inputs import excluded_notes
from ranking.reports.task_read import TaskRead
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.numbers import percent_in_figures
from ranking.wording.pair_tests import LEVEL_WORDS


def task_in_words(protocol: str) -> str:
    return str(Protocol(protocol).label)


def beside_notes(
    tasks: Mapping[str, TaskRead], found: TasksBeside, options: Mapping[str, Any]
) -> list[str]:
    notes = [
        _("%(task)s: judgments 1 to %(number)s.")
        % {"task": task_in_words(each.protocol), "number": number_format(each.watermark)}
        for each in tasks.values()
        if each.judged is not None
    ]
    notes += [
        _("%(task)s: no judgment counts by this choice.") % {"task": task_in_words(each.protocol)}
        for each in tasks.values()
        if each.judged is None
    ]
    excluded = {name for each in tasks.values() for name in each.excluded_judges}
    notes += excluded_notes(sorted(excluded))
    notes.append(
        _("%(method)s; %(confidence)s %% rank ranges that account for %(level)s.")
        % {
            "method": METHOD_WORDS[options["method"]],
            "confidence": percent_in_figures(options["confidence"]),
            "level": LEVEL_WORDS["two_way"],
        }
    )
    if len(found.orders) < 2:
        notes.append(
            _("This test set has no other task with judgments: nothing is beside this one.")
        )
    if len({each.decided.systems for each in found.orders if each.order}) > 1:
        notes.append(
            _("The tasks do not compare the same systems, and scores depend on who takes part.")
        )
    return [*notes, *_missing(tasks, found)]


def _missing(tasks: Mapping[str, TaskRead], found: TasksBeside) -> list[str]:
    """Say why there is no figure where there is none."""
    notes = []
    for each in found.orders:
        task = {"task": task_in_words(each.task.name)}
        if not each.order:
            notes.append(_("%(task)s: no judgment compares two systems.") % task)
        if isinstance(each.task, ScoredTask):
            notes.append(
                _(
                    "%(task)s: judges scored outputs one at a time. Systems are ordered by mean scores, with confidence sets of ranks, and compared segment by segment."
                )
                % task
            )
        if each.ranking is not None and each.ranking.not_estimable:
            names = ", ".join(row.system for row in each.ranking.not_estimable)
            notes.append(
                _("%(task)s: cannot be ranked by these judgments: %(names)s.")
                % {**task, "names": names}
            )
        if tasks[each.task.name].untimed:
            notes.append(
                _("%(task)s: no hours, because the active time of some judgments is not known.")
                % task
            )
    return notes
