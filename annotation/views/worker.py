"""The judging page's service worker, from an address above the pages it may open without network."""

from functools import cache

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import conditional_page, require_safe

_NAME = "offline/worker.js"


@cache
def _script() -> bytes:
    return (settings.BASE_DIR / "static" / _NAME).read_bytes()


# Not one of the static files, whose folder a service worker's pages would have to be in.
@require_safe
@conditional_page
def judge_worker(_request: HttpRequest) -> HttpResponse:
    """Return the script; browsers ask for it with each visit, and get 304 while it is the same."""
    return HttpResponse(
        _script(),
        content_type="text/javascript; charset=utf-8",
        headers={"Cache-Control": "no-cache"},
    )
