"""A new password by mail, and links of messages about accounts."""

from typing import cast

from allauth.core import ratelimit
from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from campaign.accounts.clients import browser_remember
from campaign.forms.credentials import AccountForm, AddressForm, NewPasswordForm
from campaign.notification import mail_is_printed
from campaign.services.invitations import InvitationRefusedError
from campaign.services.organiser_accounts import account_link_open, account_set
from campaign.services.own_account import (
    AccountChangeRefusedError,
    address_link_open,
    address_set_by_link,
    password_link_open,
    password_mail_request,
    password_set_by_link,
)
from campaign.views.account.entering import base_url, enter


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def password_reset(request: HttpRequest) -> HttpResponse:
    """Ask for an e-mail address; POST sends a link there if it has an account, and responds alike if not."""
    form = AddressForm(request.POST or None)
    status = 400 if form.errors else 200
    if form.is_valid():
        address = form.cleaned_data["email"]
        if ratelimit.consume(request, action="reset_password", key=address.lower()):
            password_mail_request(
                address=address, base_url=base_url(request), language=get_language() or "en"
            )
            return render(request, "account/mail_sent.html")
        form.add_error(None, _("Too many messages requested. Try again in one hour."))
        status = 429
    context = {"form": form, "no_mail": mail_is_printed()}
    return render(request, "account/forgotten.html", context, status=status)


# No HEAD: programs check links with it.
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@never_cache
def password_choose(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of a new password; POST stores it and signs in. Opening the link changes nothing."""
    form = NewPasswordForm(request.POST or None)
    try:
        password_link_open(token=token)
        if form.is_valid():
            user = password_set_by_link(token=token, password=form.cleaned_data["password"])
            response = enter(request, user, to=reverse("home"))
            browser_remember(response=response, email=cast("str", user.email))
            return response
    except InvitationRefusedError:
        return render(request, "account/link_refused.html", status=404)
    except ValidationError as error:
        form.add_error(None, error)
    status = 400 if form.errors else 200
    return render(request, "account/password_choose.html", {"form": form}, status=status)


@require_http_methods(["GET", "POST"])
@never_cache
def address_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show the button that confirms a new address; POST stores it. Opening the link changes nothing."""
    try:
        address = address_link_open(token=token)
        if request.method != "POST":
            return render(request, "account/address_confirm.html", {"address": address})
        address_set_by_link(token=token)
    except InvitationRefusedError:
        return render(request, "account/link_refused.html", status=404)
    except AccountChangeRefusedError as error:
        context = {"address": address, "refusal": str(error)}
        return render(request, "account/address_confirm.html", context, status=409)
    messages.success(request, _("E-mail address changed. Use it to sign in."))
    return redirect("account")


# No HEAD: programs check links with it.
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@never_cache
def organiser_account(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of an account; POST stores it, signs in and redirects. Opening a link changes nothing."""
    form = AccountForm(request.POST or None)
    try:
        user = account_link_open(token=token)
        form.initial = {"name": user.name, "email": user.email} if user.email else {}
        if form.is_valid():
            user = account_set(token=token, **form.cleaned_data)
            response = enter(request, user, to=reverse("home"))
            browser_remember(response=response, email=form.cleaned_data["email"])
            return response
    except InvitationRefusedError:
        return render(request, "campaign/invitation_refused.html", status=404)
    except ValidationError as error:
        form.add_error(None, error)
    status = 400 if form.errors else 200
    return render(request, "campaign/organiser_account.html", {"form": form}, status=status)
