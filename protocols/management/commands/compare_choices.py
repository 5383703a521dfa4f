"""`compare_choices`: what judges said of two outputs, and how far they agree."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from protocols.two_outputs.files import read_choices
from protocols.two_outputs.report import two_outputs_found, two_outputs_report
from ranking.files import SelectionError
from ranking.management.file_command import (
    Options,
    Progress,
    ReportCommand,
    add_files_of_answers,
    add_left_out_judges,
)
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Compare what judges said of two outputs: answers by judge, and how far judges agree (Bojar et al. 2011, "
        "§2.5.2). Needs no database."
    )
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_files_of_answers(parser, answers="answers")
        parser.add_argument(
            "--systems",
            nargs=2,
            metavar=("X", "Y"),
            help="only answers about outputs of these two systems",
        )
        parser.add_argument(
            "--judges",
            nargs=2,
            metavar=("A", "B"),
            help="whose answers stand side by side (default: the two with most in common)",
        )
        add_left_out_judges(parser, answers="answers")
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        chosen = options["systems"]
        if chosen and chosen[0] == chosen[1]:
            raise ValueError(_("Name two different systems."))
        judges = tuple(options["judges"] or ())
        if len(set(judges)) < len(judges):
            raise ValueError(_("Name two different judges."))
        read = read_choices(
            options["files"],
            systems=tuple(chosen) if chosen else None,
            exclude_judges=options["exclude_judge"],
            progress=progress.begin(_("Reading")),
        )
        there = read.read.choices.judges
        if unknown := [judge for judge in judges if judge not in there]:
            raise SelectionError(f"there is no judge {unknown[0]!r}; there are {', '.join(there)}")
        return two_outputs_report(two_outputs_found(read.read), judges=judges, files=read)
