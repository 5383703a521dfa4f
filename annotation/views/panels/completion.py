"""The last page of a participation: its code, once earned, and the link back to the service."""

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from annotation.selectors import judge_of_user, judge_work
from annotation.selectors.panels import participation_of
from annotation.services.panels import participation_refresh
from annotation.views.panels.policy import SENT_TO_MTURK
from campaign.models import PanelKind, Participation, User
from campaign.pages.content_policy import with_content_policy

# https://docs.prolific.com/api-reference/studies/the-study-object
PROLIFIC_COMPLETE = "https://app.prolific.com/submissions/complete"
# https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ApiReference_ExternalQuestionArticle.html
MTURK_SUBMIT = "/mturk/externalSubmit"


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
    context: dict[str, Any] = {
        "campaign": judge.campaign,
        "participation": participation,
        "service": participation.panel.get_kind_display(),
        "done": max(0, done),
        "has_code": participation.state in Participation.EARNING,
    }
    return _PAGES[PanelKind(participation.panel.kind)](request, context)


def _prolific(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    query = urlencode({"cc": context["participation"].code})
    return _page(request, context, address=f"{PROLIFIC_COMPLETE}?{query}")


@with_content_policy(SENT_TO_MTURK)
def _mturk(request: HttpRequest, context: dict[str, Any]) -> HttpResponse:
    address = context["participation"].submit_to + MTURK_SUBMIT
    return _page(request, context, address=address)


#: The page with the way back to each service.
_PAGES: Final[Mapping[PanelKind, Callable[[HttpRequest, dict[str, Any]], HttpResponse]]] = {
    PanelKind.PROLIFIC: _prolific,
    PanelKind.MTURK: _mturk,
}


def _page(request: HttpRequest, context: dict[str, Any], *, address: str) -> HttpResponse:
    kind = context["participation"].panel.kind
    shown = {**context, "address": address, "return_template": f"panel/_return_{kind}.html"}
    return render(request, "panel/completion.html", shown)
