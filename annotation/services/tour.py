"""Begin and leave the tour of the judging page."""

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import Exposure
from annotation.selectors.tour import tour_due, tour_segments, tour_segments_to_spare
from campaign.models import Judge, Task


@transaction.atomic
def tour_begin(*, judge: Judge) -> None:
    """Reserve sentences for a judge's first tour: HITs that show them are not lent to this judge.

    Locks the judge's row, as lending does, so that none of them is lent meanwhile. Beginning again
    keeps the same sentences; for a judge who is at work already none are reserved.
    """
    locked = Judge.objects.select_for_update(of=("self",), no_key=True).select_related("campaign")
    fresh = locked.get(pk=judge.pk)
    if not tour_due(fresh) or tour_segments(fresh).exists():
        return
    segments = tour_segments_to_spare(fresh)
    apart = {
        task.exposed_apart
        for task in Task.objects.filter(test_set__in={each.test_set_id for each in segments})
    }
    Exposure.objects.bulk_create(
        Exposure(judge=fresh, segment=segment, assignment=None, apart=each)
        for segment in segments
        for each in sorted({"", *apart})
    )


@transaction.atomic
def tour_leave(*, judge: Judge, how: Judge.Tour) -> None:
    """Store that the judge took the tour, and how they left it.

    The first answer stays, except that a skipped tour may be done later.
    """
    before = [""] if how == Judge.Tour.SKIPPED else ["", Judge.Tour.SKIPPED]
    Judge.objects.filter(pk=judge.pk, tour__in=before).update(tour=how, tour_left_at=Now())
