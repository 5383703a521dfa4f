"""Rank without some judges: what would be without them, and what they say alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE, METHOD, RESAMPLES, SEED
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.analyses.ranking import CORRECTION, LEVEL, RANGES, SIDES, checked, range_choice
from ranking.core.agreement.report import AgreementReport, inter_judge_agreement
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.outliers import RankingsWithout, rankings_without
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.scores import Scores
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.without import without_report

LEAVE_OUT = Option(
    name="leave_out",
    label=gettext_lazy("Leave out"),
    default=(),
    help=gettext_lazy(
        "Judges by pseudonym. If none is named: those who are excluded or flagged now. Before, they count, "
        "even those who are excluded."
    ),
)


@dataclass(frozen=True, slots=True)
class _Found:
    rest: Input
    rankings: RankingsWithout
    agreement: AgreementReport


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> _Found:
    names = options[LEAVE_OUT.name] if given.leave_out is None else given.leave_out
    method = METHODS[options["method"]]
    choice = range_choice(options)

    def ranked(blocks: Blocks) -> Ranking:
        return rank(
            blocks,
            method.name,
            resamples=options["resamples"],
            seed=options["seed"],
            progress=begin(_("Ranking")),
            **choice.arguments,
        )

    def scored(blocks: Blocks) -> Scores:
        return method.score(blocks, seed=options["seed"], **method.complete(None))

    if set(given.blocks.judges) <= set(names):
        raise ValueError(_("Without these judges nobody is left who judged."))
    return _Found(
        rest=replace(given, blocks=given.blocks.without_judges(names)),
        rankings=rankings_without(
            given.blocks, names, rank=ranked, score=scored, confidence=options["confidence"]
        ),
        agreement=inter_judge_agreement(given.blocks, confidence=options["confidence"]),
    )


def _tell(given: Input, options: Mapping[str, Any], found: _Found) -> Report:
    return without_report(
        given,
        found.rest,
        found.rankings,
        found.agreement,
        are_named=bool(options[LEAVE_OUT.name]),
        confidence=options["confidence"],
    )


WITHOUT_JUDGES = AnalysisKind(
    name="without",
    title=gettext_lazy("Without judges"),
    question=gettext_lazy(
        "What would the ranking be without some judges, and what do they say by themselves?"
    ),
    options=(
        LEAVE_OUT,
        METHOD,
        RANGES,
        LEVEL,
        CORRECTION,
        SIDES,
        CONFIDENCE,
        RESAMPLES,
        SEED,
    ),
    check=checked,
    shows_rule=True,
    find=_find,
    tell=_tell,
)
