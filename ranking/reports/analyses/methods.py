"""Compare methods: their orders, and how well they predict held-out judgments."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import comma_list
from ranking.core.counting.counts import compared_groups
from ranking.core.rankings.mean_scores import MethodOrder, orders_by_methods
from ranking.core.scores import TIE_DECIMALS
from ranking.core.selection import (
    MethodSelection,
    Requirement,
    predictors,
    select_method,
)
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import METHOD, SEED, Option, swaps_in_words
from ranking.reports.analyses.ranking import numbered_groups
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Report, Table, ranks_in_orders
from ranking.reports.wording.methods import METHOD_WORDS

#: Slow methods are not selected by default: Lopez takes minutes for many systems, TrueSkill as WMT used
#: it a minute without numba, and the Bradley–Terry model with judges fits every judge.
_SHOWN = (
    "expected_wins",
    "bradley_terry",
    "hopkins_may",
    "trueskill",
    "bojar",
    "geq_others",
    "gt_others",
)
FIRST = replace(METHOD, name="first", label=gettext_lazy("Compare with"))
OTHERS = replace(METHOD, name="methods", label=gettext_lazy("Methods"), default=_SHOWN)
ACCURACY = Option(
    name="accuracy",
    label=gettext_lazy("Measure accuracy"),
    default=False,
    help=gettext_lazy(
        "Cross-validated accuracy at predicting held-out comparisons. Takes minutes."
    ),
)
FOLDS = Option(name="folds", label=gettext_lazy("Folds"), default=20, low=2, high=100)


#: The order of each method, and its predictions if requested.
_Found = tuple[Sequence[MethodOrder], MethodSelection | None]


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> _Found:
    names = tuple(dict.fromkeys([options["first"], *options["methods"]]))
    orders = orders_by_methods(
        given.blocks, names, seed=options["seed"], progress=begin(_("Ranking"))
    )
    accuracy = None
    if options["accuracy"]:
        accuracy = select_method(
            given.blocks,
            predictors({name: {} for name in names}, seed=options["seed"]),
            folds=options["folds"],
            seed=options["seed"],
            progress=begin(_("Predicting")),
        )
    return orders, accuracy


def _tell(given: Input, _options: Mapping[str, Any], found: _Found) -> Report:
    """Report the order of systems by each method, and how well it predicts held-out judgments."""
    tallies = given.tallies
    groups = []
    for group in compared_groups(tallies):
        groups.append({tallies.systems[index] for index in group.tolist()})
    # Unconnected groups are not ordered relative to each other.
    orders = [
        replace(order, swapped=_within(order.swapped, groups)) for order in found[0]
    ]
    accuracy = found[1]
    return report_on(
        given,
        notes=_agreeing(orders),
        tables=[
            *_places(given, orders, groups),
            _swaps(orders),
            *([accuracy_table(accuracy)] if accuracy is not None else []),
        ],
        data={
            "orders": orders,
            "accuracy": None if accuracy is None else selection_data(accuracy),
        },
    )


def _agreeing(orders: Sequence[MethodOrder]) -> list[str]:
    """Return how many methods agree on the full ranking, and the names of the others."""
    others = [order for order in orders if order.reason or order.swapped]
    notes = [
        _("%(alike)d of %(methods)d methods agree on the full ranking.")
        % {"alike": len(orders) - len(others), "methods": len(orders)}
    ]
    if others:
        names = comma_list(str(METHOD_WORDS[order.method]) for order in others)
        notes.append(_("The others: %(names)s.") % {"names": names})
    return notes


def _within(
    pairs: Sequence[tuple[str, str]], groups: Sequence[Collection[str]]
) -> tuple[tuple[str, str], ...]:
    return tuple(
        (one, other)
        for one, other in pairs
        if any(one in group and other in group for group in groups)
    )


def _places(
    given: Input, orders: Sequence[MethodOrder], groups: Sequence[Collection[str]]
) -> list[Table]:
    """Return a table of places for each group of systems that comparisons connect."""
    systems = given.blocks.systems
    if len(groups) < 2:
        return [_places_table(systems, orders)]
    parts = ([name for name in systems if name in group] for group in groups)
    return numbered_groups(_places_table(part, orders) for part in parts)


def _shared_places(order: MethodOrder, names: Sequence[str]) -> dict[str, int]:
    """Return the places of some systems, best first; systems with equal scores share places."""
    scores = {
        name: round(order.scores[name], TIE_DECIMALS)
        for name in order.ranks
        if name in names
    }
    every = list(scores.values())
    return {
        name: 1 + sum(each > score for each in every) for name, score in scores.items()
    }


def _places_table(names: Sequence[str], orders: Sequence[MethodOrder]) -> Table:
    places = [_shared_places(order, names) for order in orders]
    return ranks_in_orders(
        {order.method: str(METHOD_WORDS[order.method]) for order in orders},
        places,
        systems=[*places[0], *sorted(set(names).difference(places[0]))],
        notes=[
            _("%(method)s: the estimate did not converge.")
            % {"method": METHOD_WORDS[order.method]}
            for order in orders
            if order.reason
        ],
    )


def _swaps(orders: Sequence[MethodOrder]) -> Table:
    return Table.of(
        [order for order in orders[1:] if not order.reason],
        name="swaps",
        title=_("Pairs in a different order than %(method)s")
        % {"method": METHOD_WORDS[orders[0].method]},
        columns=(
            Column(
                "method",
                _("Method"),
                is_text=True,
                of=lambda row: str(METHOD_WORDS[row.method]),
            ),
            Column("swapped", _("Swapped pairs"), of=lambda row: len(row.swapped)),
            Column(
                "pairs",
                _("Pairs"),
                is_text=True,
                of=lambda row: swaps_in_words(row.swapped),
            ),
        ),
    )


def selection_report(
    given: Input, found: MethodSelection, requirements: Sequence[Requirement] = ()
) -> Report:
    """Report the method that best predicts held-out judgments, and how much data each method needs."""
    return report_on(
        given,
        notes=[
            _("%(folds)s folds over %(segments)s segments, seed %(seed)s")
            % {
                "folds": found.folds,
                "segments": number_format(found.segments),
                "seed": found.seed,
            },
        ],
        tables=[
            accuracy_table(found),
            *([_requirements(found, requirements)] if requirements else []),
        ],
        data={
            **selection_data(found),
            "data_requirements": list(requirements) or None,
        },
    )


def selection_data(found: MethodSelection) -> dict[str, Any]:
    """Return the accuracy of each method as plain data."""
    return {
        "methods": [
            {"method": name, **asdict(accuracy)}
            for name, accuracy in found.methods.items()
        ],
        "best": next(iter(found.methods)),
        "oracle": found.oracle,
        "majority": found.majority,
        "folds": found.folds,
        "segments": found.segments,
        "comparisons": found.comparisons,
        "ties": found.ties,
        "seed": found.seed,
    }


def accuracy_table(found: MethodSelection) -> Table:
    """Report the accuracy of each method, best first, between the upper bound and the baseline."""
    rows = [
        (name, each.accuracy, each.standard_error, each.behind, each.behind_error)
        for name, each in found.methods.items()
    ]
    return Table(
        name="accuracy",
        title=_("Accuracy on held-out comparisons (win, tie or loss)"),
        columns=(
            Column("method", _("Method"), is_text=True),
            Column("accuracy", _("Accuracy"), decimals=4),
            Column("standard_error", _("Standard error"), decimals=4),
            Column("behind", _("Behind the best"), decimals=4),
            Column("behind_error", _("Standard error"), decimals=4),
        ),
        rows=[
            (_("oracle"), found.oracle, None, None, None),
            *rows,
            (_("most frequent outcome"), found.majority, None, None, None),
        ],
        rules=frozenset({0, len(rows)}),
    )


def _requirements(found: MethodSelection, requirements: Sequence[Requirement]) -> Table:
    names = list(found.methods)
    return Table(
        name="data_requirements",
        title=_("Accuracy by share of training blocks"),
        columns=(
            Column("share", _("Share"), is_text=True),
            Column("comparisons", _("Comparisons"), decimals=0),
            *(Column(name, name, decimals=4) for name in names),
        ),
        rows=[
            (
                f"{requirement.share:g}",
                requirement.comparisons,
                *(requirement.accuracy[name] for name in names),
            )
            for requirement in requirements
        ],
    )


COMPARED_METHODS = AnalysisKind(
    name="methods",
    title=gettext_lazy("Compare methods"),
    question=gettext_lazy("Do other methods rank the systems differently?"),
    options=(FIRST, OTHERS, ACCURACY, FOLDS, SEED),
    needs=frozenset({Need.RULE}),
    find=_find,
    tell=_tell,
)
