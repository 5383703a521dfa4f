"""Who may read a published result, and how long caches may keep it."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Final, TypeVar

from django.http import Http404, HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.cache import add_never_cache_headers, patch_cache_control

from ranking.models import PublishedResult
from ranking.selectors.published_results import is_member, published_at

#: Seconds after which a retraction is seen by whoever has the page in a cache.
PAGE_SECONDS: Final = 60
FILE_SECONDS: Final = 300


@dataclass(frozen=True, slots=True)
class Reading:
    """A result that somebody may read.

    Attributes
    ----------
    result : PublishedResult
    is_embargoed : bool
    token : str
        Of the link for reviewers that they came by; else empty.
    """

    result: PublishedResult
    is_embargoed: bool
    token: str = ""

    @property
    def is_private(self) -> bool:
        """Whether this answer is for its reader alone."""
        return self.is_embargoed or bool(self.token)


def reading_of(request: HttpRequest, address: str, token: str = "") -> Reading:
    """Return the result with this address; raise a 404 if there is none that this reader may see.

    Of a result that is open to everybody nothing is asked about the reader.
    """
    result = published_at(address)
    if result is None:
        raise Http404
    is_embargoed = bool(getattr(result, "is_embargoed", True))
    if token:
        known = result.reviewer_token or ""
        if not secrets.compare_digest(known.encode(), token.encode()):
            raise Http404
    elif is_embargoed and not is_member(request.user, result):
        raise Http404
    return Reading(result, is_embargoed, token)


_View = Callable[..., HttpResponseBase]
_Response = TypeVar("_Response", bound=HttpResponseBase)


def not_kept_if_missing(view: _View) -> _View:
    """Keep a 404 out of caches: what is under an embargo today is there tomorrow."""

    @wraps(view)
    def answered(request: HttpRequest, *args: str, **named: str) -> HttpResponseBase:
        try:
            return view(request, *args, **named)
        except Http404:
            response = render(request, "404.html", status=404)
            add_never_cache_headers(response)
            return response

    return answered


def kept(response: _Response, reading: Reading, *, seconds: int) -> _Response:
    """Say how long caches may keep an answer; an answer for one reader they may not, nor list it."""
    if reading.is_private:
        add_never_cache_headers(response)
        response["X-Robots-Tag"] = "noindex, nofollow"
    else:
        patch_cache_control(response, public=True, max_age=seconds)
    return response
