"""What every answer of an address with a token or a key says to the browser, errors included."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.cache import add_never_cache_headers

from config.redaction import secrets_of

# Of the address only the origin is told, to nobody more. Not "no-referrer": browsers then send forms with
# `Origin: null`, which the check against forged requests refuses.
REFERRER_POLICY = "strict-origin"

_GetResponse = Callable[[HttpRequest], HttpResponseBase]


def secret_addresses(get_response: _GetResponse) -> _GetResponse:
    """Return a middleware that keeps addresses with a secret out of `Referer` and caches."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if secrets_of(request.path):
            response["Referrer-Policy"] = REFERRER_POLICY
            add_never_cache_headers(response)
        return response

    return middleware
