"""`export_judgments`: something of a task as a file: judgments, comparisons, skips, texts and more."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import protocol_option_add, task_asked
from ranking.export.asked import ExportRefusedError, export_asked
from ranking.export.kinds import KINDS, ExportFormat
from ranking.export.writing import export_bytes
from ranking.management.output import Progress, replaced


class Command(BaseCommand):
    help = (
        "Write something of a task into a file: by default every judgment as JSON Lines, by number, as REST returns it; "
        "with --kind counted those that the ranking is computed from; and comparisons, skips, assignments, texts, "
        "designs, activity and judges."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("output", metavar="FILE", type=Path, help="the file to write")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument(
            "--kind",
            choices=list(KINDS),
            help="default: judgments; with --format csv those that count, as five-way CSV",
        )
        parser.add_argument(
            "--format", choices=[str(each) for each in ExportFormat], default="jsonl"
        )
        parser.add_argument(
            "--after",
            type=int,
            default=0,
            metavar="N",
            help="rows after number N (default: all); what comes first in a file is left out then",
        )
        parser.add_argument(
            "--until", type=int, metavar="N", help="rows up to number N (default: all)"
        )
        parser.add_argument(
            "--watermark",
            type=int,
            metavar="N",
            help="judgments up to number N decide which count (default: all)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        try:
            kind, file_format = _kind_and_format(options)
            export = export_asked(
                task=task,
                kind=kind,
                file_format=file_format,
                after=options["after"],
                until=options["until"],
                watermark=options["watermark"],
            )
        except ExportRefusedError as error:
            raise CommandError(str(error)) from error
        output: Path = options["output"]
        written = 0
        try:
            with (
                Progress(self.stderr, quiet=not options["verbosity"]) as progress,
                replaced(output) as part,
                part.open("wb") as file,
            ):
                for content in export_bytes(export, told=progress.begin(_("Writing"))):
                    written += file.write(content)
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(
                _("%(what)s up to number %(until)s in %(file)s: %(bytes)s bytes.")
                % {
                    "what": export.kind.title,
                    "until": export.until,
                    "file": output,
                    "bytes": f"{written:,}",
                }
            )


def _kind_and_format(options: dict[str, Any]) -> tuple[str, str]:
    kind, file_format = options["kind"], options["format"]
    if kind is None and file_format == ExportFormat.CSV:
        return "counted", str(ExportFormat.FIVE_WAY_CSV)
    return kind or "judgments", file_format
