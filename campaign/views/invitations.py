"""Invitations of judges: the page of organisers, and the page that a link opens."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.gzip import gzip_page
from django.views.decorators.http import require_http_methods

from campaign.accounts.browsers import (
    Browser,
    browser_new,
    browser_of,
    browser_remember,
    link_opening_record,
)
from campaign.models import (
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Membership,
    User,
)
from campaign.pages.invitations import (
    KEPT_BY_LINKS,
    KEPT_BY_PEOPLE,
    LINKS,
    InvitedFilter,
    InvitedTable,
    LinkFilter,
    LinkForm,
    LinkTable,
    MailForm,
    ResultsLinkForm,
)
from campaign.selectors.credentials import (
    campaign_languages,
    invited_judges,
    judge_access,
    link_may_be_made,
    links_for_anybody,
    people_invited,
)
from campaign.selectors.tasks import work_of_judges
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitation_mails import judge_link_mail, judges_invite_by_mail
from campaign.services.invitations import (
    InvitationRefusedError,
    InvitationSpentError,
    invitation_create_for_anybody,
    invitation_of,
    invitation_open,
    invitation_restore,
    invitation_revoke,
    judge_links_restore,
    judge_links_revoke,
    results_link_create,
)
from campaign.services.judges import (
    InvitationFullError,
    JoinRefusedError,
    judge_for_browser,
    judge_join,
    judge_link_create,
    judge_readmit,
    judge_withdraw,
    pairs_offered,
)
from campaign.services.members import member_invitation_accept
from campaign.services.notification import mail_is_printed
from campaign.texts.counted import counted
from campaign.texts.joining import and_list, comma_list
from campaign.texts.languages import NO_LANGUAGE, language_name
from campaign.views.access import organised_campaign, user_of
from campaign.views.account import enter
from campaign.views.confirming import Answer, Question, ask, is_answered, what_ends
from campaign.views.decorators import action_view, page_view, refusals_as_messages
from campaign.views.members import members_page


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
            return _invitation_for_anybody(request, opened)
        if opened.makes_member:
            return _invitation_for_member(request, opened, opened.user)
    except InvitationSpentError as error:
        return _spent(request, error.invitation)
    except InvitationRefusedError:
        return _refusal_page(request, token)
    if request.method == "POST":
        return _sign_in(request, opened, opened.user)
    if request.user == opened.user:
        return _lead_on(opened)
    return _button_page(request, opened, _judge_of(opened, opened.user))


def _refusal_page(request: HttpRequest, token: str) -> HttpResponse:
    """Explain why a link does not work; redirect its person to their work if they are still signed in.

    Links are kept as bookmarks; whether one has ended matters only to those who sign in by it.
    """
    if request.user.is_authenticated:
        own = invitation_of(token=token, user=request.user)
        if own is not None:
            return _lead_on(own)
    return render(request, "campaign/invitation_refused.html", status=404)


def _judge_of(opened: Invitation, user: User) -> Judge | None:
    """Return the judge whose link it is; None if it is a member's."""
    if opened.role != InvitationRole.JUDGE:
        return None
    return Judge.objects.filter(user=user, campaign=opened.campaign_id).first()


def _lead_on(opened: Invitation) -> HttpResponseRedirect:
    if opened.role == InvitationRole.JUDGE:
        page = "judge"
    else:
        page = "campaign-detail"
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


def _button_page(
    request: HttpRequest,
    opened: Invitation,
    judge: Judge | None,
) -> HttpResponse:
    """Return the page of a link that signs in: as this judge, or as a member."""
    reads = opened.role == InvitationRole.ANALYST
    context = {
        "campaign": opened.campaign,
        "judge": judge,
        "reads": reads,
        "work": work_of_judges(campaign=opened.campaign, judge=judge),
    }
    return render(request, "campaign/link.html", context)


def _invitation_for_member(
    request: HttpRequest,
    opened: Invitation,
    user: User,
) -> HttpResponse:
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
        members = Membership.objects.filter(
            user=invitation.user,
            campaign=invitation.campaign_id,
        )
        if members.exists():
            return _lead_on(invitation)
    name = ""
    if invitation.user is not None:
        name = invitation.user.name
    context = {
        "campaign": invitation.campaign,
        "name": name,
        "is_accepted": is_accepted,
        "is_taken_back": invitation.revoked_at is not None,
    }
    return render(request, "campaign/invitation_spent.html", context, status=410)


def _invitation_for_anybody(request: HttpRequest, opened: Invitation) -> HttpResponse:
    if _is_judge(request, opened):
        return _lead_on(opened)
    browser = browser_of(request) or browser_new()
    if request.method == "POST":
        return _join(request, opened, browser)
    judge = judge_for_browser(
        invitation=opened,
        browser=browser.hash_for(opened.campaign_id),
    )
    if judge is not None:
        return _button_page(request, opened, judge)
    return _landing_page(
        request,
        opened,
        browser,
        full=opened.arrived >= cast("int", opened.cap),
    )


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
        return _landing_page(
            request,
            opened,
            browser,
            problem=str(error),
            chosen=languages,
        )
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
    if opened.asks_languages and not full:
        offered = pairs_offered(opened)
    else:
        offered = []
    context = {
        "campaign": opened.campaign,
        "full": full,
        "problem": problem,
        "work": work_of_judges(campaign=opened.campaign),
        "languages": [
            (" ".join(pair), _languages_to_read(pair), set(pair) <= set(chosen or []))
            for pair in offered
        ],
    }
    status = 200
    if full:
        status = 410
    elif problem:
        status = 400
    response = render(request, "campaign/join.html", context, status=status)
    # Before the button is pressed, so that pressing it twice creates one judge.
    browser_remember(response, browser)
    return response


