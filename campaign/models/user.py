"""Users, their sessions and API tokens."""

import hashlib
from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any, ClassVar, Final

from django.conf import settings
from django.contrib.auth.base_user import AbstractBaseUser, BaseUserManager
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.db.models.functions import Lower, Now
from django.utils.crypto import salted_hmac
from django.utils.dateparse import parse_datetime
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.personal import (
    ERASED_DOWNLOADED,
    ERASED_WITHHELD,
    KEPT_DOWNLOADED,
    KEPT_WITHHELD,
    PersonalData,
)
from campaign.database.recording import RecordedModel, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from campaign.texts.addresses import address_canonical, address_spellings
from campaign.texts.names import composed, decomposed, visible_name


class UserManager(BaseUserManager["User"]):
    @classmethod
    def normalize_email(cls, email: str | None) -> str:
        """Return the canonical spelling of an address."""
        return address_canonical(email or "")

    def create_user(
        self,
        *,
        name: str,
        email: str | None = None,
        password: str | None = None,
        **fields: Any,
    ) -> "User":
        address = None
        if email:
            address = self.normalize_email(email)
        user = self.model(name=name, email=address, **fields)
        user.set_password(password)
        user.full_clean(exclude=["password"])
        user.save(using=self._db)
        return user

    def create_superuser(self, *, name: str, email: str, password: str) -> "User":
        return self.create_user(
            name=name,
            email=email,
            password=password,
            is_staff=True,
        )

    def with_address(self, address: str) -> "User | None":
        """Return the user with this e-mail address, whatever its case and the spelling of its domain."""
        for spelling in address_spellings(address):
            user = self.filter(email__iexact=spelling).first()
            if user is not None:
                return user
        return None

    def get_by_natural_key(self, username: str | None) -> "User":
        user = self.with_address(username or "")
        if user is None:
            raise self.model.DoesNotExist
        return user


