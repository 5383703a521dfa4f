"""`plan_ratings`: check whether a given number of judges can rate adequacy and fluency."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from protocols.rating.feasibility import feasibility, feasibility_in_words
from ranking.code_version import code_version
from ranking.management.file_command import POSITIVE, Options, Progress, ReportCommand
from ranking.reports.tables import Column, Report, Table


class Command(ReportCommand):
    help = "Compute how many judges a task of adequacy and fluency needs. Needs no database."
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        for name, words in (
            ("systems", "systems, references included"),
            ("segments", "segments rated per system"),
            ("judges", "available judges"),
        ):
            parser.add_argument(f"--{name}", type=POSITIVE, required=True, help=words)
        parser.add_argument(
            "--raters", type=POSITIVE, default=2, help="judges per text (default: 2)"
        )
        parser.add_argument(
            "--items-per-judge",
            type=POSITIVE,
            help="maximum texts per judge (default: one per segment)",
        )
        parser.add_argument(
            "--adequacy-by-others",
            action="store_true",
            help="Adequacy is rated by other judges than fluency",
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:  # noqa: ARG002  it is quick
        asked: dict[str, Any] = {
            name: options[name]
            for name in (
                *("systems", "segments", "judges", "raters", "items_per_judge"),
                "adequacy_by_others",
            )
        }
        most = min(asked["items_per_judge"] or asked["segments"], asked["segments"])
        found = feasibility(
            [asked["systems"]] * asked["segments"],
            judges=asked["judges"],
            raters=asked["raters"],
            items_per_judge=most,
            is_adequacy_by_others=asked["adequacy_by_others"],
        )
        return Report(
            notes=feasibility_in_words(
                found,
                systems=asked["systems"],
                segments=asked["segments"],
                raters=asked["raters"],
                items_per_judge=most,
                is_adequacy_by_others=asked["adequacy_by_others"],
            ),
            tables=[
                Table(
                    name="plan",
                    title="Ratings in both passes"
                    if asked["adequacy_by_others"]
                    else "Ratings in one pass",
                    columns=(
                        Column("ratings", "Ratings"),
                        Column("room", "Capacity"),
                        Column("judges", "Judges"),
                        Column("needed_judges", "Judges needed"),
                        Column("needed_items", "Texts per judge needed"),
                    ),
                    rows=[
                        (
                            found.ratings,
                            found.room,
                            found.judges,
                            found.needed_judges,
                            found.needed_items_per_judge,
                        )
                    ],
                )
            ],
            data={"asked": asked, "feasibility": found, "version": code_version()},
        )
