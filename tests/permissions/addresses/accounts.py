"""Signing in, one's own account and one's tokens."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses.answers import (
    ACCOUNT,
    AFTER_THE_PASSWORD,
    EVERYBODY,
    ONLY_POST,
    OWN_API,
    ROLES,
)
from tests.permissions.audiences import (
    ACCOUNT_HOLDERS,
    ANYBODY,
    NO_ONE,
    SIGNED_IN,
    WITH_LINK,
    WITH_PASSWORD,
    Audience,
    sends,
)

ADDRESSES: Final[Mapping[str, Mapping[str, int | Audience]]] = {
    "sign-in/": {**dict.fromkeys(ROLES, 302), "visitor": 200}
    | sends(POST=ANYBODY, PUT=ANYBODY, PATCH=SIGNED_IN, DELETE=SIGNED_IN),
    # What they do to strangers: tests/integration/accounts.
    "sign-in/second-factor/": dict.fromkeys(ROLES, 302)
    | sends(GET=ANYBODY, POST=ANYBODY, PUT=ANYBODY, PATCH=ANYBODY, DELETE=ANYBODY),
    "sign-in/passkey/": dict.fromkeys(ROLES, 302)
    | sends(GET=ANYBODY, POST=ANYBODY, PUT=ANYBODY, PATCH=SIGNED_IN, DELETE=SIGNED_IN),
    "sign-in/forgotten/": EVERYBODY | sends(POST=ANYBODY),
    "sign-in/elsewhere/": dict.fromkeys(ROLES, 404) | sends(GET=NO_ONE),
    "sign-in/elsewhere/back/": dict.fromkeys(ROLES, 404) | sends(GET=NO_ONE),
    "i/<str:token>/password/": dict.fromkeys(ROLES, 404)
    | sends(GET=WITH_LINK, POST=WITH_LINK),
    "i/<str:token>/address/": dict.fromkeys(ROLES, 404)
    | sends(GET=WITH_LINK, POST=WITH_LINK),
    # One's own. Judges have none, and this analyst, who came by a link, has no password to give again.
    "account/": ACCOUNT | sends(POST=ACCOUNT_HOLDERS),
    "account/second-factors/": ACCOUNT,
    "account/password/": AFTER_THE_PASSWORD | sends(POST=ACCOUNT_HOLDERS),
    "account/address/": AFTER_THE_PASSWORD | sends(POST=ACCOUNT_HOLDERS),
    "account/again/": {**ACCOUNT, "analyst": 403}
    | sends(GET=WITH_PASSWORD, POST=WITH_PASSWORD, PUT=WITH_PASSWORD),
    "account/again/code/": {**AFTER_THE_PASSWORD, "analyst": 403}
    | sends(
        GET=WITH_PASSWORD,
        POST=WITH_PASSWORD,
        PUT=WITH_PASSWORD,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "account/again/passkey/": {**AFTER_THE_PASSWORD, "analyst": 403}
    | sends(
        GET=WITH_PASSWORD,
        POST=WITH_PASSWORD,
        PUT=WITH_PASSWORD,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "account/second-factors/app/": AFTER_THE_PASSWORD
    | sends(
        POST=ACCOUNT_HOLDERS,
        PUT=ACCOUNT_HOLDERS,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "account/second-factors/app/remove/": {**dict.fromkeys(ROLES, 404), "visitor": 302}
    | sends(GET=ACCOUNT_HOLDERS, POST=ACCOUNT_HOLDERS),
    "account/second-factors/codes/": {**dict.fromkeys(ROLES, 404), "visitor": 302}
    | sends(GET=ACCOUNT_HOLDERS),
    "account/second-factors/codes/new/": AFTER_THE_PASSWORD
    | sends(
        POST=ACCOUNT_HOLDERS,
        PUT=ACCOUNT_HOLDERS,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "account/second-factors/codes/download/": {
        **dict.fromkeys(ROLES, 404),
        "visitor": 302,
    }
    | sends(GET=ACCOUNT_HOLDERS),
    "account/second-factors/passkeys/new/": AFTER_THE_PASSWORD
    | sends(
        POST=ACCOUNT_HOLDERS,
        PUT=ACCOUNT_HOLDERS,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "account/second-factors/passkeys/<int:pk>/": {**AFTER_THE_PASSWORD, "analyst": 404}
    | sends(
        GET=WITH_PASSWORD,
        POST=WITH_PASSWORD,
        PUT=WITH_PASSWORD,
        PATCH=WITH_PASSWORD,
        DELETE=WITH_PASSWORD,
    ),
    "sign-out/": dict.fromkeys(ROLES, 405) | sends(POST=ANYBODY),
    "i/<str:token>/": dict.fromkeys(ROLES, 404) | sends(GET=WITH_LINK, POST=WITH_LINK),
    # Who may: tests/integration/credentials/test_organiser_accounts.py.
    "i/<str:token>/account/": dict.fromkeys(ROLES, 404)
    | sends(GET=WITH_LINK, POST=WITH_LINK),
    # One's own; what tokens reach: tests/integration/credentials/test_token_scopes.py.
    "api/v1/tokens/": OWN_API | sends(POST=SIGNED_IN, DELETE=SIGNED_IN),
    "api/v1/tokens/<int:token_id>/": {**ONLY_POST, "visitor": 401}
    | sends(DELETE=SIGNED_IN),
    # One's own, whoever one is.
    "credentials/": {**EVERYBODY, "visitor": 302} | sends(POST=SIGNED_IN),
}