class User(AbstractBaseUser):
    """A person who signs in. Judges may sign in by invitation alone, without an e-mail address."""

    email = models.EmailField(unique=True, null=True, blank=True)
    name = models.CharField(max_length=150)
    language = models.CharField(
        max_length=35,
        blank=True,
        help_text="Interface language. Defaults to that of the browser.",
    )
    is_active = models.BooleanField(default=True)
    is_staff = models.BooleanField(default=False)
    created_at = inserted_at()

    personal: ClassVar = PersonalData(
        person="",
        fields={
            "password": ERASED_WITHHELD,
            "last_login": ERASED_DOWNLOADED,
            "email": ERASED_DOWNLOADED,
            "name": ERASED_DOWNLOADED,
            "language": ERASED_DOWNLOADED,
            "is_active": ERASED_WITHHELD,
            "is_staff": KEPT_WITHHELD,
            "created_at": KEPT_DOWNLOADED,
        },
    )

    objects: ClassVar[UserManager] = UserManager()

    USERNAME_FIELD = "email"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["name"]

    class Meta:
        verbose_name = _("User")
        constraints = [
            models.UniqueConstraint(
                Lower("email"),
                name="user_email_unique_ignoring_case",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean_fields(self, exclude: Collection[str] | None = None) -> None:
        """Check the fields; the name loses line breaks and invisible characters first."""
        self.name = visible_name(self.name)
        super().clean_fields(exclude=exclude)

    def set_password(self, raw_password: str | None) -> None:
        """Store a password in Unicode's composed form: systems write “é” as one character or as two."""
        super().set_password(None if raw_password is None else composed(raw_password))

    def check_password(self, raw_password: str | None) -> bool:
        """Return whether the password is right in any form; older ones are stored as they were typed."""
        if raw_password is None:
            return super().check_password(None)
        forms = (composed(raw_password), raw_password, decomposed(raw_password))
        # Mostly one form, for which one slow hash is computed.
        return any(
            super(User, self).check_password(form) for form in dict.fromkeys(forms)
        )


def by_user(
    *,
    on_delete: Callable[..., None] = models.SET_NULL,
) -> "models.ForeignKey[User | None, User | None]":
    """Return the field for a row's author, empty without a signed-in user. It has no index."""
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=on_delete,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )
    author.is_author = True  # type: ignore[attr-defined]  # see campaign.database.personal
    return author


#: Keys for the time of sign-in and the kind of device.
SIGNED_IN_AT = "signed_in_at"
DEVICE = "device"


#: Hexadecimal digits of the hash of a session's key; a key has 32 characters.
SESSION_DIGEST_LENGTH: Final = 40


def session_key_digest(key: str) -> str:
    """Return the hash under which a session is stored; its key is random enough for a plain hash to be safe."""
    return hashlib.sha256(key.encode()).hexdigest()[:SESSION_DIGEST_LENGTH]


class Session(AbstractBaseSession):
    """Django's session in the database, stored under a hash of its key, with a column for its user.

    The user is copied from the signed data when the session is saved, so that an account can list
    and end its sessions. Only the signed data determines the signed-in user.
    """

    user = models.ForeignKey(
        "campaign.User",
        models.CASCADE,
        related_name="sessions",
        null=True,
        blank=True,
    )

    @property
    def name(self) -> str:
        """Name in lists."""
        return salted_hmac("campaign.session", self.session_key).hexdigest()[:16]

    @property
    def device(self) -> str:
        """Kind of device it began on; empty if unknown."""
        return str(self.get_decoded().get(DEVICE, ""))

    @property
    def began_at(self) -> datetime | None:
        """Time of sign-in; None if unknown."""
        return parse_datetime(str(self.get_decoded().get(SIGNED_IN_AT, "")))

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        store: type[SessionBase] = import_string(
            f"{settings.SESSION_ENGINE}.SessionStore",
        )
        return store

    personal: ClassVar = PersonalData(
        person="user",
        rows_deleted=True,
        fields={
            "session_data": ERASED_WITHHELD,
            "expire_date": ERASED_WITHHELD,
        },
    )


class SignInCount(models.Model):
    """Table of Django's cache (`CACHES`): recent sign-in attempts, arrivals at panels, and ends of unknown submissions.

    Stored in the database, since all processes must count together and the broker may be emptied at any time.
    """

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return self.cache_key


#: Recording every use would cost a write per request.
USE_NOTED_EVERY: Final = timedelta(hours=1)


def token_digest(text: str) -> str:
    """Return the hash by which a token is found."""
    return hashlib.sha512(text.encode()).hexdigest()


class TokenScope(models.TextChoices):
    """Rights of a token, within those of its user."""

    READ = "read", _("read-only")
    WRITE = "write", _("read and write")


class ApiToken(RecordedModel):
    """A key with which a user's program accesses the API; only a hash of it is stored.

    Its text is random enough for a plain hash to be safe.
    """

    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="api_tokens",
        verbose_name=_("User"),
    )
    name = models.CharField(_("Name"), max_length=100, blank=True, default="")
    scope = models.CharField(
        _("Scope"),
        max_length=5,
        choices=TokenScope,
        default=TokenScope.WRITE,
    )
    # Empty for all campaigns of the user.
    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="api_tokens",
        null=True,
        blank=True,
    )
    digest = models.CharField(max_length=128)
    token_key = models.CharField(max_length=25)
    created_at = inserted_at()
    expiry = models.DateTimeField(_("Expires"))
    last_used_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Rounded to the hour.",
    )

    # Recorded in each campaign that it opens; in none if the user is not a member of any.
    personal: ClassVar = PersonalData(
        person="user",
        rows_deleted=True,
        fields={
            "name": ERASED_DOWNLOADED,
            "scope": ERASED_DOWNLOADED,
            "campaign": ERASED_WITHHELD,
            "digest": ERASED_WITHHELD,
            "token_key": ERASED_WITHHELD,
            "created_at": ERASED_DOWNLOADED,
            "expiry": ERASED_DOWNLOADED,
            "last_used_at": ERASED_DOWNLOADED,
        },
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "API token created"),
        changed=pgettext_lazy("activity", "API token changed"),
        deleted=pgettext_lazy("activity", "API token deleted"),
        fields=["name", "user_id", "scope", "expiry"],
        campaign="user__memberships__campaign_id",
        condition=models.Q(campaign=None)
        | models.Q(campaign=models.F("user__memberships__campaign")),
        called="name",
    )

    class Meta:
        verbose_name = _("API token")
        constraints = [
            is_one_of("scope", TokenScope, name="api_token_scope_is_known"),
            # Not `unique`, which would add a second index, for prefixes.
            models.UniqueConstraint(fields=["digest"], name="api_token_digest_unique"),
        ]

    def __str__(self) -> str:
        return f"{self.token_key[:8]}… ({self.name})"


class IdempotentAnswer(models.Model):
    """The answer to a POST that carried an `Idempotency-Key`, so that sending it again changes nothing."""

    user = models.ForeignKey(
        "campaign.User",
        models.CASCADE,
        related_name="idempotent_answers",
        db_index=False,  # `idempotent_answer_once_a_key` begins with it
    )
    key = models.CharField(max_length=255)
    request_digest = models.CharField(max_length=64)
    status = models.PositiveSmallIntegerField()
    body = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())

    personal: ClassVar = PersonalData(
        person="user",
        rows_deleted=True,
        fields={
            "key": ERASED_WITHHELD,
            "request_digest": ERASED_WITHHELD,
            "status": ERASED_WITHHELD,
            "body": ERASED_WITHHELD,
            "created_at": ERASED_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["user", "key"],
                name="idempotent_answer_once_a_key",
            ),
        ]
