"""The block that a judge says something about is read in the same statement as the judge's session."""

import json
from collections.abc import Callable
from typing import Any, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponseBase

from annotation.selectors.judging import assigned_block_asked
from campaign.accounts.sessions import AskedBeside

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
            session: Any = request.session
            session.asked_beside = _asked(request)
        return get_response(request)

    return ask


def _asked(request: HttpRequest) -> AskedBeside | None:
    """Return what to read for the content of a request, with the judge if it asks for a HIT; None if it names no block."""
    try:
        if int(request.META.get("CONTENT_LENGTH") or 0) > _LARGEST:
            return None
        content = json.loads(request.body)
        block, with_judge = UUID(content["block"]), content.get("after") is not None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OSError):
        return None
    return assigned_block_asked(block, with_judge=with_judge)
