"""Nothing that reaches a judge's browser tells who wrote an output, nor what is a control or a repeat."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from django.db.models import Value
from django.db.models.functions import Concat
from playwright.sync_api import Page, expect

from annotation.models import Block, Judgment, QualityRule, TrainingBlock
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from annotation.services.quality import quality_rules_suggest
from annotation.services.training import training_propose
from campaign.models import (
    BadReference,
    Invitation,
    InvitationRole,
    Judge,
    JudgeGroup,
    Membership,
    Panel,
    System,
    Task,
    Upload,
)
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.instructions import instructions_accept, instructions_write
from campaign.services.invitations import invitation_create
from campaign.services.judge_groups import (
    judge_group_create,
)
from campaign.services.judges import (
    judge_link_create,
)
from campaign.services.uploads import upload_begin
from ranking.models import Analysis, RankingRun
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.runs import ranking_run_compute
from tests.at_work import judge_one_hit
from tests.browser.conftest import NewPage
from tests.browser.crawler import METHODS, Crawler, addresses
from tests.browser.hidden_features import Feature, features_hide
from tests.browser.judging import all_sent, at_sentence, judge_block, type_ranks
from tests.browser.told import SYSTEMS, number_rows_to_be_known, told
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.recruiting import make_panel

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

JUDGING = "/api/v1/judging/"
# Every name of a field in the answers of the judging API. Whoever adds one thinks of what it tells.
FIELDS = frozenset(
    """
    id revisable_hits expires_at practice segments first languages source target lang dir name rules partial
    progress done wanted minutes_left notice blocks references context before after reference text candidates
    state judgment skip_reason labels comment block duration_ms active_ms submitted_at assignment
    stopped taken_back feedback agrees expected explanation reason kind answers closed created_at results next previous position total
    time_zone seconds_left_today today days day sentences active_seconds untimed
    judged_at has_older type title instance detail errors known missing campaign code retry_after stored body protocol answer
    slug account email language last_login sign_ins judge pseudonym output address expertise blocks_asked
    withdrawn_at declined_at conflicts_of_interest groups consents instructions__version instructions__language accepted_at
    links revoked_at visits seen_at device at_work mails sent_at note participations judge__service judge__external_id
    session_id study_id started_at ended_at judgments judgments_left_out sent source_language target_language work_time
    problem_reports status messages erasure_requests asked_at due_at refused_at carried_out_at
    mails_about_erasure media played suggested addresses api_tokens second_factors single_sign_on external_id service
    groups_from_answers town at value
    outputs score spans start end severity category best worst
    adequacy_basis best_worst categories contradictions criteria criterion error_free_from free_categories highest key
    lower_is_better lowest major_below margin marks only_ends_named page perfect_from question scored severities
    source_marked spans_asked
    """.split(),  # noqa: SIM905  thirty lines otherwise
)


def names_in(data: Any) -> Iterator[str]:
    if isinstance(data, dict):
        yield from data
    for each in (
        data.values()
        if isinstance(data, dict)
        else data
        if isinstance(data, list)
        else ()
    ):
        yield from names_in(each)


@dataclass(frozen=True)
class World:
    """A campaign with controls, training, a ranking and another judge, and a campaign elsewhere."""

    judge: Judge
    task: Task
    elsewhere: Task
    rule: QualityRule
    run: RankingRun
    invitation: Invitation
    panel: Panel
    upload: Upload
    group: JudgeGroup
    analysis: Analysis
    features: list[Feature]

    def places(self, task: Task) -> dict[str, object]:
        """What stands in the places of addresses, as it is in this test set."""
        training = TrainingBlock.objects.filter(task=task).first()
        others = Judgment.objects.exclude(judge=self.judge).latest("pk")
        damaged = BadReference.objects.of(task.test_set_id).first()
        return {
            "slug": task.test_set.campaign.slug,
            "task_id": task.pk,
            "test_set_id": task.test_set_id,
            "rest": "systems/",
            "ranking_id": self.run.pk,
            "rule_id": self.rule.pk,
            "judge_id": self.judge.pk,
            "membership_id": Membership.objects.latest("pk").pk,
            "action_id": 1,
            "batch": uuid4(),
            "bad_reference_id": damaged.pk if damaged else 1,
            "block_id": training.pk if training else 1,
            "block": others.block.public_id,
            "output_id": others.block.outputs[0],
            "client_id": others.client_id,
            "token": "no-such-token",
            "invitation_id": self.invitation.pk,
            "version": 1,
            "panel_id": self.panel.pk,
            "report_id": 1,
            "number": 1,
            "design_id": task.designs.earliest("pk").pk,
            "system_id": task.test_set.systems.earliest("pk").pk,
            "transition": "close",
            "upload_id": self.upload.pk,
            "file_id": 1,
            "job_id": 1,
            "group_id": self.group.pk,
            "export_id": 1,
            "token_id": 1,
            "webhook_id": 1,
            "machine_id": 1,
            "delivery_id": 1,
            "request_id": 1,
            "analysis_id": self.analysis.pk,
            "metric_id": 1,
            "correction_id": 1,
            "kind": "ranking",
            "signature": "0" * 32,
            "name": "clusters",
            "ending": "json",
            "table": "systems",
            "digest": "0123456789abcdef",
            "file_name": "result.json",
            "pk": 1,
        }


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    number_rows_to_be_known()
    # Which order is right is drawn. Whatever is answered, one round of training is enough.
    monkeypatch.setattr("annotation.selectors.training.SHARE_TO_PASS", 0)
    task = make_task(
        make_campaign(blocks_per_judge=60),
        documents=(12, 12),
        systems=SYSTEMS,
        identical=(("qx-amber", "qx-birch"),),
        planned=0,
    )
    bad_references_make(test_set=task.test_set, seed=5)
    for row in BadReference.objects.of(task.test_set_id):
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    System.objects.exclude(kind="system").update(name=Concat(Value("qx-"), "kind"))
    training_propose(task=task, count=1)
    design_change(
        task=task,
        # So that there is a reference among the outputs to be told.
        reference_rate=None,
        rank_shown_reference=True,
        bad_reference_rate=0.5,
        attention_every=2,
    )
    judge = make_judge(task.test_set.campaign)
    other = make_judge(task.test_set.campaign, "qx-judge", note="qx-note")
    pool_fill(task_id=task.pk)
    for _hit in range(2):
        judge_one_hit(other)
    make_organiser(task.test_set.campaign, "qx-organiser@example.org")
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    asked = analysis_ask(
        task=task,
        choice=analysis_choice("diagnosis", {}),
        is_queued=False,
    )
    features = features_hide(task, judge, other)
    elsewhere = make_task(make_campaign("elsewhere"), systems=SYSTEMS)
    campaign = task.test_set.campaign
    read = instructions_write(
        campaign=campaign,
        language="en",
        text="Read.",
        demands_acceptance=True,
    )
    for reader in (judge, other, *(each.judge for each in features)):
        instructions_accept(judge=reader, instructions=read)
    assert other.user is not None
    invitation, _token = invitation_create(
        campaign=campaign,
        user=other.user,
        role=InvitationRole.JUDGE,
    )
    return World(
        judge=judge,
        task=task,
        elsewhere=elsewhere,
        rule=quality_rules_suggest(campaign=campaign, user=None)[0],
        run=run,
        invitation=invitation,
        panel=make_panel(campaign, name="qx-panel"),
        upload=upload_begin(campaign=campaign),
        group=judge_group_create(campaign=campaign, name="qx-group"),
        analysis=analysis_compute(analysis=asked),
        features=features,
    )


def begin(judge: Judge, crawler: Crawler) -> None:
    """Open a judge's link and answer the question that comes first. Bodies can be read only before the next page."""
    page = crawler.page
    _link, token = judge_link_create(judge=judge)
    page.goto(f"/i/{token}/", wait_until="networkidle")
    crawler.heard()
    page.locator("#open-link button").click()
    page.get_by_label("Which town?").fill("Wien")
    page.wait_for_load_state("networkidle")
    crawler.heard()
    page.get_by_role("button", name="Continue").click()


