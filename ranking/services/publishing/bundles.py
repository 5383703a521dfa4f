"""Ask for the bundle of a published result, and store it."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import IO, Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import HIT, Design
from annotation.selectors.designs import design_in_force
from annotation.services import DesignRefusedError, design_change, design_proposed
from campaign.database.seeds import seed_draw
from campaign.models import CampaignState, JobKind, Task, User
from campaign.services.jobs import job_queue
from ranking.models import PART_BYTES, BundlePart, PublishedResult, ResultBundle
from ranking.reports.published.folder import hides_a_name
from ranking.services.publishing.naming import PublishingRefusedError


@transaction.atomic
def result_bundle_ask(
    *,
    result: PublishedResult,
    with_texts: bool = False,
    by: User | None = None,
    is_queued: bool = True,
) -> ResultBundle:
    """Have a worker make the bundle of a result; with `is_queued` False it is left to the caller.

    Nothing is asked twice: while a worker is to make it, it stays as it was asked for.

    Raises
    ------
    PublishingRefusedError
        If the bundle is made: what was published stays as it is.
    """
    task = result.task
    bundle, is_new = ResultBundle.objects.select_for_update(
        no_key=True, of=("self",)
    ).get_or_create(
        pk=result.pk,
        defaults={"has_texts": with_texts},
    )
    if bundle.is_made:
        raise PublishingRefusedError(
            _("This version has its bundle. It stays as it is."), field="texts"
        )
    if not is_new and is_being_made(bundle):
        return bundle
    if is_new:
        bundle.has_seeds = _seeds_give(result, by)
    bundle.has_texts = with_texts
    if is_queued:
        bundle.job = job_queue(
            campaign=task.test_set.campaign,
            kind=JobKind.BUNDLE,
            name=_("%(name)s, version %(version)s")
            % {"name": task.test_set.name[:150], "version": result.version},
            parameters={"bundle": result.pk},
            user=by,
        )
    bundle.save(update_fields=["has_texts", "has_seeds", "job"])
    return bundle


def _seeds_give(result: PublishedResult, by: User | None) -> bool:
    """Return whether seeds are given away; if so, have the next HITs drawn by another one.

    Test sets may be opened again, so the design in force is replaced by the same with a seed that nobody knows.
    """
    task = result.task
    seeds = _seeds_to_give(task, result.content)
    if seeds is None:
        return False
    in_force = design_in_force(task_id=task.pk)
    if in_force is not None and in_force.seed in seeds:
        try:
            design_change(task=task, changed_by=by, seed=seed_draw())
        except DesignRefusedError:
            return False
    # Last, under the lock of planning.
    return _is_over(task)


def new_seed_comes(*, task: Task, content: Mapping[str, Any]) -> bool:
    """Return whether publishing this content now would put the same design in force with a new seed."""
    seeds = _seeds_to_give(task, content)
    in_force = design_in_force(task_id=task.pk)
    if seeds is None or in_force is None or in_force.seed not in seeds:
        return False
    try:
        design_proposed(task=task, seed=seed_draw())
    except DesignRefusedError:
        return False
    return True


def _seeds_to_give(task: Task, content: Mapping[str, Any]) -> set[int] | None:
    """Return the seeds that drew a test set; None while somebody could make use of them.

    So it is while judging goes on, HITs that they drew are still to be judged, another test set is drawn by one of
    them, or a system is not named, whose name could be tested.
    """
    if hides_a_name(content) or not _is_over(task):
        return None
    drawn = HIT.objects.filter(task=task, design=OuterRef("pk"))
    designs = Design.objects.exclude(kind=Design.Kind.IMPORTED)
    drawn_by = designs.filter(Exists(drawn), task=task)
    seeds = set(drawn_by.values_list("seed", flat=True))
    # Rehearsals have the seeds of their campaigns, and are judged by nobody.
    elsewhere = designs.filter(task__test_set__campaign__rehearsal_of=None).exclude(task=task)
    return None if elsewhere.filter(seed__in=seeds).exists() else seeds


def _is_over(task: Task) -> bool:
    """Return whether nothing is lent any more, nor anything left that could be lent after opening again."""
    closed = Q(closed_at__isnull=False) | Q(
        test_set__campaign__state__in=[CampaignState.CLOSED, CampaignState.ARCHIVED]
    )
    left = HIT.objects.filter(task=OuterRef("pk")).incomplete()
    return Task.objects.filter(closed, ~Exists(left), pk=task.pk).exists()


def is_being_made(bundle: ResultBundle) -> bool:
    """Return whether a worker is to make it, or at it."""
    return not bundle.is_made and bundle.job is not None and not bundle.job.has_ended


@transaction.atomic
def result_bundle_store(
    *, bundle: ResultBundle, stream: IO[bytes], files: Sequence[dict[str, Any]]
) -> ResultBundle:
    """Store the zip of a bundle, in parts; one that was stored meanwhile stays.

    `bundle` is what the zip was made of. Raises `PublishingRefusedError` if it was asked for with or without texts
    or seeds meanwhile: then another worker makes what was asked for.
    """
    kept = ResultBundle.objects.select_for_update(no_key=True).get(pk=bundle.pk)
    if kept.is_made:
        return kept
    if (kept.has_texts, kept.has_seeds) != (bundle.has_texts, bundle.has_seeds):
        raise PublishingRefusedError(
            _("Nothing was stored: the bundle was asked for anew while it was made."), field="texts"
        )
    hashed, size = sha256(), 0
    number = 0
    while part := stream.read(PART_BYTES):
        BundlePart.objects.create(bundle=kept, number=number, content=part)
        hashed.update(part)
        size, number = size + len(part), number + 1
    ResultBundle.objects.filter(pk=kept.pk).update(
        files=list(files), size=size, digest=hashed.hexdigest(), made_at=Now()
    )
    kept.refresh_from_db()
    return kept
