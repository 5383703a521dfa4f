"""`import_answers`: import answers from other tools into a task of any protocol."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.importing.answer_rows import (
    by_machines_in_words,
    machines_in_words,
    repeated_in_words,
    skips_in_words,
)
from annotation.importing.answers import AnswersImported, ImportOptions, answers_import
from annotation.importing.stored_answers import NoLongerInFile
from campaign.formats.archives import opener
from campaign.formats.streams import StoredFile
from campaign.importing.judgment_files import LanguagePair
from campaign.importing.test_sets import REFERENCE_SYSTEM, campaign_for_import
from campaign.importing.test_sets_without_texts import test_set_without_texts_create
from campaign.management.arguments import (
    CommandOptions,
    protocol_option_add,
    task_named,
)
from campaign.management.files import Progress, loss_lines, refusals_as_errors
from campaign.models import Protocol, Task
from campaign.selectors.tasks import ranking_task


class Command(BaseCommand):
    help = "Import answers of other tools into a task. Nothing is imported if there is an error, and answers imported before are skipped. Lists what could not be imported."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--create-campaign",
            metavar="NAME",
            help="create the campaign with this name",
        )
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument(
            "--create-test-set",
            action="store_true",
            help="create the test set from five-way CSV, without texts",
        )
        parser.add_argument(
            "--reference-system",
            metavar="NAME",
            default=REFERENCE_SYSTEM,
            help="with --create-test-set: the system that is the reference (default: %(default)s)",
        )
        protocol_option_add(parser)
        for side in ("source", "target"):
            parser.add_argument(
                f"--{side}",
                metavar="LANGUAGE",
                help=f"for five-way CSV: import only rows of this {side} language only",
            )
        parser.add_argument(
            "--input-format",
            metavar="F",
            help="format of the files (default: detected automatically)",
        )
        parser.add_argument(
            "--machine",
            default="",
            metavar="NAME",
            help="name and version of the machine judge that gave all answers"
            " (default: judges with the name and version of one, or with the key machine)",
        )
        parser.add_argument(
            "--no-longer-in-file",
            choices=list(NoLongerInFile),
            help="answers of an earlier import that the file no longer has: keep or withdraw them"
            " (default: import nothing)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        languages = _languages(options)
        no_longer_in_file = options["no_longer_in_file"]
        paths: list[Path] = options["files"]
        with (
            refusals_as_errors(),
            Progress(self.stderr, quiet=not options["verbosity"]) as progress,
        ):
            progress.begin("Importing")
            total = sum(path.stat().st_size for path in paths)
            files = [StoredFile(str(path), opener(path)) for path in paths]
            with transaction.atomic():
                task = _task(options, files, languages)
                chosen = ImportOptions(
                    file_format=options["input_format"],
                    languages=languages,
                    no_longer_in_file=no_longer_in_file
                    and NoLongerInFile(no_longer_in_file),
                    machine=options["machine"],
                    watch=lambda bytes_read: progress(bytes_read, total),
                )
                imported = answers_import(task=task, files=files, options=chosen)
        if options["verbosity"]:
            self.stdout.write(_summary(task, imported))
            if imported.machines:
                self.stdout.write(machines_in_words(imported.machines))
            if imported.by_machines:
                self.stdout.write(by_machines_in_words(imported.by_machines))
            if imported.skips:
                self.stdout.write(skips_in_words(imported.skips))
            if imported.repeated:
                self.stdout.write(repeated_in_words(imported.repeated))
            for line in loss_lines(imported.losses):
                self.stdout.write(line)


def _languages(options: CommandOptions) -> LanguagePair | None:
    source = options["source"]
    target = options["target"]
    if (source is None) != (target is None):
        raise CommandError("Specify --source and --target together, or neither.")
    if source:
        return LanguagePair(source, target)
    return None


def _task(
    options: CommandOptions,
    files: list[StoredFile],
    languages: LanguagePair | None,
) -> Task:
    if options["protocol"] != Protocol.RANKING and options["create_test_set"]:
        raise CommandError("--create-test-set is only available for ranking tasks.")
    campaign = campaign_for_import(
        slug=options["campaign"],
        create_as=options["create_campaign"],
    )
    name = options["test_set"]
    if options["create_test_set"]:
        test_set = test_set_without_texts_create(
            campaign=campaign,
            name=name,
            files=files,
            languages=languages,
            reference_system=options["reference_system"],
        )
        return ranking_task(test_set=test_set)
    return task_named(campaign=campaign.slug, name=name, protocol=options["protocol"])


def _summary(task: Task, imported: AnswersImported) -> str:
    return f"{task.called_in_full}: {imported.judgments:,} judgments imported, {imported.already_there:,} already there."
