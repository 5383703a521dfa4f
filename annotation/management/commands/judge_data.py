"""`judge_data`: write the data kept about a judge."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from annotation.export.own_data import own_data_zip
from campaign.management.arguments import campaign_named, judge_named


class Command(BaseCommand):
    help = "Write the data stored about a judge to a zip file, as the judge can download it."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pseudonym", metavar="PSEUDONYM")
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--campaign", required=True, metavar="SLUG")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        judge = judge_named(campaign=campaign, pseudonym=options["pseudonym"])
        options["file"].write_bytes(own_data_zip(judge))
