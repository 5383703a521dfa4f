"""`export_spans`: the answers of a task of error spans and scores, as a file of scored judgments."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import task_named
from campaign.management.inspection import loss_lines
from campaign.models import Protocol
from protocols.spans.files import SpansFormat, write_spans
from protocols.spans.files.answers import scores_read
from ranking.management.output import replaced


class Command(BaseCommand):
    help = (
        "Write what judges said in a task of error spans and scores as a file, which score_spans, convert_spans and "
        "import_answers read: current judgments by number, without controls and judges who are excluded. Says what the "
        "format cannot carry."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="short name of the campaign")
        parser.add_argument("test_set", metavar="TEST_SET", help="name of the test set")
        parser.add_argument("output", metavar="FILE", type=Path, help="the file to write")
        parser.add_argument(
            "--watermark", type=int, metavar="N", help="up to judgment number N (default: all)"
        )

        parser.add_argument(
            "--output-format",
            type=SpansFormat,
            choices=list(SpansFormat),
            default=SpansFormat.JSONL,
            help="format of the file to write (default: spans-jsonl, which loses nothing)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_named(
            campaign=options["campaign"], name=options["test_set"], protocol=Protocol.SPANS
        )
        output: Path = options["output"]
        read = scores_read(task=task, watermark=options["watermark"])
        lines, losses = write_spans(read.judgments, options["output_format"])
        try:
            with replaced(output) as part:
                part.write_text("".join(lines), encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(
                _("%(judgments)s judgments up to number %(watermark)s in %(file)s.")
                % {
                    "judgments": f"{len(read.judgments):,}",
                    "watermark": read.watermark,
                    "file": output,
                }
            )
            for line in loss_lines(losses):
                self.stdout.write(line)
