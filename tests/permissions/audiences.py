"""Who may: sets of roles, with the words by which docs/permissions.md calls them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

#: Everybody who knocks, with how docs/permissions.md calls them. Tokens are those of REST.
ROLES: Final[Mapping[str, str]] = {
    "visitor": "a visitor who has not signed in",
    "judge": "a judge of the campaign",
    "other judge": "a judge of another campaign",
    "analyst": "an analyst",
    "organiser": "an organiser",
    "owner": "an owner",
    "other organiser": "an owner of another campaign",
    "superuser": "a superuser of Django",
    "judge's token": "a token of a judge",
    "analyst's token": "a token of an analyst",
    "organiser's token": "a token of an organiser",
    "owner's token": "a token of an owner",
}
TOKEN: Final = "'s token"


@dataclass(frozen=True, slots=True)
class Audience:
    """Who may, in words for a cell, in words for the legend, and as roles.

    Tokens are not named: over REST one may what its user may, and on pages it is nobody's.
    """

    words: str
    meaning: str
    roles: frozenset[str]

    def has(self, role: str, *, over_rest: bool) -> bool:
        """Return whether somebody of this role may."""
        user = role.removesuffix(TOKEN)
        return (user if user == role or over_rest else "visitor") in self.roles


def _of(words: str, meaning: str, *roles: str) -> Audience:
    return Audience(words, meaning, frozenset(roles))


_PEOPLE: Final = tuple(
    role for role in ROLES if not role.endswith(TOKEN) and role != "visitor"
)

ANYBODY: Final = _of("everybody", "also without signing in", "visitor", *_PEOPLE)
SIGNED_IN: Final = _of(
    "signed-in users",
    "each sees only their own data and campaigns",
    *_PEOPLE,
)
JUDGES: Final = _of("judges", "judges of the campaign, their own data", "judge")
JUDGES_ANYWHERE: Final = _of(
    "judges of any campaign",
    "their own data",
    "judge",
    "other judge",
)
MEMBERS: Final = _of(
    "members",
    "owners, organisers and analysts of the campaign",
    "analyst",
    "organiser",
    "owner",
)
ORGANISERS: Final = _of(
    "organisers",
    "owners and organisers of the campaign",
    "organiser",
    "owner",
)
OWNERS: Final = _of("owners", "owners of the campaign", "owner")
CAMPAIGN_MAKERS: Final = _of(
    "organisers of any campaign",
    "and staff, who may create campaigns",
    "organiser",
    "owner",
    "other organiser",
    "superuser",
)
ACCOUNT_HOLDERS: Final = _of(
    "people with an account",
    "everybody but judges, their own data",
    "analyst",
    "organiser",
    "owner",
    "other organiser",
    "superuser",
)
WITH_PASSWORD: Final = _of(
    "people with a password",
    "their own data, after entering the password again",
    "organiser",
    "owner",
    "other organiser",
    "superuser",
)
THEMSELVES: Final = _of(
    "the member themselves",
    "an owner or organiser, their own membership",
    "organiser",
)
ONCE_PUBLISHED: Final = _of(
    "members; everybody once published",
    "members during an embargo, everybody after it",
    *MEMBERS.roles,
)
WITH_LINK: Final = _of("holders of the link", "the link is a secret; no sign-in")
THE_SERVICE: Final = _of(
    "the recruiting service",
    "by its signature or the key in the address",
)
NO_ONE: Final = _of("no one", "unless the operator enables it")

AUDIENCES: Final = (
    ANYBODY,
    SIGNED_IN,
    JUDGES,
    JUDGES_ANYWHERE,
    MEMBERS,
    ORGANISERS,
    OWNERS,
    CAMPAIGN_MAKERS,
    ACCOUNT_HOLDERS,
    WITH_PASSWORD,
    THEMSELVES,
    ONCE_PUBLISHED,
    WITH_LINK,
    THE_SERVICE,
    NO_ONE,
)


def sends(**methods: Audience) -> dict[str, Any]:
    """Return what an address says of who may send what, by method."""
    return methods
