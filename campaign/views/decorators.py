"""Decorators shared by views: access, methods, no caching by browsers, and error pages."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeVar, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from campaign.texts.refusals import RefusedError

View = TypeVar("View", bound=Callable[..., Any])


def _signed_in(view: View) -> View:
    """Redirect visitors to the sign-in page.

    Once the session has ended, requests for a part of an open page get 401, so that no sign-in page is inserted, and
    the sign-in page says that a form was not saved.
    """
    for_members = login_required(view)

    @wraps(view)
    def answered(request: HttpRequest, *arguments: Any, **named: Any) -> HttpResponse:
        if request.headers.get("HX-Request") and not request.user.is_authenticated:
            return HttpResponse(status=401)
        if request.method == "POST" and not request.user.is_authenticated:
            messages.error(
                request,
                _(
                    "You were signed out, so nothing was saved. After signing in, go back in your browser: it may have kept what you entered.",
                ),
            )
        answer: HttpResponse = for_members(request, *arguments, **named)
        return answer

    return cast("View", answered)


def page_view(view: View) -> View:
    """Show a page to a signed-in user."""
    return require_safe(never_cache(_signed_in(view)))


def form_view(view: View) -> View:
    """Show a page with a form, which is posted to its own address, to a signed-in user."""
    return require_http_methods(["GET", "HEAD", "POST"])(never_cache(_signed_in(view)))


def action_view(view: View) -> View:
    """Carry out the action posted by a signed-in user's form."""
    return require_POST(_signed_in(view))


@contextmanager
def refusals_as_messages(request: HttpRequest) -> Iterator[None]:
    """Show a service's refusal on the next page; the rest of the block is skipped."""
    try:
        yield
    except RefusedError as error:
        messages.error(request, str(error))
