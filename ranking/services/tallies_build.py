"""Count all judgments of a test set in the background, where its tallies are missing or of something else."""

from datetime import timedelta
from functools import partial
from time import monotonic
from uuid import uuid4

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.services.numbers import ranking_request
from ranking.core.live.state import LiveDefinition, LiveTallies
from ranking.models import StoredTallies, TalliesBuild
from ranking.notification import tallies_build_enqueue
from ranking.selectors.live_judgments import changed_judgments
from ranking.selectors.names_seen import names_seen
from ranking.selectors.runs import ranking_basis, system_kinds
from ranking.services.live_cache import HeldTallies
from ranking.services.live_tallies import live_definition, tallies_store
from ranking.services.planned_runs import planned_run

#: If nothing is heard for so long, the worker was killed or the message was lost: it is sent again.
SILENT_SECONDS = 60


@transaction.atomic
def tallies_build_request(*, task_id: int) -> None:
    """Have a worker count all judgments, unless one does already or is about to."""
    judgments = ranking_basis(task_id=task_id).last_number
    row = TalliesBuild(task_id=task_id, judgments=judgments)
    TalliesBuild.objects.bulk_create([row], ignore_conflicts=True)
    silent = Q(touched_at=None) | Q(touched_at__lt=Now() - timedelta(seconds=SILENT_SECONDS))
    if TalliesBuild.objects.filter(silent, pk=task_id).update(touched_at=Now(), done=0):
        transaction.on_commit(partial(tallies_build_enqueue, task_id))


def tallies_build(*, task_id: int) -> bool:
    """Count all judgments of a test set, piece by piece, and store the tallies; return if they were.

    No lock is held meanwhile: judgments with a number never change. What came in since is taken in by
    the next ranking, which is requested. If names changed meanwhile, nothing is stored, and that ranking
    asks again. Running it twice costs time only.
    """
    basis = ranking_basis(task_id=task_id)
    kinds = system_kinds(task_id=task_id)
    run = planned_run(basis, kinds)
    definition = live_definition(run, kinds)
    names, _holds = names_seen(task_id=task_id, before={})
    is_built = False
    if not _is_stored(task_id, definition):
        tallies = _counted(task_id, definition, run.watermark)
        _names, is_built = names_seen(task_id=task_id, before=names)
        if is_built:
            held = HeldTallies(tallies, run.watermark, uuid4(), names, -1, monotonic())
            tallies_store(held, task_id)
    TalliesBuild.objects.filter(pk=task_id).delete()
    ranking_request(task_id=task_id)
    return is_built


def _is_stored(task_id: int, definition: LiveDefinition) -> bool:
    stored = StoredTallies.objects.filter(pk=task_id).values_list("definition", flat=True)
    return any(bytes(digest) == definition.digest for digest in stored)


def _counted(task_id: int, definition: LiveDefinition, watermark: int) -> LiveTallies:
    """Count the judgments 1…watermark, saying after each piece how many are done."""
    tallies, done = LiveTallies(definition), 0
    for changed in changed_judgments(
        task_id=task_id, start=0, stop=watermark, systems=definition.systems
    ):
        tallies.apply(changed)
        done += len(changed.after) + len(changed.checks_after)
        TalliesBuild.objects.filter(pk=task_id).update(done=done, touched_at=Now())
    return tallies
