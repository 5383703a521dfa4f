"""Rankings, how their ranges are made, and what was measured of the judges."""

from datetime import timedelta
from functools import partial
from typing import Any
from uuid import uuid4

from django.utils import timezone

from campaign.models import Task
from ranking.models import (
    Analysis,
    BundlePart,
    CampaignTable,
    JudgeMeasures,
    LatestRanking,
    PublishedResult,
    QualityReport,
    RankingRun,
    RankingSettings,
    ResultBundle,
    ShardJob,
    ShardResult,
    StoppingRule,
    StoredTallies,
    TalliesBuild,
    ZenodoDraft,
)
from tests.factories import make_judge
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import make_person, small_task


def settings() -> Create:
    return partial(RankingSettings.objects.create, task=small_task())


def rule() -> Create:
    return partial(StoppingRule.objects.create, task=small_task(), after_judgments=0)


def said() -> dict[str, Any]:
    return {
        "method": "expected_wins",
        "parameters": {},
        "seed": 1,
        "watermark": 0,
        "code_version": "0",
        "result": {},
        "started_at": timezone.now(),
    }


def run() -> Create:
    return partial(RankingRun.objects.create, task=small_task(), **said())


def analysis() -> Create:
    """Create a second question; the first has the digest "first"."""
    create = partial(
        Analysis.objects.create,
        task=small_task(),
        kind="ranking",
        choice={},
        choice_digest="c",
        judgments={},
        watermark=1,
        code_version="0",
        content_key_version=1,
    )
    create(digest="first")
    return partial(create, digest="second")


def campaign_table() -> Create:
    """Create a second table; the first has the digest "first"."""
    create = partial(
        CampaignTable.objects.create,
        campaign=small_task().test_set.campaign,
        kind="clusters",
        choice={},
        choice_digest="c",
        test_sets=[],
        code_version="0",
        content_key_version=1,
    )
    create(digest="first")
    return partial(create, digest="second")


def shard_result() -> Create:
    job = ShardJob.objects.create(work=b"", shards=2, code_version="0")
    ShardResult.objects.create(job=job, shard=0, result=b"")
    return partial(ShardResult.objects.create, job=job, shard=1, result=b"")


def published() -> Create:
    """Create a second version."""
    kept = RankingRun.objects.create(task=small_task(), **said())
    create = partial(
        PublishedResult.objects.create,
        task=kept.task,
        run=kept,
        content={},
        labels={},
        published_at=timezone.now(),
    )
    create(version=1, digest="1" * 64)
    return partial(create, version=2, digest="2" * 64)


def zenodo_draft() -> Create:
    """Create a draft of a result."""
    result = published()()
    return partial(ZenodoDraft.objects.create, result=result, host="sandbox", metadata={})


def bundle() -> Create:
    """Create the bundle of a result."""
    return partial(ResultBundle.objects.create, result=published()(digest="3" * 64))


def bundle_part() -> Create:
    """Create the second part of a bundle."""
    create = partial(BundlePart.objects.create, bundle=bundle()(), content=b"PK")
    create(number=0)
    return partial(create, number=1)


SIGN_TEST = {"ranges": "sign_test", "resample": "pairs"}
ANYTIME = {"ranges": "anytime", "correction": "holm"}

