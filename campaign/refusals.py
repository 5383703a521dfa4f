"""Errors of services, and their REST responses: one class of errors, so that no view has to translate them."""


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