def _languages_to_read(pair: tuple[str, str]) -> str:
    names = dict.fromkeys(language_name(tag) for tag in pair if tag != NO_LANGUAGE)
    return and_list(list(names))


# Backend that writes messages to files, for trying things out without a mail server.
_FILES = "django.core.mail.backends.filebased.EmailBackend"


@page_view
def invitations_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show invitations and arrivals.

    `?sort=`, `?page=` and the filters of `InvitedFilter` apply to the judges; those of the links begin with `links-`.
    """
    return _page(request, organised_campaign(request, slug))


def _page(
    request: HttpRequest,
    campaign: Campaign,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Show the page, also in answer to a POST to another address."""
    here = reverse("invitations", args=[campaign.slug])
    languages = campaign_languages(campaign)
    links = LinkFilter.of(
        request,
        links_for_anybody(campaign=campaign),
        address=here,
        keeps=KEPT_BY_LINKS,
        prefix=LINKS,
    )
    people = InvitedFilter.of(
        request,
        people_invited(campaign=campaign),
        address=here,
        keeps=KEPT_BY_PEOPLE,
    )
    link_table = LinkTable(
        links.rows,
        campaign=campaign,
        request=request,
        prefix=f"{LINKS}-",
    )
    table = InvitedTable(people.rows, campaign=campaign, request=request)
    table.of(request, address=here)
    invited_judges(judges=[row.record for row in table.page])
    context = {
        "campaign": campaign,
        "section": "invitations",
        "link_filter": links,
        "links": link_table.of(request, address=here),
        "filter": people,
        "table": table,
        "link_days": settings.JUDGE_LINK_DAYS,
        "days_kept": settings.BROWSER_VISITS_KEPT_DAYS,
        "mail_is_printed": mail_is_printed(),
        "mail_is_kept": settings.EMAIL_BACKEND == _FILES,
        "link_form": LinkForm(languages=languages, prefix="link"),
        "mail_form": MailForm(languages=languages, prefix="mail"),
    }
    if status == 200:
        status = max(links.status, people.status)
    return render(request, "organiser/invitations.html", context | more, status=status)


@action_view
@never_cache
def link_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a shared link for judges or to results, and show its address, which the list of links has, too."""
    campaign = organised_campaign(request, slug)
    if _page_of_link(request) == "people":
        return _results_link_create(request, campaign)
    form = LinkForm(request.POST, languages=campaign_languages(campaign), prefix="link")
    if not form.is_valid():
        return _page(request, campaign, 400, link_form=form)
    data = form.cleaned_data
    _invitation, token = invitation_create_for_anybody(
        campaign=campaign,
        cap=data["cap"],
        expires_at=data["expires"],
        languages=data["languages"],
        asks_languages=data["asks_languages"],
        note=data["note"],
        created_by=user_of(request),
    )
    # Without a redirect, for which the token would have to be stored.
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, campaign, 201, new_link=link, is_shared=True)


def _results_link_create(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    form = ResultsLinkForm(request.POST, prefix="results")
    if not form.is_valid():
        return members_page(request, campaign, 400, results_form=form)
    _invitation, token = results_link_create(
        campaign=campaign,
        is_anonymous=form.cleaned_data["anonymous"],
        expires_at=form.cleaned_data["expires"],
        note=form.cleaned_data["note"],
        created_by=user_of(request),
    )
    link = request.build_absolute_uri(
        reverse("published-review", args=[campaign.slug, token]),
    )
    return members_page(request, campaign, 201, new_link=link)


@action_view
def link_revoke(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Confirm and revoke a link, shared or personal."""
    campaign = organised_campaign(request, slug)
    link = _link(campaign, invitation_id)
    page = _page_of_link(request)
    if not is_answered(request):
        question = Question(
            title=_("Withdraw link"),
            facts=_facts_of_link(link),
            after=_("You can undo this later."),
            answers=[Answer(_("Withdraw"))],
            cancel=reverse(page, args=[slug]),
            fields={"page": page},
        )
        return ask(request, question, campaign=campaign, section=page)
    invitation_revoke(invitation=link)
    if link.is_to_results:
        message = _("Link withdrawn.")
    elif link.user is None:
        message = _("Link withdrawn. Judges who joined with it stay.")
    else:
        message = _("Link withdrawn. Browsers already signed in stay signed in.")
    messages.success(request, message)
    return redirect(page, slug)


