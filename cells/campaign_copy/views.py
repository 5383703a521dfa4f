"""The room of static copies: ask for one, see how far it is, download it."""

from typing import cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from campaign.models import Campaign, CampaignCopy, User
from campaign.selectors.copies import copies_of, copies_state, copy_content
from campaign.services.copies import MOST_KEPT, copy_ask
from campaign.views.access import joined_campaign, organised_campaign
from cells.campaign_copy.forms import CopyForm


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def campaign_copies_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the static copies there are, and how far the next one is; POST has a worker make one.

    It changes nothing of the campaign, so members who only read may ask for one, too.
    """
    campaign = joined_campaign(request, slug)
    form = CopyForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        copy_ask(
            campaign=campaign,
            with_texts=form.cleaned_data["texts"],
            address=f"{request.scheme}://{request.get_host()}",
            by=cast("User", request.user),
        )
        messages.success(request, _("A worker is making the copy; this page shows how far."))
        return redirect("campaign-copies", slug)
    context = {
        "campaign": campaign,
        "section": "copies",
        "form": form,
        "state": copies_state(campaign=campaign),
        "most_kept": MOST_KEPT,
    }
    is_part = request.headers.get("HX-Request")
    name = "organiser/_copies.html" if is_part else "organiser/copies.html"
    return render(request, name, context)


@require_safe
@never_cache
@login_required
def campaign_copy_file(request: HttpRequest, slug: str, copy_id: int) -> StreamingHttpResponse:
    """Return a static copy as a zip."""
    campaign = organised_campaign(request, slug)
    return copy_answer(campaign, get_object_or_404(copies_of(campaign=campaign), pk=copy_id))


def copy_answer(campaign: Campaign, copy: CampaignCopy) -> StreamingHttpResponse:
    """Return the zip of a copy, read part by part."""
    try:
        content = copy_content(copy)
    except CampaignCopy.DoesNotExist as error:
        raise Http404 from error
    return StreamingHttpResponse(
        content,
        content_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{campaign.slug}-{copy.digest[:8]}.zip"',
            "Content-Length": str(copy.size),
        },
    )
