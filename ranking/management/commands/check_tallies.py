"""`check_tallies`: compare rankings and the tallies they came from with all judgments."""

from collections.abc import Collection

from campaign.management.checking import CorrectingCommand
from ranking.services.runs_check import tallies_check


class Command(CorrectingCommand):
    help = (
        "Count the judgments of all test sets anew, and compare with their rankings and with the tallies that "
        "the next rankings begin from; compute anew what is wrong. --check only says what is. A task does "
        "that each day and logs an error."
    )

    def wrong(self, *, task_id: int, corrects: bool) -> Collection[str]:
        """Return what does not follow from the judgments."""
        return tallies_check(task_id=task_id, corrects=corrects)
