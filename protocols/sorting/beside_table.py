"""The orders of systems by other methods than sorting, as a table."""

from __future__ import annotations

from django.utils.translation import gettext as _

from protocols.sorting.statistics.beside import SORT, OrdersBeside
from ranking.reports.tables import Column, Table
from ranking.wording.methods import METHOD_WORDS


def beside_table(beside: OrdersBeside) -> Table:
    """Return the orders by other methods, and how far each agrees with the sort."""
    return Table(
        name="beside",
        title=_("Other orders of the systems"),
        columns=(
            Column("order", _("Method"), is_text=True),
            Column("systems", _("Systems"), is_text=True),
            Column("tau", _("Kendall’s τ")),
        ),
        rows=[
            (_order_name(name), " > ".join(beside.order(name)), beside.tau[SORT, name])
            for name in beside.scores
        ],
    )


def _order_name(name: str) -> str:
    if name == SORT:
        return _("Sorting")
    return str(METHOD_WORDS.get(name, name))
