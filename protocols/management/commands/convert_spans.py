"""`convert_spans`: convert scored judgments from one format to another, and report losses."""

from pathlib import Path

from django.core.management.base import CommandParser

from campaign.management.files import Progress
from protocols.spans.files.formats import WRITTEN, SpansFormat, read_spans, write_spans
from protocols.spans.report import conversion_report
from ranking.management.file_command import (
    Options,
    ReportCommand,
    refuse,
    replaced,
)
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Convert ESA, contrastive ESA, DA or MQM judgments to another format and list what was lost. Needs no "
        "database."
    )
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            metavar="FILE",
            nargs="+",
            help="file of scored judgments, plain or gzip; - is standard input",
        )
        parser.add_argument(
            "--input-format",
            type=SpansFormat,
            choices=list(SpansFormat),
            help="format of the files (default: detected from their content)",
        )
        for side in ("source", "target"):
            parser.add_argument(
                f"--{side}-language",
                metavar="L",
                default="",
                help=f"{side} language, for files that do not state it",
            )
        parser.add_argument(
            "--to",
            metavar="F",
            type=Path,
            required=True,
            help="file to write",
        )
        parser.add_argument(
            "--output-format",
            type=SpansFormat,
            choices=list(WRITTEN),
            default=SpansFormat.JSONL,
            help="format of the file to write (default: spans-jsonl, which loses nothing)",
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        to: Path = options["to"]
        if to.is_dir() or not to.parent.is_dir():
            refuse(f"{to}: the folder does not exist.")
        named = ("input_format", "source_language", "target_language")
        read = read_spans(
            options["files"],
            progress=progress.begin("Reading"),
            **{name: options[name] for name in named},
        )
        lines, lost = write_spans(read.judgments, options["output_format"])
        with replaced(to) as part:
            # Unchanged: line ends are those of the format on any platform.
            part.write_text("".join(lines), encoding="utf-8", newline="")
        return conversion_report(read, str(to), options["output_format"], lost)
