from typing import cast

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from campaign.forms.campaigns import CampaignForm
from campaign.models import User
from campaign.selectors.organiser_accounts import may_make_campaigns
from campaign.views.decorators import form_view


@form_view
def campaign_new(request: HttpRequest) -> HttpResponse:
    """Ask for the name of a new campaign; POST makes it and goes there. For organisers only."""
    user = cast("User", request.user)
    if not may_make_campaigns(user):
        raise Http404
    form = CampaignForm(request.POST or None)
    if form.is_valid() and (campaign := form.save(user=user)) is not None:
        return redirect("campaign-detail", campaign.slug)
    return render(
        request, "organiser/campaign_new.html", {"form": form}, status=400 if form.errors else 200
    )
