from typing import cast

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from campaign.browsers import (
    Browser,
    browser_new,
    browser_of,
    browser_remember,
    link_opening_record,
)
from campaign.models import Invitation, InvitationRole, Judge, Membership, User
from campaign.selectors.credentials import link_may_be_made
from campaign.selectors.tasks import work_of_judges
from campaign.services.invitations import (
    InvitationRefusedError,
    InvitationSpentError,
    invitation_open,
)
from campaign.services.members import member_invitation_accept
from campaign.services.people import (
    InvitationFullError,
    JoinRefusedError,
    judge_for_browser,
    judge_join,
    pairs_offered,
)
from campaign.texts.languages import language_name
from campaign.views.account import enter


# No HEAD: programs check links with it.
@require_http_methods(["GET", "POST"])
@gzip_page
@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Show the button of a link; POST signs its holder in, and creates a judge for a newcomer.

    Opening a link changes nothing: previews and mail scanners follow links, too. A user who is
    already signed in as the link's person is redirected at once.
    """
    try:
        opened = invitation_open(token=token)
        if opened.user is None:
            return _for_anybody(request, opened)
        if opened.makes_member:
            return _for_a_member_to_be(request, opened, opened.user)
    except InvitationSpentError as error:
        return _spent(request, error.invitation)
    except InvitationRefusedError:
        return render(request, "campaign/invitation_refused.html", status=404)
    if request.method == "POST":
        return _sign_in(request, opened, opened.user)
    if request.user == opened.user:
        return _lead_on(opened)
    return _button_page(request, opened, _judge_of(opened, opened.user))


def _judge_of(opened: Invitation, user: User) -> Judge | None:
    """Return the judge whose link it is; None if it is a member's."""
    if opened.role != InvitationRole.JUDGE:
        return None
    return Judge.objects.filter(user=user, campaign=opened.campaign_id).first()


def _lead_on(opened: Invitation) -> HttpResponseRedirect:
    page = "judge" if opened.role == InvitationRole.JUDGE else "campaign-detail"
    return redirect(page, slug=opened.campaign.slug)


def _sign_in(request: HttpRequest, opened: Invitation, user: User) -> HttpResponse:
    to = _lead_on(opened)
    judge = _judge_of(opened, user)
    if judge is not None and "decline" in request.POST:
        to = redirect("judge-decline", slug=opened.campaign.slug)
    response = enter(request, user, to=to.url)
    if judge is not None:
        link_opening_record(request, response, judge=judge, invitation=opened)
    return response


def _button_page(request: HttpRequest, opened: Invitation, judge: Judge | None) -> HttpResponse:
    """Return the page of a link that signs in: as this judge, or as a member."""
    reads = opened.role == InvitationRole.ANALYST
    context = {
        "campaign": opened.campaign,
        "judge": judge,
        "reads": reads,
        "work": work_of_judges(campaign=opened.campaign, judge=judge),
    }
    return render(request, "campaign/link.html", context)


def _for_a_member_to_be(request: HttpRequest, opened: Invitation, user: User) -> HttpResponse:
    """Show the button that makes this user a member; POST does so, once they are signed in.

    Users without access beyond this campaign are signed in by the link, as by their sign-in links,
    with their second factor if they have one; all others sign in first.
    """
    signs_in = link_may_be_made(user=user, campaign=opened.campaign)
    if request.method == "POST" and signs_in and request.user != user:
        # After a second factor, the user returns here.
        response = enter(request, user, to=request.path)
        if request.user != user:
            return response
    if request.method == "POST" and request.user == user:
        member_invitation_accept(invitation=opened)
        return redirect("campaign-detail", slug=opened.campaign.slug)
    context = {
        "campaign": opened.campaign,
        "role": opened.role,
        "invited": user,
        "signs_in": signs_in or request.user == user,
    }
    return render(request, "campaign/member_invitation.html", context)


def _spent(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Explain why an invitation of a member no longer works; redirect the member who accepted it."""
    is_accepted = invitation.accepted_at is not None and invitation.revoked_at is None
    if is_accepted and request.user == invitation.user:
        members = Membership.objects.filter(user=invitation.user, campaign=invitation.campaign_id)
        if members.exists():
            return _lead_on(invitation)
    context = {
        "campaign": invitation.campaign,
        "name": invitation.user.name if invitation.user is not None else "",
        "is_accepted": is_accepted,
        "is_taken_back": invitation.revoked_at is not None,
    }
    return render(request, "campaign/invitation_spent.html", context, status=410)


def _for_anybody(request: HttpRequest, opened: Invitation) -> HttpResponse:
    if _is_judge(request, opened):
        return _lead_on(opened)
    browser = browser_of(request) or browser_new()
    if request.method == "POST":
        return _join(request, opened, browser)
    known = judge_for_browser(invitation=opened, browser=browser.hash_for(opened.campaign_id))
    if known is not None:
        return _button_page(request, opened, known)
    return _landing_page(request, opened, browser, full=opened.arrived >= cast("int", opened.cap))


def _is_judge(request: HttpRequest, opened: Invitation) -> bool:
    """Return whether the signed-in user is a judge of the campaign, by any link."""
    user = request.user
    return (
        user.is_authenticated
        and Judge.objects.filter(user=user, campaign=opened.campaign_id).exists()
    )


def _join(request: HttpRequest, opened: Invitation, browser: Browser) -> HttpResponse:
    languages = " ".join(request.POST.getlist("language")).split()
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
    return _sign_in(request, opened, cast("User", judge.user))


def _landing_page(
    request: HttpRequest,
    opened: Invitation,
    browser: Browser,
    *,
    full: bool = False,
    problem: str = "",
    chosen: list[str] | None = None,
) -> HttpResponse:
    """Return the landing page of a shared link, with its button."""
    offered = pairs_offered(opened) if opened.asks_languages and not full else []
    context = {
        "campaign": opened.campaign,
        "full": full,
        "problem": problem,
        "work": work_of_judges(campaign=opened.campaign),
        "languages": [
            (" ".join(pair), *map(language_name, pair), set(pair) <= set(chosen or []))
            for pair in offered
        ],
    }
    status = 410 if full else 400 if problem else 200
    response = render(request, "campaign/join.html", context, status=status)
    # Before the button is pressed, so that pressing it twice creates one judge.
    browser_remember(response, browser)
    return response
