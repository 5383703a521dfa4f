"""allauth's pages of second factors, as far as they need something of ours."""

from typing import Any, cast

from allauth.mfa.adapter import get_adapter
from allauth.mfa.base.views import IndexView
from allauth.mfa.webauthn.views import RemoveWebAuthnView
from django.contrib import messages
from django.forms import Form
from django.http import HttpResponse
from django.shortcuts import redirect

from campaign.accounts.second_factors import factor_is_demanded, has_factor
from campaign.models import User
from campaign.views.account.entering import for_accounts


class FactorsPage(IndexView):  # type: ignore[misc]  # untyped
    """Show the factors of an account, and say so where one is demanded and none is there."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return allauth's, with whether one must be set up now."""
        user = cast("User", self.request.user)
        demanded = factor_is_demanded(user) and not has_factor(user)
        return {**super().get_context_data(**kwargs), "factor_is_demanded": demanded}


class PasskeyRemoval(RemoveWebAuthnView):  # type: ignore[misc]  # untyped
    """Ask, and remove a passkey; not the last factor of somebody who must have one."""

    def form_valid(self, form: Form) -> HttpResponse:
        """Remove it, or say why not."""
        if not get_adapter().can_delete_authenticator(self.object):
            messages.error(
                self.request, str(get_adapter().error_messages["cannot_delete_authenticator"])
            )
            return redirect("mfa_index")
        answer: HttpResponse = super().form_valid(form)
        return answer


factors_page = for_accounts(FactorsPage.as_view())
passkey_removal = for_accounts(PasskeyRemoval.as_view())
