"""The organisers' page of people: who runs the campaign, and the links by which anybody gets in."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from campaign.forms.credentials import OrganiserForm
from campaign.models import Campaign, Membership, User
from campaign.selectors import links_valid, links_withdrawn, member_access, members_access
from campaign.services import (
    CredentialRefusedError,
    member_link_create,
    member_remove,
    organiser_add_by_email,
)
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered, what_ends


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def people_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the members and all links of a campaign; POST adds an organiser."""
    campaign = organised_campaign(request, slug)
    if request.method != "POST":
        return _page(request, campaign)
    form = OrganiserForm(request.POST)
    if not form.is_valid():
        return _page(request, campaign, 400, form=form)
    data = form.cleaned_data
    membership = organiser_add_by_email(campaign=campaign, email=data["email"], name=data["name"])
    return _link_page(request, membership)


def _page(request: HttpRequest, campaign: Campaign, status: int = 200, **more: Any) -> HttpResponse:
    context = {
        "campaign": campaign,
        "section": "people",
        "members": members_access(campaign=campaign),
        "links": links_valid(campaign=campaign),
        "withdrawn": links_withdrawn(campaign=campaign),
        "form": OrganiserForm(),
        "link_days": settings.ORGANISER_LINK_DAYS,
    }
    return render(request, "organiser/people.html", context | more, status=status)


def _link_page(request: HttpRequest, membership: Membership) -> HttpResponse:
    """Make a sign-in link and show it this once; say why if none may be made."""
    try:
        _link, token = member_link_create(membership=membership, by=cast("User", request.user))
    except CredentialRefusedError as error:
        messages.info(request, str(error))
        return redirect("people", membership.campaign.slug)
    # Not after a redirect: until then the token would have to be kept somewhere.
    link = request.build_absolute_uri(reverse("invitation", args=[token]))
    return _page(request, membership.campaign, 201, new_link=link)


def _membership(request: HttpRequest, slug: str, membership_id: int) -> Membership:
    campaign = organised_campaign(request, slug)
    rows = Membership.objects.select_related("user", "campaign")
    return get_object_or_404(rows, pk=membership_id, campaign=campaign)


@require_POST
@login_required
@never_cache
def member_link(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Make a sign-in link for an organiser, and show it this once."""
    return _link_page(request, _membership(request, slug, membership_id))


def _facts(membership: Membership) -> list[str]:
    access = member_access(membership=membership)
    return [
        _("%(name)s would no longer see or change anything in this campaign.")
        % {"name": membership.user.name},
        _("It would end at once: %(what)s.") % {"what": what_ends(access)},
    ]


@require_POST
@login_required
def member_removal(request: HttpRequest, slug: str, membership_id: int) -> HttpResponse:
    """Say what removing this member would end, and remove them."""
    membership = _membership(request, slug, membership_id)
    if not is_answered(request):
        question = Question(
            title=_("Remove %(name)s") % {"name": membership.user.name},
            facts=_facts(membership),
            after=_(
                "What they made and decided stays. To undo it, add them again; links and tokens are then "
                "made anew."
            ),
            answers=[Answer(_("Remove from this campaign"))],
            cancel=reverse("people", args=[slug]),
        )
        return ask(request, question, campaign=membership.campaign, section="people")
    try:
        member_remove(membership=membership)
    except CredentialRefusedError as error:
        messages.error(request, str(error))
        return redirect("people", slug)
    if membership.user == request.user:
        return redirect("sign-in")
    said = _("%(name)s no longer takes part in running this campaign.")
    messages.success(request, said % {"name": membership.user.name})
    return redirect("people", slug)
