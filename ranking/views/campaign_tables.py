"""Tables over the test sets of a campaign: which there are, one with its choice, and files of it."""

from functools import partial
from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Campaign, User
from campaign.views.access import joined_campaign, organised_campaign
from ranking.analyses import OptionError
from ranking.campaign_tables import TABLES, TableKind
from ranking.pages.analysis_form import query_of
from ranking.pages.plot_file import plot_answer
from ranking.pages.report_shown import shown_tables
from ranking.pages.table_addresses import TableAddresses
from ranking.pages.table_file import table_file
from ranking.pages.table_form import TableForm
from ranking.reports import Report
from ranking.reports.writing import FILES
from ranking.selectors.campaign_tables import (
    TableAnswer,
    groups_to_choose,
    linked_tasks,
    table_answer,
    table_state,
)
from ranking.services.campaign_tables import table_ask, table_choice

_SECTION = "tables"


@require_safe
@never_cache
@login_required
def tables_page(request: HttpRequest, slug: str) -> HttpResponse:
    """List the tables there are."""
    campaign = organised_campaign(request, slug)
    context = {"campaign": campaign, "section": _SECTION, "kinds": TABLES.values()}
    return render(request, "tables/all.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def table_page(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    """Show the table of the choice in the address; POST has a worker compute it.

    Members who only read may ask, too: it changes nothing.
    """
    campaign = joined_campaign(request, slug)
    found = _kind(name)
    form = _form(request, campaign, found)
    if form.is_bound and not form.is_valid():
        return _page(request, campaign, form, None, status=400)
    try:
        given = form.given if form.is_bound else {}
        choice = table_choice(name, given)
        if request.method == "POST":
            if not choice.is_live:
                table_ask(campaign=campaign, choice=choice, user=cast("User", request.user))
            address, query = reverse("campaign-table", args=[slug, name]), query_of(given)
            return redirect(f"{address}?{query}" if query else address)
    except OptionError as error:
        if not form.is_bound:
            raise Http404 from error
        form.refuse(error)
        return _page(request, campaign, form, None, status=400)
    answer = table_answer(
        campaign=campaign,
        kind=found,
        options=dict(choice.options),
        choice_digest=choice.digest,
    )
    return _page(request, campaign, form, answer)


@require_safe
@never_cache
@login_required
def table_report(request: HttpRequest, slug: str, name: str, ending: str) -> HttpResponse:
    """Return the table of the choice in the address as a file."""
    campaign = organised_campaign(request, slug)
    if ending not in FILES:
        raise Http404
    found = _kind(name)
    return table_file(campaign, found, _report(request, campaign, found), ending)


@require_safe
@never_cache
@login_required
def table_plot(request: HttpRequest, slug: str, name: str, table: str, ending: str) -> HttpResponse:
    """Return one of its parts as a file: its plot as SVG or PNG, or its rows as CSV."""
    campaign = organised_campaign(request, slug)
    report = _report(request, campaign, _kind(name))
    answer = plot_answer(report, table, ending, named=f"{slug}-{name}")
    if answer is None:
        raise Http404
    return answer


def _kind(name: str) -> TableKind:
    if name not in TABLES:
        raise Http404
    return TABLES[name]


def _form(request: HttpRequest, campaign: Campaign, kind: TableKind) -> TableForm:
    data = request.POST if request.method == "POST" else request.GET
    return TableForm(data or None, kind=kind, groups=groups_to_choose(campaign=campaign))


def _report(request: HttpRequest, campaign: Campaign, kind: TableKind) -> Report:
    """Return the report of the choice in the address; 404 where there is none yet."""
    form = _form(request, campaign, kind)
    if form.is_bound and not form.is_valid():
        raise Http404
    try:
        choice = table_choice(kind.name, form.given if form.is_bound else {})
    except OptionError as error:
        raise Http404 from error
    answer = table_answer(
        campaign=campaign,
        kind=kind,
        options=dict(choice.options),
        choice_digest=choice.digest,
    )
    if answer.report is None:
        raise Http404
    return answer.report


def _file(request: HttpRequest, slug: str, name: str, table: str, ending: str) -> str:
    """Return where a part of the table of the choice in the address is, as a file."""
    address = reverse("campaign-table-plot", args=[slug, name, table, ending])
    query = request.GET.urlencode()
    return f"{address}?{query}" if query else address


def _page(
    request: HttpRequest,
    campaign: Campaign,
    form: TableForm,
    answer: TableAnswer | None,
    *,
    status: int = 200,
) -> HttpResponse:
    report = None if answer is None else answer.report
    pending = None if answer is None else answer.pending
    tasks = [] if report is None else linked_tasks(campaign=campaign)
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "kind": form.kind,
        "kinds": TABLES.values(),
        "form": form,
        "answer": answer,
        "job": None if pending is None else pending.job,
        "is_awaited": pending is not None and table_state(pending) in {"queued", "running"},
        "endings": list(FILES),
        "query": request.GET.urlencode(),
        "notes": [] if report is None else report.notes,
        "tables": []
        if report is None
        else shown_tables(
            report,
            of_task=TableAddresses(campaign, report, there=tasks),
            file_address=partial(_file, request, campaign.slug, form.kind.name),
        ),
        "tasks": tasks,
    }
    is_part = request.headers.get("HX-Request") and request.method == "GET"
    name = "tables/_answer.html" if is_part else "tables/table.html"
    return render(request, name, context, status=status)
