"""Who may ask for a view, how, and that browsers keep nothing of it: the usual three decorators of a page as one."""

from collections.abc import Callable
from typing import Any, TypeVar

from django.contrib.auth.decorators import login_required
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

View = TypeVar("View", bound=Callable[..., Any])


def page_view(view: View) -> View:
    """Show a page to a person who is signed in."""
    return require_safe(never_cache(login_required(view)))


def form_view(view: View) -> View:
    """Show a page with a form, which is posted to its own address, to a person who is signed in."""
    return require_http_methods(["GET", "HEAD", "POST"])(never_cache(login_required(view)))


def action_view(view: View) -> View:
    """Do what a signed-in person's form posts."""
    return require_POST(login_required(view))
