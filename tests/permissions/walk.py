"""Knock at every address by every method as one role, and say what differs from the table."""

from collections.abc import Iterator
from typing import Any, Final

from django.db import transaction
from rest_framework.test import APIClient

from campaign.models import Membership, MembershipRole, User
from campaign.services.api_tokens import token_create
from tests.permissions.addresses import ADDRESSES
from tests.permissions.addresses.answers import ROLES as OPENED_EACH
from tests.permissions.audiences import ROLES, TOKEN
from tests.permissions.requests import opening, sent_to
from tests.permissions.table import METHODS, REST, audiences, may
from tests.permissions.world import World

#: HEAD is GET without its body.
ASKED: Final = ("GET", "HEAD", *METHODS[1:])
#: Parts of addresses that name nothing in the world of these tests: 404 for those who may, too.
_NAMES_NOTHING: Final = (
    *(
        "<int:action_id>",
        "<int:invitation_id>",
        "<int:file_id>",
        "<int:token_id>",
        "<int:request_id>",
        "<int:pk>",
        "<uuid:batch>",
        "<slug:table>",
        "<str:token>",
        "<slug:token>",
    ),
    *("replies/<int:number>", "invitations/judges/<int:judge_id>"),
)
#: What is not there in this world: nobody of a panel, no second factor, nothing in the bin, no media.
_NOT_THERE: Final = (
    *("/completion/", "second-factors/app/remove/", "second-factors/codes/"),
    *("second-factors/codes/download/", "/restore/", "results/<slug:digest>/embed/"),
    *("/media/<str:file_name>", "/media/<slug:signature>/<str:file_name>"),
)
#: What is sent besides where {} is refused before anybody asks who sent it.
_SENT: Final = {
    ("PATCH", "api/v1/campaigns/<slug:slug>/members/<int:membership_id>/"): {
        "role": "analyst",
    },
}


class _UndoneError(Exception):
    """Takes back what a request did."""


def knocker(world: World, role: str) -> APIClient:
    """Return a client that is somebody of this role."""
    name = role.removesuffix(TOKEN)
    user = _user(world, name)
    client = APIClient(raise_request_exception=False)
    if name != role:
        assert user is not None
        _token, key = token_create(user=user)
        client.credentials(HTTP_AUTHORIZATION=f"Token {key}")
    elif user is not None:
        client.force_login(user)
    return client


def _user(world: World, role: str) -> User | None:
    if role == "owner":
        owners = Membership.objects.filter(
            campaign=world.campaign,
            role=MembershipRole.OWNER,
        )
        return owners.get().user
    if role == "superuser":
        return User.objects.create_superuser(
            name="Root",
            email="root@example.org",
            password="not asked for",
        )
    return world.users[role]


def one_for(route: str, number: int) -> str:
    """Return a role that may read an address, or any if none may; of the next address, another one."""
    roles = [role for role in ROLES if may(route, "GET", role)] or list(ROLES)
    return roles[number % len(roles)]


def is_asked(route: str, number: int, method: str, role: str) -> bool:
    """Return whether `make test` sends this; `make test-thorough` sends everything.

    What tests/integration/test_every_address.py opens as this role, with its exact status, is not opened again, and
    HEAD runs the code of GET. Methods that nobody may use at an address are sent by one role, who may read it.
    """
    if method == "HEAD":
        return False
    if method == "GET" and opening(route) == "GET":
        return role not in OPENED_EACH
    return method in audiences(route) or role == one_for(route, number)


def differences(world: World, role: str, *, everything: bool) -> Iterator[str]:
    """Yield, in words, each answer to somebody of this role that is not what the table says.

    Unless everything is asked, what is told elsewhere is left out.
    """
    client = knocker(world, role)
    for number, route in enumerate(ADDRESSES):
        for method in ASKED:
            if not everything and not is_asked(route, number, method, role):
                continue
            status, leads_to = _knock(world, client, route, method)
            is_let_in = status < 400 and not leads_to.startswith("/sign-in/?")
            # The server has looked at what was sent, so whoever sent it may.
            is_let_in = is_let_in or status in {400, 409, 411, 413, 415, 422, 428, 429}
            expected = may(route, method, role)
            problem = ""
            if status >= 500:
                problem = "the server crashed"
            elif (
                expected
                and not is_let_in
                and not (status == 404 and _is_nothing(route))
            ):
                problem = f"refused, but the table says: {audiences(route)[method_of(method)].words}"
            elif is_let_in and not expected:
                problem = f"let in: add sends({method_of(method)}=…) if that is right, or mend the view"
            elif not expected and not _is_refused_well(role, route, status):
                problem = "refused in another way than others of this role"
            if problem:
                yield f'{role}: {method} "{route}" answered {status} {leads_to}: {problem}'


def method_of(method: str) -> str:
    """Return the method under which the table has this one."""
    return "GET" if method == "HEAD" else method


def _knock(world: World, client: APIClient, route: str, method: str) -> tuple[int, str]:
    """Send one request, take back what it did, and return the status and where it led."""
    address, sent = (
        world.fill(route),
        sent_to(world, route) | _SENT.get((method, route), {}),
    )
    cookies = {name: cookie.value for name, cookie in client.cookies.items()}
    send: Any = getattr(client, method.lower())
    answer: Any = None
    try:
        with transaction.atomic():
            if method_of(method) == "GET":
                answer = send(address, sent if "judging/" in route else {})
            elif route.startswith(REST):
                answer = send(address, sent, format="json")
            else:
                answer = send(
                    address,
                    "",
                    content_type="application/x-www-form-urlencoded",
                )
            if answer.streaming:
                b"".join(answer)
            raise _UndoneError
    except _UndoneError:
        client.cookies.load(cookies)
    return answer.status_code, answer.headers.get("Location", "")


def _is_nothing(route: str) -> bool:
    return any(part in route for part in _NAMES_NOTHING) or route.endswith(_NOT_THERE)


def _is_refused_well(role: str, route: str, status: int) -> bool:
    """Return whether strangers are told nothing (404), and nobody else than they may be asked who they are."""
    over_rest = route.startswith(REST)
    if role == "visitor" or (role.endswith(TOKEN) and not over_rest):
        return status in ({401, 405} if over_rest else {302, 401, 404, 405})
    names_something = "<" in route
    is_stranger = role in {"other judge", "other organiser", "superuser"}
    if is_stranger and names_something and "/judging/" not in route:
        return status in {404, 405}
    return status in {403, 404, 405}
