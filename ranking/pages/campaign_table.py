"""The table of the campaigns that somebody runs or reads, and what it is filtered by."""

from collections.abc import Callable, Iterable, Mapping
from datetime import date, datetime
from typing import Any, Final

import django_filters
from django.db.models import Case, F, FloatField, Q, QuerySet, Value, When
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.models import Campaign, CampaignState
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from ranking.pages.formats import figure, share
from ranking.pages.overview import campaign_end, days_to_end, totals_of
from ranking.selectors.alerts import CampaignFacts, campaign_facts, needs_in

_STATES: Final = [
    (state.value, state.label) for state in CampaignState if state != CampaignState.BIN
]
#: What the first page is sorted by.
_NEEDS: Final = "needs"
#: What the database sorts by itself.
_NAME: Final = "name"
#: What only the facts of a campaign tell: to sort by one of these, all facts are read.
_FIGURES: Final[Mapping[str, Callable[[CampaignFacts], float | None]]] = {
    _NEEDS: lambda facts: len(needs_in(facts)),
    "judged": lambda facts: totals_of(facts.overviews).judged,
    "at_work": lambda facts: totals_of(facts.overviews).at_work,
    "pace": lambda facts: totals_of(facts.overviews).pace,
    "end": lambda facts: days_to_end(facts.overviews),
}


class CampaignFilter(DeskFilter):
    """Filters of `organised_campaigns`; archived ones are shown to those who ask for them."""

    name = django_filters.CharFilter(
        label=gettext_lazy("Name contains"), max_length=100, method="of_name"
    )
    state = django_filters.ChoiceFilter(
        label=gettext_lazy("State"), choices=_STATES, empty_label=gettext_lazy("any but archived")
    )

    def of_name(self, queryset: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(Q(name__icontains=value) | Q(slug__icontains=value))

    def filter_queryset(self, queryset: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
        """Return the rows that pass."""
        rows: QuerySet[Any, Any] = super().filter_queryset(queryset)
        asked = self.form.cleaned_data["state"]
        return rows if asked else rows.exclude(state=CampaignState.ARCHIVED)


def _by_figure(words: Any, *, kind: str = "number", descending: bool = True) -> SortedColumn:
    return SortedColumn(
        words,
        by="pk",
        order="figure",
        then="-pk",
        kind=kind,
        initial_sort_descending=descending,
    )


class CampaignTable(DeskTable):
    """Rows of `Campaign`; `facts` are those of the campaigns of the page, by primary key."""

    name = SortedColumn(gettext_lazy("Campaign"), by="name", then="-pk")
    state = PlainColumn(gettext_lazy("State"), by="state")
    needs = _by_figure(gettext_lazy("Things that need you"), kind="")
    tasks = PlainColumn(gettext_lazy("Test sets"), by="pk", kind="number")
    judged = _by_figure(gettext_lazy("Blocks judged"))
    at_work = _by_figure(gettext_lazy("At work now"))
    pace = _by_figure(gettext_lazy("Pace, blocks a day"))
    end = _by_figure(gettext_lazy("End and its interval"), kind="wide", descending=False)

    caption = gettext_lazy("Campaigns: those that need somebody first")

    def __init__(self, rows: QuerySet[Campaign, Any], *, today: date) -> None:
        super().__init__(rows)
        self.facts: Mapping[int, CampaignFacts] = {}
        self._today = today

    def cell_name(self, row: Campaign) -> SafeString:
        return format_html('<a href="{}">{}</a>', _overview(row), row.name)

    def cell_state(self, row: Campaign) -> SafeString | str:
        if row.state == CampaignState.OPEN:
            return str(row.get_state_display())
        return format_html('<span class="badge badge-look">{}</span>', row.get_state_display())

    def cell_needs(self, row: Campaign) -> SafeString | str:
        if row.state == CampaignState.DRAFT:
            # Its checklist says what it lacks.
            return _link(_overview(row), _("Being set up"), row)
        count = len(needs_in(self.facts[row.pk]))
        if not count:
            return "–"
        words = ngettext("%(count)s thing needs you", "%(count)s things need you", count)
        return _link(f"{_overview(row)}#needs", words % {"count": figure(count)}, row)

    def cell_tasks(self, row: Campaign) -> SafeString:
        count = figure(totals_of(self.facts[row.pk].overviews).tasks)
        return _link(reverse("test-sets", args=[row.slug]), count, row)

    def cell_judged(self, row: Campaign) -> SafeString | str:
        totals = totals_of(self.facts[row.pk].overviews)
        if totals.share is None:
            return figure(totals.judged)
        words = _("%(share)s of those wanted") % {"share": share(totals.share)}
        return format_html('{} <span class="quiet">{}</span>', figure(totals.judged), words)

    def cell_at_work(self, row: Campaign) -> str:
        return figure(totals_of(self.facts[row.pk].overviews).at_work)

    def cell_pace(self, row: Campaign) -> str:
        pace = totals_of(self.facts[row.pk].overviews).pace
        return floatformat(pace) if pace else "–"

    def cell_end(self, row: Campaign) -> SafeString | str:
        words, between = campaign_end(self.facts[row.pk].overviews, today=self._today)
        if not between:
            return format_html('<span class="quiet">{}</span>', words)
        return format_html('{} <span class="quiet">{}</span>', words, between)


def campaign_table(
    rows: QuerySet[Campaign, Any], *, request: HttpRequest, now: datetime | None = None
) -> CampaignTable:
    """Return the table of campaigns, sorted and paged as the address says: those that need somebody first.

    The facts of all are read only where they are sorted by what these tell; otherwise those of the page. The number
    of queries is the same for one campaign and for many.
    """
    now = timezone.localtime(now)
    wanted = request.GET.get("sort", "").removeprefix("-")
    known: dict[int, CampaignFacts] = {}
    if wanted != _NAME:
        known = _facts(rows, now)
        find = _FIGURES.get(wanted, _FIGURES[_NEEDS])
        rows = rows.annotate(figure=_figure({pk: find(facts) for pk, facts in known.items()}))
        rows = rows.order_by(F("figure").desc(nulls_last=True), "-created_at", "-pk")
    table = CampaignTable(rows, today=now.date())
    table.of(request)
    shown = [row.record for row in table.page]
    table.facts = known or _facts(shown, now)
    return table


def _facts(campaigns: Iterable[Campaign], now: datetime) -> dict[int, CampaignFacts]:
    found = campaign_facts(campaigns=list(campaigns), now=now)
    return {facts.campaign.pk: facts for facts in found}


def _figure(figures: Mapping[int, float | None]) -> Case:
    """Return an expression of these figures by campaign."""
    campaigns: dict[float, list[int]] = {}
    for pk, value in figures.items():
        if value is not None:
            campaigns.setdefault(value, []).append(pk)
    return Case(
        *(When(pk__in=pks, then=Value(float(value))) for value, pks in campaigns.items()),
        # PostgreSQL sorts by no bare NULL.
        default=Cast(Value(None), FloatField()),
        output_field=FloatField(),
    )


def _overview(row: Campaign) -> str:
    return reverse("campaign-detail", args=[row.slug])


def _link(address: str, words: str, row: Campaign) -> SafeString:
    return format_html(
        '<a href="{}">{}<span class="visually-hidden"> {}</span></a>', address, words, row.name
    )
