"""`load_demo`: load missing demo campaigns, as `quintet demo` does."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from campaign.models import Campaign
from demo.guide import guide_write
from demo.loading import MUSEUM, demo_load
from demo.still_loading import still_loading_write


class Command(BaseCommand):
    help = "Load missing demo campaigns and print their links."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--base-url",
            required=True,
            help="address of the demo, such as http://127.0.0.1:8000",
        )
        parser.add_argument(
            "--write",
            type=Path,
            required=True,
            help="file to write to",
        )

    def handle(self, *, base_url: str, write: Path, **_options: Any) -> None:
        address = base_url.rstrip("/").removesuffix(settings.URL_PREFIX)
        for still_loading in demo_load(say=self.stdout.write):
            still_loading_write(still_loading)
            if Campaign.objects.filter(slug=MUSEUM).exists():
                guide_write(base_url=address, path=write)
