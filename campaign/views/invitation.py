from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from campaign.models import Invitation
from campaign.services import InvitationRefusedError, invitation_open


@never_cache
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in whoever holds the link and lead them to their work."""
    try:
        opened = invitation_open(token=token)
    except InvitationRefusedError:
        return render(request, "campaign/invitation_refused.html", status=404)
    login(request, opened.user, backend="campaign.backends.UserBackend")
    page = "judge" if opened.role == Invitation.Role.JUDGE else "campaign-detail"
    return redirect(page, slug=opened.campaign.slug)
