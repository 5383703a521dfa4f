"""Redirects to addresses that end with a slash."""

from functools import partial

from django.http import HttpResponsePermanentRedirect
from django.middleware.common import CommonMiddleware


class SlashMiddleware(CommonMiddleware):
    """Appends a missing slash, and has the client repeat the request as it is.

    Django answers 301, after which clients send a POST again as a GET: they would get 200, and nothing would be done.
    """

    response_redirect_class = partial(
        HttpResponsePermanentRedirect,
        preserve_request=True,
    )  # type: ignore[assignment]
