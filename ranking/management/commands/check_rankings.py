"""`check_rankings`: recompute every ranking and compare bit for bit."""

from typing import Any

from django.core.management.base import CommandError

from campaign.management.arguments import TasksCommand
from ranking.services.reproduced_runs import RunsChecked, runs_check


class Command(TasksCommand):
    help = (
        "Recompute every saved ranking and the latest ranking of each task, and compare them bit for bit, "
        "for example after restoring a backup or an upgrade. Changes nothing; exits with 1 if a ranking differs."
    )

    def handle(self, *_args: Any, **options: Any) -> None:
        wrong = 0
        for task in self.tasks(options["campaign"]):
            checked = runs_check(task_id=task.pk)
            wrong += len(checked.differing)
            name = f"{task.test_set.campaign.slug}, {task.called}"
            self._say(name, checked)
        if wrong:
            raise CommandError(f"Rankings that differ from their judgments: {wrong}.")

    def _say(self, name: str, checked: RunsChecked) -> None:
        self.stdout.write(f"{name}: rankings that match: {checked.same}.")
        if checked.computed_otherwise:
            self.stdout.write(
                f"{name}: rankings with the same scores, for which this version computes other ranges, p-values or "
                f"agreement than the one that saved them: {checked.computed_otherwise}.",
            )
        for watermark in checked.differing:
            self.stdout.write(
                f"{name}: the ranking of judgments 1 to {watermark} differs.",
            )
        for reason in checked.refused:
            self.stdout.write(f"{name}: not recomputed: {reason}")
