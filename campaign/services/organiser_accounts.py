"""One-time links for organisers: to create the first account, and to choose a new password.

The link ends with the first change of password or e-mail address, with the next sign-in, and after
`ORGANISER_LINK_DAYS`. Nothing of it is stored.
"""

from typing import Final

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from campaign.models import User
from campaign.refusals import RefusedError
from campaign.selectors.credentials import account_is_its_own, organisers_of_quintet
from campaign.services.invitations import InvitationRefusedError
from campaign.services.own_account import link_opened, link_token, password_set

_SALT: Final = "campaign.services.organiser_accounts"
#: Placeholder until the user enters a name and an e-mail address.
_NOBODY_YET: Final = "Organiser"


class AccountRefusedError(RefusedError):
    """The link cannot be made; the message says why and what to do."""


@transaction.atomic
def first_organiser_link_create() -> str:
    """Return the token of a link by which the first organiser enters name, e-mail address and password.

    Earlier links keep working until one of them is used. Raises `AccountRefusedError` if there is an organiser.
    """
    there = organisers_of_quintet().first()
    if there is not None:
        raise AccountRefusedError(
            f"This server already has an organiser ({there.email}). Specify the e-mail address the link is for."
        )
    user = User.objects.filter(is_staff=True, email=None, is_active=True).order_by("id").first()
    return link_token(user or User.objects.create_user(name=_NOBODY_YET, is_staff=True), _SALT)


def account_link_create(*, user: User) -> str:
    """Return the token of a link by which a member of a campaign chooses a new password.

    Raises `AccountRefusedError` for other users.
    """
    if not user.is_active or not account_is_its_own(user):
        raise AccountRefusedError(
            f"{user.name} is not a member of any campaign. Run add_organiser first."
        )
    return link_token(user, _SALT)


def account_link_open(*, token: str) -> User:
    """Return the user whose account this link opens. Raises `InvitationRefusedError`."""
    return _opened(token, User.objects.all())


@transaction.atomic
def account_set(*, token: str, name: str, email: str, password: str) -> User:
    """Store the name, e-mail address and password of the user of this link, which ends; return the user.

    Locks the user's row. Raises `InvitationRefusedError` for an invalid link, and `ValidationError` by
    field.
    """
    user = _opened(token, User.objects.select_for_update(no_key=True))
    user.name = name
    user.email = User.objects.normalize_email(email)
    if User.objects.filter(email__iexact=user.email).exclude(pk=user.pk).exists():
        raise ValidationError({"email": _("An account with this e-mail address already exists.")})
    user.clean_fields(exclude=["password"])
    password_set(user=user, password=password)
    user.save(update_fields=["name", "email"])
    return user


def _opened(token: str, users: QuerySet[User]) -> User:
    user, _more = link_opened(token, _SALT, users, 24 * settings.ORGANISER_LINK_DAYS)
    if user.email is None and organisers_of_quintet().exists():
        # The account was created concurrently in another way.
        raise InvitationRefusedError
    return user
