"""Each page of the desk, the account and what is published: WCAG by axe, and no sideways scrolling."""

import pytest
from playwright.sync_api import Page

from annotation.services.judges import judge_decline
from campaign.models import InvitationRole, Judge, Protocol, Task, TestSet, User
from campaign.services.bad_references import bad_references_make
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from campaign.services.notification import Message
from tests.browser.conftest import DESKTOP, PHONE, NewPage, axe_finds, too_wide
from tests.browser.judging import sign_in_by_link
from tests.factories import make_judge
from tests.filled_world import FilledWorld, filled_world
from tests.filling import Filling
from tests.permissions.addresses import ADDRESSES

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.browser,
    pytest.mark.usefixtures("as_owner"),
    pytest.mark.django_db(transaction=True),
]

PAGES = [
    route
    for route, roles in ADDRESSES.items()
    if route.startswith("campaigns/<slug:slug>/")
    and roles["organiser"] == 200
    # A part of a page, and files.
    and not route.endswith(
        ("live/", "progress/", ".csv", ".jsonl", ".yaml", ".zip", ".<slug:ending>"),
    )
    and not route.endswith("/exports/<int:export_id>/")
    # What judges see.
    and "/as-judge/" not in route
]
#: Without a space or hyphen, where a line could break.
LONG = "Donaudampfschifffahrtsgesellschaftskapitaenswitwenrentenauszahlungsstelle"
#: Pages of no campaign, and of one that everybody may read.
ELSEWHERE = (
    *("campaigns/", "bin/", "account/", "account/second-factors/", "credentials/"),
    *("new-campaign/", "new-campaign/file/", "sign-in/forgotten/"),
    *("results/<slug:digest>/", "results/<slug:digest>/embed/"),
)
#: Pages of the tasks of one protocol.
OF_PROTOCOL = {
    "/snippets/": Protocol.QUIZ,
    "/criteria/": Protocol.RATING,
    "/error-scheme/": Protocol.SPANS,
    "/errors/": Protocol.SPANS,
    "/suggestions/": Protocol.SPANS,
}
VIEWS = ((DESKTOP, "light"), (PHONE, "dark"))


@pytest.fixture
def world() -> FilledWorld:
    """A campaign with something in every table, and names that no line has room for."""
    world = filled_world("museum", Filling(blocks=36, systems=6, segments=24, judges=4))
    campaign, task = world.campaign, world.task
    for protocol in set(OF_PROTOCOL.values()):
        Task.objects.create(test_set=task.test_set, protocol=protocol)
    bad_references_make(test_set=task.test_set, seed=5)
    task.test_set.systems.filter(pk=task.test_set.systems.latest("pk").pk).update(
        name=LONG,
    )
    judges = Judge.objects.filter(campaign=campaign, user__isnull=False)
    User.objects.filter(judges__in=judges).update(name=LONG)
    for number, judge in enumerate(judges):
        Judge.objects.filter(pk=judge.pk).update(pseudonym=f"{LONG}{number}")
    User.objects.filter(pk=world.users["organiser"].pk).update(name=LONG)
    TestSet.objects.filter(pk=task.test_set.pk).update(name=LONG)
    judge_decline(judge=make_judge(campaign, LONG))
    invitation_create_for_anybody(campaign=campaign, cap=30, note=LONG)
    judges_invite_by_mail(
        campaign=campaign,
        addresses=[f"{LONG}@example.org"],
        message=Message(base_url="https://x"),
    )
    return world


def sign_in(page: Page, world: FilledWorld, user: User, role: InvitationRole) -> None:
    _, token = invitation_create(campaign=world.campaign, user=user, role=role)
    sign_in_by_link(page, f"/i/{token}/")


def addresses(world: FilledWorld) -> list[str]:
    tasks = dict(Task.objects.values_list("protocol", "pk"))
    found = []
    for route in (*PAGES, *ELSEWHERE):
        protocol = next(
            (OF_PROTOCOL[end] for end in OF_PROTOCOL if route.endswith(end)),
            None,
        )
        number = str(tasks[protocol]) if protocol else "<int:task_id>"
        found.append(world.address(route.replace("<int:task_id>", number)))
    return found


def test_axe_finds_nothing_and_no_page_scrolls_sideways(
    new_page: NewPage,
    world: FilledWorld,
) -> None:
    """Every other page light on a desktop, the others dark on a phone."""
    page = new_page()
    sign_in(page, world, world.users["organiser"], InvitationRole.ORGANISER)
    found: dict[str, str] = {}
    for number, address in enumerate(addresses(world)):
        viewport, scheme = VIEWS[number % 2]
        page.set_viewport_size(viewport)  # type: ignore[arg-type]
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        answer = page.goto(address)
        assert answer is not None
        assert answer.ok, address
        found[address] = axe_finds(page)
        for width, name in ((DESKTOP, "a desktop"), (PHONE, "a phone")):
            page.set_viewport_size(width)  # type: ignore[arg-type]
            if too_wide(page):
                found[address] += f" wider than {name}"
    assert len(found) > 70
    assert {address: problems for address, problems in found.items() if problems} == {}
