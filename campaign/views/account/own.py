"""Account page, and changes made there after entering the password again."""

from typing import Any, cast

from allauth.account.views import ReauthenticateView
from allauth.core import ratelimit
from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.views import IndexView
from allauth.mfa.webauthn.views import RemoveWebAuthnView
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.forms import Form
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from campaign.accounts.second_factors import factor_is_demanded, has_factor
from campaign.forms.credentials import AddressForm, NameForm, NewPasswordForm
from campaign.models import User
from campaign.refusals import RefusalsAt
from campaign.services.own_account import (
    address_mail_request,
    name_set,
    password_set,
)
from campaign.views.account.entering import asked_again, base_url, for_accounts

_METHODS = ("GET", "HEAD", "POST")

give_again = for_accounts(ReauthenticateView.as_view())


@require_http_methods(_METHODS)
@for_accounts
def account_page(request: HttpRequest) -> HttpResponse:
    """Show the user's account; POST stores the name. 404 for judges, who have none."""
    user = cast("User", request.user)
    form = NameForm(request.POST or None, initial={"name": user.name})
    if form.is_valid():
        name_set(user=user, name=form.cleaned_data["name"])
        messages.success(request, _("Saved."))
        return redirect("account")
    return _form_page(request, "account/account.html", form, has_factor=has_factor(user))


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@for_accounts
@asked_again
def password_page(request: HttpRequest) -> HttpResponse:
    """Show the form of a new password; POST stores it, which signs all other browsers out."""
    user = cast("User", request.user)
    form = NewPasswordForm(request.POST or None)
    if form.is_valid():
        with RefusalsAt(form):
            password_set(user=user, password=form.cleaned_data["password"])
            update_session_auth_hash(request, user)
            messages.success(request, _("Password changed. All other browsers were signed out."))
            return redirect("account")
    return _form_page(request, "account/password.html", form)


@require_http_methods(_METHODS)
@for_accounts
@asked_again
def address_page(request: HttpRequest) -> HttpResponse:
    """Show the form of a new e-mail address; POST sends a link there that confirms it."""
    user = cast("User", request.user)
    form = AddressForm(request.POST or None)
    if form.is_valid():
        address = form.cleaned_data["email"]
        if not ratelimit.consume(request, action="change_email", key=address.lower(), user=user):
            form.add_error(None, _("Too many messages requested. Try again in one hour."))
            return _form_page(request, "account/address.html", form)
        with RefusalsAt(form):
            address_mail_request(
                user=user,
                address=address,
                base_url=base_url(request),
                language=get_language() or "en",
            )
            return render(request, "account/mail_sent.html", {"is_address": True})
    return _form_page(request, "account/address.html", form)


def _form_page(request: HttpRequest, template: str, form: Any, **more: Any) -> HttpResponse:
    return render(request, template, {"form": form, **more}, status=400 if form.errors else 200)


class FactorsPage(IndexView):  # type: ignore[misc]  # untyped
    """Show the factors of an account, and whether one must be set up."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return allauth's context, with whether a factor must be set up now."""
        user = cast("User", self.request.user)
        demanded = factor_is_demanded(user) and not has_factor(user)
        return {**super().get_context_data(**kwargs), "factor_is_demanded": demanded}


class PasskeyRemoval(RemoveWebAuthnView):  # type: ignore[misc]  # untyped
    """Confirm and remove a passkey, unless it is the last factor of a user who must have one."""

    def form_valid(self, form: Form) -> HttpResponse:
        """Remove the passkey, or show why it cannot be removed."""
        if not get_adapter().can_delete_authenticator(self.object):
            messages.error(
                self.request, str(get_adapter().error_messages["cannot_delete_authenticator"])
            )
            return redirect("mfa_index")
        answer: HttpResponse = super().form_valid(form)
        return answer


factors_page = for_accounts(FactorsPage.as_view())
passkey_removal = for_accounts(PasskeyRemoval.as_view())
