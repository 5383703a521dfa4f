"""The orders of several methods as a report."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.rankings.orders import MethodOrder
from ranking.core.selection.cross_validation import MethodSelection
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.selections import accuracy_table, selection_data
from ranking.reports.tables import Column, Report, Table
from ranking.wording.methods import METHOD_WORDS


def orders_report(
    given: Input, orders: Sequence[MethodOrder], accuracy: MethodSelection | None = None
) -> Report:
    """Tell in which order each method puts the systems, and how well it predicts judgments."""
    return Report(
        notes=[*input_notes(given), _agreeing(orders)],
        tables=[
            _places(given, orders),
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


def _places(given: Input, orders: Sequence[MethodOrder]) -> Table:
    first = orders[0].ranks
    systems = sorted(given.blocks.systems, key=lambda name: (first.get(name, len(first) + 1), name))
    return Table(
        name="orders",
        title=_("Place given by each method"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            *(Column(order.method, str(METHOD_WORDS[order.method])) for order in orders),
        ),
        rows=[(name, *(order.ranks.get(name) for order in orders)) for name in systems],
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
