"""The pages of a campaign's file: take it, and apply it again, what differs first."""

from collections.abc import Sequence
from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaign.formats import FormatError
from campaign.models import Campaign, User
from campaign.views.access import organised_campaign
from campaign.views.confirming import Answer, Question, ask, is_answered
from cells.campaign_file.api import file_answer
from cells.campaign_file.applying import Applied, campaign_file_apply
from cells.campaign_file.forms import CampaignFileForm, packed, unpacked
from cells.campaign_file.sections import NewLink
from cells.campaign_file.writing import campaign_file

_SECTION = "settings"


@require_safe
@never_cache
@login_required
def campaign_file_download(request: HttpRequest, slug: str) -> HttpResponse:
    """Return the file of a campaign, with what is about people if asked for."""
    campaign = organised_campaign(request, slug)
    return file_answer(campaign_file(campaign=campaign, people="people" in request.GET), slug)


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def campaign_file_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Offer the file; POST shows what a changed one would do, and does it once that is confirmed."""
    campaign = organised_campaign(request, slug)
    if is_answered(request):
        return _confirmed(request, campaign)
    is_sent = request.method == "POST"
    form = CampaignFileForm(request.POST, request.FILES) if is_sent else CampaignFileForm()
    if form.is_valid():
        content = form.content()
        try:
            found = _applied(request, campaign, content, confirmed="")
        except FormatError as error:
            form.add_error("file", str(error))
        else:
            return _asked(request, campaign, content, found)
    return file_page(request, campaign, form)


def file_page(
    request: HttpRequest,
    campaign: Campaign,
    form: CampaignFileForm,
    links: Sequence[NewLink] = (),
) -> HttpResponse:
    """Show the page; with links that were made, this once."""
    context = {
        "campaign": campaign,
        "section": _SECTION,
        "form": form,
        "links": _shown(request, links),
    }
    status = 400 if form.is_bound else 201 if links else 200
    return render(request, "organiser/campaign_file.html", context, status=status)


def _asked(
    request: HttpRequest, campaign: Campaign, content: bytes, found: Applied, error: str = ""
) -> HttpResponse:
    if not found.changes:
        messages.info(request, _("Nothing to do: the campaign is as the file says."))
        return redirect("campaign-file", campaign.slug)
    question = Question(
        title=_("Apply the file"),
        facts=[*(change.words for change in found.changes), *found.notes],
        answers=[Answer(_("Apply the file"))],
        cancel=reverse("campaign-file", args=[campaign.slug]),
        error=error,
        fields={"content": packed(content), "code": found.code},
    )
    return ask(request, question, campaign=campaign, section=_SECTION)


def _confirmed(request: HttpRequest, campaign: Campaign) -> HttpResponse:
    try:
        content = unpacked(request.POST.get("content", ""))
        done = _applied(request, campaign, content, confirmed=request.POST.get("code", ""))
    except (FormatError, signing.BadSignature) as error:
        return file_page(request, campaign, CampaignFileForm.again(error))
    if not done.is_done:
        again = _("The campaign was changed meanwhile. Nothing was changed: look again.")
        return _asked(request, campaign, content, done, again)
    messages.success(request, _("Done."))
    if done.links:
        # Not after a redirect: until then the tokens would have to be kept somewhere.
        return file_page(request, campaign, CampaignFileForm(), done.links)
    return redirect("campaign-file", campaign.slug)


def _shown(request: HttpRequest, links: Sequence[NewLink]) -> list[tuple[str, str]]:
    """Return the notes of new links with their addresses."""
    return [
        (link.note, request.build_absolute_uri(reverse("invitation", args=[link.token])))
        for link in links
    ]


def _applied(request: HttpRequest, campaign: Campaign, content: bytes, confirmed: str) -> Applied:
    return campaign_file_apply(
        name=getattr(request.FILES.get("file"), "name", None) or f"{campaign.slug}.yaml",
        content=content,
        by=cast("User", request.user),
        slug=campaign.slug,
        confirmed=confirmed,
    )
