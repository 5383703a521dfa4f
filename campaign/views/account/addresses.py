"""Where the links in messages lead."""

from django.conf import settings
from django.http import HttpRequest


def base_url(request: HttpRequest) -> str:
    """Return the address of this Quintet without a slash at its end: `PUBLIC_ADDRESS`, or what the browser asked."""
    given: str = settings.PUBLIC_ADDRESS or request.build_absolute_uri("/")
    return given.rstrip("/")
