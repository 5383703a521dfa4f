"""A dashboard that was answered 304 would have been the same: whatever changes it changes its version.

Every table that the dashboard reads stands in a table here, with what is done to it and tried, or with the reason why
nothing is. A page that reads another table fails the last test until that table has its line.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Judgment, ProblemReport, QualityRule, RuleDirection
from annotation.models.judge_measures import JudgeMeasure
from annotation.services.numbers import pages_changed
from annotation.services.quality import (
    JudgeDecision,
    RuleTerms,
    judge_reinstate,
    quality_action_take,
    quality_rule_add,
    quality_rule_switch_off,
)
from annotation.services.systems import system_withdraw
from campaign.models import Judge, User
from ranking.models import LatestRanking
from ranking.selectors.dashboards import dashboard_state
from ranking.services.kept_rankings import rankings_of_days_keep
from ranking.services.quality import quality_evaluate
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.pages import addresses
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

Change = Callable[[TestSetWriter, User], object]


def judge_of(writer: TestSetWriter) -> Judge:
    return Judge.objects.get(campaign=writer.campaign, pseudonym="j1")


def revision(writer: TestSetWriter, _user: User) -> None:
    first = writer.task.judgments.earliest("pk")
    writer.judgment("j1", first.block, [3, 2, 1], supersedes=first)


def report(writer: TestSetWriter, _user: User) -> None:
    first = Judgment.objects.earliest("pk")
    ProblemReport.objects.create(
        client_id=uuid4(),
        judge=first.judge,
        block=first.block,
        task=writer.task,
        kind="source",
    )
    pages_changed([writer.task.pk], problem_reports=1)


def skip_taken_back(writer: TestSetWriter, _user: User) -> None:
    writer.judgment("j2", writer.task.skips.get().block, [1, 2])


def measured(writer: TestSetWriter, _user: User) -> None:
    run = LatestRanking.objects.get(pk=writer.task.pk).as_run()
    assert quality_evaluate(run=run)


def rule(writer: TestSetWriter, user: User) -> None:
    terms = RuleTerms(
        task=None,
        measure=JudgeMeasure.TIES,
        direction=RuleDirection.ABOVE,
        threshold=0.9,
        minimum=5,
        action="warn",
    )
    quality_rule_add(campaign=writer.campaign, terms=terms, user=user)


def rule_off(_writer: TestSetWriter, user: User) -> None:
    quality_rule_switch_off(rule=QualityRule.objects.get(), user=user)


def action(writer: TestSetWriter, user: User) -> None:
    quality_action_take(
        judge=judge_of(writer),
        task=writer.task,
        decision=JudgeDecision(action="warn", user=user),
    )


def reversal(writer: TestSetWriter, user: User) -> None:
    assert judge_reinstate(judge=judge_of(writer), user=user) == 1


def kept(writer: TestSetWriter, _user: User) -> None:
    yesterday = timezone.now() - timedelta(days=1)
    LatestRanking.objects.filter(pk=writer.task.pk).update(
        finished_at=yesterday,
        is_kept=False,
    )
    assert rankings_of_days_keep() == 1


def closed(writer: TestSetWriter, _user: User) -> None:
    writer.task.closed_at = timezone.now()
    writer.task.save()


def renamed(writer: TestSetWriter, _user: User) -> None:
    writer.campaign.name = "Another name"
    writer.campaign.save()


# In this order, one after the other.
CHANGES: dict[str, Change] = {
    "judgment": lambda w, _: w.judgment("j1", w.block(9, ["A", "B"]), [1, 2]),
    "revision": revision,
    "skip": lambda w, _: w.skip("j2", w.block(10, ["A", "B"])),
    "skip taken back": skip_taken_back,
    "report": report,
    "ranking": lambda w, _: ranking_run_compute(task_id=w.task.pk),
    "measured": measured,
    "rule": rule,
    "rule off": rule_off,
    "action": action,
    "reversal": reversal,
    "kept": kept,
    "withdrawn": lambda w, _: system_withdraw(
        system=w.task.test_set.systems.earliest("pk"),
    ),
    "closed": closed,
    "renamed": renamed,
}


@pytest.fixture(autouse=True)
def still_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The minute does not turn in the middle of the test."""
    now = timezone.now().replace(second=30)
    monkeypatch.setattr("ranking.selectors.dashboards.timezone.now", lambda: now)


def answered(client: Client, live: str, seen: str) -> tuple[int, str]:
    response = client.get(live, headers={"If-None-Match": seen})
    return response.status_code, response["ETag"]


@pytest.mark.thorough
def test_whatever_changes_the_page_is_no_304(
    as_organiser: Client,
    organiser: User,
    judged: TestSetWriter,
) -> None:
    live = addresses(judged)["live"]
    status, seen = answered(as_organiser, live, "")
    versions = {seen}
    for name, change in CHANGES.items():
        assert answered(as_organiser, live, seen) == (304, seen), name
        change(judged, organiser)
        status, seen = answered(as_organiser, live, seen)
        assert (name, status, seen in versions) == (name, 200, False)
        versions.add(seen)


def test_the_same_page_in_another_language_is_another_version(
    as_organiser: Client,
    judged: TestSetWriter,
) -> None:
    live = addresses(judged)["live"]
    _status, seen = answered(as_organiser, live, "")
    german: Any = {"If-None-Match": seen, "Accept-Language": "de"}
    assert as_organiser.get(live, headers=german).status_code == 200


def test_time_dependent_parts_are_as_of_the_minute(
    organiser: User,
    judged: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ages, who is at work, and so whom HITs were lent to."""
    now = timezone.now().replace(second=30)
    versions = []
    for seconds in (0, 20, 40):
        later = now + timedelta(seconds=seconds)
        monkeypatch.setattr(
            "ranking.selectors.dashboards.timezone.now",
            lambda at=later: at,
        )
        state = dashboard_state(user=organiser, slug="museum", task_id=judged.task.pk)
        assert state is not None
        versions.append(state.version)

    assert versions[0] == versions[1] != versions[2]
