"""Determine the author of a change for the activity log (`campaign.database.recording`)."""

import getpass
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Final, TypedDict

from django.db import connection
from django.http import HttpRequest, HttpResponse


class Author(TypedDict, total=False):
    """The author of a change: `user` is an id, `through` a command or task, `operator` an account of the system."""

    origin: str
    user: int | None
    through: str
    operator: str


class EventAuthor(TypedDict, total=False):
    """An author as fields of an event."""

    origin: str
    user_id: int | None
    through: str
    operator: str


#: Returns the author at the moment of a change: REST views know their user later than middleware.
Actor = Callable[[], Author]

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

    def command() -> Author:
        return {"origin": "command", "through": name, "operator": _account()}

    _of_process[:] = [command]


def task_acts(name: str) -> None:
    """Attribute changes from here on to a worker's task."""

    def task() -> Author:
        return {"origin": "task", "through": name}

    _acting.set(task)


def task_acts_no_more() -> None:
    """Undo `task_acts`."""
    _acting.set(None)


@contextmanager
def acting_for(user_id: int) -> Iterator[None]:
    """Attribute changes inside to this user, through the current command."""
    actor = _current_actor()

    def user() -> Author:
        author: Author = {"origin": "command"}
        if actor is not None:
            author |= actor()
        author["user"] = user_id
        return author

    with acting(user):
        yield


def _current_actor() -> Actor | None:
    for actor in (_acting.get(), *_of_process):
        if actor is not None:
            return actor
    return None


class ActingMiddleware:
    """Attributes the changes of a request to its user, through a page or the API; changes of a command stay with it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _acting.get() is not None:
            return self._get_response(request)
        with acting(partial(_request_author, request)):
            return self._get_response(request)


def event_author() -> EventAuthor:
    """Return the current author as fields of an event; by default, the role of the database connection."""
    actor = _current_actor()
    if actor is None:
        return {"origin": "database", "operator": connection.settings_dict["USER"]}
    author = actor()
    event: EventAuthor = {"user_id": author.get("user")}
    if "origin" in author:
        event["origin"] = author["origin"]
    if "through" in author:
        event["through"] = author["through"]
    if "operator" in author:
        event["operator"] = author["operator"]
    return event


def _request_author(request: HttpRequest) -> Author:
    user = getattr(request, "user", None)
    origin = "page"
    if request.path_info.startswith(_API):
        origin = "api"
    return {"origin": origin, "user": getattr(user, "pk", None)}


def _account() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # in a container, for an account without a name
        return str(os.getuid())
