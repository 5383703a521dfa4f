"""Tables over the test sets of a campaign."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse

from campaign.export.downloads import for_spreadsheets
from campaign.views.access import joined_campaign, organised_campaign, user_of
from campaign.views.decorators import form_view, page_view
from ranking.pages.analysis_form import AnalysisForm
from ranking.pages.report_shown import report_file
from ranking.pages.sections import TableSections, form_choice, kind_or_404
from ranking.reports.analyses.options import OptionError
from ranking.reports.analyses.registry import TABLES
from ranking.selectors.analyses import table_answer
from ranking.services.analyses import table_ask


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

    Read-only members may request tables, too.
    """
    campaign = joined_campaign(request, slug)

    def ask(form: AnalysisForm) -> None:
        choice = form_choice(form)
        if not choice.is_live:
            table_ask(campaign=campaign, choice=choice, user=user_of(request))

    page = reverse("campaign-tables", args=[slug])
    return TableSections(request, campaign).requested(
        kind_or_404(TABLES, name),
        page,
        ask,
    )


@page_view
def table_file(
    request: HttpRequest,
    slug: str,
    name: str,
    ending: str,
    table: str | None = None,
) -> HttpResponse:
    """Return the report for the options in the address as a file, or one of its tables; 404 if there is none yet."""
    campaign = organised_campaign(request, slug)
    form = TableSections(request, campaign).form(kind_or_404(TABLES, name), request.GET)
    try:
        report, _stored = table_answer(campaign=campaign, choice=form_choice(form))
    except OptionError as error:
        raise Http404 from error
    if report is None:
        raise Http404
    return for_spreadsheets(
        report_file(report, ending, named=f"{slug}-{name}", table=table),
    )
