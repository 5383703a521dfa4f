"""The page that clones a campaign."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.models import User
from campaign.views.access import organised_campaign
from cells.cloning import Clone, CloneRefusedError, campaign_clone
from cells.forms import CloneForm


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def campaign_clone_page(request: HttpRequest, slug: str) -> HttpResponse:
    """Ask what to clone; POST makes the clone and shows its judges' links, this once."""
    campaign = organised_campaign(request, slug)
    initial = {
        "name": _("%(name)s, again") % {"name": campaign.name},
        "slug": f"{campaign.slug[:57]}-2",
        "texts": True,
    }
    form = CloneForm(request.POST or None, initial=initial)
    context = {"campaign": campaign, "section": "state", "form": form}
    if request.method == "POST" and form.is_valid():
        try:
            clone = campaign_clone(
                source=campaign, by=cast("User", request.user), **form.cleaned_data
            )
        except CloneRefusedError as error:
            form.add_error(error.field, str(error))
        else:
            made = {**context, "campaign": clone.campaign, "clone": clone, "source": campaign}
            made["links"] = _links(request, clone)
            made["rows"] = sum(clone.rows.values())
            return render(request, "organiser/cloned.html", made)
    status = 400 if form.is_bound else 200
    return render(request, "organiser/clone.html", context, status=status)


def _links(request: HttpRequest, clone: Clone) -> list[tuple[str, str]]:
    return [
        (pseudonym, request.build_absolute_uri(reverse("invitation", args=[token])))
        for pseudonym, token in clone.links
    ]
