"""Jobs of shards, written by `ranking.engines.by_celery` and its workers.

A message contains a job and the number of a shard; everything else is in the database. So messages can only
request work that the engine created, and results survive a loss of the broker.
"""

from collections.abc import Callable, Collection, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models.functions import Now

from campaign.database.many_rows import named_lock_try
from ranking.code_version import code_version
from ranking.core.sharding import decode, encode
from ranking.models import ShardJob, ShardResult

#: Maximum number of seconds between two renewals of a job by its engine.
WATCH_SECONDS = 30
_FORGOTTEN_AFTER = timedelta(minutes=10)


def shard_job_create(*, work: Callable[[Any], Any], shards: Sequence[Any]) -> ShardJob:
    """Store work and its shards for the workers, and commit.

    Raises
    ------
    EncodingError
        If the work cannot be encoded for other machines.
    RuntimeError
        Inside a transaction, because workers would not see the job until it ends.
    """
    with transaction.atomic(durable=True):
        return ShardJob.objects.create(
            work=encode((work, list(shards))), shards=len(shards), code_version=code_version()
        )


def shard_compute(*, job_id: int, shard: int) -> None:
    """Compute one shard of a job and store its result, unless it has one or the job is gone.

    Two workers never compute the same shard: the lock is held until the commit, and PostgreSQL frees
    it at once when a worker is killed. Errors of the work itself are stored, too.
    """
    with transaction.atomic():
        if not named_lock_try(f"shard {shard} of job {job_id}"):
            return
        if ShardResult.objects.filter(job=job_id, shard=shard).exists():
            return
        job = ShardJob.objects.defer("work").filter(pk=job_id, shards__gt=shard).first()
        if job is None:
            return
        result, failure = _outcome(job, shard)
        # The job may be deleted meanwhile; then the result is dropped.
        if ShardJob.objects.select_for_update(no_key=True).filter(pk=job_id).exists():
            ShardResult.objects.bulk_create(
                [ShardResult(job_id=job_id, shard=shard, result=result, failure=failure)],
                ignore_conflicts=True,
            )


def shard_job_watch(*, job_id: int) -> None:
    """Record that the engine still waits for this job."""
    ShardJob.objects.filter(pk=job_id).update(watched_at=Now())


def shard_job_delete(*, job_id: int) -> None:
    """Delete a job with its results; remaining shards are no longer computed."""
    ShardJob.objects.filter(pk=job_id).delete()


def shard_jobs_forget() -> int:
    """Delete the jobs whose engine has not polled for ten minutes; return their number."""
    left = ShardJob.objects.filter(watched_at__lt=Now() - _FORGOTTEN_AFTER)
    return left.delete()[1].get("ranking.ShardJob", 0)


def _outcome(job: ShardJob, shard: int) -> tuple[bytes | None, str]:
    """Return the encoded result, or None and the reason why there is none."""
    if job.code_version != code_version():
        return None, f"a worker runs {code_version()}; {job.code_version} is asked for"
    try:
        work, shards = _work_of(job.pk)
        return encode(work(shards[shard])), ""
    except Exception as error:  # noqa: BLE001  # the engine raises it for its caller
        return None, f"{type(error).__name__}: {error}"


@lru_cache(maxsize=1)
def _work_of(job_id: int) -> tuple[Callable[[Any], Any], Sequence[Any]]:
    """Return the work of a job and its shards; the last job is cached, because its shards come in succession."""
    stored = ShardJob.objects.values_list("work", flat=True).get(pk=job_id)
    work, shards = decode(bytes(stored))
    return work, shards


def shards_ready(*, job_id: int, taken: Collection[int]) -> list[int]:
    """Return the computed or failed shards of a job, except those already read."""
    ready = ShardResult.objects.filter(job=job_id).exclude(shard__in=taken)
    return list(ready.order_by("shard").values_list("shard", flat=True))


def shard_result(*, job_id: int, shard: int) -> tuple[bytes | None, str]:
    """Return the encoded result of a shard, or None and the reason why there is none."""
    result, failure = ShardResult.objects.values_list("result", "failure").get(
        job=job_id, shard=shard
    )
    return (None if result is None else bytes(result)), failure
