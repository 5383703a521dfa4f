"""The life of a campaign: which state follows which, what judges get, and what is asked first."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import product
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import Block, Judgment
from annotation.protocols.submissions import AssignedBlock
from annotation.selectors.effects import state_effects
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.work_requests import NoWorkReason, work_request
from annotation.services.planning.pool import hits_plan
from annotation.services.quality import JudgeDecision, quality_action_take
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.database.erasing import campaign_erase
from campaign.models import (
    Campaign,
    CampaignState,
    Protocol,
    Task,
    Transition,
    User,
)
from campaign.models.campaign import TRANSITIONS
from campaign.selectors.activity import state_changes
from campaign.services.campaigns import (
    NameNotTypedError,
    StateRefusedError,
    _erase_without_judgments,
    bin_empty,
    campaign_delete,
    campaign_extend,
    campaign_restore,
    campaign_state_change,
    campaigns_close_due,
)
from campaign.services.instructions import instructions_write
from tests.at_work import assignment_lend, judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.locks import one_before_the_other
from tests.roles import owner_cursor

pytestmark = pytest.mark.django_db
S = CampaignState
LEND_NOTHING = {
    S.DRAFT: NoWorkReason.NOT_BEGUN,
    S.PAUSED: NoWorkReason.CAMPAIGN_PAUSED,
    S.CLOSED: NoWorkReason.CAMPAIGN_CLOSED,
    S.ARCHIVED: NoWorkReason.CAMPAIGN_CLOSED,
    S.BIN: NoWorkReason.CAMPAIGN_CLOSED,
}


def ranks(block: AssignedBlock) -> list[int | None]:
    """Return different ranks for the candidates of a block."""
    return list(range(1, len(block.candidates) + 1))


def bring(campaign: Campaign, state: CampaignState) -> Campaign:
    """Let a campaign be in a state from the beginning, as if it had come there."""
    slug = f"{campaign.slug}-{state}"
    before = S.OPEN if state == S.BIN else None
    return make_campaign(slug, state=state, state_before_bin=before)


def change(campaign: Campaign, *transitions: Transition) -> None:
    for each in transitions:
        campaign_state_change(campaign=campaign, transition=each, by=None)


TO_BE = {
    S.PAUSED: (Transition.PAUSE,),
    S.CLOSED: (Transition.CLOSE,),
    S.ARCHIVED: (Transition.CLOSE, Transition.ARCHIVE),
    S.BIN: (Transition.DELETE,),
}


@pytest.mark.parametrize(("state", "transition"), list(product(S, Transition)), ids=str)
def test_state_transitions_are_done_or_refused(
    state: CampaignState,
    transition: Transition,
) -> None:
    campaign = bring(make_campaign(), state)
    sources, after = TRANSITIONS[transition]
    before = campaign.state_since
    changes = state_changes(campaign=campaign).count()
    by = User.objects.create_user(name="Olga")
    if state in sources:
        assert campaign_state_change(campaign=campaign, transition=transition, by=by)
        assert campaign.state == after
        assert state_changes(campaign=campaign)[0].changes["state"] == [state, after]
        # Within this transaction the clock stands, but for the statement's.
        assert campaign.state_since > before
        assert not campaign_state_change(
            campaign=campaign,
            transition=transition,
            by=by,
        )
    elif state == after:
        assert not campaign_state_change(
            campaign=campaign,
            transition=transition,
            by=by,
        )
    else:
        with pytest.raises(StateRefusedError):
            campaign_state_change(campaign=campaign, transition=transition, by=by)
    assert state_changes(campaign=campaign).count() - changes == int(state in sources)
    assert campaign.state == (after if state in sources else state)


@pytest.mark.parametrize("state", list(LEND_NOTHING), ids=str)
def test_only_an_open_campaign_lends(state: CampaignState) -> None:
    campaign = make_task(bring(make_campaign(), state)).test_set.campaign
    judge = make_judge(campaign)
    assert assignment_lend(judge=judge) is None
    assert work_request(judge=judge).reason == LEND_NOTHING[state]
    # Nor does it ask for instructions that nothing follows.
    instructions_write(
        campaign=campaign,
        language="en",
        text="Rank.",
        demands_acceptance=True,
    )
    assert assignment_lend(judge=judge) is None


@pytest.mark.parametrize("state", [S.PAUSED, S.CLOSED], ids=str)
def test_held_hit_waits_until_campaign_goes_on(
    task: Task,
    state: CampaignState,
) -> None:
    judge = make_judge(task.test_set.campaign)
    held = lend(judge)
    change(task.test_set.campaign, *TO_BE[state])
    assert assignment_lend(judge=judge) is None
    first = assigned_blocks(held)[0]
    judgment_submit(
        assigned=first,
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(first)),
    )
    change(
        task.test_set.campaign,
        Transition.RESUME if state == S.PAUSED else Transition.REOPEN,
    )
    assert lend(judge) == held
    assert Judgment.objects.get().block_id == first.block_id


def test_responses_tell_judges_to_stop(client: Client, task: Task) -> None:
    judge = make_judge(task.test_set.campaign)
    first, second, third = assigned_blocks(lend(judge))
    assert judge.user is not None
    client.force_login(judge.user)

    def submit(block: AssignedBlock) -> Any:
        body = {"block": str(block.public_id), "labels": ranks(block)}
        address = reverse("judging-judgment", args=[uuid4()])
        return client.put(address, body, content_type="application/json").json()[
            "stopped"
        ]

    assert submit(first) is None
    change(task.test_set.campaign, Transition.PAUSE)
    assert submit(second) == "campaign_paused"
    change(task.test_set.campaign, Transition.RESUME)
    Campaign.objects.update(closes_at=Now())
    assert submit(third) == "campaign_closed"
    assert Judgment.objects.count() == 3


def test_stopping_tells_how_many_sentences_are_in_hand(task: Task) -> None:
    judge = make_judge(task.test_set.campaign)
    blocks = assigned_blocks(lend(judge))
    judgment_submit(
        assigned=blocks[0],
        client_id=uuid4(),
        sent=SentJudgment(labels=ranks(blocks[0])),
    )
    effects = state_effects(
        campaign=task.test_set.campaign,
        transition=Transition.PAUSE,
    )
    assert (effects.judges, effects.sentences) == (1, len(blocks) - 1)


def test_preview_of_resuming_counts_no_stopped_judges(task: Task) -> None:
    campaign = task.test_set.campaign
    organiser = make_organiser(campaign)
    change(campaign, Transition.PAUSE)
    before = state_effects(campaign=campaign, transition=Transition.RESUME)
    judge = make_judge(campaign)
    with_judge = state_effects(campaign=campaign, transition=Transition.RESUME)
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    after = state_effects(campaign=campaign, transition=Transition.RESUME)
    assert before.facts == after.facts != with_judge.facts


def test_preview_of_resuming_counts_test_sets_and_not_tasks(task: Task) -> None:
    Task.objects.create(test_set=task.test_set, protocol=Protocol.TWO_OUTPUTS)
    campaign = task.test_set.campaign
    change(campaign, Transition.PAUSE)
    effects = state_effects(campaign=campaign, transition=Transition.RESUME)
    assert "1 test set opens." in effects.facts


@pytest.mark.parametrize("state", [S.ARCHIVED, S.BIN], ids=str)
def test_judgment_in_flight_is_kept_without_an_assignment(
    task: Task,
    state: CampaignState,
) -> None:
    judge = make_judge(task.test_set.campaign)
    held = lend(judge)
    change(task.test_set.campaign, *TO_BE[state])
    assert assignment_lend(judge=judge) is None
    judge_all_of(held)
    assert Judgment.objects.count() == len(held.hit.segment_ids)


def test_campaign_closes_automatically(task: Task) -> None:
    campaign, judge = task.test_set.campaign, make_judge(task.test_set.campaign)
    later = timezone.now() + timedelta(days=1)
    campaign_extend(campaign=campaign, closes_at=later, blocks_wanted={task.pk: 40})
    task.refresh_from_db()
    assert task.blocks_wanted == 40
    assert campaigns_close_due() == 0
    judge_all_of(lend(judge))
    held = lend(judge)
    Campaign.objects.update(closes_at=Now() - timedelta(seconds=1))
    # Before the task comes by, too, and not even the HIT that the judge holds.
    assert held.expires_at > timezone.now()
    assert assignment_lend(judge=judge) is None
    assert work_request(judge=judge).reason == NoWorkReason.CAMPAIGN_CLOSED
    assert (campaigns_close_due(), campaigns_close_due()) == (1, 0)
    with pytest.raises(StateRefusedError, match="in the past"):
        campaign_extend(
            campaign=campaign,
            closes_at=timezone.now() - timedelta(days=1),
            blocks_wanted={},
        )
    change(campaign, Transition.REOPEN)
    assert campaign.closes_at is None
    assert lend(judge) == held


class TestBin:
    def test_one_without_judgments_is_gone_at_once_for_whoever_types_its_name(
        self,
        task: Task,
    ) -> None:
        campaign, other = task.test_set.campaign, make_task(make_campaign("other"))
        lend(make_judge(campaign))
        with pytest.raises(NameNotTypedError):
            campaign_delete(campaign=campaign, typed_name="museum", by=None)
        assert campaign_delete(campaign=campaign, typed_name=campaign.name, by=None)
        assert list(Campaign.objects.all()) == [other.test_set.campaign]
        assert list(Task.objects.all()) == [other]
        connection.check_constraints()

    @pytest.mark.parametrize(
        ("name", "typed"),
        [
            ("News  test", "News test"),
            ("News\u00a0test", "News test"),
            (" News test ", "News test"),
            ("Cafe\u0301", "Caf\u00e9"),
            ("News \u200etest", "News test"),
        ],
    )
    def test_name_is_typed_as_it_is_seen(
        self,
        task: Task,
        name: str,
        typed: str,
    ) -> None:
        """OctopusDeploy/Issues 5788, opf/openproject 8458, supabase/supabase 14057."""
        campaign = task.test_set.campaign
        campaign.name = name
        campaign.save(update_fields=["name"])
        assert campaign_delete(campaign=campaign, typed_name=typed, by=None)

    def test_one_with_judgments_waits_thirty_days_and_can_be_restored(
        self,
        task: Task,
    ) -> None:
        campaign = task.test_set.campaign
        judge_all_of(lend(make_judge(campaign)))
        change(campaign, Transition.PAUSE)
        assert not campaign_delete(campaign=campaign, typed_name=campaign.name, by=None)
        assert bin_empty() == []
        assert campaign_restore(campaign=campaign, by=None)
        assert campaign.state == S.PAUSED
        assert not campaign_restore(campaign=campaign, by=None)
        campaign_delete(campaign=campaign, typed_name=campaign.name, by=None)
        Campaign.objects.update(state_since=Now() - timedelta(days=29, hours=23))
        assert bin_empty() == []
        Campaign.objects.update(state_since=Now() - timedelta(days=30))
        assert bin_empty() == ["museum"]
        assert (Campaign.objects.count(), Judgment.objects.count()) == (0, 0)


def _page(
    client: Client,
    campaign: Campaign,
    transition: Transition,
    **fields: str,
) -> Any:
    address = reverse("campaign-transition", args=[campaign.slug, transition])
    asked = client.get(address).content.decode()
    effects = state_effects(campaign=campaign, transition=transition)
    assert all(fact in asked for fact in effects.facts)
    return client.post(address, fields)


def test_pages_ask_do_and_undo(client: Client, task: Task) -> None:
    campaign = task.test_set.campaign
    client.force_login(make_organiser(campaign))
    lend(make_judge(campaign))
    done = _page(client, campaign, Transition.PAUSE)
    campaign.refresh_from_db()
    assert campaign.state == S.PAUSED
    facts = state_effects(campaign=campaign, transition=Transition.CLOSE).facts
    assert (
        facts[0]
        == "Judges at work: 1. Items in hand: 3. Their submissions are still saved."
    )
    page = client.get(done.url).content.decode()
    undo = reverse("campaign-transition", args=[campaign.slug, "resume"])
    assert f'action="{undo}"' in page
    client.post(undo)
    campaign.refresh_from_db()
    assert campaign.state == S.OPEN
    # From another state than it was when the page was opened.
    change(campaign, Transition.CLOSE)
    assert (
        client.post(
            reverse("campaign-transition", args=["museum", "pause"]),
        ).status_code
        == 409
    )
    assert (
        client.get(reverse("campaign-transition", args=["museum", "fly"])).status_code
        == 404
    )


def test_deleting_and_restoring_on_pages(client: Client, task: Task) -> None:
    campaign = task.test_set.campaign
    client.force_login(make_organiser(campaign))
    judge_all_of(lend(make_judge(campaign)))
    assert _page(client, campaign, Transition.DELETE, name="museum").status_code == 409
    assert client.get(reverse("campaign-bin")).content.decode().count("Restore") == 0
    _page(client, campaign, Transition.DELETE, name="Museum")
    listed = client.get(reverse("campaign-list")).content.decode()
    assert reverse("campaign-detail", args=["museum"]) not in listed
    assert reverse("campaign-bin") in listed
    assert client.get(reverse("campaign-detail", args=["museum"])).status_code == 404
    assert (
        client.get(reverse("test-set-dashboard", args=["museum", task.pk])).status_code
        == 404
    )
    museum = "/api/v1/campaigns/museum/"
    over_rest = [museum, f"{museum}state/", f"/api/v1/tasks/{task.pk}/"]
    assert [client.get(address).status_code for address in over_rest] == [404, 404, 404]
    assert "Museum" in client.get(reverse("campaign-bin")).content.decode()
    stranger = Client()
    stranger.force_login(make_organiser(make_campaign("other"), "other@example.org"))
    assert "Museum" not in stranger.get(reverse("campaign-bin")).content.decode()
    restore = reverse("campaign-restore", args=["museum"])
    assert stranger.post(restore).status_code == 404
    client.post(restore)
    assert client.get(reverse("campaign-detail", args=["museum"])).status_code == 200
    assert [client.get(address).status_code for address in over_rest] == [200, 200, 200]


def test_an_archived_campaign_is_read_and_not_changed(
    client: Client,
    task: Task,
) -> None:
    campaign = task.test_set.campaign
    client.force_login(make_organiser(campaign))
    change(campaign, Transition.CLOSE, Transition.ARCHIVE)
    assert client.get(reverse("campaign-settings", args=["museum"])).status_code == 200
    refused = client.post(reverse("campaign-settings", args=["museum"]), {})
    assert (refused.status_code, b"archived" in refused.content) == (409, True)
    rest = client.patch(
        "/api/v1/campaigns/museum/",
        "{}",
        content_type="application/json",
    )
    assert rest.status_code == 409
    closing = reverse("api-closing", args=[task.pk])
    assert client.put(closing, "{}", content_type="application/json").status_code == 409
    detail = reverse("campaign-detail", args=["museum"])
    assert detail not in client.get(reverse("campaign-list")).content.decode()
    archived = client.get(
        reverse("campaign-list"),
        {"state": "archived"},
    ).content.decode()
    assert detail in archived
    client.post(reverse("campaign-transition", args=["museum", "unarchive"]))
    campaign.refresh_from_db()
    assert campaign.state == S.CLOSED


@pytest.mark.django_db(transaction=True)
def test_two_who_close_at_once_close_once_while_a_judge_submits() -> None:
    task = make_task(make_campaign())
    held = lend(make_judge(task.test_set.campaign))
    block = assigned_blocks(held)[0]

    def close() -> bool:
        try:
            campaign = Campaign.objects.get()
            return campaign_state_change(
                campaign=campaign,
                transition=Transition.CLOSE,
                by=None,
            )
        finally:
            connection.close()

    def submit() -> bool:
        try:
            labels = [1] * len(block.candidates)
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(labels=labels),
            )
            return True
        finally:
            connection.close()

    with ThreadPoolExecutor(5) as threads:
        closing = [threads.submit(close) for _each in range(4)]
        submitted = threads.submit(submit)
        assert sorted(each.result() for each in closing) == [False, False, False, True]
        assert submitted.result()
    assert state_changes(campaign=task.test_set.campaign).count() == 1
    assert Judgment.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_one_that_is_judged_while_it_is_deleted_stays_in_the_bin() -> None:
    """The judgment is committed after the deletion looked for some, and before it deletes."""
    task = make_task(make_campaign())
    judge_all_of(lend(make_judge(task.test_set.campaign)))
    campaign = task.test_set.campaign
    change(campaign, Transition.DELETE)
    with pytest.raises(StateRefusedError, match="to the bin"):
        _erase_without_judgments(campaign)
    with owner_cursor() as cursor:
        cursor.execute("SELECT count(*) FROM annotation_judgment")
        assert cursor.fetchone()[0] == 3


@pytest.mark.django_db(transaction=True)
def test_one_whose_hits_are_planned_while_it_is_deleted_stays_in_the_bin() -> None:
    task = make_task(make_campaign(), planned=1)
    campaign = task.test_set.campaign
    change(campaign, Transition.DELETE)
    with pytest.raises(IntegrityError, match="foreign key"):
        one_before_the_other(
            lambda: hits_plan(task_id=task.pk, count=1),
            lambda: campaign_erase(campaign_id=campaign.pk),
        )
    assert {block.hit.task for block in Block.objects.all()} == {task}
