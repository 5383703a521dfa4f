"""Accounts: name, password, address, and one-time links to them."""

from typing import Final

from allauth.mfa.models import Authenticator
from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core import signing
from django.core.exceptions import ValidationError
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from campaign.models import ApiToken, Invitation, Mail, MailKind, MailState, User
from campaign.selectors.credentials import account_is_its_own, organisers_of_quintet
from campaign.services.api_tokens import tokens_revoke
from campaign.services.invitations import InvitationRefusedError
from campaign.services.judges import sessions_end
from campaign.services.notification import mail_enqueue, mail_is_printed, mail_queue
from campaign.texts.addresses import address_key
from campaign.texts.refusals import RefusedError

#: Hours that links in account messages are valid.
LINK_HOURS: Final = 2
_CHOOSING: Final = "campaign.services.own_account.password"
_CONFIRMING: Final = "campaign.services.own_account.address"


class AccountChangeRefusedError(RefusedError):
    """The account was not changed; the message says why and what to do."""


@transaction.atomic
def name_set(*, user: User, name: str) -> None:
    """Store the display name of this user. Raises `ValidationError` by field."""
    user.name = name
    user.clean_fields(exclude=["password"])
    user.save(update_fields=["name"])


@transaction.atomic
def password_set(*, user: User, password: str) -> None:
    """Store a new password, which ends the user's sessions and API tokens. Raises `ValidationError` by field.

    `update_session_auth_hash` keeps the session of the request.
    """
    try:
        validate_password(password, user)
    except ValidationError as error:
        raise ValidationError({"password": error.messages}) from error
    user.set_password(password)
    user.save(update_fields=["password"])
    tokens_revoke(tokens=ApiToken.objects.filter(user=user))


def password_token(user: User) -> str:
    """Return the token of a link by which this user chooses a new password."""
    return link_token(user, _CHOOSING)


def password_link_open(*, token: str) -> User:
    """Return the user whose password this link sets. Raises `InvitationRefusedError`."""
    return link_opened(token, _CHOOSING, User.objects.all(), LINK_HOURS)[0]


@transaction.atomic
def password_set_by_link(*, token: str, password: str) -> User:
    """Store the password of the user of this link, which ends, as do all sessions; return the user.

    Locks the user's row. Raises `InvitationRefusedError` and `ValidationError` by field.
    """
    users = User.objects.select_for_update(no_key=True)
    user, _more = link_opened(token, _CHOOSING, users, LINK_HOURS)
    password_set(user=user, password=password)
    sessions_end(user=user)
    return user


def address_token(user: User, address: str) -> str:
    """Return the token of a link that makes this address the user's."""
    return link_token(user, _CONFIRMING, address)


def address_link_open(*, token: str) -> str:
    """Return the address that this link confirms. Raises `InvitationRefusedError`."""
    return link_opened(token, _CONFIRMING, User.objects.all(), LINK_HOURS)[1][0]


@transaction.atomic
def address_set_by_link(*, token: str, base_url: str, language: str) -> User:
    """Store the address confirmed by this link as its user's, and return the user; the old address gets a notice.

    It is in the user's language, or in `language`. Locks the user's row. Raises `InvitationRefusedError` for an
    invalid link, and `AccountChangeRefusedError` if another user has the address by now.
    """
    users = User.objects.select_for_update(no_key=True)
    user, [address] = link_opened(token, _CONFIRMING, users, LINK_HOURS)
    if User.objects.with_address(address) not in (None, user):
        raise AccountChangeRefusedError(
            _("An account with this e-mail address already exists."),
        )
    before = user.email
    user.email = User.objects.normalize_email(address)
    user.save(update_fields=["email"])
    _address_changed(user, before, base_url=base_url, language=language)
    return user


def _address_changed(
    user: User,
    before: str | None,
    *,
    base_url: str,
    language: str,
) -> None:
    """Notify the user at the address before, and send what waits for them to the current one."""
    if address_key(before or "") == address_key(user.email or ""):
        return
    _member_invitations_requeue(user)
    if before and not mail_is_printed():
        mail_queue(
            kind=MailKind.OLD_ADDRESS,
            user=user,
            address=before,
            base_url=base_url,
            language=user.language or language,
        )


def _member_invitations_requeue(user: User) -> None:
    """Send the user's pending invitations again, to their new address; the sent links end with that."""
    waiting = Mail.objects.to_members().filter(
        user=user,
        invitation__in=Invitation.objects.valid(),
    )
    waiting.exclude(state=MailState.SENDING).update(
        state=MailState.QUEUED,
        sent_at=None,
        attempts=0,
        next_attempt_at=Now(),
    )
    transaction.on_commit(mail_enqueue)


@transaction.atomic
def password_mail_request(*, address: str, base_url: str, language: str) -> None:
    """Queue a message with a link for choosing a new password, for the account with this address.

    It is stored for any address; the worker looks the account up. So neither the response nor its
    timing reveals whether there is one.
    """
    mail_queue(
        kind=MailKind.PASSWORD,
        address=address,
        base_url=base_url,
        language=language,
    )


