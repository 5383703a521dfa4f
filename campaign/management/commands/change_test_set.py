"""`change_test_set`: how much is to be judged of a test set, and by whom; which languages it is in."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import (
    language_argument,
    limit_argument,
    tags_argument,
    test_set_named,
)
from campaign.services import RulesRefusedError, test_set_change
from campaign.services.rules import QuotasAndLanguages
from campaign.texts.language_tags import LanguageTagError
from campaign.texts.languages import language_name


class Command(BaseCommand):
    help = (
        "Change the quotas of a test set, the expertise asked of its judges or, before the first judgment, "
        "its languages. What is not named stays as it is; what is planned or judged already stays too."
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

        for side in ("source", "target"):
            parser.add_argument(
                f"--{side}-language",
                type=language_argument,
                metavar="TAG",
                help=f"correct its {side} language, until its first judgment",
            )

    def handle(self, *_args: Any, **options: Any) -> None:
        test_set = test_set_named(campaign=options["campaign"], name=options["test_set"])
        changes: QuotasAndLanguages = {}
        if options["blocks_wanted"] is not None:
            changes["blocks_wanted"] = _limit(options["blocks_wanted"])
        if options["blocks_per_segment"] is not None:
            changes["blocks_per_segment"] = _limit(options["blocks_per_segment"])
        if options["expertise"] is not None:
            changes["expertise"] = options["expertise"]
        if options["source_language"] is not None:
            changes["source_language"] = options["source_language"]
        if options["target_language"] is not None:
            changes["target_language"] = options["target_language"]
        try:
            changed = test_set_change(test_set=test_set, **changes)
        except (LanguageTagError, RulesRefusedError) as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            self.stdout.write(
                _(
                    "“%(name)s”, from %(source)s into %(target)s: %(wanted)s blocks in all, %(segment)s a "
                    "segment, for %(expertise)s."
                )
                % {
                    "name": changed.name,
                    "source": language_name(changed.source_language),
                    "target": language_name(changed.target_language),
                    "wanted": changed.blocks_wanted or "∞",
                    "segment": changed.blocks_per_segment or "∞",
                    "expertise": ", ".join(changed.expertise) or "everybody",
                }
            )


def _limit(value: int | str) -> int | None:
    return None if isinstance(value, str) else value
