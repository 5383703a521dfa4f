"""Celery engine: workers of the queue "shards", on any machines with this database and broker.

Work, shards and results go through the database; a message contains a job's id and the number of a shard.
A lost message, a killed worker or an emptied broker only causes a delay: after a while without results the
missing shards are sent again, and shards being computed or done are left alone (`ranking.services.shards`).
"""

import logging
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from celery import current_app
from kombu.exceptions import OperationalError

from ranking.core.sharding import EngineError, decode
from ranking.services.shards import (
    WATCH_SECONDS,
    shard_job_create,
    shard_job_delete,
    shard_job_watch,
    shard_result,
    shards_ready,
)

TASK = "ranking.tasks.compute_shard"
#: Seconds between polls for results.
_PAUSE = 0.1
#: Seconds without a result before messages are sent again; doubled each time, up to a minute.
_QUIET, _MOST_QUIET = 5.0, 60.0
logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class CeleryEngine:
    """Compute shards by Celery's workers.

    Attributes
    ----------
    workers : int
        Number of workers; work is split into at least this many shards.
    say : callable, optional
        Called with a sentence that explains a delay to the user.
    """

    workers: int = 1
    say: Callable[[str], None] | None = None

    def compute(
        self, work: Callable[[Any], Any], shards: Sequence[Any]
    ) -> Generator[tuple[int, Any], None, None]:
        """Yield each shard's number and result as they are ready; see `Engine`.

        Raises
        ------
        EngineError
            If the broker accepts no messages, or a shard fails.
        RuntimeError
            Inside a transaction, because workers could not see the job.
        """
        job = shard_job_create(work=work, shards=shards)
        try:
            _send(job.pk, range(len(shards)))
            yield from self._results(job.pk, len(shards))
        finally:
            shard_job_delete(job_id=job.pk)

    def _results(self, job_id: int, count: int) -> Generator[tuple[int, Any], None, None]:
        """Yield results as they are stored.

        They are polled because notifications would not be reliable: the broker may be emptied, and LISTEN
        needs a connection that is not pooled.
        """
        taken: set[int] = set()
        news = watched = time.monotonic()
        quiet = _QUIET
        while len(taken) < count:
            ready = shards_ready(job_id=job_id, taken=taken)
            for shard in ready:
                yield shard, _result(job_id, shard)
                taken.add(shard)
            now = time.monotonic()
            if ready:
                news, quiet = now, _QUIET
            elif now - news >= quiet:
                self._send_again(job_id, sorted(set(range(count)) - taken))
                news, quiet = now, min(2 * quiet, _MOST_QUIET)
            if now - watched >= WATCH_SECONDS:
                shard_job_watch(job_id=job_id)
                watched = now
            time.sleep(_PAUSE)

    def _send_again(self, job_id: int, missing: Sequence[int]) -> None:
        if self.say is not None:
            self.say(
                f"No result for a while: {len(missing)} shards are sent again. Is a worker of the "
                "queue “shards” running?"
            )
        try:
            _send(job_id, missing)
        except EngineError as error:
            # The broker may recover; it accepted the first messages.
            logger.warning("%s", error)


def _send(job_id: int, shards: Iterable[int]) -> None:
    try:
        for shard in shards:
            current_app.send_task(TASK, args=[job_id, shard], ignore_result=True)
    except OperationalError as error:
        raise EngineError(
            f"the broker takes no messages ({error}); start it, or compute with --engine process"
        ) from error


def _result(job_id: int, shard: int) -> Any:
    result, failure = shard_result(job_id=job_id, shard=shard)
    if result is None:
        raise EngineError(f"shard {shard + 1} could not be computed: {failure}")
    return decode(result)
