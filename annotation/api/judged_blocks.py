"""The block that a judge says something about is read in the same statement as the judge's session."""

import json
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from annotation.selectors.judging import assigned_block_asked

_JUDGING: Final = "/api/v1/judging/"
# What is larger is left to the view to read, or to refuse.
_LARGEST: Final = 64 * 1024


def judged_blocks(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Have the block of a judgment or skip read with the session. A middleware, before whatever reads the session.

    Who is signed in, and whether the content is as it must be, is decided afterwards, as ever: what was read counts only for the
    very user and block (`assigned_block`).
    """

    def ask(request: HttpRequest) -> HttpResponseBase:
        if request.method == "PUT" and request.path_info.startswith(_JUDGING):
            block = _block_named(request)
            if block is not None:
                session: Any = request.session
                session.asked_beside = assigned_block_asked(block)
        return get_response(request)

    return ask


def _block_named(request: HttpRequest) -> UUID | None:
    """Return the block that the content of a request names; None if it names none that could be one."""
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > _LARGEST:
            return None
        content = json.loads(request.body)
        return UUID(content["block"])
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OSError):
        return None
