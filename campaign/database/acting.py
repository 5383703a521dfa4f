"""Author of a change, for each event of the activity log (`campaign.database.recording`)."""

import getpass
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from django.db import connection
from django.http import HttpRequest, HttpResponse

#: Says who acts, at the moment of a change: a view of REST knows its user later than its middleware.
Actor = Callable[[], dict[str, Any]]

_acting: ContextVar[Actor | None] = ContextVar("acting", default=None)
# Actor of a command, for all threads that it starts.
_of_process: list[Actor] = []

_API: Final = "/api/"


@contextmanager
def acting(actor: Actor) -> Iterator[None]:
    """Let changes inside be this actor's."""
    before = _acting.set(actor)
    try:
        yield
    finally:
        _acting.reset(before)


def command_acts(name: str) -> None:
    """Let changes of this process be those of a command, run by an account of the operating system."""
    _of_process[:] = [lambda: {"origin": "command", "through": name, "operator": _account()}]


def task_acts(name: str) -> None:
    """Let changes from here on be those of a worker's task."""
    _acting.set(lambda: {"origin": "task", "through": name})


def task_acts_no_more() -> None:
    """Undo `task_acts`."""
    _acting.set(None)


@contextmanager
def acting_for(user_id: int) -> Iterator[None]:
    """Let changes inside be this user's, by the command that says so."""
    told = _acting.get() or next(iter(_of_process), None)
    with acting(lambda: {"origin": "command", **(told() if told else {}), "user": user_id}):
        yield


class ActingMiddleware:
    """Middleware that attributes a request's changes to its user, by page or API; those of a command belong to the
    command.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _acting.get() is not None:
            return self._get_response(request)
        with acting(lambda: _of_request(request)):
            return self._get_response(request)


def actor_told() -> dict[str, Any]:
    """Return who acts now, as the fields of an event; outside of requests, commands and tasks, the role of the database."""
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
    except (KeyError, OSError):  # in a container, of a number that has no name
        return str(os.getuid())
