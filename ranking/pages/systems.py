"""Table of a test set's systems with their places in the current ranking."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import (
    Case,
    F,
    Field,
    FloatField,
    IntegerField,
    QuerySet,
    Value,
    When,
)
from django.utils.formats import number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy

from annotation.pages.systems import SystemTable
from campaign.models import System
from campaign.pages.tables import NO_VALUE, SortedColumn
from ranking.core.rankings.records import RankedRow
from ranking.models import RankingRun
from ranking.pages.formats import Addresses
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.ranges import rows_by_system, shared_rank


def with_places(systems: QuerySet[System], run: RankingRun | None) -> QuerySet[System]:
    """Annotate systems with rank, score and comparisons in a ranking, best first."""
    ranks = {}
    scores = {}
    comparisons = {}
    for row in _ranked_rows(run):
        name = row["system"]
        ranks[name] = row["rank"]
        comparisons[name] = row["wins"] + row["losses"] + row["ties"]
        if row["score"] is not None:
            scores[name] = row["score"]
    annotated: QuerySet[Any] = systems.annotate(
        rank=_case_by_name(ranks, IntegerField()),
        score=_case_by_name(scores, FloatField()),
        comparisons=_case_by_name(comparisons, IntegerField()),
    )
    return annotated.order_by(F("rank").asc(nulls_last=True), "name")


def _ranked_rows(run: RankingRun | None) -> list[RankedRow]:
    if run is None:
        return []
    systems: list[RankedRow] = run.result["systems"]
    return systems


def _case_by_name(values: Mapping[str, float], field: "Field[Any, Any]") -> Case:
    """Return an expression for the value of each system; null for those without one."""
    whens = [When(name=name, then=Value(value)) for name, value in values.items()]
    return Case(*whens, default=Value(None), output_field=field)


class RankedSystemTable(SystemTable):
    """Rows of `with_places`."""

    rank = SortedColumn(gettext_lazy("Rank"), by="rank", then="name", kind="number")
    score = SortedColumn(
        gettext_lazy("Score"),
        by="score",
        then="name",
        kind="number",
        initial_sort_descending=True,
    )
    comparisons = SortedColumn(
        gettext_lazy("Comparisons"),
        by="comparisons",
        then="name",
        kind="number",
        initial_sort_descending=True,
    )

    class Meta:
        sequence = ("name", "rank", "score", "comparisons", "...")

    def __init__(
        self,
        rows: QuerySet[System],
        *,
        of: Sequence[Any],
        conflicts: Mapping[int, Sequence[str]],
        run: RankingRun | None,
        addresses: Addresses,
    ) -> None:
        super().__init__(rows, of=of, conflicts=conflicts)
        self._ranked = rows_by_system(_ranked_rows(run))
        self._addresses = addresses

    def cell_rank(self, row: System) -> str:
        ranked = self._ranked.get(row.name)
        if ranked is None:
            return NO_VALUE
        return shared_rank(ranked)

    def cell_score(self, row: System) -> str:
        ranked = self._ranked.get(row.name)
        if ranked is None or ranked["score"] is None:
            return NO_VALUE
        return decimals(ranked["score"], 3)

    def cell_comparisons(self, row: Any) -> str | SafeString:
        if row.comparisons is None:
            return NO_VALUE
        address = self._addresses.judgments(system=row.name)
        return format_html(
            '<a href="{}">{}</a>',
            address,
            number_format(row.comparisons),
        )
