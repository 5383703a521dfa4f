"""What the table of addresses says, method by method."""

from collections.abc import Mapping
from typing import Final

from tests.permissions.addresses import ADDRESSES
from tests.permissions.audiences import AUDIENCES, NO_ONE, Audience
from tests.permissions.requests import opening

METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")
REST: Final = "api/"


def audiences(route: str) -> dict[str, Audience]:
    """Return who may use which methods at an address; a method that is not there nobody may use."""
    answers = ADDRESSES[route]
    said = {name: who for name, who in answers.items() if isinstance(who, Audience)}
    readers = _readers(answers) if opening(route) == "GET" else None
    if readers is not None:
        said.setdefault("GET", readers)
    return {method: said[method] for method in METHODS if method in said}


def may(route: str, method: str, role: str) -> bool:
    """Return whether somebody of a role may use a method at an address."""
    audience = audiences(route).get("GET" if method == "HEAD" else method, NO_ONE)
    return audience.has(role, over_rest=route.startswith(REST))


def _readers(answers: Mapping[str, int | Audience]) -> Audience | None:
    """Return the audience that are those who get something by GET; None if nobody does."""
    admitted = {
        role
        for role, status in answers.items()
        if isinstance(status, int)
        and status < 400
        and not (role == "visitor" and status == 302)
    }
    if not admitted:
        return None
    for audience in AUDIENCES:
        if audience.roles and audience.roles & {*answers} == admitted:
            return audience
    raise AssertionError(
        f"No audience of tests/permissions/audiences.py is {sorted(admitted)}: add one.",
    )
