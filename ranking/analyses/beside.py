"""Set the orders of a test set by all its tasks beside each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE, RESAMPLES, SEED
from ranking.analyses.firmness import COUNTS_METHOD
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.core.beside import TasksBeside, tasks_beside
from ranking.core.methods.bradley_terry import NotConvergedError
from ranking.reports import Report
from ranking.reports.beside_tasks.report import beside_report
from ranking.reports.inputs import Input
from ranking.wording.methods import METHOD_WORDS


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> TasksBeside:
    tasks = [each.judged for each in given.beside or () if each.judged is not None]
    try:
        return tasks_beside(
            tasks,
            options["method"],
            resamples=options["resamples"],
            confidence=options["confidence"],
            seed=options["seed"],
            progress=begin(_("Ranking")),
        )
    except NotConvergedError as error:
        raise ValueError(
            _("%(method)s gives no order: the estimate did not converge.")
            % {"method": METHOD_WORDS[options["method"]]}
        ) from error


def _tell(given: Input, options: Mapping[str, Any], found: TasksBeside) -> Report:
    return beside_report(given, found, options)


BESIDE = AnalysisKind(
    name="beside",
    title=gettext_lazy("Beside other tasks"),
    question=gettext_lazy(
        "Do the tasks of this test set put its systems in the same order, and how many pairs does each decide in an hour?"
    ),
    options=(COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    needs_beside=True,
    find=_find,
    tell=_tell,
)
