"""`add_system`: add one more system's outputs to a test set that exists."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.services.systems import SystemRefusedError, system_add
from campaign.formats import InputFile
from campaign.management.arguments import task_named


class Command(BaseCommand):
    help = (
        "Add a system to a test set: its outputs, one for each segment, as plain text or as SGML. "
        "HITs that are planned from then on show it. Nothing is stored if anything does not fit."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument("--name", required=True, metavar="SYSTEM")
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        del args
        task = task_named(campaign=options["campaign"], name=options["test_set"])
        try:
            with options["file"].open("rb") as stream:
                file = InputFile(str(options["file"]), stream)
                system = system_add(test_set=task.test_set, name=options["name"], file=file)
        except (OSError, SystemRefusedError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"{system.name}: {system.outputs.count():,} outputs.")