def an_afternoon(page: Page, crawler: Crawler) -> None:
    """Practice, a HIT with a revision, a skip, a report, a look back, and something still on its way."""
    judge_block(page)
    page.get_by_role("dialog").get_by_role("button", name="Continue").click()
    crawler.stored("after practice")
    at_sentence(page, 1)
    judge_block(page)
    at_sentence(page, 2)
    all_sent(page)
    page.keyboard.press("u")
    type_ranks(page, "5")
    page.keyboard.press("Enter")
    at_sentence(page, 2)
    page.keyboard.press("s")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    at_sentence(page, 3)
    page.keyboard.press("r")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    for key in "dct":
        page.keyboard.press(key)
    all_sent(page)
    crawler.heard()
    page.keyboard.press("h")
    expect(page.get_by_role("dialog").get_by_role("listitem")).to_have_count(2)
    crawler.stored("with the history open")
    page.keyboard.press("Escape")
    page.context.set_offline(True)
    judge_block(page)
    crawler.stored("without network")
    page.context.set_offline(False)
    at_sentence(page, 1)
    all_sent(page)
    type_ranks(page, "12")
    crawler.stored("with a draft")
    crawler.heard()


def look_into(feature: Feature, crawler: Crawler, world: World) -> None:
    """Judge a HIT of a feature and read it before, after and in the history, with all its files."""
    page = crawler.page
    crawler.listen()
    begin(feature.judge, crawler)
    expect(page.locator("#submit")).to_be_visible()
    page.wait_for_load_state("networkidle")
    crawler.heard()
    crawler.stored(f"in {feature.name}")
    assignments = f"{JUDGING}assignments/"
    assert crawler.ask("POST", assignments, {"campaign": "museum"}) == 200
    [lent] = [
        got
        for name, got in crawler.got.items()
        if name.startswith(f"200 POST {assignments}")
    ]
    hit = json.loads(lent.partition("\n\n")[2])
    assert hit["rules"]["protocol"] == feature.task.protocol
    for block in hit["blocks"]:
        answered = crawler.ask(
            "PUT",
            f"{JUDGING}judgments/{uuid4()}/",
            {"block": block["id"], **feature.answer(block)},
        )
        assert answered == 200
    done: set[str] = set()
    for address in re.findall(r'"address": ?"([^"]+)"', lent):
        crawler.follow(page.url, address, done)
    assert bool(done) == (feature.name in {"recordings", "pictures"})
    page.reload(wait_until="networkidle")
    crawler.heard()
    crawler.stored(f"after {feature.name}")
    for address in addresses(world.places(world.task)):
        if address.startswith(("/judge/", JUDGING)):
            crawler.ask("GET", address, {"campaign": "museum"})
    assert crawler.ask("GET", f"{JUDGING}judgments/?campaign=museum") == 200
    page.close()


