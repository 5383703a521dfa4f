"""`import_snippets`: import the snippets of a quiz with their statements from a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from annotation.selectors.judges_needed import judges_needed
from campaign.formats.archives import opener
from campaign.formats.streams import StoredFile
from campaign.management.arguments import task_named
from campaign.models import Protocol
from protocols.quiz.snippets import SnippetsRefusedError, snippets_import


class Command(BaseCommand):
    help = (
        "Replace the snippets and statements of a quiz task with those of a file (JSON Lines, or CSV by its "
        "extension). Changes nothing if the file has an error or judging has started."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "campaign",
            metavar="CAMPAIGN",
            help="short name of the campaign",
        )
        parser.add_argument("test_set", metavar="TEST_SET", help="name of the test set")
        parser.add_argument("file", metavar="FILE", type=Path)

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_named(
            campaign=options["campaign"],
            name=options["test_set"],
            protocol=Protocol.QUIZ,
        )
        try:
            file = StoredFile(str(options["file"]), opener(options["file"]))
            count = snippets_import(task=task, file=file)
        except (OSError, SnippetsRefusedError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Snippets: {count:,}.")
        for needed in judges_needed([task]):
            self.stdout.write(" ".join(needed.words))
