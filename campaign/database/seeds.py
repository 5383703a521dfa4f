"""Draw and store the random seeds of designs: integers of 128 bits."""

import secrets
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

SEED_BITS: Final = 128


def seed_draw() -> int:
    """Return a new seed."""
    return secrets.randbits(SEED_BITS)


if TYPE_CHECKING:
    _IntegerField = models.Field[int, int]
else:
    _IntegerField = models.Field


class SeedField(_IntegerField):
    """An integer of up to 128 bits: `numeric` in the database, `int` in Python.

    It exceeds all integer types of PostgreSQL.
    """

    description = "Integer of up to 128 bits"
    default_validators = [MinValueValidator(0), MaxValueValidator(2**SEED_BITS - 1)]

    def db_type(self, connection: BaseDatabaseWrapper) -> str:  # noqa: ARG002
        return "numeric(39, 0)"

    def from_db_value(self, value: Decimal | None, *_rest: object) -> int | None:
        if value is None:
            return None
        return int(value)

    def to_python(self, value: Any) -> int | None:
        if value is None or isinstance(value, int):
            return value
        try:
            return int(value)
        except (TypeError, ValueError) as error:
            raise ValidationError(
                "“%(value)s” is not a whole number.",
                params={"value": value},
            ) from error

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        if value is None or hasattr(value, "resolve_expression"):
            return value
        return int(value)
