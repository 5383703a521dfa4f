"""What the commands on files of scored judgments share."""

from __future__ import annotations

from dataclasses import replace

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from campaign.formats.errors import Loss
from protocols.spans.files.formats import SpansFormat, SpansRead, read_spans
from protocols.spans.records import ScoredJudgment
from ranking.files.records import JudgmentSelection
from ranking.files.selecting import one_language_pair
from ranking.management.file_command import Options, Progress


def add_spans_files(parser: CommandParser) -> None:
    """Add the files, their format, and their languages."""
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
        help="format of the files (default: recognised by how they begin)",
    )
    for side in ("source", "target"):
        parser.add_argument(
            f"--{side}-language",
            metavar="L",
            default="",
            help=f"{side} language, for files that do not say it; score_spans takes this one of several",
        )


def read_spans_files(options: Options, progress: Progress) -> SpansRead:
    """Read the files of `add_spans_files`."""
    return read_spans(
        options["files"],
        input_format=options["input_format"],
        source_language=options["source_language"],
        target_language=options["target_language"],
        progress=progress.begin(_("Reading")),
    )


def of_one_language_pair(read: SpansRead, options: Options) -> SpansRead:
    """Return the judgments of the one pair that there is, or that is chosen: systems of two pairs have nothing in common.

    Raises
    ------
    SelectionError
        If there is not one pair.
    """

    def pair(judgment: ScoredJudgment) -> tuple[str, str]:
        return judgment.source_language, judgment.target_language

    chosen = one_language_pair(
        {pair(judgment) for judgment in read.judgments},
        JudgmentSelection(
            source=options["source_language"] or None, target=options["target_language"] or None
        ),
    )
    others = [judgment for judgment in read.judgments if pair(judgment) != chosen]
    if not others:
        return read
    lost = Loss("judgments of other languages", len(others), f"line {others[0].line}")
    return replace(
        read,
        judgments=tuple(judgment for judgment in read.judgments if pair(judgment) == chosen),
        losses=(*read.losses, lost),
    )
