"""`recount`: compare counters, rankings and tallies with all judgments, and correct them."""

from typing import Any

from django.core.management.base import CommandError, CommandParser

from annotation.services.numbers import counters_check, counters_rebuild
from campaign.management.arguments import TasksCommand
from ranking.services.runs import tallies_check


class Command(TasksCommand):
    help = (
        "Recount the judgments of all test sets, compare them with counters, rankings and stored tallies, "
        "and correct errors. A daily task runs the check and logs errors."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--check", action="store_true", help="report errors without correcting them"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        any_wrong = False
        corrects = not options["check"]
        count = counters_rebuild if corrects else counters_check
        for task in self.tasks(options["campaign"]):
            names = [*count(task_id=task.pk), *tallies_check(task_id=task.pk, corrects=corrects)]
            any_wrong |= bool(names)
            found = "correct"
            if names:
                found = f"{'corrected' if corrects else 'wrong'}: {', '.join(names)}"
            self.stdout.write(f"{task.test_set.campaign.slug}, {task.test_set.name}: {found}.")
        if any_wrong and options["check"]:
            raise CommandError("Nothing was changed. Run without --check to correct errors.")
