"""Commands that compare what is stored of tasks with their judgments."""

from abc import abstractmethod
from collections.abc import Collection
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from campaign.models import Task


class TasksCommand(BaseCommand):
    """A command about all tasks, or those of `--campaign`."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", metavar="SLUG", help="only its test sets")

    def tasks(self, slug: str | None) -> QuerySet[Task]:
        """Return the tasks, with their test sets and campaigns, or raise a CommandError if a campaign has none."""
        tasks = Task.objects.select_related("test_set__campaign").order_by("pk")
        if slug:
            tasks = tasks.filter(test_set__campaign__slug=slug)
            if not tasks:
                raise CommandError(
                    _("There is no test set in a campaign “%(slug)s”.") % {"slug": slug}
                )
        return tasks


class CorrectingCommand(TasksCommand):
    """A command that counts anew, and corrects what is wrong unless it is only to say so."""

    @abstractmethod
    def wrong(self, *, task_id: int, corrects: bool) -> Collection[str]:
        """Return the names of what is wrong of a task."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--check", action="store_true", help="say what is wrong, change nothing"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        any_wrong = False
        for task in self.tasks(options["campaign"]):
            names = self.wrong(task_id=task.pk, corrects=not options["check"])
            any_wrong |= bool(names)
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
        if any_wrong and options["check"]:
            raise CommandError(_("Nothing was changed. Without --check they are corrected."))
