from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from demo.guide import guide_write
from demo.loading import demo_load


class Command(BaseCommand):
    help = "Load the demo campaigns where they are missing, and say where to go."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--base-url", required=True, help="address of the demo, such as http://127.0.0.1:8000"
        )
        parser.add_argument("--write", type=Path, required=True, help="file to write to")

    def handle(self, *, base_url: str, write: Path, **_options: Any) -> None:
        demo_load(say=self.stdout.write)
        guide_write(base_url=base_url.rstrip("/").removesuffix(settings.URL_PREFIX), path=write)
