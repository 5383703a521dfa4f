"""Members: list, roles, links, invitations by e-mail, and leaving."""

from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from campaign.models import Campaign, Mail, MailKind, Membership, MembershipRole
from campaign.pages.desk import ROLE_MEANS, rights
from campaign.pages.invitations import (
    ResultsLinkForm,
)
from campaign.pages.members import (
    MemberForm,
    MemberMailForm,
)
from campaign.pages.tables import PlainColumn, TableWithActions
from campaign.selectors.credentials import (
    links_valid,
    links_withdrawn,
    member_access,
    member_invitations,
    members_access,
    members_links_sent,
    members_machines,
    takes_part_elsewhere,
)
from campaign.selectors.rehearsals import rehearsal_to_see
from campaign.services.api_tokens import CredentialRefusedError
from campaign.services.invitations import InvitationRefusedError
from campaign.services.members import (
    daily_alerts_set,
    member_add_by_email,
    member_invitation_send_again,
    member_invitation_withdraw,
    member_invite_by_mail,
    member_leave,
    member_leave_check,
    member_link_create,
    member_remove,
    member_role_change,
)
from campaign.services.notification import mail_is_printed
from campaign.texts.addresses import address_in_unicode
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import (
    joined_campaign,
    organised_campaign,
    owned_campaign,
    user_of,
)
from campaign.views.confirming import Answer, Question, ask, is_answered, what_ends
from campaign.views.decorators import action_view, form_view, refusals_as_messages


class MemberTable(TableWithActions):
    """Rows of `members_access`, owners first."""

    name = PlainColumn(gettext_lazy("Name"), by="user__name")
    email = PlainColumn(gettext_lazy("E-mail address"), by="user__email", kind="wide")
    role = PlainColumn(gettext_lazy("Role"), by="role")
    signed_in = PlainColumn(gettext_lazy("Signed in"), by="pk")

    caption = gettext_lazy("Members")
    actions_template = "organiser/_member_actions.html"

    def __init__(self, *, campaign: Campaign, request: HttpRequest) -> None:
        roles = MembershipRole.values
        rows = sorted(
            members_access(campaign=campaign),
            key=lambda member: roles.index(member.role),
        )
        super().__init__(rows, campaign=campaign, request=request)
        self.whole()

    def cell_email(self, row: Membership) -> str:
        if row.user.email:
            return address_in_unicode(row.user.email)
        return "–"

    def cell_signed_in(self, row: Any) -> str:
        return what_ends(row)

    def actions_context(self, row: Membership) -> dict[str, object]:
        return {"membership": row, "roles": MembershipRole.choices}


@form_view
def people_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the members and all links of a campaign; POST adds a member."""
    campaign = organised_campaign(request, slug)
    if request.method != "POST":
        return members_page(request, campaign)
    form = MemberForm(request.POST, may_own=rights(request)["may_own"])
    if not form.is_valid():
        return members_page(request, campaign, 400, form=form)
    data = form.cleaned_data
    with RefusalsAt(form, "email"):
        membership = member_add_by_email(
            campaign=campaign,
            email=data["email"],
            name=data["name"],
            role=MembershipRole(data["role"]),
            by=user_of(request),
        )
        return _link_page(request, membership)
    return members_page(request, campaign, 409, form=form)


def members_page(
    request: HttpRequest,
    campaign: Campaign,
    status: int = 200,
    **more: Any,
) -> HttpResponse:
    """Return the page of members and links, with more to show."""
    context = {
        "campaign": campaign,
        "section": "people",
        "rehearsal": rehearsal_to_see(campaign=campaign),
        "table": MemberTable(campaign=campaign, request=request),
        "invitations": member_invitations(campaign=campaign),
        "links": links_valid(campaign=campaign).but_to_become_member(),
        "withdrawn": links_withdrawn(campaign=campaign),
        "form": MemberForm(may_own=rights(request)["may_own"]),
        "mail_form": MemberMailForm(may_own=rights(request)["may_own"], prefix="mail"),
        "results_form": ResultsLinkForm(prefix="results"),
        "mail_is_printed": mail_is_printed(),
        "link_days": settings.ORGANISER_LINK_DAYS,
    }
    return render(request, "organiser/people.html", context | more, status=status)


def _link_page(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Create a sign-in link and show it once; show the reason if it is refused."""
    try:
        _link, token = member_link_create(membership=membership, by=user_of(request))
    except CredentialRefusedError as error:
        messages.info(request, str(error))
        return redirect("people", membership.campaign.slug)
    # Without a redirect, for which the token would have to be stored.
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    new_for = membership.user.name
    return members_page(
        request,
        membership.campaign,
        201,
        new_link=link,
        new_for=new_for,
    )


