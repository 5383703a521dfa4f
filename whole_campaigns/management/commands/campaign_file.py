"""`campaign_file`: write the settings of a campaign as a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from campaign.management.arguments import campaign_named
from campaign.management.files import refusals_as_errors
from campaign.selectors.texts import text_lines
from campaign.texts.canonical_json import json_line
from whole_campaigns.campaign_file.applying import campaign_file
from whole_campaigns.campaign_file.test_sets import representing_tasks
from whole_campaigns.campaign_file.texts import file_name, is_whole


class Command(BaseCommand):
    help = (
        "Write the settings of a campaign as a file for apply_campaign to standard output, without "
        "judgments, links, codes and tokens. With --folder, also write the texts."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument(
            "--people",
            action="store_true",
            help="include judges (by pseudonym) and the contact",
        )
        parser.add_argument(
            "--folder",
            type=Path,
            metavar="DIR",
            help="write campaign.yaml and texts/ into this new folder",
        )

    @refusals_as_errors()
    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        content = campaign_file(campaign=campaign, people=options["people"])
        folder: Path | None = options["folder"]
        if folder is None:
            self.stdout.write(content.decode(), ending="")
            return
        (folder / "texts").mkdir(parents=True, exist_ok=True)
        for number, task in enumerate(representing_tasks(campaign), 1):
            if is_whole(task):
                with (folder / file_name(task, number)).open("wb") as stream:
                    for line in text_lines(task=task):
                        stream.write(json_line(line).encode())
        (folder / "campaign.yaml").write_bytes(content)
