"""The plots of organisers' pages as files; those of analyses and tables are beside these."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from campaign.models import Judge
from campaign.views.access import organised_campaign, organised_task
from ranking.pages.page_plots import CAMPAIGN_PLOTS, JUDGE_PLOTS, TEST_SET_PLOTS
from ranking.pages.plot_file import PLOT_FILES, plot_answer
from ranking.reports import Report
from ranking.reports.tables import Table


@require_safe
@never_cache
@login_required
def campaign_plot(request: HttpRequest, slug: str, table: str, ending: str) -> HttpResponse:
    """Return a plot of a campaign as SVG or PNG, or what it is drawn from as CSV."""
    campaign = organised_campaign(request, slug)
    _check(table in CAMPAIGN_PLOTS, ending)
    return _answer(CAMPAIGN_PLOTS[table](campaign), ending, named=slug)


@require_safe
@never_cache
@login_required
def task_plot(
    request: HttpRequest, slug: str, task_id: int, table: str, ending: str
) -> HttpResponse:
    """Return a plot of a test set likewise."""
    task = organised_task(request, slug, task_id)
    _check(table in TEST_SET_PLOTS, ending)
    return _answer(TEST_SET_PLOTS[table](request, task), ending, named=f"{slug}-{task_id}")


@require_safe
@never_cache
@login_required
def judge_plot(
    request: HttpRequest, slug: str, task_id: int, judge_id: int, table: str, ending: str
) -> HttpResponse:
    """Return a plot of a judge likewise."""
    task = organised_task(request, slug, task_id)
    _check(table in JUDGE_PLOTS, ending)
    judge = get_object_or_404(Judge, pk=judge_id, campaign=task.test_set.campaign_id)
    return _answer(JUDGE_PLOTS[table](judge, task), ending, named=f"{slug}-judge-{judge_id}")


def _check(is_known: bool, ending: str) -> None:
    """Raise a 404, before anything is computed."""
    if not is_known or ending not in PLOT_FILES:
        raise Http404


def _answer(table: Table | None, ending: str, *, named: str) -> HttpResponse:
    report = Report(tables=[] if table is None else [table], data={})
    answer = None if table is None else plot_answer(report, table.name, ending, named=named)
    if answer is None:
        raise Http404
    return answer