def _membership(campaign: Campaign, membership_id: int) -> Membership:
    rows = Membership.objects.select_related("user", "campaign")
    return get_object_or_404(rows, pk=membership_id, campaign=campaign)


@action_view
@never_cache
def member_link(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Create a sign-in link for a member, and show it once."""
    return _link_page(
        request,
        _membership(organised_campaign(request, slug), membership_id),
    )


@action_view
@never_cache
def member_alerts(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Switch the daily mail of alerts on or off, of oneself only; 404 for others'."""
    membership = _membership(organised_campaign(request, slug), membership_id)
    if membership.user_id != user_of(request).pk:
        raise Http404
    with refusals_as_messages(request):
        daily_alerts_set(
            membership=membership,
            daily_alerts=request.POST.get("wanted") == "1",
        )
    return redirect("people", slug)


@action_view
def member_role(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Show the rights that another role would give this member, and assign it. For owners."""
    membership = _membership(owned_campaign(request, slug), membership_id)
    role_name = request.POST.get("role", "")
    if role_name not in MembershipRole:
        return HttpResponseBadRequest()
    role = MembershipRole(role_name)
    if role == membership.role:
        return redirect("people", slug)
    names = {"name": membership.user.name, "role": role.label}
    if not is_answered(request):
        question = Question(
            title=_("Change role of %(name)s to %(role)s") % names,
            facts=[
                str(ROLE_MEANS[role]),
                *([] if role.may_change else _sent_facts(membership)),
            ],
            after=_("To undo it, change the role back."),
            answers=[Answer(_("Change role"))],
            fields={"role": role.value},
            cancel=reverse("people", args=[slug]),
        )
        return ask(request, question, campaign=membership.campaign, section="people")
    with refusals_as_messages(request):
        member_role_change(membership=membership, role=role, by=user_of(request))
        messages.success(request, _("Role of %(name)s changed to %(role)s.") % names)
    return redirect("people", slug)


def _facts(membership: Membership) -> list[str]:
    access = member_access(membership=membership)
    return [
        _("%(name)s loses access to this campaign.") % {"name": membership.user.name},
        _("Immediately ended: %(what)s.") % {"what": what_ends(access)},
        *_sent_facts(membership),
    ]


def _sent_facts(membership: Membership) -> list[str]:
    """Return sentences about what a member made for others and ends with the membership, if there is any."""
    facts = []
    machines = members_machines(
        campaign=membership.campaign,
        user=membership.user,
    )
    if machines:
        facts.append(
            _("Tokens of machine judges that end, too: %(machines)s.")
            % {"machines": comma_list(map(str, machines))},
        )
    sent = members_links_sent(
        campaign=membership.campaign,
        user=membership.user,
    ).count()
    if sent:
        facts.append(
            counted(
                "%(count)d open invitation or link made for another member ends, too.",
                "%(count)d open invitations and links made for other members end, too.",
                sent,
            ),
        )
    return facts


@action_view
def member_removal(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Show the access that removing this member would end, and remove them. For owners."""
    membership = _membership(owned_campaign(request, slug), membership_id)
    if not is_answered(request):
        question = Question(
            title=_("Remove %(name)s") % {"name": membership.user.name},
            facts=_facts(membership),
            after=_(
                "Their work is kept. You can add them again; they will need new links and tokens.",
            ),
            answers=[Answer(_("Remove member"))],
            cancel=reverse("people", args=[slug]),
        )
        return ask(request, question, campaign=membership.campaign, section="people")
    with refusals_as_messages(request):
        member_remove(membership=membership, by=user_of(request))
        if membership.user == request.user:
            return redirect("sign-in")
        messages.success(
            request,
            _("%(name)s removed.") % {"name": membership.user.name},
        )
    return redirect("people", slug)


@action_view
@never_cache
def member_mail_create(request: HttpRequest, slug: str) -> HttpResponse:
    """Queue an invitation to become a member."""
    campaign = organised_campaign(request, slug)
    form = MemberMailForm(
        request.POST,
        may_own=rights(request)["may_own"],
        prefix="mail",
    )
    if not form.is_valid():
        return members_page(request, campaign, 400, mail_form=form)
    data = form.cleaned_data
    with RefusalsAt(form, "email"):
        mail = member_invite_by_mail(
            campaign=campaign,
            email=data["email"],
            name=data["name"],
            role=MembershipRole(data["role"]),
            message=form.message(request.build_absolute_uri("/")),
            by=user_of(request),
        )
        messages.success(
            request,
            _("Invitation to %(email)s queued.") % {"email": mail.address},
        )
        return redirect("people", slug)
    return members_page(request, campaign, 409, mail_form=form)


@action_view
def member_mail_withdraw(
    request: HttpRequest,
    slug: str,
    invitation_id: int,
) -> HttpResponse:
    """Withdraw an invitation. Only owners withdraw invitations of owners."""
    mail = _mail(organised_campaign(request, slug), invitation_id)
    try:
        member_invitation_withdraw(mail=mail, by=user_of(request))
    except InvitationRefusedError:
        messages.info(request, _gone(mail))
    else:
        message = _("Invitation to %(email)s withdrawn.")
        messages.success(request, message % {"email": mail.address})
    return redirect("people", slug)


@action_view
def member_mail_again(
    request: HttpRequest,
    slug: str,
    invitation_id: int,
) -> HttpResponse:
    """Resend an invitation with a new link. Only owners resend invitations of owners."""
    mail = _mail(organised_campaign(request, slug), invitation_id)
    try:
        member_invitation_send_again(
            mail=mail,
            base_url=request.build_absolute_uri("/"),
            by=user_of(request),
        )
    except InvitationRefusedError:
        messages.info(request, _gone(mail))
    except CredentialRefusedError as error:
        messages.error(request, str(error))
    else:
        message = _("New link queued for %(email)s. The previous one no longer works.")
        messages.success(request, message % {"email": mail.address})
    return redirect("people", slug)


def _mail(campaign: Campaign, invitation_id: int) -> Mail:
    """Return the invitation of this campaign, accepted or not, or raise a 404."""
    mails = Mail.objects.filter(kind=MailKind.MEMBER, campaign=campaign)
    return get_object_or_404(
        mails.select_related("campaign", "invitation", "user"),
        pk=invitation_id,
    )


def _gone(mail: Mail) -> str:
    return _("The invitation to %(email)s was already accepted or withdrawn.") % {
        "email": mail.address,
    }


@action_view
@never_cache
def member_leaving(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the access that leaving the campaign would end, and leave it. For members in any role."""
    campaign = joined_campaign(request, slug)
    user = user_of(request)
    membership = Membership.objects.select_related("user", "campaign").get(
        campaign=campaign,
        user=user,
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
    messages.success(
        request,
        _("You have left “%(campaign)s”.") % {"campaign": campaign.name},
    )
    return redirect("home")


def _ask_whether_to_leave(request: HttpRequest, membership: Membership) -> HttpResponse:
    access = member_access(membership=membership)
    campaign = membership.campaign
    question = Question(
        title=_("Leave “%(campaign)s”") % {"campaign": campaign.name},
        facts=[
            _("You lose access to this campaign."),
            _("Immediately ended: %(what)s.") % {"what": what_ends(access)},
            *_sent_facts(membership),
        ],
        after=_("Your work is kept. To return, ask an owner to invite you."),
        answers=[Answer(_("Leave campaign"))],
        cancel=reverse("people", args=[campaign.slug]),
    )
    return ask(request, question, campaign=campaign, section="people")
