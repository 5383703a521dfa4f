"""docs/permissions.md: who may do what, for people who run Quintet."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from tests.permissions.addresses import ADDRESSES
from tests.permissions.audiences import AUDIENCES, ROLES, TOKEN
from tests.permissions.table import audiences

_CAMPAIGN: Final = "campaigns/<slug:slug>/"
_TASK: Final = f"{_CAMPAIGN}tasks/<int:task_id>/"
#: Sections of the page, and how the addresses in them start; the longest match decides.
ROOMS: Final = {
    "Sign-in and account": ("", "sign-in/", "sign-out/", "account/", "i/", "language/", "credentials/"),
    "Judging": ("judge/", "panel/", "api/v1/judging/"),
    "Campaigns": ("campaigns/", "new-campaign/", "bin/", _CAMPAIGN),
    "People of a campaign": (f"{_CAMPAIGN}people/", f"{_CAMPAIGN}invitations/", f"{_CAMPAIGN}panels/"),
    "Uploads and background jobs": (f"{_CAMPAIGN}uploads/", f"{_CAMPAIGN}work/"),
    "Quality": (f"{_CAMPAIGN}rules/", f"{_CAMPAIGN}problem-reports/"),
    "Tasks of a campaign": (_TASK, f"{_CAMPAIGN}add-task/", f"{_CAMPAIGN}test-sets/"),
    "Publishing": (f"{_TASK}publish/", "results/"),
    "REST: campaigns": ("api/v1/campaigns/",),
    "REST: people of a campaign": (
        *(f"api/v1/{_CAMPAIGN}{name}/" for name in ("members", "judges", "judge-groups", "erasures")),
        *(f"api/v1/{_CAMPAIGN}{name}/" for name in ("invitations", "panels", "machines")),
    ),
    "REST: uploads and background jobs": (f"api/v1/{_CAMPAIGN}uploads/", f"api/v1/{_CAMPAIGN}jobs/"),
    "REST: tasks of a campaign": ("api/v1/tasks/",),
    "REST: other": ("api/",),
    "Health": ("healthz", "readyz"),
}  # fmt: skip
_HEAD: Final = """\
# Permissions

For operators and organisers: the rights of each role at each address. A test requests every address with every method as every role and generates
this page; do not edit it (`.venv/bin/python -m tests.permissions > docs/permissions.md`).

A *member* is an owner, organiser or analyst of a campaign ([roles](people.md#roles)); a judge is not a member. Everybody else gets 404, as for a
campaign that does not exist, including staff and superusers of Django. A REST token has the rights of its user, limited by its scope, and opens no page.
Methods that are not listed are refused to everybody.

"""


def page() -> str:
    """Return the page."""
    parts = [_HEAD, "## Roles\n\n", *_legend(), "\n"]
    for room in ROOMS:
        routes = sorted(route for route in ADDRESSES if room_of(route) == room)
        parts += [
            f"## {room}\n\n",
            "| who may | addresses |\n|---|---|\n",
            *_rows(routes),
            "\n",
        ]
    return "".join(parts).rstrip("\n") + "\n"


def room_of(route: str) -> str:
    """Return the section of an address."""
    fitting = [
        (len(begins), room)
        for room, beginnings in ROOMS.items()
        for begins in beginnings
        if route.startswith(begins)
    ]
    return max(fitting)[1]


def _legend() -> Iterator[str]:
    people = [role for role in ROLES if not role.endswith(TOKEN)]
    yield f"| who may | meaning | {' | '.join(people)} |\n"
    yield f"|---|---|{'---|' * len(people)}\n"
    for audience in AUDIENCES:
        marks = " | ".join("yes" if role in audience.roles else "–" for role in people)
        yield f"| {audience.words} | {audience.meaning} | {marks} |\n"


def _rows(routes: list[str]) -> Iterator[str]:
    """Yield a row for each combination of rights, with the addresses that have it."""
    by_rights: dict[str, list[str]] = defaultdict(list)
    for route in routes:
        if rights := _rights(route):
            by_rights[rights].append(re.sub(r"<[a-z]+:([a-z_]+)>", r"{\1}", route))
    for rights, addresses in by_rights.items():
        yield f"| {rights} | {', '.join(f'`/{address}`' for address in addresses)} |\n"


def _rights(route: str) -> str:
    """Return the methods by audience: "GET: members; POST, PATCH: organisers"."""
    methods: dict[str, list[str]] = defaultdict(list)
    for method, audience in audiences(route).items():
        methods[audience.words].append(method)
    return "; ".join(f"{', '.join(names)}: {words}" for words, names in methods.items())
