"""Compare methods: their orders, and how well they predict held-out judgments."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace

import numpy as np
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
from ranking.reports.analyses.options import (
    METHOD,
    SEED,
    AnalysisOptions,
    Option,
)
from ranking.reports.analyses.ranking import numbered_groups
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import (
    Column,
    Report,
    ReportData,
    Table,
    Value,
    ranks_in_orders,
    swap_columns,
)
from ranking.reports.wording.methods import METHOD_WORDS

#: Slow methods are not selected by default: Lopez takes minutes for many systems, TrueSkill as WMT used
#: it a minute without numba, and the Bradley–Terry model with judges fits every judge.
_DEFAULT_METHODS = (
    "expected_wins",
    "bradley_terry",
    "hopkins_may",
    "trueskill",
    "bojar",
    "geq_others",
    "gt_others",
)
FIRST = replace(METHOD, name="first", label=gettext_lazy("Compare with"))
OTHERS: Option[tuple[str, ...]] = Option(
    "methods",
    gettext_lazy("Methods"),
    _DEFAULT_METHODS,
    choices=METHOD.choices,
)
ACCURACY = Option(
    name="accuracy",
    label=gettext_lazy("Measure accuracy"),
    default=False,
    help=gettext_lazy(
        "Cross-validated accuracy at predicting held-out comparisons. Takes minutes.",
    ),
)
FOLDS = Option(name="folds", label=gettext_lazy("Folds"), default=20, low=2, high=100)


@dataclass(frozen=True, kw_only=True)
class ComparedMethods:
    """The order of each method, and its predictions if requested."""

    orders: Sequence[MethodOrder]
    accuracy: MethodSelection | None


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> ComparedMethods:
    names = tuple(dict.fromkeys([options[FIRST], *options[OTHERS]]))
    orders = orders_by_methods(
        inputs.blocks,
        names,
        seed=options[SEED],
        progress=begin(_("Ranking")),
    )
    accuracy = None
    if options[ACCURACY]:
        accuracy = select_method(
            inputs.blocks,
            predictors({name: {} for name in names}, seed=options[SEED]),
            folds=options[FOLDS],
            seed=options[SEED],
            progress=begin(_("Predicting")),
        )
    return ComparedMethods(orders=orders, accuracy=accuracy)


def _tell(inputs: Input, _options: AnalysisOptions, answer: ComparedMethods) -> Report:
    """Report the order of systems by each method, and how well it predicts held-out judgments."""
    tallies = inputs.tallies
    groups = []
    for group in compared_groups(tallies):
        groups.append(set(map(tallies.systems.__getitem__, group.tolist())))
    orders = []
    for order in answer.orders:
        # Unconnected groups are not ordered relative to each other.
        orders.append(
            replace(order, swapped=_pairs_within_groups(order.swapped, groups)),
        )
    tables = [*_places(inputs, orders, groups), _swaps(orders)]
    accuracy = None
    if answer.accuracy is not None:
        tables.append(accuracy_table(answer.accuracy))
        accuracy = selection_data(answer.accuracy)
    return report_on(
        inputs,
        notes=_agreeing(orders),
        tables=tables,
        data={"orders": orders, "accuracy": accuracy},
    )


def _agreeing(orders: Sequence[MethodOrder]) -> list[str]:
    """Return how many methods agree on the full ranking, and the names of the others."""
    others = [order for order in orders if order.reason or order.swapped]
    notes = [
        _("%(alike)d of %(methods)d methods agree on the full ranking.")
        % {"alike": len(orders) - len(others), "methods": len(orders)},
    ]
    if others:
        names = comma_list(str(METHOD_WORDS[order.method]) for order in others)
        notes.append(_("The others: %(names)s.") % {"names": names})
    return notes


def _pairs_within_groups(
    pairs: Sequence[tuple[str, str]],
    groups: Sequence[Collection[str]],
) -> tuple[tuple[str, str], ...]:
    """Return the pairs of systems in the same group."""
    group_of = {}
    for number, group in enumerate(groups):
        group_of.update(dict.fromkeys(group, number))
    within = []
    for one, other in pairs:
        if one in group_of and group_of[one] == group_of.get(other):
            within.append((one, other))
    return tuple(within)


def _places(
    inputs: Input,
    orders: Sequence[MethodOrder],
    groups: Sequence[Collection[str]],
) -> list[Table]:
    """Return a table of places for each group of systems that comparisons connect."""
    systems = inputs.blocks.systems
    if len(groups) < 2:
        return [_places_table(systems, orders)]
    tables = []
    for group in groups:
        members = [name for name in systems if name in group]
        tables.append(_places_table(members, orders))
    return numbered_groups(tables)


def _shared_places(order: MethodOrder, names: Sequence[str]) -> dict[str, int]:
    """Return the places of some systems, best first; systems with equal scores share places."""
    ranked = [name for name in order.ranks if name in names]
    scores = np.array([round(order.scores[name], TIE_DECIMALS) for name in ranked])
    ascending = np.sort(scores)
    better = len(scores) - np.searchsorted(ascending, scores, side="right")
    return dict(zip(ranked, (1 + better).tolist(), strict=True))


def _places_table(names: Sequence[str], orders: Sequence[MethodOrder]) -> Table:
    headings = {}
    notes = []
    for order in orders:
        method = str(METHOD_WORDS[order.method])
        headings[order.method] = method
        if order.reason:
            notes.append(
                _("%(method)s: the estimate did not converge.") % {"method": method},
            )
    places = [_shared_places(order, names) for order in orders]
    unplaced = sorted(set(names).difference(places[0]))
    return ranks_in_orders(
        headings,
        places,
        systems=[*places[0], *unplaced],
        notes=notes,
    )


def _method_in_words(order: MethodOrder) -> str:
    return str(METHOD_WORDS[order.method])


def _swaps(orders: Sequence[MethodOrder]) -> Table:
    return Table.of(
        [order for order in orders[1:] if not order.reason],
        name="swaps",
        title=_("Pairs in a different order than %(method)s")
        % {"method": METHOD_WORDS[orders[0].method]},
        columns=(
            Column("method", _("Method"), is_text=True, of=_method_in_words),
            *swap_columns("swapped", "pairs"),
        ),
    )


def selection_report(
    inputs: Input,
    selection: MethodSelection,
    requirements: Sequence[Requirement] = (),
) -> Report:
    """Report the method that best predicts held-out judgments, and how much data each method needs."""
    tables = [accuracy_table(selection)]
    if requirements:
        tables.append(_requirements(selection, requirements))
    return report_on(
        inputs,
        notes=[
            _("%(folds)s folds over %(segments)s segments, seed %(seed)s")
            % {
                "folds": selection.folds,
                "segments": number_format(selection.segments),
                "seed": selection.seed,
            },
        ],
        tables=tables,
        data={
            **selection_data(selection),
            "data_requirements": list(requirements) or None,
        },
    )


def selection_data(selection: MethodSelection) -> ReportData:
    """Return the accuracy of each method as plain data."""
    methods = []
    for name, accuracy in selection.methods.items():
        methods.append({"method": name, **asdict(accuracy)})
    return {
        "methods": methods,
        "best": next(iter(selection.methods)),
        "oracle": selection.oracle,
        "majority": selection.majority,
        "folds": selection.folds,
        "segments": selection.segments,
        "comparisons": selection.comparisons,
        "ties": selection.ties,
        "seed": selection.seed,
    }


def accuracy_table(selection: MethodSelection) -> Table:
    """Report the accuracy of each method, best first, between the upper bound and the baseline."""
    rows: list[tuple[Value, ...]] = [(_("oracle"), selection.oracle, None, None, None)]
    for name, method in selection.methods.items():
        behind = (method.behind, method.behind_error)
        rows.append((name, method.accuracy, method.standard_error, *behind))
    majority = (_("most frequent outcome"), selection.majority, None, None, None)
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
        rows=[*rows, majority],
        rules=frozenset({0, len(rows) - 1}),
    )


def _requirements(
    selection: MethodSelection,
    requirements: Sequence[Requirement],
) -> Table:
    names = list(selection.methods)
    rows: list[tuple[Value, ...]] = []
    for requirement in requirements:
        accuracy = [requirement.accuracy[name] for name in names]
        rows.append((f"{requirement.share:g}", requirement.comparisons, *accuracy))
    return Table(
        name="data_requirements",
        title=_("Accuracy by share of training blocks"),
        columns=(
            Column("share", _("Share"), is_text=True),
            Column("comparisons", _("Comparisons"), decimals=0),
            *(Column(name, name, decimals=4) for name in names),
        ),
        rows=rows,
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
