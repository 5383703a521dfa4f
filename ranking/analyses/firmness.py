"""Tell how firm first place is: how many judgments decide it, and what it is without each unit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import METHOD
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.firmness.fewest_blocks import fewest_blocks
from ranking.core.firmness.without_each import WithoutEach, without_each
from ranking.core.methods.bradley_terry import NotConvergedError
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS, counts_method_named
from ranking.core.rankings.rank import compared_groups
from ranking.reports import Report
from ranking.reports.firmness import FirmnessFound, firmness_report
from ranking.reports.inputs import Input
from ranking.wording.methods import METHOD_WORDS

#: Counts without a judge, or a block, are a difference of counts; others would be fitted each time.
_BY_COUNTS = tuple(
    name
    for name, method in METHODS.items()
    if isinstance(method, CountsMethod) and method.influence is not None
)
COUNTS_METHOD = Option(
    name="method",
    label=METHOD.label,
    default="expected_wins",
    choices={name: METHOD_WORDS[name] for name in _BY_COUNTS},
)
_EPOCH = date(1970, 1, 1)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> FirmnessFound:
    method = counts_method_named(options["method"])
    if len(compared_groups(given.tallies)) > 1:
        raise ValueError(
            _("Nothing compares some of these systems with the others, so none is first of all.")
        )
    try:
        begin(_("Looking for the judgments that decide"))
        fewest = fewest_blocks(given.blocks, method)
        begin(_("Leaving out one at a time"))
        return FirmnessFound(
            method=method.name,
            fewest=fewest,
            judges=_judges(given, method),
            documents=_documents(given, method),
            days=_days(given, method),
        )
    except NotConvergedError as error:
        raise ValueError(
            _("%(method)s gives no order: the estimate did not converge.")
            % {"method": METHOD_WORDS[method.name]}
        ) from error


def _judges(given: Input, method: CountsMethod) -> WithoutEach | None:
    blocks = given.blocks
    if len(np.unique(blocks.judge)) < 2:
        return None
    return without_each(blocks, method, blocks.judge, blocks.judges)


def _documents(given: Input, method: CountsMethod) -> WithoutEach | None:
    document = given.blocks.document
    if document is None:  # fewer than two, or not known
        return None
    return without_each(given.blocks, method, document, given.documents)


def _days(given: Input, method: CountsMethod) -> WithoutEach | None:
    day = given.read.day
    if day is None or len(found := np.unique(day)) < 2:
        return None
    names = {number: (_EPOCH + timedelta(number)).isoformat() for number in found.tolist()}
    return without_each(given.blocks, method, day, names)


def _tell(given: Input, options: Mapping[str, Any], found: FirmnessFound) -> Report:
    del options
    return firmness_report(given, found)


FIRMNESS = AnalysisKind(
    name="firmness",
    title=gettext_lazy("How firm is it?"),
    question=gettext_lazy(
        "How many judgments decide who is first, and what would the ranking be without each judge, each "
        "document, each day?"
    ),
    options=(COUNTS_METHOD,),
    shows_rule=True,
    find=_find,
    tell=_tell,
)
