"""The organisers' page of invitations: links for anybody, messages, who came, what was noticed."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from campaign.forms.invitations import LinkForm, MailForm
from campaign.models import Campaign, Invitation, InvitationMail, Judge, User
from campaign.selectors import (
    campaign_languages,
    judge_access,
    links_for_anybody,
    people_invited,
)
from campaign.services import (
    CredentialRefusedError,
    invitation_create_for_anybody,
    invitation_revoke,
    judge_link_create,
    judge_links_revoke,
    judge_readmit,
    judge_withdraw,
    judges_invite_by_mail,
    mail_send_again,
)
from campaign.views.access import organised_campaign

# Where messages go without a mail server. The log of the worker holds no links (see `config.redaction`).
_CONSOLE = "django.core.mail.backends.console.EmailBackend"
_FILES = "django.core.mail.backends.filebased.EmailBackend"


@require_safe
@login_required
@never_cache
def invitations_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show who was invited and who came."""
    return _page(request, organised_campaign(request, slug))


def _page(request: HttpRequest, campaign: Campaign, status: int = 200, **more: Any) -> HttpResponse:
    languages = campaign_languages(campaign)
    context = {
        "campaign": campaign,
        "section": "invitations",
        "links": links_for_anybody(campaign=campaign),
        "people": people_invited(campaign=campaign),
        "link_days": settings.JUDGE_LINK_DAYS,
        "days_kept": settings.BROWSER_VISITS_KEPT_DAYS,
        "mail_is_printed": settings.EMAIL_BACKEND == _CONSOLE,
        "mail_is_kept": settings.EMAIL_BACKEND == _FILES,
        "link_form": LinkForm(languages=languages, prefix="link"),
        "mail_form": MailForm(languages=languages, prefix="mail"),
    }
    return render(request, "organiser/invitations.html", context | more, status=status)


@require_POST
@login_required
@never_cache
def link_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a link for anybody, and show it this once."""
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
    # Not after a redirect: until then the token would have to be kept somewhere.
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, campaign, 201, new_link=link)


@require_POST
@login_required
def link_revoke(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Withdraw a link of the campaign, for anybody or for one person."""
    campaign = organised_campaign(request, slug)
    link = get_object_or_404(Invitation, pk=invitation_id, campaign=campaign)
    invitation_revoke(invitation=link)
    if link.user_id is None:
        said = _("The link no longer admits anyone. Judges who joined by it stay.")
    else:
        said = _("The link no longer works. Where it signed somebody in, they stay signed in.")
    messages.success(request, said)
    return redirect("people" if "people" in request.POST else "invitations", slug)


@require_POST
@login_required
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
        said = ngettext(
            "%(count)d invitation is on its way.",
            "%(count)d invitations are on their way.",
            len(invited.mails),
        )
        messages.success(request, said % {"count": len(invited.mails)})
    if invited.known:
        said = _("Already invited, so not invited again: %(addresses)s.")
        messages.info(request, said % {"addresses": ", ".join(invited.known)})
    return redirect("invitations", slug)


@require_POST
@login_required
def mail_again(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Send a judge's invitation once more, with a new link."""
    campaign = organised_campaign(request, slug)
    mails = InvitationMail.objects.filter(withdrawn_at__isnull=True).select_related("judge")
    mail = get_object_or_404(mails, judge=judge_id, campaign=campaign)
    mail_send_again(
        mail=mail, base_url=request.build_absolute_uri("/"), user=cast("User", request.user)
    )
    said = _("%(judge)s will get a new link; the previous links no longer work.")
    messages.success(request, said % {"judge": mail.judge.pseudonym})
    return redirect("invitations", slug)


def _person(request: HttpRequest, slug: str, judge_id: int) -> Judge:
    """Return the judge, a person, of a campaign that the user organises; else raise a 404."""
    campaign = organised_campaign(request, slug)
    judges = Judge.objects.select_related("user", "campaign")
    return get_object_or_404(judges, pk=judge_id, campaign=campaign, origin=Judge.Origin.PERSON)


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def judge_links_withdraw(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Say what withdrawing would end; POST withdraws a judge's links, or the judge with all of it."""
    judge = _person(request, slug, judge_id)
    if request.method != "POST":
        context = {
            "campaign": judge.campaign,
            "section": "invitations",
            "judge": judge,
            "access": judge_access(judge=judge),
        }
        return render(request, "organiser/judge_withdrawal.html", context)
    if request.POST.get("what") == "judge":
        judge_withdraw(judge=judge)
        said = _("%(judge)s is withdrawn: signed out everywhere, and no link lets them in.")
    else:
        judge_links_revoke(judge=judge)
        said = _(
            "The links of %(judge)s no longer work. Where they are signed in, they stay signed in."
        )
    messages.success(request, said % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


@require_POST
@login_required
def judge_readmission(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Let a withdrawn judge in again."""
    judge = _person(request, slug, judge_id)
    judge_readmit(judge=judge)
    said = _("%(judge)s may come in again. Their earlier links stay withdrawn: make a new one.")
    messages.success(request, said % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


@require_POST
@login_required
@never_cache
def judge_link(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Make a further link for a judge, and show it this once."""
    judge = _person(request, slug, judge_id)
    try:
        _link, token = judge_link_create(judge=judge, by=cast("User", request.user))
    except CredentialRefusedError as error:
        messages.error(request, str(error))
        return redirect("invitations", slug)
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, judge.campaign, 201, new_link=link)
