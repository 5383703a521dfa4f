from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from campaign.models import Campaign, Judge, User


@require_safe
@login_required
def home(request: HttpRequest) -> HttpResponse:
    """Redirect a member to their campaigns and a judge to their work; show others an explanation."""
    user = cast("User", request.user)
    if Campaign.objects.open_to(user).exists():
        return redirect("campaign-list")
    judging = list(
        Judge.objects.filter(user=user, withdrawn_at=None)
        .select_related("campaign")
        .order_by("-pk")
    )
    if len(judging) == 1:
        return redirect("judge", slug=judging[0].campaign.slug)
    return render(request, "dashboard/home.html", {"judging": judging})
