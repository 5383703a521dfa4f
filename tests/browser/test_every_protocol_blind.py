"""Each protocol is judged by keys, with a reload without network, and nothing that reaches the browser tells who wrote an output."""

from typing import Any
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Assignment, Judgment
from annotation.protocols.answer_kinds import WHOLE_DOCUMENT, answer_kind, answer_kinds
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.simulation import lend_prepared
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import BadReference, Judge, Protocol, Task
from campaign.services.bad_references import bad_reference_review, bad_references_make
from tests.browser.conftest import Connections, SignIn
from tests.browser.crawler import Crawler, addresses
from tests.browser.judging import page_kept
from tests.browser.screens import SCREENS, sentence
from tests.browser.test_every_protocol import begin, stored
from tests.browser.test_suggestions import suggest
from tests.browser.told import SYSTEMS, number_rows_to_be_known, told
from tests.factories import make_judge
from tests.integration.protocols.every import plans_delete, said_about
from tests.protocol_tasks import make_task_of_protocol
from tests.some_now import some_now

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

JUDGING = "/api/v1/judging/"
#: What is in addresses that answer a judge.
OF_JUDGES = ("/judging/", "/judge/")
#: Protocols whose blocks of one output may be attention checks.
SCORED = (Protocol.RATING, Protocol.SPANS)


class Places(dict[str, Any]):
    """What stands in the places of addresses; 1 where nothing is said."""

    def __missing__(self, key: str) -> int:
        return 1


def damage(task: Task) -> None:
    """Let a task have attention checks: every third block, say."""
    bad_references_make(test_set=task.test_set, seed=5)
    for row in BadReference.objects.of(task.test_set_id):
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    task.test_set.systems.filter(kind="bad_reference").update(name="qx-damaged")
    plans_delete(task)
    design_change(task=task, bad_reference_rate=0.3)
    if task.protocol == Protocol.RATING:
        pool_fill(task_id=task.pk)
    else:
        hits_plan(task_id=task.pk, count=6)


def judged_by_another(task: Task) -> Judge:
    """Let another judge judge a HIT, about which others are asked then where the protocol has it so."""
    other = make_judge(task.test_set.campaign, "qx-judge", note="qx-note")
    lent = lend_prepared(other)
    assert lent is not None
    for block in assigned_blocks(lent.assignment):
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(**said_about(block)),
        )
    pool_fill(task_id=task.pk)
    return other


@pytest.mark.parametrize("protocol", some_now(kind.protocol for kind in answer_kinds()))
def test_offline_judgments_are_stored_once_and_reveal_no_systems(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
    connections: Connections,
    protocol: str,
) -> None:
    tolerate.append("net::ERR_")
    number_rows_to_be_known()
    has_rule = WHOLE_DOCUMENT in answer_kind(protocol).rules_fields
    task = make_task_of_protocol(
        Protocol(protocol),
        systems=SYSTEMS,
        rules={WHOLE_DOCUMENT: True} if has_rule else None,
    )
    task.test_set.systems.filter(kind="reference").update(name="qx-reference")
    if protocol in SCORED:
        damage(task)
    if protocol == Protocol.SPANS:
        suggest(task)
    judged_by_another(task)
    judge = make_judge(task.test_set.campaign)
    crawler = Crawler(page)
    crawler.listen()
    # Who judges after others have edited is asked about their edits.
    screen = SCREENS["editing-acceptance" if protocol == Protocol.EDITING else protocol]
    begin(page, judge, sign_in)
    screen.judge_by_keys(page)
    assert stored(judge, 1)
    page_kept(page)
    page.keyboard.press("c")
    expect(page.locator("#document li[aria-current] .reading").first).to_be_visible()
    page.keyboard.press("c")
    crawler.stored("after a sentence")
    crawler.heard()
    with connections.cut(page.context):
        screen.judge_by_keys(page)
        expect(page.locator("#status")).to_contain_text(
            "1 judgment is kept on this device",
        )
        crawler.stored("without network")
        here = sentence(page)
        # Bodies are gone after a reload; the next HITs may have come since.
        crawler.heard()
        page.reload()
        # From what is kept on the device, at the same sentence.
        expect(page.locator("#sentence")).to_have_text(here)
        assert stored(judge, 1)
    assert stored(judge, 2)
    assert Judgment.objects.filter(judge=judge).values("block").distinct().count() == 2
    page.keyboard.press("h")
    expect(page.get_by_role("dialog").get_by_role("listitem").first).to_be_visible()
    crawler.stored("with the history open")
    crawler.heard()
    others = Judgment.objects.exclude(judge=judge).latest("pk")
    places = Places(
        slug=task.test_set.campaign.slug,
        task_id=task.pk,
        test_set_id=task.test_set_id,
        judge_id=judge.pk,
        client_id=others.client_id,
        assignment_id=Assignment.objects.filter(judge=judge).latest("pk").public_id,
        token="no-such-token",
        batch=uuid4(),
        rest="systems/",
        kind=protocol,
        transition="close",
        name="clusters",
        ending="json",
        table="systems",
        digest="0123456789abcdef",
        file_name="result.json",
    )
    # All others are the same for all protocols: test_judge_blind.py.
    for address in addresses(places):
        if any(part in address for part in OF_JUDGES):
            crawler.ask("GET", address)
    for address in (
        f"{JUDGING}judgments/?page_size=1",
        f"{JUDGING}progress/?campaign=museum",
    ):
        assert crawler.ask("GET", address) == 200
    # What was said is corrected, and what another judge said is asked for.
    for block in (others.block.public_id, uuid4()):
        body = {"block": str(block), "answer": {}, "labels": [1]}
        assert crawler.ask("PUT", f"{JUDGING}judgments/{uuid4()}/", body) in {
            400,
            403,
            404,
        }
    assert any(
        JUDGING in name and "candidates" in got for name, got in crawler.got.items()
    )
    assert told(crawler) == {}
