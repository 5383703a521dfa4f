"""Each kind of alert: when it holds, when it does not, and in which states of a campaign it is raised."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.urls import resolve
from django.utils import timezone

from annotation.models import HIT, Design, JudgeAccount, QualityAction, QualityRule
from annotation.models.judge_measures import JudgeMeasure
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.quality import judge_reinstate
from campaign.models import (
    BadReference,
    Campaign,
    GroupMember,
    Job,
    JobKind,
    Judge,
    JudgeGroup,
    Mail,
    Task,
)
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.jobs import job_queue, job_retry
from desk.selectors.alerts import Alert, AlertKind, alerts_of_campaigns
from ranking.models import JudgeMeasures, RankingUpkeep
from ranking.selectors.quality_rules import (
    pending_effects,
    rules_waiting,
)
from tests.at_work import judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 20, 12, 0, tzinfo=UTC)
WEEK = [4, 6, 5, 3, 7, 5, 5]


def alerts(campaign: Campaign, *, now: datetime | None = None) -> list[Alert]:
    campaign.refresh_from_db()
    return alerts_of_campaigns(campaigns=[campaign], now=now)[campaign.pk]


def kinds(campaign: Campaign, *, now: datetime | None = None) -> list[AlertKind]:
    return [alert.kind for alert in alerts(campaign, now=now)]


def judged_by_day(writer: TestSetWriter, days: Sequence[int]) -> None:
    """Let Ada judge so many blocks on each of these days; the last is the day before NOON."""
    segment = 0
    with writer.at_once():
        for back, blocks in enumerate(reversed(days), start=1):
            for _block in range(blocks):
                segment += 1
                at = NOON - timedelta(days=back, minutes=segment % 5)
                writer.judgment("ada", writer.block(segment, ["A", "B"]), [1, 2], at=at)


def wants(writer: TestSetWriter, blocks: int) -> None:
    writer.task.blocks_wanted = blocks
    writer.task.save()


def stall(writer: TestSetWriter) -> None:
    at = timezone.now() - timedelta(days=4)
    writer.judgment("ada", writer.block(1, ["A", "B"]), [1, 2], at=at)


def disagree(writer: TestSetWriter) -> None:
    JudgeMeasures.objects.create(
        task=writer.task,
        judge=writer.judge("ada"),
        measures={
            JudgeMeasure.DISAGREES: {
                "value": 0.001,
                "low": None,
                "high": None,
                "evidence": 9,
            },
        },
    )


def mail_fail(campaign: Campaign, **fields: object) -> Mail:
    number = Mail.objects.count()
    return Mail.objects.create(
        kind="judge",
        campaign=campaign,
        judge=make_judge(campaign, f"mailed{number}"),
        address=f"j{number}@example.org",
        language="en",
        state="failed",
        **fields,
    )


def job_fail(campaign: Campaign, *, days: float = 0, name: str = "news.zip") -> Job:
    job = job_queue(campaign=campaign, kind=JobKind.TEXTS_IMPORT, name=name)
    at = timezone.now() - timedelta(days=days)
    Job.objects.filter(pk=job.pk).update(
        state="failed",
        error="Line 3 is empty.\nTraceback",
        created_at=at,
        finished_at=at,
    )
    job.refresh_from_db()
    return job


def rule_wait(writer: TestSetWriter) -> QualityRule:
    """Let a rule that would exclude the only judge measured wait for a word."""
    writer.judgment("ada", writer.block(77, ["A", "B"]), [1, 2])
    RankingUpkeep.objects.create(
        task=writer.task,
        measured_watermark=1,
        measured_at=timezone.now(),
    )
    JudgeMeasures.objects.create(
        task=writer.task,
        judge=writer.judge("ada"),
        measures={
            JudgeMeasure.SECONDS: {"value": 1, "low": 1, "high": 1, "evidence": 90},
        },
    )
    return QualityRule.objects.create(
        campaign=writer.campaign,
        measure=JudgeMeasure.SECONDS,
        direction="below",
        threshold=2,
        minimum=10,
        action="exclude",
    )


def test_nothing_is_wrong_with_a_campaign_at_work(writer: TestSetWriter) -> None:
    writer.judgment("ada", writer.block(1, ["A", "B"]), [1, 2])
    assert alerts(writer.campaign) == []


def test_invitations_that_could_not_be_sent(writer: TestSetWriter) -> None:
    campaign = writer.campaign
    mail_fail(campaign, withdrawn_at=timezone.now())
    gone = mail_fail(campaign)
    Judge.objects.filter(mails=gone).update(withdrawn_at=timezone.now())
    assert alerts(campaign) == []
    mail_fail(campaign)
    (alert,) = alerts(campaign)
    assert alert.kind == AlertKind.MAILS_FAILED
    assert alert.what == "1 invitation could not be sent."
    assert alert.address == "/campaigns/museum/invitations/"
    Mail.objects.update(state="unconfirmed")
    assert alerts(campaign) == []


def test_long_work_that_failed_this_week(campaign: Campaign) -> None:
    job_fail(campaign, days=7.1, name="old.zip")
    job = job_queue(campaign=campaign, kind=JobKind.TEXTS_IMPORT, name="waits.zip")
    assert alerts(campaign) == []
    job = job_fail(campaign, days=6.9)
    (alert,) = alerts(campaign)
    assert alert.what == "Test set import failed: news.zip."
    assert (alert.why, alert.address) == ("Line 3 is empty.", "/campaigns/museum/work/")
    job_retry(job=job)
    assert alerts(campaign) == []


def test_rules_that_wait_are_those_that_are_held(writer: TestSetWriter) -> None:
    other = make_campaign("other")
    rule = rule_wait(writer)
    assert len(pending_effects(campaign=writer.campaign)) == 1
    assert rules_waiting(campaigns=[writer.campaign, other]) == {writer.campaign.pk: 1}
    assert kinds(writer.campaign) == [AlertKind.RULES_WAIT]
    QualityRule.objects.filter(pk=rule.pk).update(switched_off_at=timezone.now())
    assert pending_effects(campaign=writer.campaign) == []
    assert rules_waiting(campaigns=[writer.campaign, other]) == {}


@pytest.mark.thorough
def test_too_few_damaged_references(campaign: Campaign) -> None:
    task = make_task(campaign)
    make_judge(campaign)
    bad_references_make(test_set=task.test_set, seed=5)
    assert kinds(campaign) == []
    # Three of seven segments.
    Design.objects.create(task=task, bad_reference_rate=0.5)
    (alert,) = alerts(campaign)
    assert alert.kind == AlertKind.CONTROLS_SHORT
    assert alert.why == "Its design needs 3 in 7 segments; 0 are approved."
    assert alert.address == f"/campaigns/museum/tasks/{task.pk}/bad-references/"
    for row in BadReference.objects.of(task.test_set_id).in_order()[:3]:
        assert kinds(campaign) == [AlertKind.CONTROLS_SHORT]
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    assert kinds(campaign) == []
    Design.objects.create(task=task, bad_reference_rate=1.0)
    assert kinds(campaign) == [AlertKind.CONTROLS_SHORT]
    Design.objects.create(task=task)
    assert kinds(campaign) == []


def test_alert_names_judges_without_work(writer: TestSetWriter) -> None:
    account = JudgeAccount.objects.create(judge=writer.judge("ada"), task=writer.task)
    for days, expected in [(6.9, [AlertKind.WORK_GONE]), (7.1, [])]:
        JudgeAccount.objects.update(none_left_at=timezone.now() - timedelta(days=days))
        assert kinds(writer.campaign) == expected
    account.none_left_at, account.blocks_closed = timezone.now(), 3
    account.save()
    (alert,) = alerts(writer.campaign)
    assert alert.what == "1 judge in one has nothing left to judge."
    # They did what was asked of them.
    Campaign.objects.update(blocks_per_judge=3)
    assert alerts(writer.campaign) == []
    Campaign.objects.update(blocks_per_judge=4)
    assert kinds(writer.campaign) == [AlertKind.WORK_GONE]
    Judge.objects.update(withdrawn_at=timezone.now())
    assert alerts(writer.campaign) == []


def test_judge_who_waits_for_another_has_something_left() -> None:
    """Reproduce three open judges of 60 blocks, of whom the third was reported as having nothing left."""
    task = make_task(make_campaign(), documents=(3, 3), planned=0)
    design_change(task=task, segment_order="sequential")
    hits_plan(task_id=task.pk, count=1)
    campaign = task.test_set.campaign
    lend(make_judge(campaign, "anna"))
    JudgeAccount.objects.create(
        judge=make_judge(campaign, "cara"),
        task=task,
        none_left_at=timezone.now(),
    )
    assert AlertKind.WORK_GONE not in kinds(campaign)
    # Cara has seen its segments: now others are needed.
    HIT.objects.update(available_at=timezone.now())
    assert AlertKind.WORK_GONE in kinds(campaign)


def test_judges_who_hold_unfinished_work_have_not_run_out() -> None:
    """Planning ahead for a judge who holds a HIT may find nothing more."""
    task = make_task(make_campaign(), documents=(3,), planned=0)
    hits_plan(task_id=task.pk, count=1)
    judge = make_judge(task.test_set.campaign, "clara")
    held = lend(judge)
    accounts = JudgeAccount.objects.filter(judge=judge, task=task)
    accounts.update(none_left_at=timezone.now())
    assert AlertKind.WORK_GONE not in kinds(task.test_set.campaign)
    judge_all_of(held)
    accounts.update(none_left_at=timezone.now())
    assert AlertKind.WORK_GONE in kinds(task.test_set.campaign)


def test_judges_who_did_what_their_group_asks_have_not_run_out(
    writer: TestSetWriter,
) -> None:
    judge = writer.judge("ada")
    JudgeAccount.objects.create(
        judge=judge,
        task=writer.task,
        none_left_at=timezone.now(),
        blocks_closed=3,
    )
    assert kinds(writer.campaign) == [AlertKind.WORK_GONE]
    group = JudgeGroup.objects.create(
        campaign=writer.campaign,
        name="students",
        blocks_asked=3,
    )
    GroupMember.objects.create(group=group, judge=judge)
    assert kinds(writer.campaign) == []


def test_judges_who_can_never_get_a_sentence_are_named() -> None:
    task = make_task(make_campaign(), target_language="de-DE")
    campaign = task.test_set.campaign
    make_judge(campaign, "anna", languages=["en", "de"])
    make_judge(campaign, "berta", languages=["en", "de-AT"])
    (alert,) = [each for each in alerts(campaign) if each.kind == AlertKind.NEVER_LENT]
    assert "berta" in alert.what
    assert "anna" not in alert.what
    Task.objects.update(closed_at=timezone.now())
    assert AlertKind.NEVER_LENT not in kinds(campaign)


def test_alert_names_judges_of_quality_actions(writer: TestSetWriter) -> None:
    rule = QualityRule.objects.create(
        campaign=writer.campaign,
        measure=JudgeMeasure.PACE,
        direction="above",
        threshold=15,
        minimum=1,
        action="warn",
    )
    ada = writer.judge("ada")
    QualityAction.objects.create(judge=ada, task=writer.task, rule=rule, action="warn")
    assert kinds(writer.campaign) == [AlertKind.JUDGES_WARNED]
    judge_reinstate(judge=ada, user=make_organiser(writer.campaign))
    assert kinds(writer.campaign) == []


def test_an_end_after_the_day_on_which_the_campaign_closes(
    writer: TestSetWriter,
) -> None:
    campaign = writer.campaign
    judged_by_day(writer, WEEK)
    wants(writer, 85)  # 50 are left, at five a day: ten days from midnight
    end = NOON.replace(hour=0) + timedelta(days=10)
    assert kinds(campaign, now=NOON) == []
    Campaign.objects.update(closes_at=end + timedelta(seconds=1))
    assert kinds(campaign, now=NOON) == []
    Campaign.objects.update(closes_at=end - timedelta(seconds=1))
    (alert,) = alerts(campaign, now=NOON)
    assert alert.kind == AlertKind.ENDS_LATE
    assert alert.why == (
        "Forecast end: March 30, 2026. The campaign closes on March 29, 2026."
    )
    assert alert.address == "/campaigns/museum/state/"


def test_a_forecast_that_slipped(writer: TestSetWriter) -> None:
    judged_by_day(writer, [7] * 7 + [3, 2] * 3 + [3])
    wants(writer, 150)
    # A week ago 101 were left at seven a day: by now half a day more than a week; at 18 in a week it takes far longer.
    (alert,) = alerts(writer.campaign, now=NOON)
    assert alert.kind == AlertKind.FORECAST_SLIPPED
    assert alert.what == "The forecast end of one is 24 days later than a week ago."
    # Nobody knows without two whole weeks of work.
    assert kinds(writer.campaign, now=NOON - timedelta(days=1)) == []


def test_only_what_makes_sense_in_the_state_of_the_campaign(
    writer: TestSetWriter,
) -> None:
    campaign = writer.campaign
    stall(writer)
    disagree(writer)
    mail_fail(campaign)
    job_fail(campaign)
    found = {}
    for state in ["open", "paused", "closed", "archived"]:
        Campaign.objects.update(state=state) if state != "open" else None
        found[state] = kinds(campaign)
    mails, job, low = (
        AlertKind.MAILS_FAILED,
        AlertKind.JOB_FAILED,
        AlertKind.LOW_AGREEMENT,
    )
    assert found == {
        "open": [mails, job, AlertKind.STALLED, low],
        "paused": [mails, job, low],
        "closed": [job, low],
        "archived": [],
    }
    draft = make_campaign("draft", state="draft")
    TestSetWriter(draft, "two", ("A", "B"))
    job_fail(draft)
    assert kinds(draft) == [AlertKind.NO_JUDGES, job]


@pytest.mark.thorough
def test_alerts_link_to_working_pages(page: Client, writer: TestSetWriter) -> None:
    stall(writer)
    disagree(writer)
    mail_fail(writer.campaign)
    job_fail(writer.campaign)
    found = alerts(writer.campaign)
    assert len(found) == 4
    for alert in found:
        assert resolve(alert.address.partition("?")[0])
        assert page.get(alert.address).status_code == 200
        assert alert.button
    overview = page.get("/campaigns/museum/").content.decode()
    answer = page.get("/api/v1/campaigns/museum/alerts/").json()["results"]
    for alert, row in zip(found, answer, strict=True):
        assert alert.what in overview
        assert row == {
            "kind": alert.kind,
            "task": alert.task_id,
            "what": alert.what,
            "why": alert.why,
            "to_do": alert.button,
            "address": f"http://testserver{alert.address}",
        }
    assert "4 items need your attention" in page.get("/campaigns/").content.decode()
