"""Who may do what: every address by every method as every role, on real services, and docs/permissions.md."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.http import Http404
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from rest_framework.exceptions import NotFound, ValidationError

from campaign.api.base import (
    CampaignAPIView,
    IsMember,
    IsOrganiserOrReadOnly,
    TaskAPIView,
    group_by_name,
)
from campaign.models import JudgeGroup, MembershipRole, Transition, User
from campaign.pages.desk import rights, transitions_of
from campaign.services.members import NotAllowedError, owner_demand
from campaign.views import access as by_page
from tests.factories import make_analyst, make_campaign, make_organiser, make_task
from tests.permissions.addresses import ADDRESSES
from tests.permissions.audiences import ROLES
from tests.permissions.table import audiences
from tests.permissions.walk import differences, knocker
from tests.permissions.words import page
from tests.permissions.world import make_world
from tests.rest_operations import addresses

SECRET = re.compile("SECRET-(NEWS|PANEL|FILE|GROUP|EXPORT)|secretron")
WRITES = ("INSERT", "UPDATE", "DELETE")
NOTED = (
    *(
        "campaign_apitoken",
        "campaign_session",
        "campaign_requestcount",
        "campaign_signincount",
    ),
)
PAGE = Path(__file__).parents[2] / "docs" / "permissions.md"


# One role an address sends what nobody may send; all of them by `make test-thorough`.
EVERYTHING = pytest.mark.parametrize(
    "everything",
    [
        pytest.param(False, id="each role or one"),
        pytest.param(True, id="everything", marks=pytest.mark.thorough),
    ],
)


@pytest.mark.thorough
@pytest.mark.django_db
@EVERYTHING
def test_roles_may_only_do_what_the_table_allows(everything: bool) -> None:
    world = make_world()
    found = [
        each
        for role in ROLES
        for each in differences(world, role, everything=everything)
    ]
    assert not found, "\n".join(found)


@pytest.mark.thorough
@pytest.mark.django_db
def test_options_requests_reveal_no_campaign_and_change_nothing() -> None:
    """OPTIONS, of every address: refused as others are, or a description without a word of the campaign."""
    world = make_world()
    found = []
    for role in ROLES:
        client = knocker(world, role)
        for route in ADDRESSES:
            with CaptureQueriesContext(connection) as asked:
                answer = client.options(world.fill(route))
            body = b"".join(answer) if answer.streaming else answer.content
            written = [each["sql"] for each in asked if each["sql"].startswith(WRITES)]
            # A token's last use is noted, and a session kept.
            written = [
                each for each in written if not any(name in each for name in NOTED)
            ]
            is_told = SECRET.search(body.decode(errors="replace")) is not None
            is_wrong = is_told or answer.status_code >= 500
            if role == "visitor" and route.startswith("api/v1/campaigns/"):
                is_wrong = is_wrong or answer.status_code != 401
            if is_wrong or written:
                found.append((role, route, answer.status_code, written[:1]))
    assert found == []


def test_the_page_for_operators_is_what_the_table_says() -> None:
    assert PAGE.read_text() == page(), (
        "Write it anew: .venv/bin/python -m tests.permissions > docs/permissions.md"
    )


def test_changing_a_campaign_requires_signing_in() -> None:
    for route in ADDRESSES:
        if route.startswith(("campaigns/", "api/v1/")):
            for method, audience in audiences(route).items():
                assert method == "GET" or "visitor" not in audience.roles, route


def _outcome(
    view: Callable[..., object],
    user: User,
    method: str,
    *named: object,
) -> str:
    request: Any = RequestFactory().generic(method, "/")
    request.user, request.session = user, {}
    try:
        view(request, *named)
    except (Http404, NotFound):
        return "missing"
    except NotAllowedError:
        return "forbidden"
    return "open"


def by_rest(
    view_class: type[CampaignAPIView | TaskAPIView],
    permission: type[IsMember],
) -> Callable[..., None]:
    """Return a function that checks the permission for a request and the part of an address."""

    def check(request: Any, part: object) -> None:
        view = view_class()
        view.request = request
        view.kwargs = {"slug": part, "task_id": part}
        assert permission().has_permission(request, view)

    return check


#: Views that look the campaign up themselves, in their methods.
CHECKED_BY_THE_VIEW = {
    "CampaignRestoreView",
    "CampaignTransitionView",
    "MemberLeaveView",
    "RankingLatestView",
}


def test_views_below_a_campaign_or_task_have_a_permission_for_members() -> None:
    without = set()
    for address in addresses():
        if "<slug:slug>" in address.route or "<int:task_id>" in address.route:
            classes = address.view.permission_classes
            if not any(issubclass(permission, IsMember) for permission in classes):
                without.add(address.view.__name__)
    assert without == CHECKED_BY_THE_VIEW


@pytest.mark.django_db
def test_roles_are_limited_at_every_address_of_a_campaign() -> None:
    """What all addresses are built on; each address by itself: the first test, by `make test-thorough`."""
    campaign, other = make_campaign(), make_campaign("zoo")
    task = make_task(campaign)
    of_campaign, of_task, by_id = (campaign.slug,), (campaign.slug, task.pk), (task.pk,)
    people = {
        "owner": make_organiser(campaign),
        "organiser": make_organiser(campaign, "otto@example.org"),
        "analyst": make_analyst(campaign),
        "stranger": make_organiser(other, "zoe@example.org"),
    }
    # Who may read by each, who may change, and who may do nothing but read.
    everybody = {"owner", "organiser", "analyst"}
    changing, owning = {"owner", "organiser"}, {"owner"}
    views: list[
        tuple[Callable[..., object], tuple[object, ...], set[str], set[str]]
    ] = [
        (by_page.organised_campaign, of_campaign, everybody, changing),
        (by_page.joined_campaign, of_campaign, everybody, everybody),
        (by_page.changed_campaign, of_campaign, changing, changing),
        (by_page.owned_campaign, of_campaign, owning, owning),
        (by_page.organised_task, of_task, everybody, changing),
        (by_page.joined_task, of_task, everybody, everybody),
        (
            by_rest(CampaignAPIView, IsOrganiserOrReadOnly),
            of_campaign,
            everybody,
            changing,
        ),
        (by_rest(CampaignAPIView, IsMember), of_campaign, everybody, everybody),
        (by_rest(TaskAPIView, IsOrganiserOrReadOnly), by_id, everybody, changing),
        (by_rest(TaskAPIView, IsMember), by_id, everybody, everybody),
    ]
    for view, named, reading, writing in views:
        for role, user in people.items():
            for method, allowed in (
                *(("GET", reading), ("HEAD", reading)),
                *(("POST", writing), ("DELETE", writing)),
            ):
                wanted = "open" if role in allowed else "forbidden"
                found = _outcome(view, user, method, *named)
                assert found == (wanted if role in everybody else "missing"), (
                    view,
                    role,
                    method,
                )
    wrong = (other.slug, task.pk)
    assert _outcome(by_page.organised_task, people["owner"], "GET", *wrong) == "missing"
    owner_demand(campaign=campaign, by=None)
    with pytest.raises(NotAllowedError):
        owner_demand(campaign=campaign, by=people["stranger"])


@pytest.mark.django_db
def test_a_group_is_named_in_any_case_within_its_campaign() -> None:
    task = make_task(make_campaign())
    group = JudgeGroup.objects.create(campaign=task.test_set.campaign, name="Experts")
    JudgeGroup.objects.create(campaign=make_campaign("zoo"), name="Keepers")
    assert group_by_name(task, None) is None
    assert group_by_name(task, "eXperts") == group
    with pytest.raises(ValidationError):
        group_by_name(task, "Keepers")


@pytest.mark.parametrize(
    ("role", "may_change", "may_own", "transitions"),
    [
        (MembershipRole.OWNER, True, True, ["open", "delete"]),
        (MembershipRole.ORGANISER, True, False, ["open"]),
        (MembershipRole.ANALYST, False, False, []),
    ],
)
def test_templates_know_what_a_role_may_do(
    role: MembershipRole,
    may_change: bool,
    may_own: bool,
    transitions: list[str],
) -> None:
    request: Any = RequestFactory().get("/")
    assert rights(request) == {"may_change": False, "may_own": False}
    request.quintet_role = role
    assert rights(request) == {"may_change": may_change, "may_own": may_own}
    assert transitions_of(role, [Transition.OPEN, Transition.DELETE]) == transitions
