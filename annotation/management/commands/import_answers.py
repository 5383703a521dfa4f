"""`import_answers`: what judges said elsewhere into a task, whatever its protocol."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import gettext as _

from annotation.importing.answer_rows import repeated_in_words, skips_in_words
from annotation.importing.answers import AnswersImported, answers_import
from campaign.importing.judgment_files import judgments_file_at
from campaign.management.arguments import task_named
from campaign.management.files import Progress, loss_lines, refusals_told
from campaign.models import Protocol, Task


class Command(BaseCommand):
    help = (
        "Import answers of other tools into a task of a test set, all of them or, after any error, none. What was "
        "imported before is not imported again. Says what the answers cannot carry."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument(
            "--protocol",
            choices=list(Protocol.values),
            required=True,
            help="which task of the test set",
        )
        parser.add_argument(
            "--input-format",
            metavar="F",
            help="format of the files (default: recognised by how they begin)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_named(
            campaign=options["campaign"], name=options["test_set"], protocol=options["protocol"]
        )
        paths: list[Path] = options["files"]
        with refusals_told():
            progress = Progress(
                self.stderr,
                unit=_("judgments"),
                # Each file is hashed before it is read.
                total_bytes=2 * sum(path.stat().st_size for path in paths),
                every=10_000,
                quiet=not options["verbosity"],
            )
            files = [judgments_file_at(path, watch=progress.watch) for path in paths]
            with progress:
                imported = answers_import(
                    task=task,
                    files=files,
                    file_format=options["input_format"],
                    progress=progress,
                )
        if options["verbosity"]:
            self.stdout.write(_summary(task, imported))
            if imported.skips:
                self.stdout.write(skips_in_words(imported.skips))
            if imported.repeated:
                self.stdout.write(repeated_in_words(imported.repeated))
            for line in loss_lines(imported.losses):
                self.stdout.write(line)


def _summary(task: Task, imported: AnswersImported) -> str:
    return _("%(task)s: %(judgments)s judgments imported, %(there)s already there.") % {
        "task": task.called_in_full,
        "judgments": f"{imported.judgments:,}",
        "there": f"{imported.already_there:,}",
    }
