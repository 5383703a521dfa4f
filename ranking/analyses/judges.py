"""Compare each judge with the others, and rank without those who stand out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import CONFIDENCE, KAPPA_LEVEL, METHOD, RESAMPLES, SEED
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.agreement.report import JudgeChance
from ranking.core.agreement.statistics import Chance
from ranking.core.judges.diagnosis import JudgeDiagnosis, diagnose_judges
from ranking.core.judges.outliers import RankingWithout, RuleOutcome, outliers, ranking_without
from ranking.core.judges.repeats import SelfAgreement, agreement_with_themselves
from ranking.core.methods.method import Method
from ranking.core.methods.registry import METHODS
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.judges import judges_report

DEVIATIONS = Option(
    name="deviations",
    label=gettext_lazy("Standard deviations from the mean that stand out"),
    default=1.0,
    low=0,
    high=10,
)
LEVEL = Option(
    name="level",
    label=gettext_lazy("Level of the test against clicking at random"),
    default=0.05,
    low=0,
    high=1,
    is_open=True,
)
MINIMUM = Option(
    name="minimum",
    label=gettext_lazy("Fewest items at which a rule applies"),
    default=10,
    low=1,
    high=math.inf,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesAsked:
    """The method and its parameters that rank without judges who stand out, and when they do."""

    method: Method
    parameters: Mapping[str, Any]
    deviations: float
    level: float
    minimum: int


@dataclass(frozen=True, slots=True)
class JudgesFound:
    """Measures of judges, also with themselves, who stands out by which rule, and the ranking without them."""

    judges: Sequence[JudgeDiagnosis]
    themselves: Sequence[SelfAgreement]
    rules: Sequence[RuleOutcome]
    without: dict[str, RankingWithout]


def judges_found(
    given: Input, asked: JudgesAsked, *, seed: int, how: Mapping[str, Any]
) -> JudgesFound:
    """Measure judges, and rank without those who stand out.

    `how` has `chance`, `chance_of_judges`, `resample`, `resamples` and `confidence`.
    """
    durations = given.read.duration_ms
    judges = diagnose_judges(
        # All that was judged: whether the reference is preferred tells most about a judge.
        given.read.blocks,
        reference=given.reference,
        seconds=np.where(durations < 0, np.nan, durations / 1000)
        if (durations >= 0).any()
        else None,
        seed=seed,
        **how,
    )
    rules = outliers(judges, deviations=asked.deviations, level=asked.level, minimum=asked.minimum)
    left_out = {str(rule.rule): rule.outliers for rule in rules}
    left_out["any"] = tuple({name: None for rule in rules for name in rule.outliers})
    without = {
        name: ranking_without(
            given.blocks,
            names,
            lambda blocks: asked.method.score(blocks, seed=seed, **asked.parameters),
            confidence=how["confidence"],
        )
        for name, names in left_out.items()
    }
    themselves = agreement_with_themselves(given.read.blocks, confidence=how["confidence"])
    return JudgesFound(judges, themselves, rules, without)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> JudgesFound:
    begin(_("Measuring judges"))
    method = METHODS[options["method"]]
    asked = JudgesAsked(
        method=method,
        parameters=method.complete(None),
        **{name: options[name] for name in ("deviations", "level", "minimum")},
    )
    how = {
        "chance": Chance.SCOTT,
        "chance_of_judges": JudgeChance.OWN,
        **{name: options[name] for name in ("resample", "resamples", "confidence")},
    }
    return judges_found(given, asked, seed=options["seed"], how=how)


def _tell(given: Input, options: Mapping[str, Any], found: JudgesFound) -> Report:
    return judges_report(
        given,
        found.judges,
        found.rules,
        found.without,
        found.themselves,
        confidence=options["confidence"],
    )


JUDGES = AnalysisKind(
    name="judges",
    title=gettext_lazy("Judges"),
    question=gettext_lazy(
        "Who stands out among the judges, by which rule, and what would the ranking be without them?"
    ),
    options=(METHOD, DEVIATIONS, LEVEL, MINIMUM, KAPPA_LEVEL, CONFIDENCE, RESAMPLES, SEED),
    find=_find,
    tell=_tell,
)
