"""Tables over the test sets of a campaign, each a section of one page, and the plots of pages as files."""

from dataclasses import replace
from functools import cached_property
from typing import Any, cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse

from campaign.models import Campaign, Judge, User
from campaign.views.access import joined_campaign, organised_campaign, organised_task
from campaign.views.decorators import form_view, page_view
from ranking.analyses.kind import AnalysisChoice, AnalysisKind
from ranking.analyses.options import OptionError
from ranking.analyses.registry import TABLES
from ranking.pages.analysis_form import AnalysisForm
from ranking.pages.formats import TableAddresses
from ranking.pages.page_plots import CAMPAIGN_PLOTS, JUDGE_PLOTS, TEST_SET_PLOTS
from ranking.pages.report_shown import PLOT_FILES, plot_answer, report_file, shown_tables
from ranking.reports import Report
from ranking.reports.tables import Table
from ranking.reports.writing import FILES
from ranking.selectors.analyses import JudgmentsToChoose, groups_to_choose
from ranking.selectors.campaign_tables import linked_tasks, table_answer
from ranking.services.analyses import table_ask
from ranking.views.results import SectionsOf, form_choice, given_options, known_kind, section_at


class TableSections(SectionsOf):
    """The tables of a campaign."""

    def action(self, kind: AnalysisKind) -> str:
        """Return the address that requests a table."""
        return reverse("campaign-table", args=[self._campaign.slug, kind.name])

    @cached_property
    def judgments(self) -> JudgmentsToChoose:
        """Return the available choices among the judgments."""
        return JudgmentsToChoose(groups=groups_to_choose(campaign_id=self._campaign.pk))

    def answer(self, form: AnalysisForm, choice: AnalysisChoice) -> dict[str, Any]:
        """Return the newest table of a choice."""
        found = table_answer(campaign=self._campaign, choice=choice)
        context = {
            **self.asked(found.asked),
            "asks": not choice.is_live and self.is_due(found.asked),
        }
        if found.report is None:
            return context
        prefix, slug, name = f"{form.kind.name}-", self._campaign.slug, form.kind.name
        query = f"?{form.query}" if form.query else ""

        def file(table: str, ending: str) -> str:
            of = [slug, name, table.removeprefix(prefix), ending]
            return reverse("campaign-table-plot", args=of) + query

        tables = [replace(each, name=f"{prefix}{each.name}") for each in found.report.tables]
        return {
            **context,
            "notes": found.report.notes,
            "files": [
                (ending.upper(), reverse("campaign-table-file", args=[slug, name, ending]) + query)
                for ending in FILES
            ],
            "tables": shown_tables(
                replace(found.report, tables=tables),
                of_task=TableAddresses(self._campaign, found.report, there=self._tasks),
                file_address=file,
            ),
        }

    @cached_property
    def _tasks(self) -> list[tuple[int, str]]:
        return linked_tasks(campaign=self._campaign)


@page_view
def tables_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show all tables of a campaign."""
    campaign = organised_campaign(request, slug)
    sections = TableSections(request, campaign)
    context = {
        "campaign": campaign,
        "section": "tables",
        "sections": sections.listed(TABLES.values()),
    }
    return render(request, "results/tables.html", context, status=sections.status)


@form_view
def table_page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Have a worker compute a table on POST; GET redirects to its section, which polls here meanwhile.

    Members who only read may ask, too: it changes nothing.
    """
    campaign = joined_campaign(request, slug)
    kind = known_kind(TABLES, name)
    is_part = bool(request.headers.get("HX-Request"))
    if request.method != "POST" and not is_part:
        return section_at(reverse("campaign-tables", args=[slug]), kind, request.GET)
    data = given_options(request.GET if is_part else request.POST)
    sections = TableSections(request, campaign)
    form = sections.form(kind, data)
    error = None
    if request.method == "POST":
        try:
            choice = form_choice(form)
            if not choice.is_live:
                table_ask(campaign=campaign, choice=choice, user=cast("User", request.user))
        except OptionError as refused:
            error = refused
    if not is_part:
        return section_at(reverse("campaign-tables", args=[slug]), kind, data)
    return sections.part(form, error)


@page_view
def table_report(request: HttpRequest, slug: str, name: str, ending: str) -> HttpResponse:
    """Return the table of the choice in the address as a file."""
    campaign = organised_campaign(request, slug)
    if ending not in FILES:
        raise Http404
    return report_file(_report(request, campaign, name), ending, named=f"{slug}-{name}")


@page_view
def table_plot(request: HttpRequest, slug: str, name: str, table: str, ending: str) -> HttpResponse:
    """Return one of its parts as a file: its plot as SVG or PNG, or its rows as CSV."""
    campaign = organised_campaign(request, slug)
    report = _report(request, campaign, name)
    answer = plot_answer(report, table, ending, named=f"{slug}-{name}")
    if answer is None:
        raise Http404
    return answer


def _report(request: HttpRequest, campaign: Campaign, name: str) -> Report:
    """Return the report of the choice in the address; 404 where there is none yet."""
    form = TableSections(request, campaign).form(known_kind(TABLES, name), request.GET)
    try:
        choice = form_choice(form)
    except OptionError as error:
        raise Http404 from error
    report = table_answer(campaign=campaign, choice=choice).report
    if report is None:
        raise Http404
    return report


@page_view
def campaign_plot(request: HttpRequest, slug: str, table: str, ending: str) -> HttpResponse:
    """Return a plot of a campaign as SVG or PNG, or its data as CSV."""
    campaign = organised_campaign(request, slug)
    _check(table in CAMPAIGN_PLOTS, ending)
    return _plot_answer(CAMPAIGN_PLOTS[table](campaign), ending, named=slug)


@page_view
def task_plot(
    request: HttpRequest, slug: str, task_id: int, table: str, ending: str
) -> HttpResponse:
    """Return a plot of a task as a file."""
    task = organised_task(request, slug, task_id)
    _check(table in TEST_SET_PLOTS, ending)
    return _plot_answer(TEST_SET_PLOTS[table](request, task), ending, named=f"{slug}-{task_id}")


@page_view
def judge_plot(
    request: HttpRequest, slug: str, task_id: int, judge_id: int, table: str, ending: str
) -> HttpResponse:
    """Return a plot of a judge as a file."""
    task = organised_task(request, slug, task_id)
    _check(table in JUDGE_PLOTS, ending)
    judge = get_object_or_404(Judge, pk=judge_id, campaign=task.test_set.campaign_id)
    return _plot_answer(JUDGE_PLOTS[table](judge, task), ending, named=f"{slug}-judge-{judge_id}")


def _check(is_known: bool, ending: str) -> None:
    """Raise a 404, before anything is computed."""
    if not is_known or ending not in PLOT_FILES:
        raise Http404


def _plot_answer(table: Table | None, ending: str, *, named: str) -> HttpResponse:
    report = Report(tables=[] if table is None else [table], data={})
    answer = None if table is None else plot_answer(report, table.name, ending, named=named)
    if answer is None:
        raise Http404
    return answer
