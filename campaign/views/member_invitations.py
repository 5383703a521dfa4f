"""Invitations by e-mail to become a member, on the organisers' page of people; and leaving a campaign."""

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from campaign.forms.credentials import MemberMailForm
from campaign.models import Campaign, Mail, MailKind, Membership, MembershipRole, User
from campaign.pages.rights import rights
from campaign.refusals import RefusalsAt
from campaign.selectors.credentials import member_access, takes_part_elsewhere
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitations import InvitationRefusedError
from campaign.services.member_invitations import (
    member_invitation_send_again,
    member_invitation_withdraw,
    member_invite_by_mail,
)
from campaign.services.members import member_leave, member_leave_check
from campaign.views.access import joined_campaign, organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered, what_ends
from campaign.views.decorators import action_view
from campaign.views.people import members_page


@action_view
@never_cache
def member_mail_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue an invitation to become a member."""
    campaign = organised_campaign(request, slug)
    form = MemberMailForm(request.POST, may_own=rights(request)["may_own"], prefix="mail")
    if not form.is_valid():
        return members_page(request, campaign, 400, mail_form=form)
    data = form.cleaned_data
    data["role"] = MembershipRole(data["role"])
    with RefusalsAt(form, "email"):
        mail = member_invite_by_mail(
            campaign=campaign,
            base_url=request.build_absolute_uri("/"),
            by=cast("User", request.user),
            **data,
        )
        messages.success(request, _("Invitation to %(email)s queued.") % {"email": mail.address})
        return redirect("people", slug)
    return members_page(request, campaign, 409, mail_form=form)


@action_view
def member_mail_withdraw(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Withdraw an invitation. Only owners withdraw invitations of owners."""
    mail = _mail(organised_campaign(request, slug), invitation_id)
    try:
        member_invitation_withdraw(mail=mail, by=cast("User", request.user))
    except InvitationRefusedError:
        messages.info(request, _gone(mail))
    else:
        said = _("Invitation to %(email)s withdrawn.")
        messages.success(request, said % {"email": mail.address})
    return redirect("people", slug)


@action_view
def member_mail_again(request: HttpRequest, slug: str, invitation_id: int) -> HttpResponse:
    """Resend an invitation with a new link. Only owners resend invitations of owners."""
    mail = _mail(organised_campaign(request, slug), invitation_id)
    try:
        member_invitation_send_again(
            mail=mail, base_url=request.build_absolute_uri("/"), by=cast("User", request.user)
        )
    except InvitationRefusedError:
        messages.info(request, _gone(mail))
    except CredentialRefusedError as error:
        messages.error(request, str(error))
    else:
        said = _("New link queued for %(email)s. The previous one no longer works.")
        messages.success(request, said % {"email": mail.address})
    return redirect("people", slug)


def _mail(campaign: Campaign, invitation_id: int) -> Mail:
    """Return the invitation of this campaign, accepted or not, or raise a 404."""
    mails = Mail.objects.filter(kind=MailKind.MEMBER, campaign=campaign)
    return get_object_or_404(
        mails.select_related("campaign", "invitation", "user"), pk=invitation_id
    )


def _gone(mail: Mail) -> str:
    return _("The invitation to %(email)s was already accepted or withdrawn.") % {
        "email": mail.address
    }


@action_view
@never_cache
def member_leaving(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the access that leaving the campaign would end, and leave it. For members in any role."""
    campaign, user = joined_campaign(request, slug), cast("User", request.user)
    membership = Membership.objects.select_related("user", "campaign").get(
        campaign=campaign, user=user
    )
    try:
        member_leave_check(membership=membership)
        if not is_answered(request):
            return _ask_whether_to_leave(request, membership)
        member_leave(membership=membership)
    except CredentialRefusedError as error:
        messages.error(request, str(error))
        return redirect("people", slug)
    if not takes_part_elsewhere(user_id=user.pk, campaign_id=campaign.pk):
        # Their sessions have ended, this one too.
        return redirect("sign-in")
    messages.success(request, _("You have left “%(campaign)s”.") % {"campaign": campaign.name})
    return redirect("home")


def _ask_whether_to_leave(request: HttpRequest, membership: Membership) -> HttpResponse:
    access = member_access(membership=membership)
    campaign = membership.campaign
    question = Question(
        title=_("Leave “%(campaign)s”") % {"campaign": campaign.name},
        facts=[
            _("You lose access to this campaign."),
            _("Immediately ended: %(what)s.") % {"what": what_ends(access)},
        ],
        after=_("Your work is kept. To return, ask an owner to invite you."),
        answers=[Answer(_("Leave campaign"))],
        cancel=reverse("people", args=[campaign.slug]),
    )
    return ask(request, question, campaign=campaign, section="people")
