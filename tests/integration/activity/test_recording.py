"""What people set and change is in the activity log, by whatever means they do it."""

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from celery.signals import task_postrun, task_prerun
from django.db import connection, transaction
from django.db.models.functions import Now

from annotation.models import Design
from annotation.selectors.judging import assigned_blocks
from annotation.services.quality import JudgeDecision, quality_action_take
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.tasks import plan_task
from campaign.database.acting import acting, command_acts
from campaign.models import (
    ActivityEvent,
    BadReference,
    Campaign,
    Invitation,
    Judge,
    Panel,
    PanelKind,
    System,
)
from campaign.services.bad_references import bad_references_make
from campaign.services.campaigns import campaign_change
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db


def since(event: ActivityEvent | None) -> list[ActivityEvent]:
    """Return the events after this one, the oldest first."""
    return list(
        ActivityEvent.objects.filter(pk__gt=event.pk if event else 0).order_by("pk"),
    )


def last() -> ActivityEvent:
    return ActivityEvent.objects.latest("pk")


def changes_of(event: ActivityEvent) -> tuple[str, str, dict[str, Any]]:
    return event.kind, event.operation, event.changes


def test_a_change_has_the_values_before_and_after(campaign: Campaign) -> None:
    campaign_change(campaign=campaign, lease_minutes=90, pay="€ 20")
    event = last()
    assert changes_of(event) == (
        "campaign.campaign",
        "changed",
        {"lease_minutes": [60, 90], "pay": ["", "€ 20"]},
    )
    assert (event.campaign_id, event.object_id) == (campaign.pk, campaign.pk)
    assert event.object_name == "Museum"


# What organisers say of a system; its contact is hidden.
WORDS = ("approach", "condition", "team")


def test_creation_and_deletion_are_recorded(campaign: Campaign) -> None:
    task = make_task(campaign, planned=0)
    system = System.objects.create(test_set=task.test_set, name="gneiss")
    made = last()
    assert changes_of(made) == (
        "campaign.system",
        "created",
        {
            "name": [None, "gneiss"],
            "kind": [None, "system"],
            **{key: [None, ""] for key in WORDS},
        },
    )
    assert made.test_set_id == task.test_set_id
    system.delete()
    assert changes_of(last()) == (
        "campaign.system",
        "deleted",
        {
            "name": ["gneiss", None],
            "kind": ["system", None],
            **{key: ["", None] for key in WORDS},
        },
    )


def test_rows_changed_alike_by_one_statement_are_one_event(campaign: Campaign) -> None:
    task = make_task(campaign, planned=0)
    bad_references_make(test_set=task.test_set, seed=1)
    made = ActivityEvent.objects.get(kind="campaign.badreference")
    count = BadReference.objects.count()
    assert count > 3
    assert (made.operation, made.count, made.object_id) == ("created", count, None)
    assert made.test_set_id == task.test_set_id
    BadReference.objects.update(status="approved", reviewed_at=Now(), approved_at=Now())
    changed = last()
    assert changed.changes == {"status": ["pending", "approved"]}
    assert (changed.operation, changed.count) == ("changed", count)


def test_activity_records_changes_of_secrets_without_values(campaign: Campaign) -> None:
    panel = Panel.objects.create(
        campaign=campaign,
        kind=PanelKind.PROLIFIC,
        name="first",
        blocks_asked=9,
        minutes_allowed=60,
        completion_code="C0DE-OF-THE-DONE",
        screened_out_code="C0DE-OF-THE-OTHERS",
    )
    made = last()
    assert made.changes["completion_code"] == [False, True]
    assert "webhook_secret" not in made.changes
    panel.webhook_secret = "kept-to-ourselves"
    panel.save()
    assert last().changes == {"webhook_secret": [False, True]}
    panel.webhook_secret = "another-one"
    panel.save()
    assert last().changes == {"webhook_secret": [True, True]}
    Invitation.objects.create(
        campaign=campaign,
        role="judge",
        token_hash=b"hash-of-the-token-of-32-bytes-xx",
        cap=3,
        expires_at=Now() + timedelta(days=1),
    )
    written = str(list(ActivityEvent.objects.values()))
    for secret in (
        "C0DE-OF",
        "kept-to-ourselves",
        "another-one",
        panel.key,
        panel.events_key,
        "hash-of-the-token",
        b"hash-of-the-token-of-32-bytes-xx".hex(),
    ):
        assert secret not in written