@transaction.atomic
def address_mail_request(
    *,
    user: User,
    address: str,
    base_url: str,
    language: str,
) -> None:
    """Queue a message to a new address of the user, whose link makes it theirs.

    Raises `AccountChangeRefusedError` if no mail is sent: the address could not be confirmed.
    """
    if mail_is_printed():
        raise AccountChangeRefusedError(
            _(
                "This server does not send e-mail, so a new address cannot be confirmed. Ask the operator for a link (organiser_link).",
            ),
        )
    address = User.objects.normalize_email(address)
    mail_queue(
        kind=MailKind.ADDRESS,
        user=user,
        address=address,
        base_url=base_url,
        language=language,
    )


def account_message(
    mail: Mail,
    user: User,
    connection: BaseEmailBackend,
) -> EmailMessage:
    """Return a message about this user's account.

    Its link chooses a password or confirms the recipient's address; a notice to a former address has none that signs
    in. It is in the user's language; that of the page where it was requested may be another person's.
    """
    template = "account/mail.txt"
    with translation.override(user.language or mail.language):
        if mail.kind == MailKind.PASSWORD:
            path = reverse("password-choose", args=[password_token(user)])
            subject = _("Reset your Quintet password")
        elif mail.kind == MailKind.ADDRESS:
            path = reverse("address-confirm", args=[address_token(user, mail.address)])
            subject = _("Confirm your e-mail address for Quintet")
        else:
            path = reverse("home")
            subject = _("Your e-mail address for Quintet was changed")
            template = "account/old_address_mail.txt"
        body = render_to_string(
            template,
            {
                "is_password": mail.kind == MailKind.PASSWORD,
                "name": user.name,
                "link": mail.base_url + path,
                "hours": LINK_HOURS,
                "changed_at": mail.created_at,
            },
        )
    return EmailMessage(
        subject=subject,
        body=body,
        to=[mail.address],
        connection=connection,
    )


@transaction.atomic
def second_factors_remove(*, user: User) -> int:
    """Remove all second factors of an account whose owner lost them, and sign them out; return their number.

    Recovery codes go with them and are not counted. The password stays.
    """
    rows = Authenticator.objects.filter(user=user)
    count: int = rows.exclude(type=Authenticator.Type.RECOVERY_CODES).count()
    rows.delete()
    sessions_end(user=user)
    return count


def link_token(user: User, salt: str, *more: str) -> str:
    """Return the token of a link for the purpose that the salt names; `more` is signed with it."""
    return signing.dumps([user.pk, _state(user, salt), *more], salt=salt)


def link_opened(
    token: str,
    salt: str,
    users: QuerySet[User],
    hours: int,
) -> tuple[User, list[str]]:
    """Return the user of a token, and the other signed data. Raises `InvitationRefusedError`."""
    try:
        number, state, *more = signing.loads(token, salt=salt, max_age=hours * 3600)
    except signing.BadSignature as error:
        raise InvitationRefusedError from error
    user = users.filter(pk=number, is_active=True).first()
    if user is None or not constant_time_compare(state, _state(user, salt)):
        raise InvitationRefusedError
    return user, more


def _state(user: User, salt: str) -> str:
    """Return the state a link depends on: another password or address invalidates it.

    Signing in invalidates links for a new password.
    """
    signed_in = "" if salt == _CONFIRMING else user.last_login
    value = f"{user.pk}:{user.password}:{user.email}:{signed_in}"
    return salted_hmac(salt, value, algorithm="sha256").hexdigest()[:40]


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
    organiser = organisers_of_quintet().first()
    if organiser is not None:
        raise AccountRefusedError(
            f"This server already has an organiser ({organiser.email}). Specify the e-mail address the link is for.",
        )
    user = (
        User.objects.filter(is_staff=True, email=None, is_active=True)
        .order_by("id")
        .first()
    )
    return link_token(
        user or User.objects.create_user(name=_NOBODY_YET, is_staff=True),
        _SALT,
    )


def account_link_create(*, user: User) -> str:
    """Return the token of a link by which a member of a campaign chooses a new password.

    Raises `AccountRefusedError` for other users.
    """
    if not user.is_active or not account_is_its_own(user):
        raise AccountRefusedError(
            f"{user.name} is not a member of any campaign. Run add_organiser first.",
        )
    return link_token(user, _SALT)


def account_link_open(*, token: str) -> User:
    """Return the user whose account this link opens. Raises `InvitationRefusedError`."""
    return _user_of_account_link(token, User.objects.all())


@transaction.atomic
def account_set(
    *,
    token: str,
    name: str,
    email: str,
    password: str,
    base_url: str,
    language: str,
) -> User:
    """Store the name, e-mail address and password of the user of this link, which ends; return the user.

    An address before gets a notice, as from `address_set_by_link`. Locks the user's row. Raises `InvitationRefusedError` for an invalid link, and `ValidationError` by
    field.
    """
    user = _user_of_account_link(token, User.objects.select_for_update(no_key=True))
    user.name = name
    before = user.email
    user.email = User.objects.normalize_email(email)
    if User.objects.with_address(user.email) not in (None, user):
        raise ValidationError(
            {"email": _("An account with this e-mail address already exists.")},
        )
    user.clean_fields(exclude=["password"])
    password_set(user=user, password=password)
    user.save(update_fields=["name", "email"])
    _address_changed(user, before, base_url=base_url, language=language)
    return user


def _user_of_account_link(token: str, users: QuerySet[User]) -> User:
    user, _more = link_opened(token, _SALT, users, 24 * settings.ORGANISER_LINK_DAYS)
    if user.email is None and organisers_of_quintet().exists():
        # The account was created concurrently in another way.
        raise InvitationRefusedError
    return user
