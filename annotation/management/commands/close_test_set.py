"""`close_task`: lend nothing more of a test set, or open it again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.selectors.at_work import closing_in_words, task_at_work
from campaign.management.arguments import protocol_option_add, task_asked
from campaign.services import task_close, task_reopen


class Command(BaseCommand):
    help = (
        "Close a test set to judges, who may finish what they hold. Says first who is at work; where "
        "somebody is, it closes only with --yes. --reopen undoes it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument("--reopen", action="store_true", help="open it again")
        parser.add_argument("--yes", action="store_true", help="also while judges are at work")

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        if options["reopen"]:
            task_reopen(task=task)
            self.stdout.write(_("%(name)s is open to judges again.") % {"name": task.called})
            return
        for words in closing_in_words(task=task):
            self.stdout.write(words)
        if task_at_work(task=task).judges and not options["yes"]:
            raise CommandError(_("Nothing was changed. If this is what you want, add --yes."))
        task_close(task=task)
        self.stdout.write(_("Judges get no more sentences of %(name)s.") % {"name": task.called})
