"""Measure which judges agree: every two of them, and all of an item."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.agreement.judge_pairs import PairsAgreement, agreement_of_pairs
from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.judges.repeats import unanimity
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.judge_pairs import JudgePairsFound, judge_pairs_report

JUDGE = Option(
    name="judge",
    label=gettext_lazy("Judge"),
    default="",
    help=gettext_lazy(
        "Whose outcomes are set against those of another judge. If nobody is named: the two who share "
        "most."
    ),
)
OTHER = Option(name="other", label=gettext_lazy("Other judge"), default="")


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> JudgePairsFound:
    begin(_("Measuring agreement"))
    judge, other = options[JUDGE.name], options[OTHER.name]
    for name in (judge, other):
        if name and name not in given.blocks.judges:
            raise ValueError(
                _("Nobody called %(names)s has judged what counts here.") % {"names": name}
            )
    if judge and judge == other:
        raise ValueError(_("Name two different judges."))
    pairs = agreement_of_pairs(given.blocks, confidence=options["confidence"])
    return JudgePairsFound(
        pairs=pairs,
        inter=inter_judge_agreement(given.blocks, confidence=options["confidence"]).inter,
        unanimity=unanimity(given.blocks, confidence=options["confidence"]),
        chosen=_row_of(pairs, judge, other),
        asked=(judge, other),
        confidence=options["confidence"],
    )


def _row_of(pairs: PairsAgreement, judge: str, other: str) -> int | None:
    """Return the pair of the judges named, of those that remain the one that shares most."""
    wanted = np.ones(len(pairs), dtype=np.bool_)
    for name in (judge, other):
        if name:
            index = pairs.names.index(name)
            wanted &= (pairs.first == index) | (pairs.second == index)
    if not wanted.any():
        return None
    return int(np.argmax(np.where(wanted, pairs.comparable, -1)))


def _tell(given: Input, options: Mapping[str, Any], found: JudgePairsFound) -> Report:
    del options
    return judge_pairs_report(given, found)


JUDGE_PAIRS = AnalysisKind(
    name="judge_pairs",
    title=gettext_lazy("Pairs of judges"),
    question=gettext_lazy("Which judges agree with each other, and how often do all agree?"),
    options=(JUDGE, OTHER, CONFIDENCE),
    find=_find,
    tell=_tell,
)
