"""Rankings that are shown, and those of them that are kept for good."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from django.db import OperationalError, connection
from django.test import Client
from django.urls import reverse
from psycopg2.extensions import cursor

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Judge, User
from ranking.models import KeptFor, LatestRanking, RankingRun
from ranking.selectors.runs import judges_not_counted, latest_run
from ranking.services.kept_rankings import latest_ranking_keep, rankings_of_days_keep
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from ranking.tasks import keep_rankings_of_days
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter, settings_change

pytestmark = pytest.mark.django_db


def rank(writer: TestSetWriter) -> RankingRun:
    run = ranking_run_compute(task_id=writer.task.pk)
    assert run is not None
    return run


def judge_on(writer: TestSetWriter, *, times: int = 1) -> None:
    """Judge blocks of other segments, among them what a judge ranks otherwise than before."""
    with writer.at_once():
        for segment in range(100, 100 + times):
            writer.judgment("j0", writer.block(segment, ["B", "C"]), [2, 1])


def reasons() -> list[str]:
    return list(RankingRun.objects.order_by("pk").values_list("kept_for", flat=True))


def is_kept(run: RankingRun) -> bool:
    return RankingRun.objects.filter(pk=run.pk).exists()


def finished(writer: TestSetWriter, at: datetime) -> None:
    LatestRanking.objects.filter(pk=writer.task.pk).update(finished_at=at)


def today() -> datetime:
    return datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)


@pytest.mark.thorough
def test_an_organiser_keeps_the_present_ranking_by_page(
    as_organiser: Client,
    varied: TestSetWriter,
) -> None:
    names = [varied.campaign.slug, varied.task.pk]
    dashboard, keep = (
        reverse("test-set-dashboard", args=names),
        reverse("ranking-keep", args=names),
    )
    none_yet = as_organiser.post(keep, follow=True)
    assert "This test set has no ranking yet." in text_of(none_yet)
    first = rank(varied)
    assert f"Saved as ranking {first.pk}." in text_of(as_organiser.get(dashboard))
    judge_on(varied)
    shown = rank(varied)
    assert "Not saved: the next ranking replaces it." in text_of(
        as_organiser.get(dashboard),
    )
    judge_on(varied, times=2)

    answer = as_organiser.post(keep, follow=True)

    kept = RankingRun.objects.get(kept_for=KeptFor.ASKED)
    assert (kept.watermark, kept.result) == (shown.watermark, shown.result)
    assert f"Saved as ranking {kept.pk} (judgments up to {kept.watermark})." in text_of(
        answer,
    )
    assert f"Saved as ranking {kept.pk}." in text_of(answer)
    assert reasons() == ["first", "asked"]


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_keeping_waits_for_a_worker_that_is_ranking(
    varied: TestSetWriter,
    other_session: cursor,
) -> None:
    rank(varied)
    held = f"ranking run of test set {varied.task.pk}"
    other_session.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [held])
    with connection.cursor() as own:
        own.execute("SET lock_timeout = '50ms'")
    with pytest.raises(OperationalError, match="lock timeout"):
        latest_ranking_keep(task_id=varied.task.pk)
    with connection.cursor() as own:
        own.execute("RESET lock_timeout")


def test_other_rankings_are_shown_but_not_kept(varied: TestSetWriter) -> None:
    first = rank(varied)
    judge_on(varied)
    second = rank(varied)

    assert (first.watermark, second.watermark) == (72, 73)
    assert is_kept(first)
    assert not is_kept(second)
    assert reasons() == [KeptFor.FIRST]
    shown = latest_run(task_id=varied.task.pk)
    assert shown is not None
    assert not is_kept(shown)
    assert (shown.watermark, shown.result) == (73, second.result)
    assert shown.finished_at == second.finished_at > second.started_at
    assert ranking_run_compute(task_id=varied.task.pk) is None


def test_two_per_cent_more_judgments_are_kept(varied: TestSetWriter) -> None:
    rank(varied)
    judge_on(varied, times=2)
    grown = rank(varied)

    assert reasons() == [KeptFor.FIRST, KeptFor.GROWTH]
    kept = RankingRun.objects.get(pk=grown.pk)
    assert kept.comparisons == grown.result["input"]["comparisons"]
    assert kept.standings == [
        {
            name: row[name]
            for name in (
                *("system", "rank", "rank_low", "rank_high", "cluster", "score"),
                *("last_rank", "group"),
            )
        }
        for row in grown.result["systems"]
    ]
    latest = LatestRanking.objects.get()
    assert (latest.is_kept, latest.last_kept) == (True, kept)


@pytest.mark.thorough
def test_other_settings_and_other_judges_are_kept(
    varied: TestSetWriter,
    organiser: User,
) -> None:
    rank(varied)
    settings_change(varied, resample="blocks")
    rank(varied)
    quality_action_take(
        judge=Judge.objects.get(pseudonym="j5"),
        task=varied.task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    without = rank(varied)

    assert reasons() == [KeptFor.FIRST, KeptFor.PARAMETERS, KeptFor.PARAMETERS]
    assert judges_not_counted(LatestRanking.objects.get().parameters) == ["j5"]
    assert without.result["input"]["judges"] == 5


def test_a_ranking_that_was_shown_and_not_kept_is_computed_again_bit_for_bit(
    varied: TestSetWriter,
    organiser: User,
) -> None:
    rank(varied)
    judge_on(varied)
    shown = rank(varied)
    said = json.loads(json.dumps(shown.result))
    # Later judgments, a revision, another set of judges and other settings.
    first = varied.task.judgments.get(numbered__number=1)
    varied.judgment("j0", first.block, [3, 2, 1], supersedes=first)
    judge_on(varied, times=5)
    quality_action_take(
        judge=first.judge,
        task=varied.task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    settings_change(varied, resample="blocks")
    assert rank(varied).result["systems"] != said["systems"]

    again = RankingRun(
        task=varied.task,
        method=shown.method,
        parameters=shown.parameters,
        seed=shown.seed,
        watermark=shown.watermark,
        result=said,
    )

    assert ranking_run_reproduce(again) == said
    assert not RankingRun.objects.filter(watermark=shown.watermark).exists()


def test_the_last_ranking_of_a_day_is_kept_before_that_of_another_day_replaces_it(
    varied: TestSetWriter,
) -> None:
    rank(varied)
    judge_on(varied)
    yesterday = rank(varied)
    finished(varied, today() - timedelta(minutes=1))
    judge_on(varied)
    rank(varied)

    assert reasons() == [KeptFor.FIRST, KeptFor.DAY]
    kept = RankingRun.objects.latest()
    assert (kept.watermark, kept.result) == (yesterday.watermark, yesterday.result)
    assert kept.finished_at == today() - timedelta(minutes=1)
    latest = LatestRanking.objects.get()
    assert (latest.watermark, latest.is_kept, latest.last_kept) == (74, False, kept)


def test_last_ranking_of_an_idle_task_is_kept_the_next_day(
    varied: TestSetWriter,
) -> None:
    rank(varied)
    judge_on(varied)
    rank(varied)
    assert rankings_of_days_keep() == 0
    finished(varied, today() - timedelta(minutes=1))

    keep_rankings_of_days()
    keep_rankings_of_days()

    assert reasons() == [KeptFor.FIRST, KeptFor.DAY]
    shown = latest_run(task_id=varied.task.pk)
    assert shown == RankingRun.objects.latest()
    assert ranking_run_compute(task_id=varied.task.pk) is None


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_day_is_not_kept_while_a_worker_ranks(
    varied: TestSetWriter,
    other_session: cursor,
) -> None:
    rank(varied)
    judge_on(varied)
    rank(varied)
    finished(varied, today() - timedelta(minutes=1))
    other_session.execute("BEGIN")
    other_session.execute(
        "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))",
        [f"ranking run of test set {varied.task.pk}"],
    )
    assert rankings_of_days_keep() == 0
    other_session.execute("ROLLBACK")
    assert rankings_of_days_keep() == 1
