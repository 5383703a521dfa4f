"""The list and the overview of campaigns, the checklist of drafts, and the table of test sets."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import inf
from typing import Any, Final

import django_filters
from django.contrib.auth.decorators import login_required
from django.db.models import Case, F, FloatField, Q, QuerySet, TextChoices, Value, When
from django.db.models.functions import Cast
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.defaultfilters import floatformat
from django.urls import reverse
from django.utils.formats import date_format, number_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy
from django.views.decorators.http import require_safe

from campaign.formats.recognising import FEWEST_SYSTEMS
from campaign.models import (
    Campaign,
    CampaignState,
    Judge,
    Protocol,
    Task,
    TestSet,
    Transition,
)
from campaign.pages.filters import DeskFilter
from campaign.pages.tables import DeskTable, PlainColumn, SortedColumn
from campaign.selectors.credentials import campaign_languages, may_make_campaigns
from campaign.selectors.uploads import drafts
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, labelled, semicolon_list
from campaign.texts.languages import NO_LANGUAGE, language_name
from campaign.texts.pay import hourly_pay
from campaign.views.access import organised_campaign, user_of
from campaign.views.decorators import page_view
from ranking.core.simulation.work_ahead import EndOfWork
from ranking.pages.formats import bar_plot, figure, percent, rank_plots, share
from ranking.pages.formats import languages as languages_in_words
from ranking.pages.page_plots import plot_links
from ranking.pages.summary import headline, headline_without_ranking
from ranking.reports.wording.progress import not_counted_in_words
from ranking.reports.wording.ranges import first_cluster
from ranking.selectors.alerts import CampaignFacts, campaign_facts, needs_in
from ranking.selectors.analyses import kind_in_place_of_ranking
from ranking.selectors.dashboards import (
    DAYS_FORECAST,
    TaskOverview,
    day_after,
    organised_campaigns,
    states_hidden,
)
from ranking.selectors.tasks import Preparation, design_in_words, preparation, tasks_listed

#: Maximum number of days in plots of forecast ends; later ends have an arrow.
_DAYS_ON_AXIS: Final = 60
#: Height of a system in a small plot.
_LINE_PX: Final = 8


def totals_of(overviews: Sequence[TaskOverview]) -> dict[str, Any]:
    """Return the totals over a campaign's test sets.

    `share` covers those with a target, `pace` is in blocks per day over those that are open.
    """
    asked = [each for each in overviews if each.task.blocks_wanted]
    wanted = sum(each.task.blocks_wanted or 0 for each in asked)
    done = sum(min(each.counted, each.task.blocks_wanted or 0) for each in asked)
    return {
        "running": sum(each.is_open for each in overviews),
        "tasks": len(overviews),
        "judged": sum(each.judged for each in overviews),
        "excluded": sum(each.excluded for each in overviews),
        "at_work": sum(each.at_work for each in overviews),
        "share": done / wanted if wanted else None,
        "pace": sum(each.pace for each in overviews if each.is_open),
    }


def campaign_end(overviews: Sequence[TaskOverview], *, today: date) -> tuple[str, str]:
    """Return the expected day of the end of a campaign's last test set with its interval, or why it is unknown."""
    last = _last_to_end(overviews)
    return ("–", "") if last is None else _end_in_words(last, last.end, today)


def days_to_end(overviews: Sequence[TaskOverview]) -> float | None:
    """Return the days from the beginning of today to the end of the campaign; None if unknown."""
    last = _last_to_end(overviews)
    return None if last is None or last.is_done or last.end is None else last.end.days


def _last_to_end(overviews: Sequence[TaskOverview]) -> TaskOverview | None:
    """Return the test set that determines the campaign's end: one with an unknown end, or the last to end."""
    running = [each for each in overviews if each.is_open]
    if not running:
        return max(overviews, key=_closed_at, default=None)
    asked = [each for each in running if each.task.blocks_wanted]
    unfinished = [each for each in asked if not each.is_done]
    ends = [(each, each.end) for each in unfinished or asked or running]
    return max(ends, key=lambda each: inf if each[1] is None else each[1].days)[0]


