"""The addresses that Prolific and MTurk open for participants."""

from collections.abc import Callable, Mapping
from typing import Final

from django.contrib.auth import login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_http_methods

from annotation.selectors.panels import participation_at_address
from annotation.services.panels import (
    ParticipationRefusedError,
    participation_begin,
    participation_refresh,
)
from annotation.views.panels.policy import IN_FRAME_OF_MTURK
from campaign.accounts.addresses import client_address
from campaign.models import Panel, PanelKind, Participation, ParticipationState
from campaign.pages.content_policy import with_content_policy
from campaign.panels.entry import (
    Entry,
    EntryRefusedError,
    mturk_entry,
    mturk_is_preview,
    prolific_entry,
)

_ENTRIES: Final[Mapping[PanelKind, Callable[[Mapping[str, str]], Entry]]] = {
    PanelKind.PROLIFIC: prolific_entry,
    PanelKind.MTURK: mturk_entry,
}
# MTurk opens us in a frame, where browsers keep no cookie; the work is in a tab of its own.
IN_TAB = "tab"


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
    if panel.kind == PanelKind.MTURK and IN_TAB not in request.GET:
        return _frame(request, panel)
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
    login(request, user, backend="campaign.accounts.backends.UserBackend")
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
    return _ENTRIES[PanelKind(panel.kind)](query)


def _refused(request: HttpRequest, panel: Panel, why: str, *, status: int) -> HttpResponse:
    context = {"why": why, "service": panel.get_kind_display(), "is_address": status == 400}
    return render(request, "panel/refused.html", context, status=status)


@xframe_options_exempt
@with_content_policy(IN_FRAME_OF_MTURK)
def _frame(request: HttpRequest, panel: Panel) -> HttpResponse:
    """Show the page in MTurk's frame: a link to the work, and the field for the code."""
    query = {name: str(value) for name, value in request.GET.items()}
    if mturk_is_preview(query):
        return render(request, "panel/preview.html", {"panel": panel})
    try:
        entry = mturk_entry(query)
    except EntryRefusedError as error:
        return _refused(request, panel, str(error), status=400)
    context = {
        "panel": panel,
        "entry": entry,
        "address": f"{request.path}?{urlencode({**query, IN_TAB: '1'})}",
        "title": _("Rank translations"),
    }
    return render(request, "panel/frame.html", context)
