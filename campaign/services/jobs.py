"""Background jobs: queued by an organiser, run by a worker, watched and cancelled on the way.

A job runs in one transaction, which ends with its state: a worker that is killed leaves nothing
behind, and the job is started again. Its progress is written outside that transaction, so it is
visible at once.
"""

import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from django.db import connection, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import translation
from django.utils.translation import gettext as _

from campaign.database.acting import Author, acting
from campaign.database.many_rows import named_lock_try, row_locked
from campaign.models import Campaign, Job, JobKind, JobState, User
from campaign.services.notification import jobs_enqueue
from campaign.texts.refusals import RefusedError

logger = logging.getLogger(__name__)

#: A job that lost its worker as often as this is not started again.
MAX_ATTEMPTS: Final = 3
_SECONDS_BETWEEN_WRITES: Final = 0.5

# Two jobs at a time in a process, at most one of them a slow analysis: quick ones pass it.
_any_lane = threading.Lock()
_quick_lane = threading.Lock()
_HANDLERS: Final[dict[str, "Handler"]] = {}
_REFUSALS: Final[dict[str, tuple[type[Exception], ...]]] = {}


class JobCancelledError(Exception):
    """The job was asked to stop."""


class JobRefusedError(RefusedError):
    """The operation is not possible in the job's state."""


