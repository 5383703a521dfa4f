"""Determine the author of a change for the activity log (`campaign.database.recording`)."""

import getpass
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.db import connection
from django.http import HttpRequest, HttpResponse

#: Returns the author at the moment of a change: REST views know their user later than middleware.
Actor = Callable[[], dict[str, Any]]

_acting: ContextVar[Actor | None] = ContextVar("acting", default=None)
# Author for a command and all threads that it starts.
_of_process: list[Actor] = []

_API: Final = "/api/"


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Attribute changes inside to this author."""
    before = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(before)


def command_acts(name: str) -> None:
    """Attribute changes of this process to a command, run by an account of the operating system."""
    _of_process[:] = [
        lambda: {"origin": "command", "through": name, "operator": _account()}
    ]


def task_acts(name: str) -> None:
    """Attribute changes from here on to a worker's task."""
    _acting.set(lambda: {"origin": "task", "through": name})


def task_acts_no_more() -> None:
    """Undo `task_acts`."""
    _acting.set(None)


@contextmanager
def acting_for(user_id: int) -> Iterator[None]:
    """Attribute changes inside to this user, through the current command."""
    actor_known = _acting.get() or next(iter(_of_process), None)
    with acting(
        lambda: {
            "origin": "command",
            **(actor_known() if actor_known else {}),
            "user": user_id,
        }
    ):
        yield


class ActingMiddleware:
    """Attributes the changes of a request to its user, through a page or the API; changes of a command stay with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _acting.get() is not None:
            return self._get_response(request)
        with acting(lambda: _of_request(request)):
            return self._get_response(request)


def actor_told() -> dict[str, Any]:
    """Return the current author as fields of an event; by default, the role of the database connection."""
    actor = _acting.get() or next(iter(_of_process), None)
    if actor is None:
        return {"origin": "database", "operator": connection.settings_dict["USER"]}
    said = dict(actor())
    return {"user_id": said.pop("user", None), **said}


def _of_request(request: HttpRequest) -> dict[str, Any]:
    user = getattr(request, "user", None)
    return {
        "origin": "api" if request.path_info.startswith(_API) else "page",
        "user": getattr(user, "pk", None),
    }


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # in a container, for an account without a name
        return str(os.getuid())
