"""Release the HITs of a judge who will not go on, without waiting for the leases to end."""

from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Now

from annotation.models import HIT, Assignment
from campaign.models import Judge


@transaction.atomic
def assignments_release(*, judge: Judge) -> None:
    """End the judge's leases now; their HITs become available, and their judgments stay.

    Expired leases need nothing: their HITs are available already, or lent to somebody else. The
    caller holds the lock of the judge's row.
    """
    held = Assignment.objects.filter(
        judge=judge, completed_at__isnull=True, released_at__isnull=True, lease__endswith__gt=Now()
    )
    for assignment in held.select_for_update().annotate(now=Now()):
        # One moment for both: a HIT may be lent from the very end of the lease on, and not before.
        now = assignment.now
        assignment.released_at, assignment.lease = now, DateTimeTZRange(assignment.lease.lower, now)
        assignment.save(update_fields=["released_at", "lease"])
        HIT.objects.filter(pk=assignment.hit_id, completed_at__isnull=True).update(available_at=now)
