"""Results of a test set: progress, agreement, data, and the plots of pages."""

from collections.abc import Mapping
from typing import Any, Final

from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.export.work_time import clock_time
from campaign.export.downloads import for_spreadsheets
from campaign.models import Judge, Task
from campaign.pages.desk import TEST_SET
from campaign.views.access import organised_campaign, organised_task
from campaign.views.decorators import page_view
from ranking.pages.analysis_form import listed_analysis
from ranking.pages.dashboard import agreement_card, progress_card
from ranking.pages.formats import Addresses
from ranking.pages.overview import overview_rows
from ranking.pages.page_plots import PLOTS, plot_links
from ranking.pages.report_shown import PLOT_FILES, report_file
from ranking.pages.sections import Sections
from ranking.reports import Report
from ranking.reports.wording.stopping_rules import rule_with_progress
from ranking.selectors.analyses import requested_analyses
from ranking.selectors.dashboards import (
    judging_progress,
    latest_feedback,
    task_overview,
    time_worked,
)
from ranking.selectors.runs import judges_left_out, latest_run, stopping_rule_state


@page_view
def page_plot(
    request: HttpRequest,
    slug: str,
    table: str,
    ending: str,
    task_id: int | None = None,
    judge_id: int | None = None,
) -> HttpResponse:
    """Return a plot of a campaign, of a test set or of a judge in it as SVG or PNG, or its data as CSV."""
    subjects: list[Any]
    if task_id is None:
        page = "campaign-plot"
        named = slug
        subjects = [organised_campaign(request, slug)]
    else:
        page = "test-set-plot"
        named = f"{slug}-{task_id}"
        subjects = [organised_task(request, slug, task_id)]
    if judge_id is not None:
        page = "judge-plot"
        named = f"{slug}-judge-{judge_id}"
        subjects.append(get_object_or_404(Judge, pk=judge_id, campaign__slug=slug))
    plots = PLOTS[page]
    # Raise a 404 before computing anything.
    if table not in plots or ending not in PLOT_FILES:
        raise Http404
    tables = [plots[table](request, *subjects)]
    report = Report(tables=[row for row in tables if row], data={})
    return for_spreadsheets(report_file(report, ending, named=named, table=table))


_ANALYSES_LISTED: Final = 25


def _results(
    request: HttpRequest,
    task: Task,
    page: str,
    context: Mapping[str, Any],
) -> HttpResponse:
    """Show a results page: its main answer, updated while the page is open, then its sections."""
    sections = Sections(request, task)
    page_context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "heading": next(tab.label for tab in TEST_SET if tab.name == page),
        "section": page,
        "sections": sections.of(page),
        "refreshes": True,
        "addresses": Addresses(task),
        **context,
    }
    return render(request, f"results/{page}.html", page_context, status=sections.status)


@page_view
def progress_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the progress of a test set: judged blocks, pace, time, and forecast end."""
    task = organised_task(request, slug, task_id)
    now = timezone.localtime()
    progress = judging_progress(task=task, now=now)
    worked = time_worked(task=task)
    overview = task_overview(task=task, now=now)
    (row,) = overview_rows([overview], today=now.date())
    state = stopping_rule_state(task_id=task.pk)
    seconds_per_block = None
    if worked and progress.by_people:
        seconds_per_block = worked / progress.by_people
    context = {
        **progress_card(progress),
        "row": row,
        "worked": clock_time(worked) if worked else "",
        "seconds_per_block": seconds_per_block,
        "rule": None if state is None else rule_with_progress(state),
        "plot_links": plot_links("test-set-plot", task.test_set.campaign.slug, task.pk),
        "contents": [
            ("progress", _("Progress")),
            ("pace", _("Pace, cost and forecast")),
        ],
    }
    return _results(request, task, "progress", context)


@page_view
def agreement_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the agreement of the judges of a test set."""
    task = organised_task(request, slug, task_id)
    context = agreement_card(latest_run(task_id=task.pk))
    return _results(request, task, "agreement", context)


@page_view
def data_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the data of a task, judges' remarks, and the computed analyses."""
    task = organised_task(request, slug, task_id)
    pages = Paginator(requested_analyses(task=task), _ANALYSES_LISTED)
    page = pages.get_page(request.GET.get("page"))
    left_out = 0
    run = latest_run(task_id=task.pk)
    if run is not None:
        left_out = len(judges_left_out(run)[task.pk])
    context = {
        "progress": judging_progress(task=task),
        "left_out": left_out,
        "feedback": latest_feedback(task),
        "page": page,
        "rows": [listed_analysis(analysis, task) for analysis in page],
        "contents": [("collected", _("Collected data"))],
    }
    return _results(request, task, "data", context)
