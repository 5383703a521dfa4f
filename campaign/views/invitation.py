from typing import cast

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.models import Invitation, Judge, User
from campaign.services import (
    ArrivalRefusedError,
    InvitationFullError,
    InvitationRefusedError,
    invitation_open,
    judge_arrive,
    judge_arrived,
    languages_offered,
)
from campaign.texts.languages import language_name
from campaign.views.browser import Browser, browser_new, browser_of, browser_remember, opening_note


# No HEAD: programs that look at links ask with it.
@require_http_methods(["GET", "POST"])
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in whoever holds the link and lead them to their work; make judges of newcomers.

    A link for anybody makes a judge only when its button is pressed: what looks at links ahead of
    people (previews, scanners of mail) makes none.
    """
    try:
        opened = invitation_open(token=token)
        if opened.user is None:
            return _for_anybody(request, opened)
    except InvitationRefusedError:
        return render(request, "campaign/invitation_refused.html", status=404)
    response = _sign_in(request, opened, opened.user)
    if opened.role == Invitation.Role.JUDGE:
        judge = Judge.objects.filter(user=opened.user, campaign=opened.campaign_id).first()
        if judge is not None:
            opening_note(request, response, judge=judge, invitation=opened)
    return response


def _sign_in(request: HttpRequest, opened: Invitation, user: User) -> HttpResponseRedirect:
    login(request, user, backend="campaign.accounts.backends.UserBackend")
    page = "judge" if opened.role == Invitation.Role.JUDGE else "campaign-detail"
    return redirect(page, slug=opened.campaign.slug)


def _for_anybody(request: HttpRequest, opened: Invitation) -> HttpResponse:
    if _is_judge(request, opened):
        return redirect("judge", slug=opened.campaign.slug)
    browser = browser_of(request) or browser_new()
    known = judge_arrived(invitation=opened, browser=browser.known_as(opened.campaign_id))
    if known is not None and known.user is not None:
        return _enter(request, opened, known)
    if request.method == "POST":
        return _arrive(request, opened, browser)
    return _door(request, opened, browser, full=opened.arrived >= cast("int", opened.cap))


def _is_judge(request: HttpRequest, opened: Invitation) -> bool:
    """Whether whoever is signed in judges here already, by whatever link they came."""
    user = request.user
    return (
        user.is_authenticated
        and Judge.objects.filter(user=user, campaign=opened.campaign_id).exists()
    )


def _arrive(request: HttpRequest, opened: Invitation, browser: Browser) -> HttpResponse:
    languages = request.POST.getlist("language")
    try:
        judge = judge_arrive(
            invitation=opened,
            browser=browser.known_as(opened.campaign_id),
            languages=languages,
        )
    except InvitationFullError:
        return _door(request, opened, browser, full=True)
    except ArrivalRefusedError as error:
        return _door(request, opened, browser, problem=str(error), chosen=languages)
    return _enter(request, opened, judge)


def _enter(request: HttpRequest, opened: Invitation, judge: Judge) -> HttpResponse:
    response = _sign_in(request, opened, cast("User", judge.user))
    opening_note(request, response, judge=judge, invitation=opened)
    return response


def _door(
    request: HttpRequest,
    opened: Invitation,
    browser: Browser,
    *,
    full: bool = False,
    problem: str = "",
    chosen: list[str] | None = None,
) -> HttpResponse:
    """The page with one button."""
    offered = languages_offered(opened) if opened.asks_languages and not full else []
    context = {
        "campaign": opened.campaign,
        "full": full,
        "problem": problem,
        "languages": [(tag, language_name(tag), tag in (chosen or [])) for tag in offered],
    }
    status = 410 if full else 400 if problem else 200
    response = render(request, "campaign/arrival.html", context, status=status)
    # Before the button is pressed, so that pressing it twice is one arrival.
    browser_remember(response, browser)
    return response
