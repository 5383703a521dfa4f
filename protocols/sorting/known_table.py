"""What a sort knows so far, as a square table with a drawing."""

from __future__ import annotations

from django.utils.translation import gettext as _

from protocols.sorting.statistics.chain import SortedChain
from protocols.sorting.statistics.merge_insertion import Verdict
from protocols.sorting.statistics.partial_order import PartialOrder, partial_order
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Table


def known_table(chain: SortedChain) -> Table:
    """Return which system is known to be better than which, which comparisons are open, and the places each may take."""
    decided = [step.decision for step in chain.steps]
    verdicts = [Verdict(each.winner, each.loser) for each in decided if each.winner and each.loser]
    known = partial_order(chain.systems, verdicts)
    open_now = {frozenset(pair) for pair in chain.state.open}
    return Table(
        name="known",
        title=_("What the sort knows so far"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("low", _("From place")),
            Column("high", _("To place")),
            *(
                Column(f"against_{number}", name, is_text=True)
                for number, name in enumerate(known.systems, 1)
            ),
        ),
        rows=[
            (
                system,
                *known.places(row),
                *(_sign(known, row, column, open_now) for column in range(len(known.systems))),
            )
            for row, system in enumerate(known.systems)
        ],
        notes=[
            _(
                "+: the system of the row is better than that of the column, −: it is worse; in brackets where that follows from other comparisons. ?: the two are compared now."
            )
        ],
        keys=1,
        plot=Plot(kind="known", label="system", value="low", high="high"),
    )


def _sign(known: PartialOrder, row: int, column: int, open_now: set[frozenset[str]]) -> str:
    if known.better[row, column]:
        return "+" if known.won[row, column] else "(+)"
    if known.better[column, row]:
        return "−" if known.won[column, row] else "(−)"
    return "?" if frozenset((known.systems[row], known.systems[column])) in open_now else ""
