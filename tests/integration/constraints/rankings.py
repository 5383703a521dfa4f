"""Rankings, how their ranges are made, and what was measured of the judges."""

from functools import partial
from typing import Any

from django.utils import timezone

from ranking.models import (
    Analysis,
    CampaignTable,
    RankingRun,
    ShardJob,
    ShardResult,
)
from tests.integration.constraints.breakages import Attempt, Create, breaks, breaks_by_fields
from tests.integration.constraints.worlds import small_task


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


breaks_by_fields(
    "shard_result_or_failure",
    shard_result,
    {"result": None},
    {"failure": "out of memory"},
    accepted={"result": None, "failure": "out of memory"},
)


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
    "analysis_has_an_answer_exactly_if_finished",
    analysis,
    {"finished_at": timezone.now()},
    {"data": {}, "reports": {}},
    {"finished_at": timezone.now(), "data": {}},
    accepted={"finished_at": timezone.now(), "data": {}, "reports": {}},
)
breaks_by_fields(
    "campaign_table_has_an_answer_exactly_if_finished",
    campaign_table,
    {"finished_at": timezone.now()},
    {"data": {}, "reports": {}},
    {"finished_at": timezone.now(), "data": {}},
    accepted={"finished_at": timezone.now(), "data": {}, "reports": {}},
)
