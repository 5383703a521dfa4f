"""Who changes what: told to PostgreSQL in front of each statement that writes what is recorded.

The triggers of the activity log (`campaign.database.recording`) read the setting `quintet.actor`. It is set
for the transaction alone and in the same round trip, so that no pooler and no later user of a connection
takes it over, and only where a statement changes a recorded table: what judges ask and send does not, and
neither do prepared statements.
"""

import getpass
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from typing import Any, Final

from django.apps import apps
from django.http import HttpRequest, HttpResponse

from campaign.database.recording import recorded_columns

#: Says who acts, at the moment of a change: a view of REST knows its user later than its middleware.
Actor = Callable[[], dict[str, Any]]

_acting: ContextVar[Actor | None] = ContextVar("acting", default=None)
# Of a command, for all threads that it starts.
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
    """Let what a request changes be its user's, by a page or by the API; one that a command makes is the command's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if _acting.get() is not None:
            return self._get_response(request)
        with acting(lambda: _of_request(request)):
            return self._get_response(request)


def actor_told(
    execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    """Execute a statement, and tell who acts before it if it writes what is recorded. Of connections."""
    actor = _acting.get() or next(iter(_of_process), None)
    if many or not _writes_recorded(sql):
        return execute(sql, params, many, context)
    # Nobody, too: another may have acted in the same transaction.
    said = json.dumps(actor()) if actor else ""
    told = context["cursor"].mogrify("SELECT set_config('quintet.actor', %s, true); ", [said])
    before = told.decode() if isinstance(told, bytes) else str(told)
    # Without parameters a percent sign stands for itself.
    return execute(
        (before if params is None else before.replace("%", "%%")) + sql, params, many, context
    )


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


def _writes_recorded(sql: Any) -> bool:
    # Most statements are SELECT or EXECUTE.
    if not isinstance(sql, str) or sql[:1] in "SsEe" or not apps.ready:
        return False
    if sql.lstrip()[:4].upper() == "WITH":
        return any(table in sql for table in _recorded_tables())
    return _recorded_write().match(sql) is not None


@lru_cache(maxsize=1)
def _recorded_tables() -> tuple[str, ...]:
    return tuple(model._meta.db_table for model in recorded_columns())


@lru_cache(maxsize=1)
def _recorded_write() -> re.Pattern[str]:
    verb = r"(?:INSERT\s+INTO|UPDATE(?:\s+ONLY)?|DELETE\s+FROM(?:\s+ONLY)?)"
    tables = "|".join(_recorded_tables())
    return re.compile(rf'\s*{verb}\s+"?(?:{tables})\b', re.IGNORECASE)
