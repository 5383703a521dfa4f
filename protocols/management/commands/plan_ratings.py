"""`plan_ratings`: check whether a given number of judges can rate adequacy and fluency."""

from operator import attrgetter
from typing import Any

from django.core.management.base import CommandParser

from campaign.management.files import Progress
from protocols.rating.feasibility import feasibility, feasibility_in_words
from ranking.code_version import code_version
from ranking.management.file_command import POSITIVE, Options, ReportCommand
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
            help="Adequacy and fluency are rated by different judges",
        )
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:  # noqa: ARG002  it is quick
        named = ("systems", "segments", "judges", "raters", "items_per_judge", "adequacy_by_others")
        asked: dict[str, Any] = {name: options[name] for name in named}
        found = feasibility(
            [asked["systems"]] * asked["segments"],
            judges=asked["judges"],
            raters=asked["raters"],
            items_per_judge=asked["items_per_judge"],
            passes_by_others=2 if asked["adequacy_by_others"] else 1,
        )
        passes = "both passes" if asked["adequacy_by_others"] else "one pass"
        return Report(
            notes=[*feasibility_in_words(found)],
            tables=[
                Table.of(
                    [found],
                    name="plan",
                    title=f"Ratings in {passes}",
                    columns=(
                        Column("ratings", "Ratings"),
                        Column("room", "Capacity"),
                        Column("judges", "Judges"),
                        Column("needed_judges", "Judges needed"),
                        Column(
                            "needed_items",
                            "Texts per judge needed",
                            of=attrgetter("needed_items_per_judge"),
                        ),
                    ),
                )
            ],
            data={"asked": asked, "feasibility": found, "version": code_version()},
        )
