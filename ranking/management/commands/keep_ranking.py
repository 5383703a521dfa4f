"""`keep_ranking`: keep the present ranking of a test set for good."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import protocol_option_add, task_asked
from ranking.services import latest_ranking_keep


class Command(BaseCommand):
    help = (
        "Keep the present ranking of a test set for good, and print its number. Only milestones are "
        "kept by themselves; other rankings give way to the next."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        run = latest_ranking_keep(task_id=task.pk)
        if run is None:
            raise CommandError(_("This test set has no ranking yet."))
        if options["verbosity"]:
            self.stdout.write(
                _("Kept as ranking %(id)s, with the judgments up to %(watermark)s.")
                % {"id": run.pk, "watermark": run.watermark}
            )
