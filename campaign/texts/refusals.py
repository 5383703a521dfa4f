"""Errors of services. REST turns them into responses outside its views, and forms show them at their fields."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction


class RefusedError(Exception):
    """The request cannot be carried out and nothing was changed; the message says why, and what to do.

    REST answers with `status`; for 400, `field` names the invalid field, and is empty if there is none.
    """

    status: int = 400
    field: str = ""

    def __init__(self, message: str = "", field: str | None = None) -> None:
        super().__init__(message)
        if field is not None:
            self.field = field


class RefusalsAt:
    """Show a service's refusal at `field` of a form, or else at its own; the rest of the block is skipped.

    Refusals are `RefusedError` and Django's `ValidationError`.
    """

    def __init__(self, form: Any, field: str = "") -> None:
        self._form = form
        self._field = field

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: object, _traceback: object) -> bool:
        if isinstance(error, RefusedError):
            messages: Any = {self._field or error.field: str(error)}
        elif isinstance(error, ValidationError):
            messages = getattr(error, "error_dict", {self._field: error})
        else:
            return False
        for field, message in messages.items():
            if field in self._form.fields:
                self._form.add_error(field, message)
            else:
                self._form.add_error(None, message)
        return True


@contextmanager
def refused_if_broken(constraint: str, refusal: Exception) -> Iterator[None]:
    """Raise the refusal if what this block writes breaks a constraint of the database; nothing of it is then stored."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        if constraint not in str(error):
            raise
        raise refusal from error