def test_a_judges_exclusion_is_recorded_under_their_pseudonym(
    campaign: Campaign,
) -> None:
    task, judge = make_task(campaign, planned=0), make_judge(campaign)
    organiser = make_organiser(campaign)
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="exclude", note="clicks", user=organiser),
    )
    event = last()
    assert (event.kind, event.object_name) == ("annotation.qualityaction", "judge01")
    assert event.changes["action"] == [None, "exclude"]


def test_judging_records_nothing(campaign: Campaign) -> None:
    make_task(campaign)
    judge = make_judge(campaign)
    before = last()
    for number, assigned in enumerate(assigned_blocks(lend(judge))):
        judgment_submit(
            assigned=assigned,
            client_id=UUID(int=number),
            sent=SentJudgment(labels=[1] * len(assigned.candidates)),
        )
    assert since(before) == []


def test_a_command_is_named_with_who_ran_it(
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("campaign.database.acting._of_process", [])
    monkeypatch.setenv("LOGNAME", "ivo")
    command_acts("change_judge")
    judge = make_judge(campaign)
    judge.note = "100 % sure, isn't it"
    judge.save()
    event = last()
    assert (event.origin, event.through, event.operator) == (
        "command",
        "change_judge",
        "ivo",
    )
    assert event.changes == {"note": ["", "100 % sure, isn't it"]}


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_worker_names_each_task_that_it_begins(campaign: Campaign) -> None:
    judge = make_judge(campaign)
    sent = task_prerun.send(
        sender=plan_task,
        task_id="1",
        task=plan_task,
        args=(),
        kwargs={},
    )
    assert [answer for _receiver, answer in sent if isinstance(answer, Exception)] == []
    Judge.objects.filter(pk=judge.pk).update(note="by the task")
    assert (last().origin, last().through) == ("task", "plan_task")
    task_postrun.send(sender=plan_task, task_id="1", task=plan_task)


def test_actor_of_a_connection_ends_with_its_statement(campaign: Campaign) -> None:
    """Told for the transaction alone: the next user of the connection is somebody else."""
    judge = make_judge(campaign)
    with acting(lambda: {"origin": "api", "user": 7}), transaction.atomic():
        Judge.objects.filter(pk=judge.pk).update(note="mine")
        assert (last().origin, last().user_id) == ("api", 7)


def test_outside_of_requests_and_commands_the_role_of_the_database_acts(
    campaign: Campaign,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("campaign.database.acting._of_process", [])
    judge = make_judge(campaign)
    Judge.objects.filter(pk=judge.pk).update(note="by a script")
    role = connection.settings_dict["USER"]
    assert (last().origin, last().operator, last().user_id) == ("database", role, None)


def test_cascaded_deletions_are_recorded(campaign: Campaign) -> None:
    judge, group = (
        make_judge(campaign),
        judge_group_create(campaign=campaign, name="experts"),
    )
    judge_group_members_change(group=group, add=[judge])
    before = last()
    judge.delete()
    assert [(event.kind, event.operation) for event in since(before)] == [
        ("campaign.groupmember", "deleted"),
        ("campaign.judge", "deleted"),
    ]


def test_a_change_that_is_rolled_back_leaves_no_event(campaign: Campaign) -> None:
    judge = make_judge(campaign)
    before = last()
    with transaction.atomic():
        Judge.objects.filter(pk=judge.pk).update(note="slow")
        judge.delete()
        assert len(since(before)) == 2
        transaction.set_rollback(True)
    assert since(before) == []


def test_a_setting_that_replaces_another_is_a_change(campaign: Campaign) -> None:
    task = make_task(campaign, planned=0)
    design = Design.objects.latest("pk")
    before = last()
    Design.objects.bulk_create(
        [_copied(design, systems_per_block=design.systems_per_block - 1)],
    )
    [event] = since(before)
    assert (event.kind, event.operation) == ("annotation.design", "changed")
    assert set(event.changes) == {"systems_per_block"}
    assert event.test_set_id == task.test_set_id


def _copied(design: Design, **fields: Any) -> Design:
    values = {
        each.attname: getattr(design, each.attname)
        for each in design._meta.concrete_fields
    }
    return Design(**{**values, "id": None, **fields})


@pytest.mark.django_db(transaction=True)
def test_a_deleted_campaign_takes_its_log_with_it(campaign: Campaign) -> None:
    """The application's role may delete campaigns nobody judged, and no event."""
    make_organiser(campaign)
    make_judge(campaign)
    other = make_campaign("other")
    campaign.delete()
    assert set(ActivityEvent.objects.values_list("campaign", flat=True)) == {other.pk}
