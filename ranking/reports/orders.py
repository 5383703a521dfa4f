"""The orders of several methods as a report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.rankings.mean_scores import MethodOrder
from ranking.core.rankings.rank import compared_groups
from ranking.core.scores import TIE_DECIMALS
from ranking.core.selection import MethodSelection
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.selections import accuracy_table, selection_data
from ranking.reports.tables import Column, Report, Table
from ranking.wording.methods import METHOD_WORDS


def orders_report(
    given: Input, orders: Sequence[MethodOrder], accuracy: MethodSelection | None = None
) -> Report:
    """Tell in which order each method puts the systems, and how well it predicts judgments."""
    tallies = given.tallies
    groups = [
        {tallies.systems[index] for index in group.tolist()} for group in compared_groups(tallies)
    ]
    # Between groups that nothing compares there is no order.
    orders = [replace(order, swapped=_within(order.swapped, groups)) for order in orders]
    return Report(
        notes=[*input_notes(given), _agreeing(orders)],
        tables=[
            *_places(given, orders, groups),
            _swaps(orders),
            *([accuracy_table(accuracy)] if accuracy is not None else []),
        ],
        data={
            "input": input_data(given),
            "orders": orders,
            "accuracy": None if accuracy is None else selection_data(accuracy),
            "version": code_version(),
        },
    )


def _agreeing(orders: Sequence[MethodOrder]) -> str:
    alike = sum(not order.reason and not order.swapped for order in orders)
    return _("%(alike)d of %(methods)d methods agree on the whole order.") % {
        "alike": alike,
        "methods": len(orders),
    }


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
    if len(groups) < 2:
        return [_places_table(given.blocks.systems, orders)]
    return [
        replace(
            _places_table([name for name in given.blocks.systems if name in group], orders),
            name=f"orders_group_{number}",
            title=_("Place given by each method, group %(number)s of %(count)s")
            % {"number": number, "count": len(groups)},
        )
        for number, group in enumerate(groups, 1)
    ]


def _shared_places(order: MethodOrder, names: Sequence[str]) -> dict[str, int]:
    """Return the places of some systems, best first; those with equal scores share theirs."""
    scores = {
        name: round(order.scores[name], TIE_DECIMALS) for name in order.ranks if name in names
    }
    every = list(scores.values())
    return {name: 1 + sum(each > score for each in every) for name, score in scores.items()}


def _places_table(names: Sequence[str], orders: Sequence[MethodOrder]) -> Table:
    places = [_shared_places(order, names) for order in orders]
    first = {name: number for number, name in enumerate(places[0])}
    systems = sorted(names, key=lambda name: (first.get(name, len(first) + 1), name))
    return Table(
        name="orders",
        title=_("Place given by each method"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            *(Column(order.method, str(METHOD_WORDS[order.method])) for order in orders),
        ),
        rows=[(name, *(each.get(name) for each in places)) for name in systems],
        notes=[
            _("%(method)s gives no order: the estimate did not converge.")
            % {"method": METHOD_WORDS[order.method]}
            for order in orders
            if order.reason
        ],
        plot=Plot(kind="bump", label="system", value=orders[0].method),
    )


def _swaps(orders: Sequence[MethodOrder]) -> Table:
    return Table(
        name="swaps",
        title=_("Pairs in another order than by %(method)s")
        % {"method": METHOD_WORDS[orders[0].method]},
        columns=(
            Column("method", _("Method"), is_text=True),
            Column("swapped", _("Pairs")),
            Column("pairs", _("Which"), is_text=True),
        ),
        rows=[
            (
                str(METHOD_WORDS[order.method]),
                len(order.swapped),
                "; ".join(f"{worse} > {better}" for better, worse in order.swapped),
            )
            for order in orders[1:]
            if not order.reason
        ],
    )
