"""Analyses of a test set: ask, and download their files."""

from typing import Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse

from campaign.export.downloads import for_spreadsheets
from campaign.pages.desk import TEST_SET
from campaign.views.access import joined_task, organised_task, user_of
from campaign.views.decorators import form_view, page_view
from ranking.models import Analysis
from ranking.pages.analysis_form import AnalysisForm
from ranking.pages.report_shown import answer_file
from ranking.pages.sections import Sections, form_choice, kind_or_404
from ranking.selectors.analyses import analyses_of
from ranking.services.analyses import analysis_ask

#: Pages of results, by their names in the navigation.
_PAGES: Final = {room.name: room.page for tab in TEST_SET for room in (tab, *tab.rooms)}


@form_view
def analysis_page(
    request: HttpRequest,
    slug: str,
    task_id: int,
    kind: str,
) -> HttpResponse:
    """Have a worker compute an answer on POST; GET redirects to its section, which polls here meanwhile."""
    task = joined_task(request, slug, task_id)
    analysis_kind = kind_or_404(analyses_of(task=task), kind)

    def ask(form: AnalysisForm) -> None:
        user = user_of(request)
        analysis_ask(
            task=task,
            choice=form_choice(form),
            user=user,
            watermark=form.watermark,
        )

    page = reverse(_PAGES[analysis_kind.page], args=[slug, task_id])
    return Sections(request, task).requested(analysis_kind, page, ask)


@page_view
def analysis_file(
    request: HttpRequest,
    slug: str,
    task_id: int,
    analysis_id: int,
    ending: str,
    table: str | None = None,
) -> HttpResponse:
    """Return the report of an analysis as a file, or one of its tables: its plot as SVG or PNG, or its rows as CSV."""
    task = organised_task(request, slug, task_id)
    analysis = get_object_or_404(
        Analysis.objects.of(task.pk).finished(),
        pk=analysis_id,
    )
    return for_spreadsheets(answer_file(analysis, ending, table))
