"""The last page of a participation: its code, once earned, and the link back to the service."""

import re
from typing import Final, cast
from urllib.parse import quote

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.selectors import judge_of_user, judge_work
from annotation.selectors.panels import participation_of
from annotation.services.panels import participation_refresh
from campaign.models import PanelKind, Participation, ParticipationState, User

# https://docs.prolific.com/api-reference/studies/the-study-object
PROLIFIC_COMPLETE: Final = "https://app.prolific.com/submissions/complete?cc={code}"


@require_safe
@login_required
@never_cache
def completion(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the state of the participation, and its code once it is earned."""
    judge = judge_of_user(user=cast("User", request.user), campaign_slug=slug)
    participation = participation_of(judge=judge) if judge is not None else None
    if judge is None or participation is None:
        raise Http404
    participation = participation_refresh(participation=participation, asks_for_code=True)
    done = judge_work(judge).done - participation.blocks_before
    has_code = participation.state in Participation.EARNING
    context = {
        "campaign": judge.campaign,
        "participation": participation,
        "service": participation.panel.service_name,
        "done": max(0, done),
        "has_code": has_code,
        "address": _return_address(participation) if has_code else "",
    }
    return render(request, "panel/completion.html", context)


def _return_address(participation: Participation) -> str:
    """Return where the service takes the participant back; empty if they take their code along."""
    panel = participation.panel
    if panel.kind == PanelKind.PROLIFIC:
        address = PROLIFIC_COMPLETE
    elif participation.state == ParticipationState.FINISHED:
        address = panel.completion_address
    else:
        address = panel.screened_out_address
    known = {"id": participation.member.external_id, "code": participation.code}
    return re.sub(r"\{(id|code)\}", lambda found: quote(known[found[1]], safe=""), address)
