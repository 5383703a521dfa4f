"""Long work: done once, watched, stopped, begun again, and never half done."""

import itertools
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection

from campaign.models import Campaign, Job, JobKind, JobState, Task
from campaign.services import jobs
from campaign.services.jobs import (
    JobProgress,
    JobRefusedError,
    job_cancel,
    job_queue,
    job_retry,
    job_run,
    jobs_run_waiting,
)
from tests.factories import make_task

KIND = JobKind.TEXTS_CHECK


class WrongFilesError(Exception):
    pass


@pytest.fixture
def handled_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[jobs.Handler], None]:
    """Lets a function do the jobs of one kind."""

    def handle(handler: jobs.Handler) -> None:
        monkeypatch.setitem(jobs._HANDLERS, KIND, handler)
        monkeypatch.setitem(jobs._REFUSALS, KIND, (WrongFilesError,))

    return handle


@pytest.fixture
def job(campaign: Campaign) -> Job:
    return job_queue(campaign=campaign, kind=KIND, name="news")


def state_of(job: Job) -> tuple[str, str]:
    job.refresh_from_db()
    return job.state, job.error


def test_kinds_of_jobs_have_a_handler() -> None:
    import annotation.tasks  # noqa: F401  as a worker does

    assert set(jobs._HANDLERS) == set(JobKind)


def test_a_job_is_done_once_and_keeps_its_result(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
) -> None:
    seen = []

    def work(job: Job, progress: JobProgress) -> dict[str, Any]:
        seen.append(job.pk)
        return {"segments": 3}

    handled_by(work)
    assert jobs_run_waiting() == 1
    assert jobs_run_waiting() == 0
    assert not job_run(job_id=job.pk)
    assert seen == [job.pk]
    assert state_of(job) == (JobState.DONE, "")
    assert (job.result, job.attempts) == ({"segments": 3}, 1)
    assert job.started_at is not None
    assert job.finished_at is not None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (WrongFilesError("a.txt, line 3: too short."), "a.txt, line 3: too short."),
        (ZeroDivisionError("by zero"), "ZeroDivisionError: by zero"),
    ],
)
def test_a_job_that_fails_says_why_and_leaves_nothing(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
    error: Exception,
    words: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    def work(job: Job, progress: JobProgress) -> dict[str, Any]:
        make_task(job.campaign)
        raise error

    handled_by(work)
    jobs_run_waiting()
    state, said = state_of(job)
    assert state == JobState.FAILED
    assert words in said
    assert not Task.objects.exists()
    # What nobody foresaw is in the log; what was refused is the organiser's alone.
    assert bool(caplog.records) == isinstance(error, ZeroDivisionError)


def test_others_see_how_far_it_is_and_stop_it(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
    eventually: Callable[..., None],
) -> None:
    seen: list[tuple[int, int]] = []

    def work(job: Job, progress: JobProgress) -> dict[str, Any]:
        make_task(job.campaign)
        progress(40, 100)

        def is_seen() -> bool:
            return Job.objects.filter(
                pk=job.pk,
                done=40,
                total=100,
                state="running",
            ).exists()

        eventually(is_seen)
        seen.append((40, 100))
        # By somebody else: what this thread writes nobody sees before the job has ended.
        organiser = threading.Thread(target=_closing(lambda: job_cancel(job=job)))
        organiser.start()
        organiser.join()
        # Until it is told; a job that is not would go on without end.
        for done in itertools.count(50):
            progress(done, 100)
        return {}

    handled_by(work)
    jobs_run_waiting()
    assert seen[0] == (40, 100)
    assert state_of(job) == (JobState.CANCELLED, "")
    assert not Task.objects.exists()


def test_quick_jobs_pass_slow_analyses(
    campaign: Campaign,
    handled_by: Callable[[jobs.Handler], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    done = []

    def quick(job: Job, _progress: JobProgress) -> dict[str, Any]:
        done.append(job.name)
        return {}

    def slow(job: Job, _progress: JobProgress) -> dict[str, Any]:
        done.append(f"{job.name} begins")
        job_queue(campaign=campaign, kind=KIND, name="asked for meanwhile")
        jobs_run_waiting()  # as another thread of the worker does
        done.append(f"{job.name} ends")
        return {}

    handled_by(quick)
    monkeypatch.setitem(jobs._HANDLERS, JobKind.SLOW_ANALYSIS, slow)
    for kind, name in (
        (JobKind.SLOW_ANALYSIS, "slow"),
        (JobKind.SLOW_ANALYSIS, "slow too"),
        (KIND, "quick"),
    ):
        job_queue(campaign=campaign, kind=kind, name=name)
    jobs_run_waiting()
    passed = ["asked for meanwhile"]
    assert done == [
        "quick",
        *("slow begins", *passed, "slow ends"),
        *("slow too begins", *passed, "slow too ends"),
    ]


def test_a_job_that_waits_is_stopped_at_once(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
) -> None:
    handled_by(lambda _job, _progress: pytest.fail("it was stopped"))
    job_cancel(job=job)
    assert state_of(job)[0] == JobState.CANCELLED
    assert jobs_run_waiting() == 0


def test_stopping_what_has_ended_changes_nothing(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
) -> None:
    handled_by(lambda _job, _progress: {})
    jobs_run_waiting()
    job_cancel(job=job)
    assert state_of(job)[0] == JobState.DONE
    assert job.cancel_asked_at is None


def test_only_what_did_not_succeed_is_begun_again(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
) -> None:
    with pytest.raises(JobRefusedError):
        job_retry(job=job)
    job_cancel(job=job)
    job.refresh_from_db()
    again = job_retry(job=job)
    assert again.pk != job.pk
    assert (again.kind, again.name, again.parameters) == (
        job.kind,
        job.name,
        job.parameters,
    )


def test_a_job_whose_worker_was_lost_is_begun_again_three_times_at_most(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
) -> None:
    class KilledError(BaseException):
        """Not caught by anything, like a signal."""

    def work(job: Job, progress: JobProgress) -> dict[str, Any]:
        raise KilledError

    handled_by(work)
    for attempt in (1, 2, 3):
        with pytest.raises(KilledError):
            jobs_run_waiting()
        assert state_of(job)[0] == JobState.RUNNING
        assert job.attempts == attempt
    assert jobs_run_waiting() == 0
    state, error = state_of(job)
    assert state == JobState.FAILED
    assert "three times" in error


def test_two_workers_do_not_do_the_same_job(
    job: Job,
    handled_by: Callable[[jobs.Handler], None],
) -> None:
    begun, go_on, done = threading.Event(), threading.Event(), []

    def work(job: Job, progress: JobProgress) -> dict[str, Any]:
        done.append(job.pk)
        begun.set()
        assert go_on.wait(30)
        return {}

    handled_by(work)
    worker = threading.Thread(target=_closing(jobs_run_waiting))
    worker.start()
    assert begun.wait(30)
    assert jobs_run_waiting() == 0
    go_on.set()
    worker.join(30)
    assert done == [job.pk]
    assert state_of(job)[0] == JobState.DONE


def _closing(work: Callable[[], object]) -> Callable[[], None]:
    def run() -> None:
        try:
            work()
        finally:
            connection.close()

    return run


@pytest.fixture(autouse=True)
def _no_worker_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests are the worker."""
    monkeypatch.setattr(jobs, "jobs_enqueue", lambda: None)
