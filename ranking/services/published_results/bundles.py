"""Request and store the bundle of a published result."""

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import IO, Any, Final

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import HIT, Assignment, Design
from annotation.selectors.designs import design_in_force
from annotation.services.planning.designs import (
    DesignRefusedError,
    design_change,
    design_proposed,
)
from campaign.database.many_rows import row_locked
from campaign.database.seeds import seed_draw
from campaign.models import CampaignState, JobKind, Task, User
from campaign.models.upload import PART_BYTES
from campaign.services.exported_files import exported_file_keep
from campaign.services.jobs import job_queue
from ranking.models import PublishedResult
from ranking.reports.published_results import hides_a_name
from ranking.reports.wording.published_content import PublishedContent
from ranking.services.published_results.naming import PublishingRefusedError

_CLOSED_STATES: Final = (
    CampaignState.CLOSED,
    CampaignState.ARCHIVED,
    CampaignState.BIN,
)


def database_now() -> datetime:
    """Return the current time of the database. One query."""
    moment: datetime = Task.objects.values_list(Now(), flat=True)[:1].get()
    return moment


@transaction.atomic
def result_bundle_ask(
    *,
    result: PublishedResult,
    with_texts: bool = False,
    by: User | None = None,
) -> None:
    """Have a worker create the bundle of a result, now or when judging has ended.

    It says which systems wrote the outputs of each judged block, and with texts those of every block. So nothing of it
    may exist while judges can judge or revise (`bundles_due_queue`). A second request does not change a pending one.

    Raises
    ------
    PublishingRefusedError
        If the bundle exists: published data cannot change.
    """
    PublishedResult.objects.select_for_update(no_key=True).only("pk").get(pk=result.pk)
    result.refresh_from_db(
        fields=["bundle", "bundle_has_texts", "bundle_has_seeds", "bundle_job"],
    )
    if result.bundle_id is not None:
        raise PublishingRefusedError(
            _("This version already has a bundle, which cannot be changed."),
            field="texts",
        )
    if result.bundle_job is not None and not result.bundle_job.has_ended:
        return
    result.bundle_has_texts = with_texts
    result.save(update_fields=["bundle_has_texts"])
    if not judging_goes_on(result.task):
        _job_queue(result, by)


def _job_queue(result: PublishedResult, by: User | None) -> None:
    if result.bundle_job is None:
        result.bundle_has_seeds = _seeds_give(result, by)
    result.bundle_job = job_queue(
        campaign=result.task.test_set.campaign,
        kind=JobKind.BUNDLE,
        name=_job_name(result),
        parameters={"bundle": result.pk},
        user=by,
    )
    result.save(update_fields=["bundle_has_seeds", "bundle_job"])


def bundles_due_queue() -> int:
    """Queue the bundles that were requested while judges were at work, once judging has ended; return their number."""
    requested = PublishedResult.objects.filter(
        bundle=None,
        bundle_job=None,
        bundle_has_texts__isnull=False,
    )
    queued = 0
    for result in requested.select_related("task__test_set__campaign", "published_by"):
        if not judging_goes_on(result.task):
            _due_queue(result)
            queued += 1
    return queued


@transaction.atomic
def _due_queue(result: PublishedResult) -> None:
    """Queue a bundle, unless another worker has done so."""
    locked = row_locked(result)
    if locked.bundle_job_id is None:
        _job_queue(locked, result.published_by)


def judging_goes_on(task: Task) -> bool:
    """Return whether judges can still judge or revise outputs of a task's test set, in any task.

    They can until each task or the campaign is closed and the last lease has ended. Tasks with imported judgments only
    have neither leases nor HITs to lend.
    """
    return any(
        _is_judged(other) for other in Task.objects.filter(test_set=task.test_set_id)
    )


def _is_judged(task: Task) -> bool:
    leased = Assignment.objects.filter(hit__task=task)
    if _is_closed(task):
        return leased.filter(completed_at=None, lease__endswith__gt=Now()).exists()
    return HIT.objects.filter(task=task).incomplete().exists() or leased.exists()


