from typing import cast

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.browsers import (
    Browser,
    browser_new,
    browser_of,
    browser_remember,
    link_opening_record,
)
from campaign.models import Invitation, InvitationRole, Judge, User
from campaign.services import (
    InvitationFullError,
    InvitationRefusedError,
    JoinRefusedError,
    invitation_open,
    judge_for_browser,
    judge_join,
    languages_offered,
)
from campaign.texts.languages import language_name


# No HEAD: programs check links with it.
@require_http_methods(["GET", "POST"])
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in the holder of a link and redirect them to their work; create a judge for a new one.

    A link for anybody creates a judge only when its button is pressed: previews and mail scanners,
    which follow links too, create none.
    """
    try:
        opened = invitation_open(token=token)
        if opened.user is None:
            return _for_anybody(request, opened)
    except InvitationRefusedError:
        return render(request, "campaign/invitation_refused.html", status=404)
    response = _sign_in(request, opened, opened.user)
    if opened.role == InvitationRole.JUDGE:
        judge = Judge.objects.filter(user=opened.user, campaign=opened.campaign_id).first()
        if judge is not None:
            link_opening_record(request, response, judge=judge, invitation=opened)
    return response


def _sign_in(request: HttpRequest, opened: Invitation, user: User) -> HttpResponseRedirect:
    login(request, user, backend="campaign.accounts.backends.UserBackend")
    page = "judge" if opened.role == InvitationRole.JUDGE else "campaign-detail"
    return redirect(page, slug=opened.campaign.slug)


def _for_anybody(request: HttpRequest, opened: Invitation) -> HttpResponse:
    if _is_judge(request, opened):
        return redirect("judge", slug=opened.campaign.slug)
    browser = browser_of(request) or browser_new()
    known = judge_for_browser(invitation=opened, browser=browser.hash_for(opened.campaign_id))
    if known is not None and known.user is not None:
        return _sign_in_judge(request, opened, known)
    if request.method == "POST":
        return _join(request, opened, browser)
    return _landing_page(request, opened, browser, full=opened.arrived >= cast("int", opened.cap))


def _is_judge(request: HttpRequest, opened: Invitation) -> bool:
    """Return whether the signed-in user is a judge of the campaign, by any link."""
    user = request.user
    return (
        user.is_authenticated
        and Judge.objects.filter(user=user, campaign=opened.campaign_id).exists()
    )


def _join(request: HttpRequest, opened: Invitation, browser: Browser) -> HttpResponse:
    languages = request.POST.getlist("language")
    try:
        judge = judge_join(
            invitation=opened,
            browser=browser.hash_for(opened.campaign_id),
            languages=languages,
        )
    except InvitationFullError:
        return _landing_page(request, opened, browser, full=True)
    except JoinRefusedError as error:
        return _landing_page(request, opened, browser, problem=str(error), chosen=languages)
    return _sign_in_judge(request, opened, judge)


def _sign_in_judge(request: HttpRequest, opened: Invitation, judge: Judge) -> HttpResponse:
    response = _sign_in(request, opened, cast("User", judge.user))
    link_opening_record(request, response, judge=judge, invitation=opened)
    return response


def _landing_page(
    request: HttpRequest,
    opened: Invitation,
    browser: Browser,
    *,
    full: bool = False,
    problem: str = "",
    chosen: list[str] | None = None,
) -> HttpResponse:
    """Return the landing page of a link for anybody, with its one button."""
    offered = languages_offered(opened) if opened.asks_languages and not full else []
    context = {
        "campaign": opened.campaign,
        "full": full,
        "problem": problem,
        "languages": [(tag, language_name(tag), tag in (chosen or [])) for tag in offered],
    }
    status = 410 if full else 400 if problem else 200
    response = render(request, "campaign/join.html", context, status=status)
    # Before the button is pressed, so that pressing it twice creates one judge.
    browser_remember(response, browser)
    return response
