"""Who may: sets of roles, with the words by which docs/permissions.md calls them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

#: Everybody who knocks, with how docs/permissions.md calls them. Tokens are those of REST.
ROLES: Final[Mapping[str, str]] = {
    "nobody": "somebody who has not signed in",
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
        return (user if user == role or over_rest else "nobody") in self.roles


def _of(words: str, meaning: str, *roles: str) -> Audience:
    return Audience(words, meaning, frozenset(roles))


_PEOPLE: Final = tuple(role for role in ROLES if not role.endswith(TOKEN) and role != "nobody")

ANYBODY: Final = _of("everybody", "also without signing in", "nobody", *_PEOPLE)
SIGNED_IN: Final = _of(
    "whoever signed in", "of what is shown, only what is one's own or of one's campaigns", *_PEOPLE
)
JUDGES: Final = _of("judges", "judges of the campaign, of what is their own", "judge")
JUDGES_ANYWHERE: Final = _of(
    "judges of any campaign", "of what is their own there", "judge", "other judge"
)
MEMBERS: Final = _of(
    "members",
    "owners, organisers and analysts of the campaign",
    "analyst",
    "organiser",
    "owner",
)
ORGANISERS: Final = _of(
    "organisers", "owners and organisers of the campaign; analysts read only", "organiser", "owner"
)
OWNERS: Final = _of("owners", "owners of the campaign", "owner")
CAMPAIGN_MAKERS: Final = _of(
    "organisers of any campaign",
    "and staff: people who may make campaigns",
    "organiser",
    "owner",
    "other organiser",
    "superuser",
)
ACCOUNT_HOLDERS: Final = _of(
    "people with an account",
    "all but judges, who come by a link; of what is their own",
    "analyst",
    "organiser",
    "owner",
    "other organiser",
    "superuser",
)
WITH_PASSWORD: Final = _of(
    "people with a password",
    "of what is their own, once they have given it again; who came by a link has none",
    "organiser",
    "owner",
    "other organiser",
    "superuser",
)
THEMSELVES: Final = _of(
    "the member themselves", "an owner or organiser, of their own membership", "organiser"
)
ONCE_PUBLISHED: Final = _of(
    "members; everybody once published",
    "members of the campaign while there is an embargo, everybody after it",
    *MEMBERS.roles,
)
WITH_LINK: Final = _of("whoever has the link", "it is a secret; no sign-in is asked for")
THE_SERVICE: Final = _of("the crowd service", "by its signature or the key in the address")
NOBODY: Final = _of("nobody", "unless the operator switches it on")

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
    NOBODY,
)


def sends(**methods: Audience) -> dict[str, Any]:
    """Return what an address says of who may send what, by method."""
    return methods
