"""What is known of jobs of shards."""

from collections.abc import Collection

from ranking.models import ShardResult


def shards_ready(*, job_id: int, taken: Collection[int]) -> list[int]:
    """Return the shards of a job that are computed, or failed, apart from those already taken."""
    ready = ShardResult.objects.filter(job=job_id).exclude(shard__in=taken)
    return list(ready.order_by("shard").values_list("shard", flat=True))


def shard_result(*, job_id: int, shard: int) -> tuple[bytes | None, str]:
    """Return the encoded result of a shard, or None and why there is none."""
    result, failure = ShardResult.objects.values_list("result", "failure").get(
        job=job_id, shard=shard
    )
    return (None if result is None else bytes(result)), failure