@action_view
def link_restore(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Restore a withdrawn link."""
    campaign = organised_campaign(request, slug)
    invitation_restore(invitation=_link(campaign, invitation_id))
    messages.success(request, _("Link restored."))
    return redirect(_page_of_link(request), slug)


def _link(campaign: Campaign, invitation_id: int) -> Invitation:
    # Invitations of members are withdrawn on their own page.
    own = Invitation.objects.filter(campaign=campaign).but_to_become_member()
    links = own.select_related("user")
    return get_object_or_404(links, pk=invitation_id)


def _page_of_link(request: HttpRequest) -> str:
    """Return the name of the page whose button was pressed."""
    if request.POST.get("page") == "people":
        return "people"
    return "invitations"


def _facts_of_link(link: Invitation) -> list[str]:
    if link.is_to_results:
        return [_("It no longer shows results.")]
    if link.user is not None:
        return [
            _("%(name)s can no longer sign in with this link.")
            % {"name": link.user.name},
            _("Browsers already signed in stay signed in."),
        ]
    joined = ngettext(
        "%(arrived)d of %(cap)d judge joined with this link and stays.",
        "%(arrived)d of %(cap)d judges joined with this link and stay.",
        link.cap or 0,
    )
    return [
        joined % {"arrived": link.arrived, "cap": link.cap or 0},
        _("The link admits no further judges."),
    ]


@action_view
@never_cache
def mails_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue a message for each address."""
    campaign = organised_campaign(request, slug)
    form = MailForm(request.POST, languages=campaign_languages(campaign), prefix="mail")
    if not form.is_valid():
        return _page(request, campaign, 400, mail_form=form)
    invited = judges_invite_by_mail(
        campaign=campaign,
        addresses=form.cleaned_data["addresses"],
        languages=form.cleaned_data["languages"],
        message=form.message(request.build_absolute_uri("/")),
        user=user_of(request),
    )
    if invited.mails:
        count = len(invited.mails)
        message = counted(
            "%(count)d invitation queued.",
            "%(count)d invitations queued.",
            count,
        )
        messages.success(request, message)
    if invited.judge_addresses:
        message = _("Already invited: %(addresses)s.")
        messages.info(
            request,
            message % {"addresses": comma_list(invited.judge_addresses)},
        )
    return redirect("invitations", slug)


@action_view
def mail_again(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Send a judge's invitation once more, with a new link."""
    judge = _person(request, slug, judge_id)
    with refusals_as_messages(request):
        judge_link_mail(
            judge=judge,
            base_url=request.build_absolute_uri("/"),
            user=user_of(request),
        )
        message = _("New link queued for %(judge)s. Previous links no longer work.")
        messages.success(request, message % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


@action_view
def judge_withdrawal(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Show the access that withdrawing a judge, or their links only, would end, and do it."""
    judge = _person(request, slug, judge_id)
    answer = request.POST.get("act")
    if answer not in {"judge", "links"}:
        question = Question(
            title=_("Withdraw %(name)s") % {"name": judge.pseudonym},
            facts=_facts_of_judge(judge),
            after=_("You can undo this later."),
            answers=[
                Answer(_("Withdraw judge"), value="judge"),
                Answer(_("Withdraw links only"), value="links"),
            ],
            cancel=reverse("invitations", args=[slug]),
        )
        return ask(request, question, campaign=judge.campaign, section="invitations")
    if answer == "judge":
        judge_withdraw(judge=judge)
        message = _("%(judge)s was withdrawn and can no longer judge in this campaign.")
    else:
        judge_links_revoke(judge=judge)
        message = _(
            "Links of %(judge)s withdrawn. Browsers already signed in stay signed in.",
        )
    messages.success(request, message % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


def _facts_of_judge(judge: Judge) -> list[str]:
    access = judge_access(judge=judge)
    return [
        _("Withdrawing the judge immediately ends: %(what)s.")
        % {"what": what_ends(access)},
        _("They cannot judge until readmitted. Their judgments stay and count."),
        _("If you withdraw only the links, browsers stay signed in."),
    ]


def _person(request: HttpRequest, slug: str, judge_id: int) -> Judge:
    """Return the judge, a person, of a campaign that the user organises; else raise a 404."""
    campaign = organised_campaign(request, slug)
    judges = Judge.objects.select_related("user", "campaign")
    return get_object_or_404(
        judges,
        pk=judge_id,
        campaign=campaign,
        origin=Judge.Origin.PERSON,
    )


@action_view
def judge_readmission(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Undo the withdrawal of a judge, or the latest one of their links."""
    judge = _person(request, slug, judge_id)
    if judge.withdrawn_at is not None:
        judge_readmit(judge=judge)
        message = _("%(judge)s was readmitted. Their previous links work again.")
    elif judge_links_restore(judge=judge):
        message = _("Links of %(judge)s restored.")
    else:
        message = _("No changes.")
    messages.success(request, message % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


@action_view
@never_cache
def judge_link(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Create a further link for a judge, and show it once."""
    judge = _person(request, slug, judge_id)
    try:
        _link, token = judge_link_create(judge=judge, by=user_of(request))
    except CredentialRefusedError as error:
        messages.error(request, str(error))
        return redirect("invitations", slug)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, judge.campaign, 201, new_link=link)
