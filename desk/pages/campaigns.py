"""The table of campaigns and its filters."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import django_filters
from django.db.models import Case, F, FloatField, Q, QuerySet, Value, When
from django.db.models.functions import Cast
from django.http import HttpRequest
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.models import (
    Campaign,
    CampaignState,
    TestSet,
)
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.texts.joining import comma_list, semicolon_list
from campaign.texts.languages import NO_LANGUAGE
from campaign.texts.pay import hourly_pay
from desk.selectors.alerts import CampaignFacts, campaign_facts, needs_in
from ranking.pages.formats import figure, share
from ranking.pages.overview import campaign_end, days_to_end, totals_of
from ranking.reports.wording.progress import not_counted_in_words
from ranking.reports.wording.ranges import first_cluster
from ranking.selectors.dashboards import (
    TaskOverview,
)

_STATES: Final = [
    (state.value, state.label) for state in CampaignState if state != CampaignState.BIN
]


def _figure_of(facts: CampaignFacts, key: str) -> float | None:
    """Return the figure of a campaign for a sort key; by default the number of open items."""
    if key == "judged":
        return totals_of(facts.overviews).judged
    if key == "cost":
        return facts.active_ms
    if key == "end":
        return days_to_end(facts.overviews)
    return len(needs_in(facts))


class CampaignFilter(DeskFilter):
    """Filters of `organised_campaigns`; archived ones are only shown on request."""

    name = django_filters.CharFilter(
        label=gettext_lazy("Name contains"),
        max_length=100,
        method="of_name",
    )
    state = django_filters.ChoiceFilter(
        label=gettext_lazy("State"),
        choices=_STATES,
        empty_label=gettext_lazy("all except archived"),
    )

    def of_name(
        self,
        queryset: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(Q(name__icontains=value) | Q(slug__icontains=value))

    def filter_queryset(self, queryset: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
        """Return the matching rows."""
        rows: QuerySet[Any, Any] = super().filter_queryset(queryset)
        state = self.form.cleaned_data["state"]
        if state:
            return rows
        return rows.exclude(state=CampaignState.ARCHIVED)


def _figure_column(
    label: Any,
    *,
    kind: str = "number",
    descending: bool = True,
) -> SortedColumn:
    return SortedColumn(
        label,
        by="pk",
        order="figure",
        then="-pk",
        kind=kind,
        initial_sort_descending=descending,
    )


class CampaignTable(DeskTable):
    """Table of `Campaign`; `facts` has those of each campaign, by primary key."""

    name = SortedColumn(gettext_lazy("Campaign"), by="name", then="-pk")
    state = PlainColumn(gettext_lazy("State"), by="state")
    needs = _figure_column(gettext_lazy("Needs attention"), kind="")
    languages = PlainColumn(gettext_lazy("Languages"), by="pk")
    best = PlainColumn(gettext_lazy("Best cluster"), by="pk", kind="wide")
    judged = _figure_column(gettext_lazy("Blocks judged"))
    cost = _figure_column(gettext_lazy("Cost"))
    end = _figure_column(gettext_lazy("Forecast end"), kind="wide", descending=False)

    caption = gettext_lazy("Campaigns")

    def __init__(
        self,
        rows: QuerySet[Campaign, Any],
        *,
        facts: Mapping[int, CampaignFacts],
    ) -> None:
        super().__init__(rows)
        self.facts = facts

    def cell_name(self, row: Campaign) -> SafeString:
        return format_html('<a href="{}"><bdi>{}</bdi></a>', _overview(row), row.name)

    def cell_state(self, row: Campaign) -> SafeString | str:
        if row.state == CampaignState.OPEN:
            return str(row.get_state_display())
        return format_html(
            '<span class="badge badge-look">{}</span>',
            row.get_state_display(),
        )

    def cell_needs(self, row: Campaign) -> SafeString | str:
        if row.state == CampaignState.DRAFT:
            # The checklist lists the missing steps.
            return _link(_overview(row), _("Continue setup"), row)
        count = len(needs_in(self.facts[row.pk]))
        if not count:
            return "–"
        label = ngettext(
            "%(count)s item needs your attention",
            "%(count)s items need your attention",
            count,
        )
        return _link(f"{_overview(row)}#needs", label % {"count": figure(count)}, row)

    def cell_languages(self, row: Campaign) -> SafeString:
        tags = [_tags(fact.task.test_set) for fact in self.facts[row.pk].overviews]
        pairs = list(dict.fromkeys(tags))
        if not pairs:
            return SafeString("–")
        return _link(reverse("test-sets", args=[row.slug]), _some(pairs), row)

    def cell_best(self, row: Campaign) -> str:
        clusters = map(_best_cluster, self.facts[row.pk].overviews)
        return _some(list(filter(None, clusters))) or "–"

    def cell_judged(self, row: Campaign) -> SafeString | str:
        totals = totals_of(self.facts[row.pk].overviews)
        judged = figure(totals.judged)
        if totals.share is None:
            return judged
        of_target = _("%(share)s of target") % {"share": share(totals.share)}
        cell = format_html('{} <span class="quiet">({})</span>', judged, of_target)
        not_counted = not_counted_in_words(totals.excluded)
        return format_html('{} <span class="quiet">{}</span>', cell, not_counted)

    def cell_cost(self, row: Campaign) -> SafeString | str:
        """Return the hours of active time and, if the campaign pays by the hour, their cost."""
        worked = self.facts[row.pk].active_ms / 3_600_000
        if not worked:
            return "–"
        hours = _("%(hours)s h") % {"hours": floatformat(worked, 1)}
        rate = hourly_pay(row.pay)
        if rate is None:
            return hours
        return format_html('{} <span class="quiet">{}</span>', rate.cost(worked), hours)

    def cell_end(self, row: Campaign) -> SafeString | str:
        facts = self.facts[row.pk]
        end = campaign_end(facts.overviews, today=facts.now.date())
        if not end.interval:
            return format_html('<span class="quiet">{}</span>', end.label)
        return format_html('{} <span class="quiet">{}</span>', end.label, end.interval)


def campaign_table(
    rows: QuerySet[Campaign, Any],
    *,
    request: HttpRequest,
) -> CampaignTable:
    """Return the table of campaigns, sorted and paged by query parameters; by default, those that need attention first.

    Constant number of queries.
    """
    key = request.GET.get("sort", "").removeprefix("-")
    facts: dict[int, CampaignFacts] = {}
    figures: dict[int, float | None] = {}
    for campaign_fact in campaign_facts(campaigns=list(rows)):
        pk = campaign_fact.campaign.pk
        facts[pk] = campaign_fact
        figures[pk] = _figure_of(campaign_fact, key)
    rows = rows.annotate(figure=_figure(figures))
    rows = rows.order_by(F("figure").desc(nulls_last=True), "-created_at", "-pk")
    table = CampaignTable(rows, facts=facts)
    table.of(request)
    return table


def _figure(figures: Mapping[int, float | None]) -> Case:
    """Return an expression for these figures by campaign."""
    campaigns: dict[float, list[int]] = {}
    for pk, value in figures.items():
        if value is not None:
            campaigns.setdefault(value, []).append(pk)
    cases = []
    for figure_value, pks in campaigns.items():
        cases.append(When(pk__in=pks, then=Value(float(figure_value))))
    return Case(
        *cases,
        # PostgreSQL cannot sort by a bare NULL.
        default=Cast(Value(None), FloatField()),
        output_field=FloatField(),
    )


#: Maximum number of systems named in a cluster.
_NAMED: Final = 3


def _best_cluster(overview: TaskOverview) -> str:
    """Return the systems of the best cluster, by name; empty while no systems are separated."""
    standing = overview.standing
    if standing is None:
        return ""
    best = first_cluster(standing["systems"], standing["groups"])
    # A cluster of all systems is not a result.
    if len(best) == len(standing["systems"]):
        return ""
    return comma_list(best[:_NAMED]) + _more(len(best) - _NAMED)


def _some(names: Sequence[str]) -> str:
    """Return the first two names and the number of others."""
    return semicolon_list(names[:2]) + _more(len(names) - 2)


def _more(count: int) -> str:
    """Return the number of names that are left out, if any."""
    if count <= 0:
        return ""
    return f" (+{figure(count)})"


def _tags(test_set: TestSet) -> str:
    """Return the languages of a test set as tags."""
    source = test_set.source_language
    target = test_set.target_language
    if source in {target, NO_LANGUAGE}:
        return target
    return f"{source}\u00a0→\u00a0{target}"


def _overview(row: Campaign) -> str:
    return reverse("campaign-detail", args=[row.slug])


def _link(address: str, label: str, row: Campaign) -> SafeString:
    return format_html(
        '<a href="{}">{}<span class="visually-hidden"> {}</span></a>',
        address,
        label,
        row.name,
    )
