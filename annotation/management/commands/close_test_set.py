"""`close_test_set`: lend nothing more of a test set, or open it again."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.selectors.at_work import closing_in_words, test_set_at_work
from campaign.management.arguments import test_set_named
from campaign.services import test_set_close, test_set_reopen


class Command(BaseCommand):
    help = (
        "Close a test set to judges, who may finish what they hold. Says first who is at work; where "
        "somebody is, it closes only with --yes. --reopen undoes it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument("--reopen", action="store_true", help="open it again")
        parser.add_argument("--yes", action="store_true", help="also while judges are at work")

    def handle(self, *_args: Any, **options: Any) -> None:
        test_set = test_set_named(campaign=options["campaign"], name=options["test_set"])
        if options["reopen"]:
            test_set_reopen(test_set=test_set)
            self.stdout.write(_("%(name)s is open to judges again.") % {"name": test_set.name})
            return
        for words in closing_in_words(test_set=test_set):
            self.stdout.write(words)
        if test_set_at_work(test_set=test_set).judges and not options["yes"]:
            raise CommandError(_("Nothing was changed. If this is what you want, add --yes."))
        test_set_close(test_set=test_set)
        self.stdout.write(_("Judges get no more sentences of %(name)s.") % {"name": test_set.name})
