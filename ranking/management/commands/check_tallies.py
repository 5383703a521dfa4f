"""`check_tallies`: compare rankings and the tallies they came from with all judgments."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.models import Task
from ranking.services.tallies_check import tallies_check


class Command(BaseCommand):
    help = (
        "Count the judgments of all test sets anew, and compare with their rankings and with the tallies that "
        "the next rankings begin from; compute anew what is wrong. --check only says what is. A task does "
        "that each day and logs an error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", metavar="SLUG", help="only its test sets")
        parser.add_argument(
            "--check", action="store_true", help="say what is wrong, change nothing"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        tasks = Task.objects.select_related("test_set__campaign").order_by("pk")
        if options["campaign"]:
            tasks = tasks.filter(test_set__campaign__slug=options["campaign"])
            if not tasks:
                raise CommandError(
                    _("There is no test set in a campaign “%(slug)s”.")
                    % {"slug": options["campaign"]}
                )
        wrong = 0
        for task in tasks:
            names = tallies_check(task_id=task.pk, corrects=not options["check"])
            wrong += bool(names)
            said = {
                "task": f"{task.test_set.campaign.slug}, {task.test_set.name}",
                "names": ", ".join(names),
            }
            if not names:
                self.stdout.write(_("%(task)s: right.") % said)
            elif options["check"]:
                self.stdout.write(_("%(task)s: wrong: %(names)s.") % said)
            else:
                self.stdout.write(_("%(task)s: corrected: %(names)s.") % said)
        if wrong and options["check"]:
            raise CommandError(_("Nothing was changed. Without --check they are corrected."))
