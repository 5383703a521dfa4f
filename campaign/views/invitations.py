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
from django.views.decorators.http import require_POST, require_safe

from campaign.forms.invitations import LinkForm, MailForm
from campaign.models import Campaign, Invitation, InvitationMail, Judge, User
from campaign.selectors import (
    campaign_languages,
    links_for_anybody,
    links_that_open,
    people_invited,
)
from campaign.services import (
    invitation_create_for_anybody,
    invitation_restore,
    invitation_revoke,
    judge_links_restore,
    judge_links_revoke,
    judges_invite_by_mail,
    mail_send_again,
)
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered

_CONSOLE = "django.core.mail.backends.console.EmailBackend"


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
        "days_kept": settings.BROWSER_VISITS_KEPT_DAYS,
        "mail_is_printed": settings.EMAIL_BACKEND == _CONSOLE,
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
    """Say what withdrawing a link for anybody does, and withdraw it."""
    campaign = organised_campaign(request, slug)
    link = _link_for_anybody(campaign, invitation_id)
    if not is_answered(request):
        return _ask_withdrawal(
            request,
            campaign,
            _("Withdraw a link"),
            [
                ngettext(
                    "%(arrived)d of %(cap)d judge came by it; who came stays.",
                    "%(arrived)d of %(cap)d judges came by it; who came stays.",
                    link.cap or 0,
                )
                % {"arrived": link.arrived, "cap": link.cap or 0},
                _("It would admit nobody else, wherever it is published."),
            ],
        )
    invitation_revoke(invitation=link)
    messages.success(request, _("The link no longer admits anyone. Judges who joined by it stay."))
    return redirect("invitations", slug)


@require_POST
@login_required
def link_restore(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Undo that a link for anybody was withdrawn."""
    campaign = organised_campaign(request, slug)
    invitation_restore(invitation=_link_for_anybody(campaign, invitation_id))
    messages.success(request, _("The link opens again."))
    return redirect("invitations", slug)


def _link_for_anybody(campaign: Campaign, invitation_id: int) -> Invitation:
    links = Invitation.objects.filter(campaign=campaign).for_anybody()
    return get_object_or_404(links, pk=invitation_id)


def _ask_withdrawal(
    request: HttpRequest, campaign: Campaign, title: str, facts: list[str]
) -> HttpResponse:
    question = Question(
        title=title,
        facts=facts,
        after=_("It can be undone with one button on the page of invitations."),
        answers=[Answer(_("Withdraw"))],
        cancel=reverse("invitations", args=[campaign.slug]),
    )
    return ask(request, question, campaign=campaign, section="invitations")


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


@require_POST
@login_required
def judge_links_withdraw(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Say what withdrawing every link of a judge does, and withdraw them."""
    campaign = organised_campaign(request, slug)
    judge = _person(campaign, judge_id)
    if not is_answered(request):
        count = links_that_open(judge=judge)
        said = ngettext(
            "%(count)d link of %(judge)s would not open any more.",
            "%(count)d links of %(judge)s would not open any more.",
            count,
        )
        facts = [
            said % {"count": count, "judge": judge.pseudonym},
            _("Where they are signed in, they stay signed in."),
        ]
        return _ask_withdrawal(request, campaign, _("Withdraw a judge’s links"), facts)
    judge_links_revoke(judge=judge)
    said = _(
        "The links of %(judge)s no longer work. Where they are signed in, they stay signed in."
    )
    messages.success(request, said % {"judge": judge.pseudonym})
    return redirect("invitations", slug)


@require_POST
@login_required
def judge_links_give_back(request: HttpRequest, slug: str, judge_id: int) -> HttpResponse:
    """Undo the latest withdrawal of a judge's links."""
    campaign = organised_campaign(request, slug)
    judge = _person(campaign, judge_id)
    if judge_links_restore(judge=judge):
        messages.success(
            request, _("The links of %(judge)s open again.") % {"judge": judge.pseudonym}
        )
    else:
        messages.info(request, _("Nothing was changed."))
    return redirect("invitations", slug)


def _person(campaign: Campaign, judge_id: int) -> Judge:
    judges = Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
    return get_object_or_404(judges, pk=judge_id)
