"""Organisers' page of invitations: shared links, messages, arrivals and notices."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache

from campaign.forms import LinkForm, MailForm
from campaign.models import Campaign, Invitation, Judge, Mail, User
from campaign.notification import mail_is_printed
from campaign.pages.invitation_tables import (
    KEPT_BY_LINKS,
    KEPT_BY_PEOPLE,
    LINKS,
    InvitedFilter,
    InvitedTable,
    LinkFilter,
    LinkTable,
)
from campaign.selectors.credentials import (
    campaign_languages,
    invited_judges,
    judge_access,
    links_for_anybody,
    people_invited,
)
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitation_mails import judges_invite_by_mail, mail_send_again
from campaign.services.invitations import (
    invitation_create_for_anybody,
    invitation_restore,
    invitation_revoke,
    judge_links_restore,
    judge_links_revoke,
)
from campaign.services.people import judge_link_create, judge_readmit, judge_withdraw
from campaign.texts.counted import counted
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered, what_ends
from campaign.views.decorators import action_view, page_view

# Backend that writes messages to files, for trying things out without a mail server.
_FILES = "django.core.mail.backends.filebased.EmailBackend"


@page_view
def invitations_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show invitations and arrivals.

    `?sort=`, `?page=` and the filters of `InvitedFilter` apply to the judges; those of the links begin with `links-`.
    """
    return _page(request, organised_campaign(request, slug))


def _page(request: HttpRequest, campaign: Campaign, status: int = 200, **more: Any) -> HttpResponse:
    """Show the page, also in answer to a POST to another address."""
    here = reverse("invitations", args=[campaign.slug])
    languages = campaign_languages(campaign)
    links = LinkFilter.of(
        request,
        links_for_anybody(campaign=campaign),
        at=here,
        keeps=KEPT_BY_LINKS,
        prefix=LINKS,
    )
    people = InvitedFilter.of(
        request, people_invited(campaign=campaign), at=here, keeps=KEPT_BY_PEOPLE
    )
    link_table = LinkTable(links.found, campaign=campaign, request=request, prefix=f"{LINKS}-")
    table = InvitedTable(people.found, campaign=campaign, request=request)
    table.of(request, at=here)
    invited_judges(judges=[row.record for row in table.page])
    context = {
        "campaign": campaign,
        "section": "invitations",
        "link_filter": links,
        "links": link_table.of(request, at=here),
        "filter": people,
        "table": table,
        "link_days": settings.JUDGE_LINK_DAYS,
        "days_kept": settings.BROWSER_VISITS_KEPT_DAYS,
        "mail_is_printed": mail_is_printed(),
        "mail_is_kept": settings.EMAIL_BACKEND == _FILES,
        "link_form": LinkForm(languages=languages, prefix="link"),
        "mail_form": MailForm(languages=languages, prefix="mail"),
    }
    status = status if status != 200 else max(links.status, people.status)
    return render(request, "organiser/invitations.html", context | more, status=status)


@action_view
@never_cache
def link_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Create a shared link, and show its address once."""
    campaign = organised_campaign(request, slug)
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
        created_by=cast("User", request.user),
    )
    # Without a redirect, for which the token would have to be stored.
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, campaign, 201, new_link=link)


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
    if link.user is None:
        said = _("Link withdrawn. Judges who joined with it stay.")
    else:
        said = _("Link withdrawn. Browsers already signed in stay signed in.")
    messages.success(request, said)
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
    return "people" if request.POST.get("page") == "people" else "invitations"


def _facts_of_link(link: Invitation) -> list[str]:
    if link.user is not None:
        return [
            _("%(name)s can no longer sign in with this link.") % {"name": link.user.name},
            _("Browsers already signed in stay signed in."),
        ]
    came = ngettext(
        "%(arrived)d of %(cap)d judge joined with this link and stays.",
        "%(arrived)d of %(cap)d judges joined with this link and stay.",
        link.cap or 0,
    )
    return [
        came % {"arrived": link.arrived, "cap": link.cap or 0},
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
        base_url=request.build_absolute_uri("/"),
        user=cast("User", request.user),
        **form.cleaned_data,
    )
    if invited.mails:
        count = len(invited.mails)
        said = counted("%(count)d invitation queued.", "%(count)d invitations queued.", count)
        messages.success(request, said)
    if invited.known:
        said = _("Already invited: %(addresses)s.")
        messages.info(request, said % {"addresses": ", ".join(invited.known)})
    return redirect("invitations", slug)


@action_view
def mail_again(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Send a judge's invitation once more, with a new link."""
    campaign = organised_campaign(request, slug)
    mails = Mail.objects.filter(withdrawn_at__isnull=True)
    mail = get_object_or_404(mails, judge=judge_id, campaign=campaign)
    mail_send_again(
        mail=mail, base_url=request.build_absolute_uri("/"), user=cast("User", request.user)
    )
    said = _("New link queued for %(judge)s. Previous links no longer work.")
    messages.success(request, said % {"judge": Judge.objects.get(pk=judge_id).pseudonym})
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
        said = _("%(judge)s was withdrawn and can no longer judge in this campaign.")
    else:
        judge_links_revoke(judge=judge)
        said = _("Links of %(judge)s withdrawn. Browsers already signed in stay signed in.")
    messages.success(request, said % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


def _facts_of_judge(judge: Judge) -> list[str]:
    access = judge_access(judge=judge)
    return [
        _("Withdrawing the judge immediately ends: %(what)s.") % {"what": what_ends(access)},
        _("They cannot judge until readmitted. Their judgments stay and count."),
        _("Withdrawing links only keeps browsers signed in."),
    ]


def _person(request: HttpRequest, slug: str, judge_id: int) -> Judge:
    """Return the judge, a person, of a campaign that the user organises; else raise a 404."""
    campaign = organised_campaign(request, slug)
    judges = Judge.objects.select_related("user", "campaign")
    return get_object_or_404(judges, pk=judge_id, campaign=campaign, origin=Judge.Origin.PERSON)


@action_view
def judge_readmission(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Undo the withdrawal of a judge, or the latest one of their links."""
    judge = _person(request, slug, judge_id)
    if judge.withdrawn_at is not None:
        judge_readmit(judge=judge)
        said = _("%(judge)s was readmitted. Their previous links work again.")
    elif judge_links_restore(judge=judge):
        said = _("Links of %(judge)s restored.")
    else:
        said = _("No changes.")
    messages.success(request, said % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


@action_view
@never_cache
def judge_link(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Create a further link for a judge, and show it once."""
    judge = _person(request, slug, judge_id)
    try:
        _link, token = judge_link_create(judge=judge, by=cast("User", request.user))
    except CredentialRefusedError as error:
        messages.error(request, str(error))
        return redirect("invitations", slug)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, judge.campaign, 201, new_link=link)
