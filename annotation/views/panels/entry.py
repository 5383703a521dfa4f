"""The addresses that recruiting services open for participants."""

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.selectors.panels import participation_at_address
from annotation.services.panels import (
    ParticipationRefusedError,
    participation_begin,
    participation_refresh,
)
from campaign.accounts.clients import client_address
from campaign.models import Panel, PanelKind, Participation, ParticipationState
from campaign.panels import Entry, EntryRefusedError, generic_entry, prolific_entry


# No HEAD: programs check links with it.
@require_http_methods(["GET", "POST"])
@never_cache
def panel_entry(request: HttpRequest, token: str) -> HttpResponse:
    """Show a participant the button that begins; POST signs them in and leads them to the work.

    Opening the address changes nothing: previews and scanners follow links, too. Whoever is signed in
    as this participant already is led on at once.
    """
    panel = Panel.objects.select_related("campaign").filter(key=token).first()
    if panel is None:
        raise Http404
    try:
        entry = _entry(request, panel)
    except EntryRefusedError as error:
        return _refused(request, panel, str(error), status=400)
    if request.method == "POST":
        return _begin(request, panel, entry)
    own = _own(request, panel, entry)
    if own is not None:
        return _lead_on(participation_refresh(participation=own))
    return render(request, "panel/begin.html", {"panel": panel})


def _begin(request: HttpRequest, panel: Panel, entry: Entry) -> HttpResponse:
    try:
        participation = participation_begin(
            panel=panel, entry=entry, address=client_address(request)
        )
    except ParticipationRefusedError as error:
        return _refused(request, panel, str(error), status=error.status)
    participation = participation_refresh(participation=participation)
    judge = participation.member.judge
    user = judge.user
    if user is None or not user.is_active or judge.withdrawn_at is not None:
        raise Http404
    login(request, user)
    return _lead_on(participation)


def _own(request: HttpRequest, panel: Panel, entry: Entry) -> Participation | None:
    """Return the participation that the address names if it belongs to the signed-in user, else None."""
    if not request.user.is_authenticated:
        return None
    return participation_at_address(panel=panel, entry=entry, user=request.user)


def _lead_on(participation: Participation) -> HttpResponse:
    begun = participation.state == ParticipationState.STARTED
    return redirect("judge" if begun else "completion", slug=participation.panel.campaign.slug)


def _entry(request: HttpRequest, panel: Panel) -> Entry:
    query = {name: str(value) for name, value in request.GET.items()}
    if panel.kind == PanelKind.PROLIFIC:
        return prolific_entry(query)
    return generic_entry(query, parameter=panel.id_parameter)


def _refused(request: HttpRequest, panel: Panel, why: str, *, status: int) -> HttpResponse:
    context = {"why": why, "service": panel.service_name, "is_address": status == 400}
    return render(request, "panel/refused.html", context, status=status)
