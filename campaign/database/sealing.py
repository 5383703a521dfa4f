"""Encrypt secrets that must be readable again, with keys derived from `SECRET_KEY`, which is not in the database.

Secrets that are only compared are hashed instead (`campaign.models.user.token_digest`).
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from contextlib import suppress
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet, MultiFernet
from cryptography.hazmat.primitives.ciphers.aead import AESSIV
from django.apps import apps
from django.conf import settings
from django.db import models
from django.db.models.functions import Cast
from django.forms import TextInput
from django.utils.crypto import salted_hmac

#: Begins every sealed value.
PREFIX: Final = "sealed:"
_SALT: Final = "campaign.database.sealing"


def cipher(purpose: str) -> MultiFernet:
    """Return the cipher for one purpose: it encrypts with `SECRET_KEY`, and also reads `SECRET_KEY_FALLBACKS`."""
    keys = [
        salted_hmac(purpose, "", secret=key, algorithm="sha256").digest()
        for key in _keys()
    ]
    return MultiFernet([Fernet(urlsafe_b64encode(key)) for key in keys])


def sealed(text: str) -> str:
    """Return a secret as it is stored; an empty one stays empty.

    Equal secrets are sealed alike, so that a column can be unique and searched by value (AES-SIV, RFC 5297).
    """
    if not text:
        return ""
    encrypted = _siv(settings.SECRET_KEY).encrypt(text.encode(), None)
    return PREFIX + urlsafe_b64encode(encrypted).decode()


def opened(text: str) -> str:
    """Return the secret of a stored value; empty if no key opens it, as after a restore with another `SECRET_KEY`."""
    if not text.startswith(PREFIX):
        return ""
    encrypted = urlsafe_b64decode(text.removeprefix(PREFIX))
    for key in _keys():
        with suppress(InvalidTag):
            return _siv(key).decrypt(encrypted, None).decode()
    return ""


def _keys() -> list[str]:
    return [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]


def _siv(key: str) -> AESSIV:
    return AESSIV(salted_hmac(_SALT, "", secret=key, algorithm="sha512").digest())


class SealedField(models.TextField):  # type: ignore[type-arg]
    """Text that is encrypted in the database. Look it up by its whole value, or whether it is empty or null.

    Migrations see an ordinary `TextField` with sealed values.
    """

    def get_prep_value(self, value: Any) -> Any:
        """Return the value for the database."""
        prepared = super().get_prep_value(value)
        if isinstance(prepared, str):
            return sealed(prepared)
        return prepared

    def from_db_value(self, value: str | None, *_context: Any) -> str | None:
        """Return the value for Python."""
        if value is None:
            return None
        return opened(value)

    def formfield(self, *arguments: Any, **options: Any) -> Any:
        """Return a form field of one line."""
        return super().formfield(*arguments, **{"widget": TextInput, **options})

    def deconstruct(self) -> Any:
        """Return an ordinary field for migrations, which must not change with this class."""
        name, _path, arguments, options = super().deconstruct()
        return name, "django.db.models.TextField", arguments, options


def secrets_reseal(*, using: str, **_signal: Any) -> int:
    """Encrypt stored secrets with the current `SECRET_KEY`; return the number of changed values. Runs after `migrate`.

    So `SECRET_KEY_FALLBACK` is needed for one start only. Values that no key opens stay as they are.
    """
    if not settings.SECRET_KEY_FALLBACKS:
        return 0
    changed = 0
    for model in apps.get_models():
        for field in model._meta.concrete_fields:
            if isinstance(field, SealedField):
                changed += _column_reseal(field, using)
    return changed


def _column_reseal(field: SealedField, using: str) -> int:
    rows = field.model._meta.base_manager.using(using)
    stored_values = rows.annotate(stored=Cast(field.name, models.TextField()))
    changed = 0
    for key, stored in stored_values.values_list("pk", "stored"):
        secret = opened(stored or "")
        if secret and sealed(secret) != stored:
            changed += rows.filter(pk=key).update(**{field.name: secret})
    return changed
