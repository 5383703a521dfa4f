"""The page by which an organiser enters name, e-mail address and password, by a link that works once."""

from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from campaign.accounts.clients import browser_remember
from campaign.forms.credentials import AccountForm
from campaign.services.invitations import InvitationRefusedError
from campaign.services.organiser_accounts import account_link_open, account_set
from campaign.views.account.entering import enter


# No HEAD: programs check links with it.
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@never_cache
def organiser_account(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of an account; POST stores it, signs in and leads on. Opening a link changes nothing."""
    try:
        user = account_link_open(token=token)
        if request.method == "POST":
            return _store(request, token)
    except InvitationRefusedError:
        return render(request, "campaign/invitation_refused.html", status=404)
    known = {"name": user.name, "email": user.email} if user.email else {}
    return _page(request, AccountForm(initial=known))


def _store(request: HttpRequest, token: str) -> HttpResponse:
    form = AccountForm(request.POST)
    if not form.is_valid():
        return _page(request, form, status=400)
    try:
        user = account_set(token=token, **form.cleaned_data)
    except ValidationError as error:
        form.add_error(None, error)
        return _page(request, form, status=400)
    response = enter(request, user, to=reverse("home"))
    browser_remember(response=response, email=form.cleaned_data["email"])
    return response


def _page(request: HttpRequest, form: AccountForm, *, status: int = 200) -> HttpResponse:
    return render(request, "campaign/organiser_account.html", {"form": form}, status=status)