def _closed_at(overview: TaskOverview) -> float:
    closed = overview.task.closed_at
    return closed.timestamp() if closed else 0.0


def overview_rows(overviews: Sequence[TaskOverview], *, today: date) -> list[dict[str, Any]]:
    """Return the rows of test sets, with all ends on one axis. `end` is a date, or the reason why there is none."""
    ends = [overview.end for overview in overviews]
    axis = _days_on_axis([end for end in ends if end is not None])
    rows = []
    for overview, end in zip(overviews, ends, strict=True):
        standing, share = overview.standing, overview.share
        words, between = _end_in_words(overview, end, today)
        rows.append(
            {
                "overview": overview,
                "headline": _headline(overview),
                "plot": small_plot(standing) if standing and standing["systems"] else None,
                "bar": None if share is None else percent(share),
                "bars": bar_plot([(day.start, day.judged) for day in overview.days]),
                "end": words,
                "end_range": between,
                "end_plot": _end_plot(end, axis) if end and end.days else None,
            }
        )
    return rows


def _headline(overview: TaskOverview) -> str:
    standing = overview.standing
    if standing and standing["systems"]:
        return headline(standing)
    if overview.judged and kind_in_place_of_ranking(task=overview.task):
        return headline_without_ranking(overview.task)
    return headline(standing) if standing else headline_without_ranking()


