"""Compare methods: the orders they give, and how well they predict judgments they have not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.common import METHOD, SEED
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.mean_scores import MethodOrder, orders_by_methods
from ranking.core.selection import (
    MethodSelection,
    Predictor,
    by_scores,
    predictors,
    score_by_method,
    select_method,
)
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.orders import orders_report
from ranking.wording.methods import METHOD_WORDS

#: Lopez searches for minutes where systems are many, and the Bradley–Terry of judges fits each judge.
_SHOWN = (
    "expected_wins",
    "bradley_terry",
    "hopkins_may",
    "trueskill_wmt",
    "bojar",
    "geq_others",
    "gt_others",
)

FIRST = Option(
    name="first",
    label=gettext_lazy("Compared with"),
    default="expected_wins",
    choices=METHOD.choices,
)
OTHERS = Option(
    name="methods",
    label=gettext_lazy("Methods"),
    default=_SHOWN,
    choices={name: METHOD_WORDS[name] for name in METHODS},
)
ACCURACY = Option(
    name="accuracy",
    label=gettext_lazy("Measure accuracy"),
    default=False,
    help=gettext_lazy(
        "How well each method predicts held-out comparisons, by cross-validation. Takes minutes."
    ),
)
FOLDS = Option(name="folds", label=gettext_lazy("Folds"), default=20, low=2, high=100)


def predictors_of(
    parameters: Mapping[str, Mapping[str, Any]], *, seed: int
) -> dict[str, Predictor]:
    """Return a predictor for each method: its own where it has one, else one by its scores."""
    own = predictors(seed=seed, parameters=parameters)
    return {
        name: own[name]
        if name in own
        else by_scores(partial(score_by_method, name, METHODS[name].complete(given), seed))
        for name, given in parameters.items()
    }


@dataclass(frozen=True, slots=True)
class _Found:
    orders: Sequence[MethodOrder]
    accuracy: MethodSelection | None


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> _Found:
    names = tuple(dict.fromkeys([options["first"], *options["methods"]]))
    orders = orders_by_methods(
        given.blocks, names, seed=options["seed"], progress=begin(_("Ranking"))
    )
    accuracy = None
    if options["accuracy"]:
        accuracy = select_method(
            given.blocks,
            predictors_of({name: {} for name in names}, seed=options["seed"]),
            folds=options["folds"],
            seed=options["seed"],
            progress=begin(_("Predicting")),
        )
    return _Found(orders, accuracy)


def _tell(given: Input, options: Mapping[str, Any], found: _Found) -> Report:
    del options
    return orders_report(given, found.orders, found.accuracy)


COMPARED_METHODS = AnalysisKind(
    name="methods",
    title=gettext_lazy("Methods"),
    question=gettext_lazy("Do other methods put the systems in another order?"),
    options=(FIRST, OTHERS, ACCURACY, FOLDS, SEED),
    shows_rule=True,
    find=_find,
    tell=_tell,
)
