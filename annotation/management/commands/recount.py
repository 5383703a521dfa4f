"""`recount`: compare the counters that pages read with the judgments, and count them anew."""

from collections.abc import Collection

from annotation.services import counters_check, counters_rebuild
from campaign.management.checking import CorrectingCommand


class Command(CorrectingCommand):
    help = (
        "Count the judgments of all test sets, and correct the counters that pages show where they are "
        "wrong. --check only says which are. A task does that each day and logs an error."
    )

    def wrong(self, *, task_id: int, corrects: bool) -> Collection[str]:
        """Return the counters that are wrong."""
        count = counters_rebuild if corrects else counters_check
        return count(task_id=task_id)
