"""`measure_agreement`: agreement between judges, and of judges with themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.analyses.agreement import agreement_found, agreement_report
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.management.file_command import (
    Options,
    ReportCommand,
    add_file_arguments,
    add_kappa_level_argument,
    add_resampling_arguments,
    read_input,
    refuse,
    segment_texts,
)
from ranking.management.output import Progress
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Measure how far judges agree with each other and with themselves, on collapsed outputs. "
        "Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        add_file_arguments(parser)
        parser.add_argument(
            "--pairing",
            type=Pairing,
            choices=list(Pairing),
            default=Pairing.UNORDERED,
            help="which comparisons are of the same item (default: unordered)",
        )
        parser.add_argument(
            "--chance",
            type=Chance,
            choices=list(Chance),
            default=Chance.SCOTT,
            help="how much agreement to expect by chance (default: scott)",
        )
        parser.add_argument(
            "--by-reference",
            action="store_true",
            help="measure with and without the reference, too",
        )
        parser.add_argument(
            "--source-text",
            metavar="F",
            help="the source, plain text or SGML: measure by the length of its sentences, too",
        )
        add_kappa_level_argument(parser)
        add_resampling_arguments(parser)
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        given = read_input(options, progress)
        how: dict[str, Any] = {
            name: options[name]
            for name in ("pairing", "chance", "resample", "resamples", "confidence", "seed")
        }
        if options["by_reference"] and given.reference is None:
            refuse(_("There is no reference among the systems; name it with --reference-system."))
        lengths = _tokens(options["source_text"]) if options["source_text"] else None
        found = agreement_found(
            given, by_reference=options["by_reference"], tokens=lengths, how=how
        )
        return agreement_report(given, found)


def _tokens(name: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Return the words of each segment by its number; segments count from 1."""
    lengths = [len(text.split()) for text in segment_texts(name)]
    return np.array([-1, *lengths], dtype=np.int64)
