"""Who comes from one's own identity provider signs in to the account with their verified address, and to no other."""

from allauth.core.exceptions import ImmediateHttpResponse
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.models import SocialLogin
from django.http import HttpRequest
from django.shortcuts import render

from campaign.models import User


class SingleSignOnAdapter(DefaultSocialAccountAdapter):  # type: ignore[misc]  # untyped
    """No signing up: campaigns are entered by invitation."""

    def is_open_for_signup(self, _request: HttpRequest, _sociallogin: SocialLogin) -> bool:
        """Return False."""
        return False

    def pre_social_login(self, request: HttpRequest, sociallogin: SocialLogin) -> None:
        """Find the account of somebody who has not come this way before, and remember the way.

        From then on the provider's own name for them counts, whatever becomes of the address. Raises
        `ImmediateHttpResponse` with a refusal if there is no account, or it is not active.
        """
        if not sociallogin.is_existing:
            user = _account_of(sociallogin)
            if user is not None:
                sociallogin.connect(request, user)
        if not sociallogin.is_existing or not sociallogin.user.is_active:
            page = render(request, "registration/no_account.html", status=403)
            raise ImmediateHttpResponse(page)


def _account_of(sociallogin: SocialLogin) -> User | None:
    """Return the active user with an address that the provider has verified: `true`, and not a word like it."""
    verified = [
        each.email
        for each in sociallogin.email_addresses
        if each.verified is True or each.verified == "true"
    ]
    for address in verified:
        found = User.objects.filter(email__iexact=address, is_active=True).first()
        if found is not None:
            return found
    return None
