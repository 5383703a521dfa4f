"""`rate_judgments`: adequacy and fluency of systems, and how far their judges can be relied on."""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from protocols.frame.scale.computed import RatingOptions, ratings_found
from protocols.frame.scale.files import easy_items, read_ratings
from protocols.frame.scale.statistics.ratings import POINTS, Items
from protocols.frame.scale.tables import ratings_report
from ranking.core.ranges import Correction
from ranking.management.arguments import POSITIVE, SEED, SHARE, number_between, whole_number
from ranking.management.file_command import (
    Options,
    Progress,
    ReportCommand,
    add_files_of_answers,
    add_left_out_judges,
    refuse,
    segment_texts,
)
from ranking.reports import Report


class Command(ReportCommand):
    help = (
        "Rank systems by mean adequacy and fluency, and diagnose their judges as Hamon et al. (2007) do. "
        "Needs no database."
    )
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        add_files_of_answers(parser, answers="ratings")
        add_left_out_judges(parser, answers="ratings")
        parser.add_argument("--condition", metavar="C", help="only this kind of input")
        parser.add_argument(
            "--merge", action="store_true", help="merge points: 1 and 2, 3, 4 and 5"
        )
        parser.add_argument(
            "--standardise",
            action="store_true",
            help="means of z = (x − the judge's mean) / their standard deviation",
        )
        parser.add_argument(
            "--easy",
            metavar="F",
            help="file of easy texts: a segment's number a line, or a number and a system",
        )
        parser.add_argument(
            "--easy-below",
            type=whole_number(2, POINTS),
            help="a rating of an easy text below this misses it (default: the most points)",
        )
        parser.add_argument(
            "--source-text",
            metavar="F",
            help="the source, plain text or SGML: propose the shortest sentences as easy",
        )
        parser.add_argument(
            "--deviations",
            type=number_between(0, 100),
            default=1.0,
            help="standard deviations beyond which a judge stands out (default: 1)",
        )
        parser.add_argument(
            "--by-difference",
            action="store_true",
            help="judge mean scores by the difference to the others on the same texts",
        )
        parser.add_argument(
            "--correction",
            type=Correction,
            choices=[Correction.NONE, Correction.HOLM],
            default=Correction.NONE,
            help="whether ranges hold each by itself or all together (default: none)",
        )
        parser.add_argument(
            "--seed", type=SEED, default=0, help="seed of all random numbers (default: 0)"
        )
        parser.add_argument(
            "--confidence", type=SHARE, default=0.95, help="of ranges and intervals (default: 0.95)"
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        read = read_ratings(
            options["files"],
            exclude_judges=options["exclude_judge"],
            condition=options["condition"],
            progress=progress.begin(_("Reading")),
        )
        chosen = RatingOptions(
            **{
                name: options[name]
                for name in (
                    *("merge", "standardise", "easy_below", "deviations", "by_difference"),
                    *("correction", "confidence", "seed"),
                )
            }
        )
        easy = None
        if options["easy"]:
            # A list of the whole campaign may name what is left out here.
            are_all = options["condition"] is None and not options["exclude_judge"]
            easy = easy_items(read.items, _listed(options["easy"]), are_all=are_all)
        words = _words(options["source_text"], read.items) if options["source_text"] else None
        return ratings_report(read, ratings_found(read, chosen, easy=easy, words=words), chosen)


def _listed(name: str) -> list[tuple[int, str | None]]:
    """Read the texts that an organiser calls easy."""
    try:
        lines = Path(name).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"{name}: {getattr(error, 'strerror', None) or error}.", error)
    found: list[tuple[int, str | None]] = []
    for number, line in enumerate(lines, 1):
        if line.strip():
            segment, _space, system = line.strip().partition(" ")
            try:
                found.append((POSITIVE(segment), system.strip() or None))
            except argparse.ArgumentTypeError as error:
                refuse(f"{name}, line {number}: {error}.", error)
    return found


def _words(name: str, items: Items) -> npt.NDArray[np.int64]:
    """Return the words of each item's source; segments count from 1."""
    lengths = [len(text.split()) for text in segment_texts(name)]
    last = int(items.segment.max())
    if last > len(lengths):
        refuse(f"{name}: the file has {len(lengths):,} segments; segment {last:,} was rated.")
    return np.array(lengths, dtype=np.int64)[items.segment - 1]
