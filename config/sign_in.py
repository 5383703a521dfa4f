"""Settings of accounts: passwords and their limits, second factors, and external sign-in.

They apply to members of campaigns; judges sign in with links.
"""

import os
from typing import Any

from environment import environment_read

env = environment_read(os.environ)

# Sign-in with a password: no sign-up, no confirmation mail.
ACCOUNT_ADAPTER = "campaign.accounts.adapter.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_SESSION_REMEMBER = True
# Counted separately for each browser that the account has used before, and together for all others. An
# address receives at most three messages an hour, regardless of who requests them.
ACCOUNT_RATE_LIMITS = {
    "login": "30/m/ip",
    "login_failed": "10/m/ip,5/5m/key",
    "reset_password": "20/h/ip,3/h/key",
    "change_email": "10/h/user,3/h/key",
    "reauthenticate": "20/5m/user",
}

# --- Second factors -----------------------------------------------------------------------------

# Members who may change a campaign must set one up first.
SECOND_FACTOR_DEMANDED = env["SECOND_FACTOR_DEMANDED"]
MFA_ADAPTER = "campaign.accounts.second_factors.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
# Clocks of phones differ by some seconds, so the previous and the next code are also accepted.
MFA_TOTP_TOLERANCE = 1
MFA_TOTP_ISSUER = "Quintet"
MFA_FORMS = {
    "authenticate": "campaign.accounts.one_time_codes.CodeForm",
    "reauthenticate": "campaign.accounts.one_time_codes.CodeAgainForm",
    "activate_totp": "campaign.accounts.one_time_codes.AppActivationForm",
}

# --- Signing in elsewhere (OpenID Connect) ------------------------------------------------------

# Issuer of an identity provider, such as https://id.example.org/realms/staff; empty for none.
OIDC_ISSUER = env["OIDC_ISSUER"].rstrip("/")
OIDC_NAME = env["OIDC_NAME"]
#: ID of the only provider in allauth.
OIDC_ID = "oidc"
SOCIALACCOUNT_ADAPTER = "campaign.accounts.adapter.SingleSignOnAdapter"
SOCIALACCOUNT_STORE_TOKENS = False
# The secret is in no table; `SocialApp` of allauth stays empty.
_OIDC_APP: dict[str, Any] = {
    "provider_id": OIDC_ID,
    "name": OIDC_NAME,
    "client_id": env["OIDC_CLIENT_ID"],
    "secret": env["OIDC_CLIENT_SECRET"],
    "settings": {"server_url": OIDC_ISSUER},
}
SOCIALACCOUNT_PROVIDERS: dict[str, Any] = {
    "openid_connect": {
        "APPS": [_OIDC_APP] if OIDC_ISSUER else [],
        "OAUTH_PKCE_ENABLED": True,
    },
}