def small_plot(standing: Mapping[str, Any]) -> dict[str, Any]:
    """Return a small plot of rank ranges without names; vertical lengths are in pixels."""
    rows = [
        (row, row["begins_cluster"] or (number > 0 and not index))
        for number, plot in enumerate(rank_plots(standing["systems"]))
        for index, row in enumerate(plot["rows"])
    ]
    lines = [
        {
            "ranked": row,
            "y": str(_LINE_PX * index + _LINE_PX // 2),
            "rule": str(_LINE_PX * index) if has_rule else "",
        }
        for index, (row, has_rule) in enumerate(rows)
    ]
    return {"height": str(_LINE_PX * len(rows)), "lines": lines}


def _end_in_words(overview: TaskOverview, end: EndOfWork | None, today: date) -> tuple[str, str]:
    """Return the expected day of the end with its interval, or why it is unknown."""
    if not overview.is_open:
        if overview.task.closed_at is None:
            return capfirst(str(overview.task.state.label)), ""
        closed = localtime(overview.task.closed_at, overview.task.test_set.campaign.zone)
        return _day(closed.date()), ""
    if overview.is_done:
        return _("All blocks judged"), ""
    if not overview.task.blocks_wanted:
        return _("No target set"), ""
    if end is None:
        if overview.days_of_work < DAYS_FORECAST:
            return _("Not enough data yet (needs 7 days of judging)"), ""
        return _("No judgments in the last week"), ""
    if end.high is None:
        return _day(day_after(today, end.days)), _(
            "from %(first)s (no latest date: daily pace varies too much)"
        ) % {"first": _day(day_after(today, end.low))}
    low, high = day_after(today, end.low), day_after(today, end.high)
    return _day(day_after(today, end.days)), f"{_day(low)} – {_day(high)}"


def _day(day: date) -> str:
    return date_format(day, "DATE_FORMAT")


def _days_on_axis(ends: Sequence[EndOfWork]) -> float:
    latest = [_DAYS_ON_AXIS if end.high is None else end.high for end in ends]
    return min(_DAYS_ON_AXIS, max([DAYS_FORECAST, *latest]))


def _end_plot(end: EndOfWork, axis: float) -> dict[str, Any]:
    """Return the positions of a forecast and its interval between today and the end of the axis."""
    high = axis if end.high is None else end.high
    ends = {"low": end.low, "high": high, "dot": end.days}
    found: dict[str, Any] = {name: percent(min(1.0, at / axis)) for name, at in ends.items()}
    return found | {"is_later": end.high is None or end.high > axis}


_STATES: Final = [
    (state.value, state.label) for state in CampaignState if state != CampaignState.BIN
]
#: Default sort key.
_NEEDS: Final = "needs"
#: Keys computed from the facts of campaigns.
_FIGURES: Final[Mapping[str, Callable[[CampaignFacts], float | None]]] = {
    _NEEDS: lambda facts: len(needs_in(facts)),
    "judged": lambda facts: totals_of(facts.overviews)["judged"],
    "cost": lambda facts: facts.active_ms,
    "end": lambda facts: days_to_end(facts.overviews),
}


class CampaignFilter(DeskFilter):
    """Filters of `organised_campaigns`; archived ones are only shown on request."""

    name = django_filters.CharFilter(
        label=gettext_lazy("Name contains"), max_length=100, method="of_name"
    )
    state = django_filters.ChoiceFilter(
        label=gettext_lazy("State"),
        choices=_STATES,
        empty_label=gettext_lazy("all except archived"),
    )

    def of_name(self, queryset: QuerySet[Any, Any], name: str, value: str) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(Q(name__icontains=value) | Q(slug__icontains=value))

    def filter_queryset(self, queryset: QuerySet[Any, Any]) -> QuerySet[Any, Any]:
        """Return the matching rows."""
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
    """Table of `Campaign`; `facts` has those of each campaign, by primary key."""

    name = SortedColumn(gettext_lazy("Campaign"), by="name", then="-pk")
    state = PlainColumn(gettext_lazy("State"), by="state")
    needs = _by_figure(gettext_lazy("Needs attention"), kind="")
    languages = PlainColumn(gettext_lazy("Languages"), by="pk")
    best = PlainColumn(gettext_lazy("Best cluster"), by="pk", kind="wide")
    judged = _by_figure(gettext_lazy("Blocks judged"))
    cost = _by_figure(gettext_lazy("Cost"))
    end = _by_figure(gettext_lazy("Forecast end"), kind="wide", descending=False)

    caption = gettext_lazy("Campaigns")

    def __init__(
        self, rows: QuerySet[Campaign, Any], *, facts: Mapping[int, CampaignFacts]
    ) -> None:
        super().__init__(rows)
        self.facts = facts

    def cell_name(self, row: Campaign) -> SafeString:
        return format_html('<a href="{}"><bdi>{}</bdi></a>', _overview(row), row.name)

    def cell_state(self, row: Campaign) -> SafeString | str:
        if row.state == CampaignState.OPEN:
            return str(row.get_state_display())
        return format_html('<span class="badge badge-look">{}</span>', row.get_state_display())

    def cell_needs(self, row: Campaign) -> SafeString | str:
        if row.state == CampaignState.DRAFT:
            # The checklist lists the missing steps.
            return _link(_overview(row), _("Continue setup"), row)
        count = len(needs_in(self.facts[row.pk]))
        if not count:
            return "–"
        words = ngettext(
            "%(count)s item needs your attention", "%(count)s items need your attention", count
        )
        return _link(f"{_overview(row)}#needs", words % {"count": figure(count)}, row)

    def cell_languages(self, row: Campaign) -> SafeString:
        pairs = dict.fromkeys(_tags(each.task.test_set) for each in self.facts[row.pk].overviews)
        return (
            _link(reverse("test-sets", args=[row.slug]), _some(list(pairs)), row)
            if pairs
            else SafeString("–")
        )

    def cell_best(self, row: Campaign) -> str:
        best = [_best_cluster(each) for each in self.facts[row.pk].overviews]
        return _some([words for words in best if words]) or "–"

    def cell_judged(self, row: Campaign) -> SafeString | str:
        totals = totals_of(self.facts[row.pk].overviews)
        if totals["share"] is None:
            return figure(totals["judged"])
        words = _("%(share)s of target") % {"share": share(totals["share"])}
        cell = format_html('{} <span class="quiet">({})</span>', figure(totals["judged"]), words)
        not_counted = not_counted_in_words(totals["excluded"])
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
        words, between = campaign_end(facts.overviews, today=facts.now.date())
        if not between:
            return format_html('<span class="quiet">{}</span>', words)
        return format_html('{} <span class="quiet">{}</span>', words, between)


def campaign_table(rows: QuerySet[Campaign, Any], *, request: HttpRequest) -> CampaignTable:
    """Return the table of campaigns, sorted and paged by query parameters; by default, those that need attention first.

    Constant number of queries.
    """
    facts = {each.campaign.pk: each for each in campaign_facts(campaigns=list(rows))}
    wanted = request.GET.get("sort", "").removeprefix("-")
    find = _FIGURES.get(wanted, _FIGURES[_NEEDS])
    rows = rows.annotate(figure=_figure({pk: find(each) for pk, each in facts.items()}))
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
    return Case(
        *(When(pk__in=pks, then=Value(float(value))) for value, pks in campaigns.items()),
        # PostgreSQL cannot sort by a bare NULL.
        default=Cast(Value(None), FloatField()),
        output_field=FloatField(),
    )


#: Maximum number of systems named in a cluster.
_NAMED: Final = 3


def _best_cluster(overview: TaskOverview) -> str:
    """Return the systems of the best cluster, by name; empty while no systems are separated."""
    standing = overview.standing
    best = [] if standing is None else first_cluster(standing["systems"], standing["groups"])
    # A cluster of all systems is not a result.
    if standing is None or len(best) == len(standing["systems"]):
        return ""
    more = len(best) - _NAMED
    return comma_list(best[:_NAMED]) + (f" (+{figure(more)})" if more > 0 else "")


def _some(words: Sequence[str]) -> str:
    """Return the first two names and the number of others."""
    more = len(words) - 2
    return semicolon_list(words[:2]) + (f" (+{figure(more)})" if more > 0 else "")


def _tags(test_set: TestSet) -> str:
    """Return the languages of a test set as tags."""
    source, target = test_set.source_language, test_set.target_language
    if source in {target, NO_LANGUAGE}:
        return target
    return f"{source}\u00a0→\u00a0{target}"


def _overview(row: Campaign) -> str:
    return reverse("campaign-detail", args=[row.slug])


def _link(address: str, words: str, row: Campaign) -> SafeString:
    return format_html(
        '<a href="{}">{}<span class="visually-hidden"> {}</span></a>', address, words, row.name
    )


#: Pages on which an organiser says what judges of a protocol are asked.
_SCHEMES: Final = {
    Protocol.RATING: (gettext_lazy("Criteria"), "criteria"),
    Protocol.SPANS: (gettext_lazy("Error categories"), "error-scheme"),
}


class StepState(TextChoices):
    """State of a step of the checklist."""

    DONE = "done", pgettext_lazy("step", "done")
    MISSING = "missing", pgettext_lazy("step", "missing")
    WRONG = "wrong", gettext_lazy("needs fixing")
    OPTIONAL = "optional", gettext_lazy("optional")


@dataclass(frozen=True, slots=True)
class Step:
    """A line of the checklist: its topic, state, link to continue, and link to view.

    With `begins`, the address is that of an action instead of a page. A step that is not possible yet has no `button`.
    """

    name: str
    state: StepState
    said: Sequence[str]
    button: str
    address: str
    see: str = ""
    see_address: str = ""
    begins: bool = False

    @property
    def is_needed(self) -> bool:
        """True if the campaign cannot open without this step."""
        return self.state in {StepState.MISSING, StepState.WRONG}


def steps_of(campaign: Campaign, found: Preparation) -> list[Step]:
    """Return the checklist of a draft, in working order."""
    steps = [
        _texts(campaign, found),
        _systems(campaign, found),
        _design(campaign, found),
        _people(campaign, found),
        _instructions(campaign, found),
    ]
    return [
        *steps,
        _as_judge(campaign, found),
        _rehearsal(campaign, found),
        _opening(campaign, found, steps),
    ]


def _texts(campaign: Campaign, found: Preparation) -> Step:
    said = [
        _("%(name)s: %(segments)s segments")
        % {"name": row.test_set.name, "segments": number_format(row.segment_count)}
        for row in _test_sets(found)
    ]
    address = reverse("test-sets", args=[campaign.slug])
    # Once there is a test set, an abandoned upload is no longer a step; the page of test sets
    # lists it.
    if said:
        return Step(_("Texts"), StepState.DONE, said, _("Add texts"), address)
    if not found.uploads:
        return Step(
            _("Texts"),
            StepState.MISSING,
            [_("Source, reference and output files")],
            _("Add texts"),
            reverse("upload-new", args=[campaign.slug]),
            begins=True,
        )
    said.append(
        _("An import failed. Open it to see the error.")
        if found.failed
        else counted(
            "%(count)d unfinished upload", "%(count)d unfinished uploads", len(found.uploads)
        )
    )
    return Step(
        _("Texts"),
        StepState.WRONG if found.failed else StepState.MISSING,
        said,
        _("Continue upload"),
        reverse("upload", args=[campaign.slug, found.uploads[0].pk]),
    )


def _test_sets(found: Preparation) -> list[Any]:
    """Return one row per test set, regardless of its tasks."""
    rows: dict[int, Any] = {}
    for row in found.tasks:
        rows.setdefault(row.test_set_id, row)
    return list(rows.values())


def _systems(campaign: Campaign, found: Preparation) -> Step:
    counts = [(row.test_set.name, row.system_count) for row in _test_sets(found)]
    few = [name for name, count in counts if count < FEWEST_SYSTEMS]
    said = [
        counted("%(name)s: %(count)d system", "%(name)s: %(count)d systems", count, name=name)
        for name, count in counts
    ]
    if few:
        said.append(_("%(names)s: at least two systems are needed") % {"names": comma_list(few)})
    state = StepState.WRONG if few else StepState.DONE
    return Step(
        _("Systems"),
        state if found.tasks else StepState.MISSING,
        said or [_("Imported with the texts")],
        _("View test sets") if found.tasks else "",
        reverse("test-sets", args=[campaign.slug]),
    )


def _design(campaign: Campaign, found: Preparation) -> Step:
    said = [
        _("%(name)s: %(design)s")
        % {
            "name": row.called,
            "design": design_in_words(row.drawn_by) or _("Default"),
        }
        for row in found.tasks
    ]
    only = found.tasks[0] if len(found.tasks) == 1 else None
    see, see_address = "", ""
    if only and only.protocol in _SCHEMES:
        words, page = _SCHEMES[only.protocol]
        see, see_address = str(words), reverse(page, args=[campaign.slug, only.pk])
    several = _("View test sets") if found.tasks else ""
    return Step(
        _("Design"),
        StepState.DONE if found.tasks else StepState.OPTIONAL,
        said or [_("How blocks are drawn (optional: there is a default)")],
        _("Choose design") if only else several,
        reverse("design", args=[campaign.slug, only.pk])
        if only
        else reverse("test-sets", args=[campaign.slug]),
        see=see,
        see_address=see_address,
    )


def _people(campaign: Campaign, found: Preparation) -> Step:
    said = [
        counted("%(count)s judge", "%(count)s judges", found.judges),
        counted("%(count)d shared link", "%(count)d shared links", found.links),
    ]
    if found.unread:
        names = comma_list(dict.fromkeys(row.test_set.name for row in found.unread))
        said.append(_("No judge reads both languages of %(names)s.") % {"names": names})
    for needed in found.needed:
        said += [labelled(needed.task.called, words) for words in needed.words]
    has_people = found.judges or found.links
    state = StepState.DONE if has_people else StepState.MISSING
    is_short = bool(found.judges) and not all(needed.is_feasible for needed in found.needed)
    return Step(
        _("People"),
        StepState.WRONG if (found.unread or is_short) and not found.links else state,
        said,
        _("Invite judges"),
        reverse("invitations", args=[campaign.slug]),
    )


def _instructions(campaign: Campaign, found: Preparation) -> Step:
    count = found.languages_of_instructions
    said = counted("In %(count)d language", "In %(count)d languages", count)
    return Step(
        _("Instructions"),
        StepState.DONE if count else StepState.OPTIONAL,
        [said if count else _("Without instructions, judges only see how the page works.")],
        _("Write instructions"),
        reverse("instructions", args=[campaign.slug]),
    )


def _as_judge(campaign: Campaign, found: Preparation) -> Step:
    return Step(
        _("Preview as judge"),
        StepState.OPTIONAL,
        [_("The judging page with your texts; nothing is saved")],
        _("Preview as judge") if found.tasks else "",
        reverse("campaign-preview", args=[campaign.slug]),
    )


def _rehearsal(campaign: Campaign, found: Preparation) -> Step:
    seen = None if found.rehearsal.is_under_way else found.rehearsal.campaign
    if not found.tasks:
        said = _(
            "Simulated judges do the work in about a minute. The rehearsal is deleted when the campaign opens."
        )
    elif found.rehearsal.is_under_way:
        said = _("Rehearsal in progress")
    elif found.rehearsal.rehearsal is None:
        said = _(
            "Simulated judges do the work in about a minute. The rehearsal is deleted when the campaign opens."
        )
    elif found.rehearsal.is_outdated:
        said = _("Outdated: texts, design or settings have changed since the rehearsal.")
    else:
        said = _("The rehearsal has finished. It is deleted when the campaign opens.")
    return Step(
        _("Rehearse"),
        StepState.DONE if found.rehearsal.rehearsal else StepState.OPTIONAL,
        [said],
        _("Rehearse") if found.tasks else "",
        reverse("rehearsal", args=[campaign.slug]),
        _("Open rehearsal") if seen else "",
        reverse("campaign-detail", args=[seen.slug]) if seen else "",
    )


def _opening(campaign: Campaign, found: Preparation, steps: Sequence[Step]) -> Step:
    left = [step.name for step in steps if step.is_needed]
    said = (
        _("Complete first: %(steps)s.") % {"steps": comma_list(left)}
        if left
        else _("Judging starts when you open the campaign.")
    )
    if found.rehearsal.rehearsal is not None:
        said = f"{said} {_('The rehearsal is deleted.')}"
    return Step(
        _("Open"),
        StepState.MISSING,
        [said],
        "" if left else _("Open campaign"),
        reverse("campaign-transition", args=[campaign.slug, Transition.OPEN]),
    )


class TaskFilter(DeskFilter):
    """Filters of `tasks_listed`; languages are those of the campaign."""

    __test__ = False

    name = django_filters.CharFilter(
        field_name="test_set__name",
        lookup_expr="icontains",
        label=gettext_lazy("Name contains"),
        max_length=200,
    )
    language = django_filters.ChoiceFilter(
        label=gettext_lazy("Language"), empty_label=gettext_lazy("All"), method="of_language"
    )

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        tags = campaign_languages(campaign)
        self.filters["language"].extra["choices"] = [(tag, language_name(tag)) for tag in tags]

    def of_language(
        self, queryset: QuerySet[Any, Any], name: str, value: str
    ) -> QuerySet[Any, Any]:
        del name
        return queryset.filter(
            Q(test_set__source_language=value) | Q(test_set__target_language=value)
        )


def _task_column(words: Any, by: str, **options: Any) -> SortedColumn:
    return SortedColumn(words, by=by, then="pk", **options)


def _counted(words: Any, by: str) -> SortedColumn:
    return _task_column(words, by, kind="number", initial_sort_descending=True)


class TaskTable(DeskTable):
    """Table of `tasks_listed`."""

    __test__ = False

    name = _task_column(gettext_lazy("Name"), "test_set__name")
    languages = PlainColumn(gettext_lazy("Languages"), by="test_set__source_language")
    segments = _counted(gettext_lazy("Segments"), "segment_count")
    documents = _counted(gettext_lazy("Documents"), "document_count")
    systems = _counted(gettext_lazy("Systems"), "system_count")
    design = _task_column(gettext_lazy("Design"), "drawn_by")
    judged = _counted(gettext_lazy("Blocks judged"), "judged")
    wanted = _counted(gettext_lazy("Target blocks"), "blocks_wanted")
    state = _task_column(gettext_lazy("State"), "closed_at")

    caption = gettext_lazy("Test sets")

    def cell_name(self, row: Task) -> SafeString:
        return self.link("test-set-dashboard", row.pk, row.called)

    def cell_languages(self, row: Task) -> str:
        return languages_in_words(row)

    def cell_design(self, row: Any) -> str:
        return design_in_words(row.drawn_by) or "–"

    def cell_wanted(self, row: Task) -> str:
        return figure(row.blocks_wanted)

    def cell_state(self, row: Task) -> str:
        if row.closed_at is None:
            return str(row.state.label)
        return _("closed on %(day)s") % {
            "day": date_format(localtime(row.closed_at), "DATE_FORMAT")
        }


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Redirect members to their campaigns and judges to their work; show an explanation to others."""
    user = user_of(request)
    judging = list(
        Judge.objects.filter(user=user, withdrawn_at=None)
        .select_related("campaign")
        .order_by("-pk")
    )
    begins = not judging and may_make_campaigns(user)
    if begins or Campaign.objects.open_to(user).exists():
        return redirect("campaign-list")
    if len(judging) == 1:
        return redirect("judge", slug=judging[0].campaign.slug)
    return render(request, "dashboard/home.html", {"judging": judging})


@require_safe
@login_required
def campaign_list(request: HttpRequest) -> HttpResponse:
    """List the campaigns the user is a member of, those that need attention first, and those in which they judge.

    Query parameters: `sort` and `page`, as for all tables, and the filters of `CampaignFilter`.
    """
    user = user_of(request)
    asked = CampaignFilter.of(request, organised_campaigns(user=user))
    judging = Judge.objects.filter(user=user, withdrawn_at=None).select_related("campaign")
    table = campaign_table(asked.found, request=request)
    context = {
        "filter": asked,
        "table": table,
        "begins": user.is_staff and not table.paginator.count and not asked.is_used,
        "judging": judging.order_by("-pk"),
        "archived": asked.data.get("state") == CampaignState.ARCHIVED,
        "hidden": states_hidden(user=user),
        "may_make": may_make_campaigns(user),
    }
    return render(request, "dashboard/campaign_list.html", context, status=asked.status)


@page_view
def campaign_detail(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the overview of a campaign: open items, and each task's progress, pace and forecast end."""
    campaign = organised_campaign(request, slug)
    (facts,) = campaign_facts(campaigns=[campaign])
    is_draft = campaign.state == CampaignState.DRAFT
    rows = overview_rows(facts.overviews, today=facts.now.date())
    steps = steps_of(campaign, preparation(campaign=campaign)) if is_draft else []
    context = {
        "campaign": campaign,
        "section": "overview",
        "steps": steps,
        "next_step": next((step for step in steps if step.is_needed), None),
        "rows": rows,
        "plot_links": plot_links("campaign-plot", slug)
        if any(row["end_plot"] for row in rows)
        else None,
        "needs": needs_in(facts),
        "totals": totals_of(facts.overviews),
    }
    return render(request, "organiser/overview.html", context)


@page_view
def tasks_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the test sets of a campaign: languages, texts, systems, design and state.

    Query parameters: `sort` and `page`, as for all tables, and the filters of `TaskFilter`.
    """
    campaign = organised_campaign(request, slug)
    asked = TaskFilter.of(request, tasks_listed(campaign=campaign), campaign=campaign)
    context = {
        "campaign": campaign,
        "section": "test-sets",
        "filter": asked,
        "table": TaskTable(asked.found, of=[campaign.slug]).of(request),
        "drafts": drafts(campaign=campaign, with_files=True),
    }
    return render(request, "organiser/test_sets.html", context, status=asked.status)
