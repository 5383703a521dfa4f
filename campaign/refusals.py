"""Errors of services, and where REST and forms show them: one class of errors, so that no view has to translate them."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class RefusedError(Exception):
    """The request cannot be carried out and nothing was changed; the message says why, and what to do.

    REST answers with `status`: 400 says it at `field`, which names what was wrong of what was sent; empty if it is no field.
    """

    status: int = 400
    field: str = ""

    def __init__(self, message: str = "", field: str | None = None) -> None:
        super().__init__(message)
        if field is not None:
            self.field = field


@contextmanager
def refusals_at(form: Any, field: str = "") -> Iterator[None]:
    """Show a service's refusal at `field` of a form, or else at its own; the rest of the block is skipped."""
    try:
        yield
    except RefusedError as error:
        at = field or error.field
        form.add_error(at if at in form.fields else None, str(error))
