"""`export_ratings`: the answers of a task of adequacy and fluency, as a file of ratings."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import task_named
from campaign.models import Protocol
from protocols.rating.files import rating_lines
from ranking.management.output import replaced


class Command(BaseCommand):
    help = (
        "Write what judges said in a task of adequacy and fluency as JSON Lines, which rate_judgments reads: current "
        "ratings, without controls and judges who are excluded."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="short name of the campaign")
        parser.add_argument("test_set", metavar="TEST_SET", help="name of the test set")
        parser.add_argument("output", metavar="FILE", type=Path, help="the file to write")
        parser.add_argument(
            "--watermark", type=int, metavar="N", help="up to judgment number N (default: all)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_named(
            campaign=options["campaign"], name=options["test_set"], protocol=Protocol.RATING
        )
        output: Path = options["output"]
        read = rating_lines(task=task, watermark=options["watermark"])
        try:
            with replaced(output) as part:
                part.write_text("".join(read.lines), encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(
                _("%(judgments)s judgments up to number %(watermark)s in %(file)s.")
                % {
                    "judgments": f"{len(read.lines):,}",
                    "watermark": read.watermark,
                    "file": output,
                }
            )
