"""The tour of the judging page: begun, and left once."""

from django.db import transaction
from django.db.models.functions import Now

from annotation.models import Exposure
from annotation.selectors.tour import tour_due, tour_segments, tour_segments_to_spare
from campaign.models import Judge


@transaction.atomic
def tour_begin(*, judge: Judge) -> None:
    """Set sentences aside for a first tour: from now on nothing that shows them is lent to the judge.

    Holds the lock of the judge's row, as lending does, so that none of them is lent meanwhile. Who
    begins again gets the same sentences, and whoever is at work already gets none set aside.
    """
    locked = Judge.objects.select_for_update(of=("self",), no_key=True).select_related("campaign")
    fresh = locked.get(pk=judge.pk)
    if not tour_due(fresh) or tour_segments(fresh).exists():
        return
    Exposure.objects.bulk_create(
        Exposure(judge=fresh, segment=segment, assignment=None)
        for segment in tour_segments_to_spare(fresh)
    )


@transaction.atomic
def tour_leave(*, judge: Judge, how: Judge.Tour) -> None:
    """Remember that the judge has been on the tour, and how they left it.

    What was said first stays, except that a tour that was skipped may be done after all.
    """
    before = [""] if how == Judge.Tour.SKIPPED else ["", Judge.Tour.SKIPPED]
    Judge.objects.filter(pk=judge.pk, tour__in=before).update(tour=how, tour_left_at=Now())
