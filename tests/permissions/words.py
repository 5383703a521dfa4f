"""docs/permissions.md: who may do what, for people who run Quintet."""

import inspect
import re
from collections.abc import Iterator
from typing import Any, Final

from django.urls import URLPattern, URLResolver, get_resolver

from tests.permissions.addresses import ADDRESSES
from tests.permissions.audiences import AUDIENCES, ROLES, TOKEN, Audience
from tests.permissions.table import audiences

_CAMPAIGN: Final = "campaigns/<slug:slug>/"
_TASK: Final = f"{_CAMPAIGN}tasks/<int:task_id>/"
#: The rooms, and the beginnings of the addresses in them; the longest that fits decides.
ROOMS: Final = {
    "Signing in, and one's own account": ("", "sign-in/", "sign-out/", "account/", "i/", "language/", "credentials/"),
    "Judges at work": ("judge/", "panel/", "api/v1/judging/"),
    "Campaigns": ("campaigns/", "new-campaign/", "bin/", _CAMPAIGN),
    "People of a campaign": (f"{_CAMPAIGN}people/", f"{_CAMPAIGN}invitations/", f"{_CAMPAIGN}panels/"),
    "Files that come in, and work of the server": (f"{_CAMPAIGN}uploads/", f"{_CAMPAIGN}work/"),
    "Quality": (f"{_CAMPAIGN}rules/", f"{_CAMPAIGN}problem-reports/"),
    "Tasks of a campaign": (_TASK, f"{_CAMPAIGN}add-task/", f"{_CAMPAIGN}test-sets/"),
    "Publishing": (f"{_TASK}publish/", "results/"),
    "REST: campaigns": ("api/v1/campaigns/",),
    "REST: people of a campaign": (
        *(f"api/v1/{_CAMPAIGN}{name}/" for name in ("members", "judges", "judge-groups", "erasures")),
        *(f"api/v1/{_CAMPAIGN}{name}/" for name in ("invitations", "panels")),
    ),
    "REST: files that come in": (f"api/v1/{_CAMPAIGN}uploads/", f"api/v1/{_CAMPAIGN}jobs/"),
    "REST: tasks of a campaign": ("api/v1/tasks/",),
    "REST: what else there is": ("api/",),
    "Health": ("healthz", "readyz"),
}  # fmt: skip
#: Of views that libraries made, and that say nothing of themselves.
_SAID: Final = {
    "LogoutView": "Sign out",
    "ReauthenticateView": "Give one's password again",
    "ReauthenticateMFAView": "Give a code again",
    "ReauthenticateWebAuthnView": "Show one's passkey again",
    "AuthenticateView": "Give the second factor while signing in",
    "LoginWebAuthnView": "Sign in with a passkey",
    "ActivateTOTPView": "Add an app that makes codes",
    "DeactivateTOTPView": "Remove the app that makes codes",
    "GenerateRecoveryCodesView": "Make recovery codes",
    "ViewRecoveryCodesView": "Show the recovery codes that are left",
    "DownloadRecoveryCodesView": "Download the recovery codes that are left",
    "AddWebAuthnView": "Add a passkey",
    "ListWebAuthnView": "Show the passkeys",
    "IndexView": "Show the second factors",
}
_HEAD: Final = """\
# Who may do what

Made from the table that a test walks: every address, by every method, as every role, on real services
(`tests/integration/test_permissions.py`). Do not change it here: `.venv/bin/python -m tests.permissions > docs/permissions.md`.

A *member* runs a campaign, as its owner, organiser or analyst; [organisers.md](organisers.md) says how people become one. A judge
is no member. To everybody else a campaign is not there: they get 404, as for one that does not exist. Being staff or a superuser of
Django opens no campaign.

A token of REST may what its user may, and opens no page. What a page offers is checked again when it is sent: leaving out a button
protects nothing.

"""


def page() -> str:
    """Return the page."""
    parts = [_HEAD, "## The words\n\n", *_legend(), "\n"]
    patterns = dict(_patterns(get_resolver()))
    for room in ROOMS:
        routes = sorted(route for route in ADDRESSES if room_of(route) == room)
        parts += [f"## {room}\n\n", "| address | what | by | who may |\n|---|---|---|---|\n"]
        parts += [row for route in routes for row in _rows(route, patterns[route])]
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"


def room_of(route: str) -> str:
    """Return the room in which an address is."""
    fitting = [
        (len(begins), room)
        for room, beginnings in ROOMS.items()
        for begins in beginnings
        if route.startswith(begins)
    ]
    return max(fitting)[1]


def _legend() -> Iterator[str]:
    people = [role for role in ROLES if not role.endswith(TOKEN)]
    yield f"| who may | that is | {' | '.join(people)} |\n"
    yield f"|---|---|{'---|' * len(people)}\n"
    for audience in AUDIENCES:
        marks = " | ".join("yes" if role in audience.roles else "–" for role in people)
        yield f"| {audience.words} | {audience.meaning} | {marks} |\n"


def _rows(route: str, view: Any) -> Iterator[str]:
    address = "`/" + re.sub(r"<[a-z]+:([a-z_]+)>", r"{\1}", route) + "`"
    for method, audience in _joined(route, view):
        yield f"| {address} | {_what(view, method[0])} | {', '.join(method)} | {audience.words} |\n"
        address = ""


def _joined(route: str, view: Any) -> Iterator[tuple[list[str], Audience]]:
    """Yield methods that the same people may use and that are told of in the same words, together."""
    methods: list[str] = []
    last: Audience | None = None
    for method, audience in audiences(route).items():
        if last is not None and (
            audience != last or _what(view, method) != _what(view, methods[0])
        ):
            yield methods, last
            methods = []
        methods, last = [*methods, method], audience
    if last is not None:
        yield methods, last


def _what(view: Any, method: str) -> str:
    """Return the first sentence of what the view says of itself."""
    found: Any = getattr(view, "view_class", None) or getattr(view, "cls", None)
    handler = getattr(found, method.lower(), view)
    told = inspect.getdoc(handler) if not _is_of_a_library(handler) else None
    own = vars(found).get("__doc__") if found is not None and not _is_of_a_library(found) else None
    told = told or own or _SAID[found.__name__]
    first = " ".join(told.split("\n\n")[0].split())
    return re.split(r"(?<=[.:;]) ", first)[0].rstrip(".:;").replace("|", "\\|")


def _is_of_a_library(handler: Any) -> bool:
    """Return whether a method is inherited from a library, whose words are for programmers."""
    return handler.__module__.split(".")[0] in {"django", "allauth", "rest_framework"}


def _patterns(resolver: URLResolver, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each address with its view; of several views of one address the first, which is asked."""
    found: dict[str, Any] = {}
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            found.setdefault(route, pattern.callback)
        else:
            for below, view in _patterns(pattern, route):
                found.setdefault(below, view)
    yield from found.items()