breaks_by_fields(
    "ranking_settings_level_is_known",
    settings,
    {"resample": "words"},
    accepted={"resample": "blocks"},
)
breaks_by_fields(
    "ranking_settings_method_is_known",
    settings,
    {"method": "lopez"},
    accepted={"method": "bojar"},
)
breaks_by_fields(
    "ranking_settings_anytime_ranges_of_expected_wins",
    settings,
    {**ANYTIME, "method": "bojar"},
    accepted={**ANYTIME, "method": "expected_wins"},
)
breaks_by_fields(
    "ranking_settings_methods_of_blocks_need_blocks",
    settings,
    {"method": "gt_all_in_block", "resample": "pairs"},
    accepted={"method": "gt_all_in_block", "resample": "blocks"},
)
breaks_by_fields(
    "ranking_settings_ranges_are_known", settings, {"ranges": "guess"}, accepted=SIGN_TEST
)
breaks_by_fields(
    "ranking_settings_correction_is_known",
    settings,
    {"correction": "bonferroni"},
    accepted={"correction": "benjamini_hochberg"},
)
breaks_by_fields(
    "ranking_settings_sides_one_or_two",
    settings,
    {"sides": 0},
    {"sides": 3},
    accepted={"sides": 1},
)
breaks_by_fields(
    "ranking_settings_confidence_above_0_up_to_0_999",
    settings,
    {"confidence": 0.0},
    {"confidence": 0.9991},
    {"confidence": float("nan")},
    accepted={"confidence": 0.999},
)
breaks_by_fields(
    "ranking_settings_sign_tests_are_of_pairs",
    settings,
    {**SIGN_TEST, "resample": "two_way"},
    accepted=SIGN_TEST,
)
breaks_by_fields(
    "ranking_settings_confidence_sets_hold_each_or_all",
    settings,
    {"ranges": "confidence_set", "sides": 1},
    {"ranges": "confidence_set", "correction": "benjamini_hochberg"},
    accepted={"ranges": "confidence_set", "correction": "holm"},
)
breaks_by_fields(
    "ranking_settings_anytime_ranges_hold_for_all_pairs",
    settings,
    {**ANYTIME, "resample": "judges"},
    {**ANYTIME, "sides": 1},
    {**ANYTIME, "correction": "none"},
    accepted=ANYTIME,
)

breaks_by_fields(
    "stopping_rule_tests_are_known",
    rule,
    {"tests": "guess"},
    accepted={"tests": "anytime"},
)
breaks_by_fields(
    "stopping_rule_judgments_above_0", rule, {"judgments": 0}, accepted={"judgments": 1}
)
breaks_by_fields(
    "stopping_rule_share_above_0_up_to_1",
    rule,
    {"pairs_share": 0.0},
    {"pairs_share": 1.01},
    {"pairs_share": float("nan")},
    accepted={"pairs_share": 1.0},
)
breaks_by_fields(
    "stopping_rule_clusters_at_least_2", rule, {"clusters": 1}, accepted={"clusters": 2}
)
breaks_by_fields(
    "stopping_rule_confidence_above_0_up_to_0_999",
    rule,
    {"confidence": 0.0},
    {"confidence": 0.9991},
    accepted={"confidence": 0.999},
)
breaks_by_fields(
    "stopping_rule_set_later_has_a_reason",
    rule,
    {"after_judgments": 1},
    accepted={"after_judgments": 1, "reason": "Money came."},
)

breaks_by_fields("shard_result_once_in_a_job", shard_result, {"shard": 0})
breaks_by_fields(
    "shard_result_or_failure",
    shard_result,
    {"result": None},
    {"failure": "out of memory"},
    accepted={"result": None, "failure": "out of memory"},
)


@breaks("ranking_settings_immutable")
def settings_are_changed(attempt: Attempt) -> None:
    settings()()
    there = Task.objects.get()
    changes: list[dict[str, Any]] = [
        {"task": small_task(there.test_set.campaign, name="other")},
        {"method": "bojar"},
        {"reason": "Because."},
        {"judgments": 7},
        {"resample": "judges"},
        {"ranges": "confidence_set"},
        {"correction": "holm"},
        {"sides": 1},
        {"confidence": 0.9},
    ]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            RankingSettings.objects.update(**change)
    # Who changed it may be forgotten with their account.
    with attempt.accepts():
        RankingSettings.objects.update(changed_by=make_person())
        RankingSettings.objects.update(changed_by=None)


@breaks("stopping_rule_immutable")
def a_rule_is_changed(attempt: Attempt) -> None:
    rule()()
    changes: list[dict[str, Any]] = [
        {"task": small_task(Task.objects.get().test_set.campaign, name="other")},
        {"judgments": 7},
        {"pairs_share": 0.5},
        {"clusters": 3},
        {"until": timezone.localdate()},
        {"tests": "anytime"},
        {"confidence": 0.9},
        {"reason": "Because."},
        {"after_judgments": 3, "reason": "Because."},
        {"created_at": timezone.now()},
    ]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            StoppingRule.objects.update(**change)
    with attempt.accepts():
        StoppingRule.objects.update(changed_by=make_person())
        StoppingRule.objects.update(changed_by=None)