def fields_of(crawler: Crawler) -> set[str]:
    """Return the names of all fields in answers of the judging API."""
    answers = [
        got
        for name, got in crawler.got.items()
        if JUDGING in name and "OPTIONS" not in name
    ]
    fields = set()
    for answer in answers:
        head, _, body = answer.partition("\n\n")
        assert "etag" not in head.lower()
        if body.startswith(("{", "[")):
            fields |= set(names_in(json.loads(body)))
    return fields


def bodies(world: World) -> Iterator[dict[str, object]]:
    """Submissions: of a block of one's own, of somebody else's, of none; and nonsense."""
    own = Block.objects.filter(hit__assignments__judge=world.judge)
    others = Block.objects.exclude(pk__in=own)
    for block in (own.latest("pk").public_id, others.latest("pk").public_id, uuid4()):
        yield {
            "block": str(block),
            "labels": [1, 2, 3],
            "reason": "other",
            "kind": "page",
        }
    yield {
        "block": "qz",
        "labels": ["a"],
        "reason": "b",
        "kind": "c",
        "campaign": "elsewhere",
    }


def every_address(world: World, crawler: Crawler) -> None:
    """Each in every way with the judge's own ids; read with those of others, and with none."""
    own = world.places(world.task)
    none = {
        **dict.fromkeys(own, 4_711),
        "slug": "nowhere",
        "client_id": uuid4(),
        "token": "x",
    }
    of_others = {*addresses(world.places(world.elsewhere)), *addresses(none)}
    for address in sorted(of_others.difference(addresses(own))):
        crawler.ask("GET", address)
    for address in addresses(own):
        # Pages answer two of the methods, and all others in the same few words.
        for method in METHODS if address.startswith("/api/") else ("GET", "POST"):
            if (method, address) != ("POST", "/sign-out/"):
                crawler.ask(method, address, {"campaign": "museum"})
        if address.startswith(("/judge/", JUDGING)):
            crawler.ask("POST", address, {"campaign": "museum"}, token="")
    for body in bodies(world):
        for kind in ("judgments", "skips", "problem-reports"):
            crawler.ask("PUT", f"{JUDGING}{kind}/{uuid4()}/", body)
            crawler.ask("PUT", f"{JUDGING}{kind}/{own['client_id']}/", body)


def when_the_server_breaks(crawler: Crawler, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_more: object) -> None:
        raise RuntimeError("qx-amber wrote output 771230007")

    for place in (
        "annotation.views.judging.judging_words",
        "annotation.api.judging.judge_of_user",
    ):
        monkeypatch.setattr(place, broken)
    for address in ("/judge/museum/", f"{JUDGING}progress/?campaign=museum"):
        assert crawler.ask("GET", address) == 500
    monkeypatch.undo()


def test_no_byte_a_judge_can_reach_tells_of_systems_controls_or_repeats(
    new_page: NewPage,
    world: World,
    tolerate: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tolerate += ["net::ERR_", "500"]
    page = new_page()
    crawler = Crawler(page)

    crawler.listen()
    begin(world.judge, crawler)
    at_sentence(page, 1, total=1)
    an_afternoon(page, crawler)
    page.close()
    done: set[str] = set()
    for address in (
        "/judge/museum/",
        "/",
        "/campaigns/",
        f"{JUDGING}judgments/?page_size=1",
    ):
        crawler.follow(page.url, address, done)

    every_address(world, crawler)
    when_the_server_breaks(crawler, monkeypatch)

    # It was everywhere it should have been.
    assert {200, 304, 302, 400, 403, 404, 405, 500} <= crawler.statuses
    assert sum("/static/judge/" in address for address in done) > 25
    assert sum(f"{JUDGING}judgments/?cursor=" in address for address in done) > 0
    assert told(crawler) == {}
    fields = fields_of(crawler)
    for feature in world.features:
        reader = Crawler(new_page())
        look_into(feature, reader, world)
        assert told(reader) == {}
        fields |= fields_of(reader)
    assert "candidates" in fields
    # A refused body names the places of a list; a document names its blocks.
    assert {
        each for each in fields - FIELDS if len(each) < 36 and not each.isdigit()
    } == set()
