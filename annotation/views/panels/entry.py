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
from django.views.decorators.http import require_GET

from annotation.services.panels import (
    ParticipationRefusedError,
    participation_begin,
    participation_refresh,
)
from annotation.views.panels.policy import in_frame_of_mturk
from campaign.accounts.addresses import client_address
from campaign.models import Panel, PanelKind, Participation, ParticipationState
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


@require_GET
@never_cache
def panel_entry(request: HttpRequest, token: str) -> HttpResponse:
    """Sign a participant in and lead them to the work, or to the code they have earned."""
    panel = Panel.objects.select_related("campaign").filter(key=token).first()
    if panel is None:
        raise Http404
    if panel.kind == PanelKind.MTURK and IN_TAB not in request.GET:
        return in_frame_of_mturk(request, _frame(request, panel))
    try:
        entry = _entry(request, panel)
        participation = participation_begin(
            panel=panel, entry=entry, address=client_address(request)
        )
    except EntryRefusedError as error:
        return _refused(request, panel, str(error), status=400)
    except ParticipationRefusedError as error:
        return _refused(request, panel, str(error), status=error.status)
    return _sign_in(request, participation_refresh(participation=participation))


def _entry(request: HttpRequest, panel: Panel) -> Entry:
    query = {name: str(value) for name, value in request.GET.items()}
    return _ENTRIES[PanelKind(panel.kind)](query)


def _sign_in(request: HttpRequest, participation: Participation) -> HttpResponse:
    member = participation.member
    user = member.judge.user
    if user is None or not user.is_active:
        raise Http404
    login(request, user, backend="campaign.accounts.backends.UserBackend")
    begun = participation.state == ParticipationState.STARTED
    return redirect("judge" if begun else "completion", slug=participation.panel.campaign.slug)


def _refused(request: HttpRequest, panel: Panel, why: str, *, status: int) -> HttpResponse:
    context = {"why": why, "service": panel.get_kind_display(), "is_address": status == 400}
    return render(request, "panel/refused.html", context, status=status)


@xframe_options_exempt
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