@breaks("ranking_run_immutable")
def a_ranking_is_changed_or_deleted(attempt: Attempt) -> None:
    create = run()
    with attempt.accepts():
        create()
    create()
    with attempt.refuses(saying="Cannot update"):
        RankingRun.objects.update(seed=2)
    with attempt.refuses(saying="Cannot update or delete"):
        RankingRun.objects.all().delete()


breaks_by_fields(
    "ranking_run_kept_for_a_known_reason",
    run,
    {"kept_for": "luck"},
    accepted={"kept_for": "growth"},
)


breaks_by_fields("zenodo_draft_host_is_known", zenodo_draft, {"host": "else"})
breaks_by_fields(
    "zenodo_draft_made_has_a_page_and_no_token",
    zenodo_draft,
    {"number": 1},
    {"page": "https://zenodo.org/deposit/1"},
    {"number": 1, "page": "https://zenodo.org/deposit/1", "sealed_token": b"sealed"},
    accepted={"number": 1, "page": "https://zenodo.org/deposit/1"},
)
breaks_by_fields("analysis_once_for_each_answer", analysis, {"digest": "first"})
breaks_by_fields(
    "analysis_has_an_answer_exactly_if_finished",
    analysis,
    {"finished_at": timezone.now()},
    {"data": {}, "reports": {}},
    {"finished_at": timezone.now(), "data": {}},
    accepted={"finished_at": timezone.now(), "data": {}, "reports": {}},
)


breaks_by_fields("campaign_table_once_for_each_answer", campaign_table, {"digest": "first"})
breaks_by_fields(
    "campaign_table_has_an_answer_exactly_if_finished",
    campaign_table,
    {"finished_at": timezone.now()},
    {"data": {}, "reports": {}},
    {"finished_at": timezone.now(), "data": {}},
    accepted={"finished_at": timezone.now(), "data": {}, "reports": {}},
)


@breaks("ranking.LatestRanking.task")
def a_task_has_two_latest_rankings(attempt: Attempt) -> None:
    there = small_task()
    kept = RankingRun.objects.create(task=there, **said())
    create = partial(
        LatestRanking.objects.create,
        choice={},
        without=[],
        last_kept=kept,
        is_kept=True,
        **said(),
    )
    create(task=there)
    with attempt.refuses():
        create(task=there)
    with attempt.accepts():
        create(task=small_task(there.test_set.campaign, name="other"))


@breaks("ranking.StoredTallies.task")
def a_task_has_two_stored_tallies(attempt: Attempt) -> None:
    there = small_task()
    create = partial(
        StoredTallies.objects.create,
        build=uuid4(),
        watermark=1,
        definition=b"definition",
        names={},
        packed=b"packed",
    )
    create(task=there)
    with attempt.refuses():
        create(task=there)
    with attempt.accepts():
        create(task=small_task(there.test_set.campaign, name="other"))


@breaks("ranking.TalliesBuild.task")
def a_task_is_counted_twice_at_once(attempt: Attempt) -> None:
    there = small_task()
    create = partial(TalliesBuild.objects.create, judgments=1)
    create(task=there)
    with attempt.refuses():
        create(task=there)
    with attempt.accepts():
        create(task=small_task(there.test_set.campaign, name="other"))


@breaks("judge_measures_once_in_a_task")
def a_judge_is_measured_twice_in_a_task(attempt: Attempt) -> None:
    there = small_task()
    judge = make_judge(there.test_set.campaign)
    create = partial(JudgeMeasures.objects.create, judge=judge, measures={})
    create(task=there)
    with attempt.refuses():
        create(task=there)
    with attempt.accepts():
        create(task=small_task(there.test_set.campaign, name="other"))


@breaks("ranking.QualityReport.task")
def a_task_has_two_reports(attempt: Attempt) -> None:
    there = small_task()
    QualityReport.objects.create(task=there, watermark=0)
    with attempt.refuses():
        QualityReport.objects.create(task=there, watermark=0)
    with attempt.accepts():
        other = small_task(there.test_set.campaign, name="other")
        QualityReport.objects.create(task=other, watermark=0)