def _job_name(result: PublishedResult) -> str:
    name = {"name": result.task.test_set.name[:150], "version": result.version}
    return _("%(name)s, version %(version)s") % name


def _seeds_give(result: PublishedResult, by: User | None) -> bool:
    """Return whether seeds may be published; if so, change the seed for the next HITs.

    Tasks may be reopened, so the design in force is replaced by a copy with a new secret seed.
    """
    task = result.task
    seeds = _seeds_to_give(task, result.content)
    if seeds is None:
        return False
    if _is_in_force(task, seeds):
        try:
            design_change(task=task, changed_by=by, seed=seed_draw())
        except DesignRefusedError:
            return False
    # Check this last, under the planning lock.
    return _is_over(task)


def new_seed_comes(*, task: Task, content: PublishedContent) -> bool:
    """Return whether publishing this content now would replace the seed of the design in force."""
    seeds = _seeds_to_give(task, content)
    if seeds is None or not _is_in_force(task, seeds):
        return False
    try:
        design_proposed(task=task, seed=seed_draw())
    except DesignRefusedError:
        return False
    return True


def _is_in_force(task: Task, seeds: Collection[int]) -> bool:
    """Return whether the design in force has one of these seeds."""
    in_force = design_in_force(task_id=task.pk)
    return in_force is not None and in_force.seed in seeds


def _seeds_to_give(task: Task, content: PublishedContent) -> set[int] | None:
    """Return the seeds used to draw a task; None while they could be misused.

    Misuse is possible until judging has ended and all HITs drawn with them are judged, if another test set uses
    one of them, or if a system is anonymous, because names could be tested with a seed.
    """
    if hides_a_name(content) or not _is_over(task):
        return None
    drawn = HIT.objects.filter(task=task, design=OuterRef("pk"))
    designs = Design.objects.exclude(kind=Design.Kind.IMPORTED)
    drawn_by = designs.filter(Exists(drawn), task=task)
    seeds = set(drawn_by.values_list("seed", flat=True))
    # Rehearsals share the seeds of their campaigns, but have no real judges.
    elsewhere = designs.filter(task__test_set__campaign__rehearsal_of=None).exclude(
        task=task,
    )
    if elsewhere.filter(seed__in=seeds).exists():
        return None
    return seeds


def _is_over(task: Task) -> bool:
    """Return whether judging is over: the task is closed, and no HIT is incomplete."""
    return _is_closed(task) and not HIT.objects.filter(task=task).incomplete().exists()


def _is_closed(task: Task) -> bool:
    """Return whether the task or its campaign is closed, as stored now."""
    closed = Q(closed_at__isnull=False) | Q(
        test_set__campaign__state__in=_CLOSED_STATES,
    )
    return Task.objects.filter(closed, pk=task.pk).exists()


@transaction.atomic
def result_bundle_store(
    *,
    result: PublishedResult,
    stream: IO[bytes],
    files: Sequence[dict[str, Any]],
) -> PublishedResult:
    """Store the zip of a bundle, unless one has been stored meanwhile.

    `result` is the row that the zip was made from. Raises `PublishingRefusedError` if the request
    has changed (texts or seeds), in which case another worker creates the requested bundle.
    """
    row = row_locked(result)
    if row.bundle_id is not None:
        return row
    requested = attrgetter("bundle_has_texts", "bundle_has_seeds")
    if requested(row) != requested(result):
        raise PublishingRefusedError(
            _("Bundle discarded: a new one was requested in the meantime."),
            field="texts",
        )
    watermark = row.content["method"]["watermark"]
    row.bundle_files = list(files)
    row.bundle = exported_file_keep(
        task=result.task,
        content=iter(partial(stream.read, PART_BYTES), b""),
        by=None if row.bundle_job is None else row.bundle_job.asked_by,
        expires=False,
        kind="bundle",
        file_format="zip",
        name=f"bundle-{row.address}.zip",
        until=watermark,
        watermark=watermark,
    )
    row.save(update_fields=["bundle", "bundle_files"])
    return row
