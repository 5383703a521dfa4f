"""`diagnose_campaign`: what to look at in judgments before believing a ranking."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.analyses.diagnosis import campaign_report
from ranking.core.diagnosis.campaign import IdenticalTexts, diagnose_campaign, identical_texts
from ranking.core.judged.blocks import Blocks
from ranking.management.arguments import whole_number
from ranking.management.file_command import (
    Options,
    ReportCommand,
    add_file_arguments,
    named_file,
    read_input,
    refuse,
    segment_texts,
)
from ranking.management.output import Progress
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Count sole winners, pairs of systems, ties and how often each system was judged, the "
        "reference included. Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser, reference=False)
        parser.add_argument(
            "--decimals",
            type=whole_number(0, 15),
            help="round scores before correlating them, as Bojar et al. (2011) did with 3",
        )
        parser.add_argument(
            "--system-text",
            metavar="NAME=FILE",
            type=named_file,
            nargs="+",
            action="extend",
            default=[],
            dest="system_texts",
            help="outputs of a system, plain text or SGML; of two or more systems: count identical "
            "texts ranked differently",
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        given = read_input(options, progress)
        found = diagnose_campaign(
            given.blocks, reference=given.reference, decimals=options["decimals"]
        )
        return campaign_report(given, found, _identical(given.blocks, options["system_texts"]))


def _identical(blocks: Blocks, files: list[tuple[str, str]]) -> IdenticalTexts | None:
    if not files:
        return None
    texts = {}
    last = int(blocks.segment.max(initial=0))
    for system, file in files:
        if system not in blocks.systems:
            refuse(
                _("There is no system %(system)s in the judgments. The systems are: %(systems)s.")
                % {"system": system, "systems": ", ".join(blocks.systems)}
            )
        if system in texts:
            refuse(_("The texts of %(system)s are given twice.") % {"system": system})
        texts[system] = segment_texts(file)
        if len(texts[system]) < last:
            refuse(
                _("%(file)s: the file has %(count)d segments; segment %(last)d was judged.")
                % {"file": file, "count": len(texts[system]), "last": last}
            )
    return identical_texts(blocks, texts)