breaks_by_fields("published_result_version_unique_in_task", published, {"version": 1})
breaks_by_fields("published_result_version_from_1", published, {"version": 0})
breaks_by_fields(
    "published_result_address_unique",
    published,
    {"digest": "1" * 16 + "2" * 48},
    accepted={"digest": "1" * 15 + "2" * 49},
)
breaks_by_fields(
    "published_result_digest_is_a_sha_256",
    published,
    {"digest": "2" * 63},
    {"digest": "G" * 64},
    accepted={"digest": "f" * 64},
)
breaks_by_fields(
    "published_result_retracted_exactly_with_a_reason",
    published,
    {"retracted_at": timezone.now()},
    {"retraction_reason": "wrong"},
    accepted={"retracted_at": timezone.now(), "retraction_reason": "wrong"},
)
breaks_by_fields(
    "published_result_reviewer_token_not_empty",
    published,
    {"reviewer_token": ""},
    accepted={"reviewer_token": "token"},
)


@breaks("published_result_frozen")
def what_is_published_is_changed(attempt: Attempt) -> None:
    published()
    changes: list[dict[str, Any]] = [
        {"content": {"format": 2}},
        {"digest": "3" * 64},
        {"version": 7},
        {"labels": {"1": "System A"}},
        {"published_at": timezone.now()},
    ]
    for change in changes:
        with attempt.refuses(saying="Cannot update"):
            PublishedResult.objects.update(**change)
    with attempt.accepts():
        PublishedResult.objects.update(published_by=make_person())
        PublishedResult.objects.update(published_by=None, reviewer_token="token")


MADE = {"digest": "4" * 64, "size": 1, "made_at": timezone.now()}
breaks_by_fields(
    "result_bundle_has_a_digest_exactly_if_made",
    bundle,
    {"digest": "4" * 64},
    {**MADE, "digest": "4"},
    {**MADE, "size": 0},
    {"made_at": timezone.now()},
    accepted=MADE,
)
breaks_by_fields("bundle_part_number_unique_in_bundle", bundle_part, {"number": 0})


@breaks("ranking.ResultBundle.result")
def a_result_has_two_bundles(attempt: Attempt) -> None:
    create = bundle()
    create()
    with attempt.refuses():
        create()
    with attempt.accepts():
        create(result=PublishedResult.objects.get(version=1))


@breaks("result_bundle_frozen_once_made")
def a_bundle_that_is_made_is_changed(attempt: Attempt) -> None:
    bundle()()
    with attempt.accepts():
        ResultBundle.objects.update(has_texts=True)
        ResultBundle.objects.update(**MADE)
        ResultBundle.objects.update(job=None)
    ResultBundle.objects.update(**MADE)
    for change in ({"has_texts": True}, {"digest": "5" * 64}, {"files": ["x"]}, {"size": 2}):
        with attempt.refuses(saying="Cannot update"):
            ResultBundle.objects.update(**change)


@breaks("published_result_never_deleted")
def what_is_published_is_deleted(attempt: Attempt) -> None:
    create = published()
    with attempt.refuses(saying="Cannot delete"):
        PublishedResult.objects.all().delete()
    with attempt.accepts():
        create()


@breaks("published_result_of_a_ranking_of_its_task")
def a_ranking_of_another_task_is_published(attempt: Attempt) -> None:
    create = published()
    campaign = PublishedResult.objects.get().task.test_set.campaign
    other = RankingRun.objects.create(task=small_task(campaign, name="other"), **said())
    with attempt.refuses():
        create(run=other)
    with attempt.accepts():
        create(run=other, task=other.task)


@breaks("published_result_once_open_stays_open")
def what_everybody_could_read_is_hidden(attempt: Attempt) -> None:
    create = published()
    soon = timezone.now() + timedelta(days=1)
    with attempt.refuses():
        PublishedResult.objects.update(embargo_until=soon)
    create(embargo_until=soon)
    with attempt.accepts():
        PublishedResult.objects.filter(version=2).update(embargo_until=soon + timedelta(days=1))
        PublishedResult.objects.filter(version=2).update(embargo_until=None)
