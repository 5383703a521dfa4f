"""`make_training`: propose training blocks from approved damaged references."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.services import TrainingRefusedError, training_propose
from campaign.management.arguments import protocol_option_add, task_asked


class Command(BaseCommand):
    help = (
        "Propose training blocks for new judges of a test set: the reference, an approved damaged "
        "one, and two outputs. Edit the explanations on the organiser's page."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument("--count", type=int, choices=range(1, 11), default=3, metavar="N")
        parser.add_argument("--seed", type=int, default=0)

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        try:
            blocks = training_propose(task=task, count=options["count"], seed=options["seed"])
        except TrainingRefusedError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            self.stdout.write(_("%(count)d training blocks proposed.") % {"count": len(blocks)})
