"""Addresses of accounts. These are the only reachable pages of allauth; its names are kept because it uses them."""

from allauth.mfa.base import views as factor_views
from allauth.mfa.recovery_codes import views as code_views
from allauth.mfa.totp import views as totp_views
from allauth.mfa.webauthn import views as passkey_views
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path
from django.views.decorators.cache import never_cache

from campaign.views.account import (
    account_page,
    address_confirm,
    address_page,
    factors_page,
    for_accounts,
    give_again,
    passkey_removal,
    password_choose,
    password_page,
    password_reset,
)
from campaign.views.sign_in import SignInView, come_back, sign_in_elsewhere

_second_factors = [
    path("", factors_page, name="mfa_index"),
    path("", factors_page, name="mfa_list_webauthn"),
    path("app/", for_accounts(totp_views.activate_totp), name="mfa_activate_totp"),
    path("app/remove/", for_accounts(totp_views.deactivate_totp), name="mfa_deactivate_totp"),
    path("codes/", for_accounts(code_views.view_recovery_codes), name="mfa_view_recovery_codes"),
    path(
        "codes/new/",
        for_accounts(code_views.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "codes/download/",
        for_accounts(code_views.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
    path("passkeys/new/", for_accounts(passkey_views.add_webauthn), name="mfa_add_webauthn"),
    path("passkeys/<int:pk>/", passkey_removal, name="mfa_remove_webauthn"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("sign-in/", SignInView.as_view(), name="account_login"),
    path("sign-in/", SignInView.as_view(), name="socialaccount_login_cancelled"),
    path("sign-in/second-factor/", factor_views.authenticate, name="mfa_authenticate"),
    path("sign-in/passkey/", never_cache(passkey_views.login_webauthn), name="mfa_login_webauthn"),
    path("sign-in/forgotten/", password_reset, name="password-reset"),
    path("sign-in/elsewhere/", sign_in_elsewhere, name="sign-in-elsewhere"),
    path(
        "sign-in/elsewhere/back/",
        come_back,
        {"provider_id": settings.OIDC_ID},
        name="openid_connect_callback",
    ),
    path("i/<str:token>/password/", password_choose, name="password-choose"),
    path("i/<str:token>/address/", address_confirm, name="address-confirm"),
    path("account/", account_page, name="account"),
    path("account/password/", password_page, name="account-password"),
    path("account/address/", address_page, name="account-address"),
    path("account/again/", give_again, name="account_reauthenticate"),
    path(
        "account/again/code/", for_accounts(factor_views.reauthenticate), name="mfa_reauthenticate"
    ),
    path(
        "account/again/passkey/",
        for_accounts(passkey_views.reauthenticate_webauthn),
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/second-factors/", include(_second_factors)),
]
