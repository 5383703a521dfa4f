"""docs/judges-screen-reader.md says what is announced at each step: here the page is walked through by it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.services.planning.pool import pool_fill
from campaign.models import InvitationRole, Judge, Session, Task
from campaign.services.invitations import invitation_create
from launcher.data_directory import wait_until
from tests.browser.conftest import NewPage
from tests.browser.judging import all_sent, open_link, type_ranks
from tests.browser.screen_reader import ScreenReader
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

DOCUMENT = Path(__file__).parents[2] / "docs" / "judges-screen-reader.md"
HEARD = ("said: ", "focus: ")


def steps() -> Iterator[tuple[str, list[str]]]:
    """What is done, and what is heard of it, as the document has it."""
    for block in re.findall(
        r"^```text\n(.*?)^```$",
        DOCUMENT.read_text(),
        re.DOTALL | re.MULTILINE,
    ):
        step, heard = "", list[str]()
        for line in block.splitlines():
            if line.startswith(HEARD):
                heard.append(line)
                continue
            if step:
                yield step, heard
            step, heard = line, []
        yield step, heard


@pytest.fixture
def judge() -> Judge:
    return make_judge(
        make_task(make_campaign(), documents=(3, 3), identical=()).test_set.campaign,
    )


def doing(page: Page, judge: Judge) -> dict[str, Callable[[], object]]:
    """What can happen beside keys."""
    assert judge.user is not None
    _, token = invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    (task,) = Task.objects.of(judge.campaign).all()

    def sign_in() -> None:
        page.get_by_role("button", name="Sign in here").click()
        page.get_by_label("Invitation link").fill(f"/i/{token}/")
        page.keyboard.press("Enter")
        expect(page.get_by_role("dialog")).to_have_count(0)

    def arrive() -> None:
        open_link(page, f"/i/{token}/")
        # Elsewhere Orca keeps the digits for itself, and goes from heading to heading by them.
        outputs = page.get_by_role("toolbar", name="Outputs").get_by_role("radiogroup")
        expect(outputs).to_have_count(5)

    def lose_the_network() -> None:
        # What is on its way then would wait, and be announced as waiting, a step early.
        all_sent(page)
        page.context.set_offline(True)

    return {
        "open": arrive,
        "rank all": lambda: type_ranks(page, "12345"),
        "offline": lose_the_network,
        "online": lambda: page.context.set_offline(False),
        "away": lambda: page.clock.fast_forward(600_000),
        "signed out": lambda: Session.objects.all().delete(),
        "sign in": sign_in,
        "planned": lambda: pool_fill(task_id=task.pk),
    }


def test_steps_are_announced_as_documented(
    new_page: NewPage,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate += ["net::ERR_", "401|403"]
    page = new_page()
    reader = ScreenReader(page)
    page.clock.install()
    happenings = doing(page, judge)
    for number, (step, wanted) in enumerate(steps(), start=1):
        if step.startswith("press: "):
            # The second Enter of a double one would be passed over.
            page.clock.fast_forward(400)
            page.keyboard.press(step.removeprefix("press: "))
        else:
            happenings[step]()
        reader.step()
        said: list[str] = []

        def heard(said: list[str] = said) -> list[str]:
            said += reader.said()
            return [*said, reader.focus()]

        def is_heard(
            wanted: list[str] = wanted,
            heard: Callable[[], list[str]] = heard,
        ) -> bool:
            return heard() == wanted

        as_written = wait_until(is_heard, seconds=60)
        assert as_written or [f"step {number}", step, *heard()] == [
            f"step {number}",
            step,
            *wanted,
        ]
