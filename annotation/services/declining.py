"""Judges who decline to take part, and who change their mind."""

from django.db import transaction
from django.db.models.functions import Now

from annotation.services.lending.release import assignments_release
from campaign.models import Judge


@transaction.atomic
def judge_decline(*, judge: Judge) -> None:
    """Record that a judge declines, and give back what they hold; a second time changes nothing.

    Nothing is lent to them until `judge_take_part`; their judgments stay. Locks the judge's row.
    """
    locked = Judge.objects.select_for_update(no_key=True).get(pk=judge.pk)
    if locked.declined_at is not None:
        return
    locked.declined_at = Now()
    locked.save(update_fields=["declined_at"])
    assignments_release(judge=locked)


@transaction.atomic
def judge_take_part(*, judge: Judge) -> None:
    """Undo that a judge declined; HITs are lent to them again."""
    Judge.objects.filter(pk=judge.pk).update(declined_at=None)
