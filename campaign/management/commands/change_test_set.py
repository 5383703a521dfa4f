"""`change_test_set`: how much is to be judged of a test set, and by whom."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import limit_argument, tags_argument, test_set_named
from campaign.services import test_set_change
from campaign.services.rules import Quotas


class Command(BaseCommand):
    help = (
        "Change the quotas of a test set, or the expertise asked of its judges. What is not named "
        "stays as it is; what is planned or judged already stays too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument(
            "--blocks-wanted",
            type=limit_argument,
            metavar="N|none",
            help="blocks wanted in all, repeats included",
        )
        parser.add_argument(
            "--blocks-per-segment",
            type=limit_argument,
            metavar="N|none",
            help="blocks wanted for each segment, repeats included",
        )
        parser.add_argument(
            "--expertise",
            type=tags_argument,
            metavar="TAG,…|none",
            help="lend it only to judges who have all of these",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        test_set = test_set_named(campaign=options["campaign"], name=options["test_set"])
        changes: Quotas = {}
        if options["blocks_wanted"] is not None:
            changes["blocks_wanted"] = _limit(options["blocks_wanted"])
        if options["blocks_per_segment"] is not None:
            changes["blocks_per_segment"] = _limit(options["blocks_per_segment"])
        if options["expertise"] is not None:
            changes["expertise"] = options["expertise"]
        changed = test_set_change(test_set=test_set, **changes)
        if options["verbosity"]:
            self.stdout.write(
                _("“%(name)s”: %(wanted)s blocks in all, %(segment)s a segment, for %(expertise)s.")
                % {
                    "name": changed.name,
                    "wanted": changed.blocks_wanted or "∞",
                    "segment": changed.blocks_per_segment or "∞",
                    "expertise": ", ".join(changed.expertise) or "everybody",
                }
            )


def _limit(value: int | str) -> int | None:
    return None if isinstance(value, str) else value
