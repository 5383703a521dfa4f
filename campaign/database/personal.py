"""Declare what erasure and "Download your data" do with each field that holds something about a person.

A model with a foreign key to a judge or to a user has a `personal` with an entry for each of its fields; a test walks
all models. `campaign.services.erasures` and `annotation.selectors.kept_about` follow it. Foreign keys made by `by_user`
name the member who wrote a row, not the person whom it is about.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import Flag, auto
from typing import Any, Final, cast

from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Cast, Concat


class Handling(Flag):
    """Handling of a field: by erasure, and by "Download your data"."""

    ERASED = auto()
    #: Stays under the judge's pseudonym.
    KEPT = auto()
    DOWNLOADED = auto()
    NOT_DOWNLOADED = auto()


ERASED = Handling.ERASED
KEPT = Handling.KEPT
DOWNLOADED = Handling.DOWNLOADED
NOT_DOWNLOADED = Handling.NOT_DOWNLOADED
# Withheld: not part of "Download your data".
ERASED_DOWNLOADED = ERASED | DOWNLOADED
ERASED_WITHHELD = ERASED | NOT_DOWNLOADED
KEPT_DOWNLOADED = KEPT | DOWNLOADED
KEPT_WITHHELD = KEPT | NOT_DOWNLOADED
#: Combinations that say what erasure does, and what the download does.
COMPLETE: Final = frozenset(
    {ERASED_DOWNLOADED, ERASED_WITHHELD, KEPT_DOWNLOADED, KEPT_WITHHELD},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonalData:
    """Handling of the fields of a model with data about people.

    Attributes
    ----------
    person : str
        Lookup from a row to its judge, or to its user; empty for judges and users themselves.
    fields : mapping
        Handling of each field, except the primary key and the first part of `person`, which is in it only if it is erased.
    rows_deleted : bool
        Whether erasure deletes the rows. Then all fields are erased.
    rows_deleted_if : str
        Name of a text field: erasure deletes the rows in which it is not empty, and keeps the others.
    unique : collection of str
        Erased fields that stay unique: they become `erased-` with the id of the row, unless they are empty.
    called : str
        Name of erased rows in the record of the erasure; empty if they are not counted.
    """

    person: str
    fields: Mapping[str, Handling]
    rows_deleted: bool = False
    rows_deleted_if: str = ""
    unique: Collection[str] = ()
    called: str = ""

    def names(self, handling: Handling) -> list[str]:
        """Return the names of the fields that are handled so."""
        return [name for name, declared in self.fields.items() if handling in declared]


#: Models of django-allauth.
_OF_LIBRARIES: Final = {
    "account.EmailAddress": PersonalData(
        person="user",
        rows_deleted=True,
        fields={
            "email": ERASED_DOWNLOADED,
            "verified": ERASED_DOWNLOADED,
            "primary": ERASED_WITHHELD,
        },
    ),
    "account.EmailConfirmation": PersonalData(
        person="email_address__user",
        rows_deleted=True,
        fields={
            "created": ERASED_WITHHELD,
            "sent": ERASED_WITHHELD,
            "key": ERASED_WITHHELD,
        },
    ),
    "mfa.Authenticator": PersonalData(
        person="user",
        rows_deleted=True,
        fields={
            "type": ERASED_DOWNLOADED,
            "data": ERASED_WITHHELD,  # secrets
            "created_at": ERASED_DOWNLOADED,
            "last_used_at": ERASED_DOWNLOADED,
        },
    ),
    "socialaccount.SocialAccount": PersonalData(
        person="user",
        rows_deleted=True,
        fields={
            "provider": ERASED_DOWNLOADED,
            "uid": ERASED_DOWNLOADED,
            "last_login": ERASED_DOWNLOADED,
            "date_joined": ERASED_DOWNLOADED,
            "extra_data": ERASED_DOWNLOADED,
        },
    ),
    "socialaccount.SocialToken": PersonalData(
        person="account__user",
        rows_deleted=True,
        fields={
            "app": ERASED_WITHHELD,
            "token": ERASED_WITHHELD,
            "token_secret": ERASED_WITHHELD,
            "expires_at": ERASED_WITHHELD,
        },
    ),
}


def personal_data(model: type[models.Model]) -> PersonalData | None:
    """Return the declaration of a model; None if it has none."""
    declared: PersonalData | None = getattr(model, "personal", None)
    return declared or _OF_LIBRARIES.get(model._meta.label)


def personal_models() -> Iterator[tuple[type[models.Model], PersonalData]]:
    """Yield each model with a declaration."""
    for model in apps.get_models():
        declared = personal_data(model)
        if declared is not None:
            yield model, declared


def owner_of(model: type[models.Model], declared: PersonalData) -> type[models.Model]:
    """Return the model that the rows belong to: the judge or the user."""
    owner: Any = model
    for name in filter(None, declared.person.split("__")):
        owner = owner._meta.get_field(name).related_model
    return cast("type[models.Model]", owner)


def downloaded_rows(rows: models.QuerySet[Any], *lookups: str) -> list[dict[str, Any]]:
    """Return the fields of rows that "Download your data" contains, and these lookups from them."""
    declared = personal_data(rows.model)
    assert declared is not None, rows.model  # noqa: S101  for the type checker
    return list(rows.values(*lookups, *declared.names(DOWNLOADED)))


def erased_values(model: type[models.Model], declared: PersonalData) -> dict[str, Any]:
    """Return the new values of the erased fields of rows that stay, for `update`."""
    values = {}
    for name in declared.names(ERASED):
        values[name] = _empty_value(model._meta.get_field(name))
    for name in declared.unique:
        replaced = Concat(models.Value("erased-"), Cast("pk", models.CharField()))
        is_empty = models.When(**{name: ""}, then=models.Value(""))
        values[name] = models.Case(is_empty, default=replaced)
    return values


def _empty_value(model_field: Any) -> Any:
    if model_field.null:
        return None
    if isinstance(model_field, ArrayField):
        return []
    if isinstance(model_field, models.JSONField):
        return {}
    if isinstance(model_field, models.BooleanField):
        return False
    return ""