class JobProgress:
    """Reports the progress of a job, and tells the job whether to stop.

    Writes at most twice a second, in a thread with its own connection.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self._last = 0.0
        self._is_to_stop = threading.Event()
        self._writer = ThreadPoolExecutor(max_workers=1)

    def __call__(self, completed: int, total: int = 0) -> None:
        """Record progress. Raises JobCancelledError once the job was asked to stop."""
        if self._is_to_stop.is_set():
            raise JobCancelledError
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_WRITES:
            self._last = now
            self._writer.submit(self._write, completed, total)

    def end(self) -> None:
        """Wait for pending writes."""
        self._writer.submit(connection_close)
        self._writer.shutdown()

    def _write(self, completed: int, total: int) -> None:
        rows = Job.objects.filter(pk=self._job.pk)
        rows.update(done=completed, total=max(completed, total))
        if rows.filter(cancel_asked_at__isnull=False).exists():
            self._is_to_stop.set()


def connection_close() -> None:
    """Close the connection of this thread."""
    connection.close()


#: What the page of a job tells about its end, in JSON; each kind of job has its own keys.
JobResult = Mapping[str, object]
#: Runs a job, reporting its progress; returns its result.
Handler = Callable[[Job, JobProgress], JobResult]


def handles(kind: JobKind, *refusals: type[Exception]) -> Callable[[Handler], Handler]:
    """Make a function the handler of a kind of job; the messages of `refusals` are shown to organisers."""

    def registered(handler: Handler) -> Handler:
        _HANDLERS[kind] = handler
        _REFUSALS[kind] = refusals
        return handler

    return registered


@transaction.atomic
def job_queue(
    *,
    campaign: Campaign,
    kind: JobKind,
    name: str,
    parameters: Mapping[str, object] | None = None,
    user: User | None = None,
) -> Job:
    """Queue a job; its texts will be in the current language."""
    job = Job.objects.create(
        campaign=campaign,
        kind=kind,
        name=name,
        parameters=parameters or {},
        asked_by=user,
        language=translation.get_language() or "en",
    )
    transaction.on_commit(jobs_enqueue)
    return job


@transaction.atomic
def job_cancel(*, job: Job) -> Job:
    """Stop a job: at once if it waits, soon if it runs. One that has ended stays as it is."""
    locked = row_locked(job)
    if locked.has_ended:
        return locked
    locked.cancel_asked_at = Now()
    if locked.state == JobState.QUEUED:
        locked.state = JobState.CANCELLED
        locked.finished_at = Now()
    locked.save(update_fields=["state", "cancel_asked_at", "finished_at"])
    locked.refresh_from_db()
    return locked


def job_retry(*, job: Job, user: User | None = None) -> Job:
    """Queue a failed or cancelled job again; return the new job.

    Raises JobRefusedError for other jobs.
    """
    if job.state not in {JobState.FAILED, JobState.CANCELLED}:
        raise JobRefusedError(_("Only failed or cancelled jobs can be restarted."))
    return job_queue(
        campaign=job.campaign,
        kind=JobKind(job.kind),
        name=job.name,
        parameters=job.parameters,
        user=user,
    )


def jobs_run_waiting() -> int:
    """Run the waiting jobs, the oldest first, and those whose worker was lost; return their number.

    Slow analyses come last. 0 if two other threads of this process are running jobs; they look for more
    after each one.
    """
    slow = Q(kind=JobKind.SLOW_ANALYSIS)
    for lane, in_order in ((_any_lane, (~slow, slow)), (_quick_lane, (~slow,))):
        if lane.acquire(blocking=False):
            try:
                return _run_all(in_order)
            finally:
                lane.release()
    return 0


def _run_all(in_order: Sequence[Q]) -> int:
    """Run the jobs that wait, those that meet the first condition first; return their number."""
    count = 0
    tried = set[int]()
    while True:
        waiting = Job.objects.waiting().exclude(pk__in=tried)
        candidates = (
            waiting.filter(condition).order_by("pk").first() for condition in in_order
        )
        job = next(filter(None, candidates), None)
        if job is None:
            return count
        tried.add(job.pk)
        count += job_run(job_id=job.pk)


def job_run(*, job_id: int) -> bool:
    """Run a job; return False if another worker is running it, or if it has ended."""
    job = _begin(job_id)
    if job is None:
        return False
    progress = JobProgress(job)
    try:
        with translation.override(job.language), acting(lambda: _actor(job)):
            _do(job, progress)
    finally:
        progress.end()
    return True


@transaction.atomic
def _begin(job_id: int) -> Job | None:
    """Mark a job as running and return it; None if it is not to be run now."""
    if not named_lock_try(_lock(job_id)):
        return None
    job = Job.objects.waiting().filter(pk=job_id).first()
    if job is None:
        return None
    if job.cancel_asked_at is not None:
        _end(job, JobState.CANCELLED)
        return None
    if job.attempts >= MAX_ATTEMPTS:
        logger.error(
            "Job %s (%s) failed: its worker stopped every time.",
            job.pk,
            job.kind,
        )
        with translation.override(job.language):
            _end(
                job,
                JobState.FAILED,
                error=_(
                    "The worker stopped three times while running this job. See the worker log.",
                ),
            )
        return None
    job.state = JobState.RUNNING
    job.started_at = Now()
    job.attempts = F("attempts") + 1
    job.save(update_fields=["state", "started_at", "attempts"])
    job.refresh_from_db()
    return job


def _do(job: Job, progress: JobProgress) -> None:
    try:
        with transaction.atomic():
            # Held until the commit: acquiring it while the job is marked as running means that its
            # worker is lost.
            if not named_lock_try(_lock(job.pk)):
                return
            result = _HANDLERS[job.kind](job, progress)
            _end(job, JobState.DONE, result=result)
    except JobCancelledError:
        _end(job, JobState.CANCELLED)
    except _REFUSALS.get(job.kind, ()) as error:
        _end(job, JobState.FAILED, error=str(error))
    except Exception as error:
        logger.exception("Job %s (%s) failed.", job.pk, job.kind)
        message = _("Unexpected error: %(error)s. See the worker log for details.")
        _end(
            job,
            JobState.FAILED,
            error=message % {"error": f"{type(error).__name__}: {error}"},
        )


@transaction.atomic
def _end(
    job: Job,
    state: JobState,
    *,
    error: str = "",
    result: JobResult | None = None,
) -> None:
    Job.objects.filter(pk=job.pk).update(
        state=state,
        error=error,
        result=result or {},
        finished_at=Now(),
    )


def _actor(job: Job) -> Author:
    """Return the author of a job's changes for the activity log."""
    return {"origin": "task", "through": job.kind, "user": job.asked_by_id}


def _lock(job_id: int) -> str:
    return f"job {job_id}"
