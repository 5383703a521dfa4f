"""`add_task`: ask something else of judges about the texts of a test set."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.selectors.judges_needed import judges_needed
from annotation.services import task_with_rules_create
from campaign.management.arguments import campaign_named, task_named
from campaign.models import Protocol
from campaign.services import TaskRefusedError
from campaign.services.rules import MAX_BLOCKS
from cells.management.arguments import rule_option_add, rules_asked


class Command(BaseCommand):
    help = (
        "Add a task to a test set: another protocol on the same texts, with blocks, judgments and a ranking of its "
        "own. Judges get it as soon as HITs are planned."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="short name of the campaign")
        parser.add_argument("test_set", metavar="TEST_SET", help="name of the test set")
        parser.add_argument(
            "protocol", metavar="PROTOCOL", help=f"what judges are asked: {', '.join(Protocol)}"
        )
        parser.add_argument(
            "--blocks-wanted",
            type=int,
            metavar="N",
            help="what progress is measured against; no more are planned than that",
        )
        parser.add_argument(
            "--blocks-per-segment",
            type=int,
            metavar="N",
            help=f"no segment is planned into more blocks than that, at most {MAX_BLOCKS}",
        )
        rule_option_add(parser)
        parser.add_argument(
            "--segments-again",
            action="store_true",
            help="let judges meet segments in it that other tasks of the test set showed them",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        ranking = task_named(campaign=campaign.slug, name=options["test_set"])
        try:
            task = task_with_rules_create(
                test_set=ranking.test_set,
                protocol=options["protocol"],
                by=None,
                rules=rules_asked(options),
                segments_again=options["segments_again"],
                blocks_wanted=options["blocks_wanted"],
                blocks_per_segment=options["blocks_per_segment"],
            )
        except TaskRefusedError as error:
            raise CommandError(str(error)) from error
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(
            _("%(name)s has a task more: %(protocol)s. See how its blocks are to be drawn.")
            % {"name": task.test_set.name, "protocol": task.get_protocol_display()}
        )
        for needed in judges_needed([task]):
            self.stdout.write(" ".join(needed.words))
