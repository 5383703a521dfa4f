"""Ask for the bundle of a published result, and store it."""

from collections.abc import Sequence
from hashlib import sha256
from typing import IO, Any

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import CampaignState, JobKind, User
from campaign.services.jobs import job_queue
from ranking.models import PART_BYTES, BundlePart, PublishedResult, ResultBundle
from ranking.services.publishing.refusals import PublishingRefusedError


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
    test_set = result.test_set
    is_over = test_set.campaign.state in {CampaignState.CLOSED, CampaignState.ARCHIVED}
    bundle, is_new = ResultBundle.objects.select_for_update(
        no_key=True, of=("self",)
    ).get_or_create(
        pk=result.pk,
        defaults={
            "has_texts": with_texts,
            "has_seeds": is_over or test_set.closed_at is not None,
        },
    )
    if bundle.is_made:
        raise PublishingRefusedError(
            _("This version has its bundle. It stays as it is."), field="texts"
        )
    if not is_new and is_being_made(bundle):
        return bundle
    bundle.has_texts = with_texts
    if is_queued:
        bundle.job = job_queue(
            campaign=test_set.campaign,
            kind=JobKind.BUNDLE,
            name=_("%(name)s, version %(version)s")
            % {"name": test_set.name[:150], "version": result.version},
            parameters={"bundle": result.pk},
            user=by,
        )
    bundle.save(update_fields=["has_texts", "job"])
    return bundle


def is_being_made(bundle: ResultBundle) -> bool:
    """Return whether a worker is to make it, or at it."""
    return not bundle.is_made and bundle.job is not None and not bundle.job.has_ended


@transaction.atomic
def result_bundle_store(
    *, bundle: ResultBundle, stream: IO[bytes], files: Sequence[dict[str, Any]]
) -> ResultBundle:
    """Store the zip of a bundle, in parts; one that was stored meanwhile stays."""
    kept = ResultBundle.objects.select_for_update(no_key=True).get(pk=bundle.pk)
    if kept.is_made:
        return kept
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
