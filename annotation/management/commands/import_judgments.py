"""`import_judgments`: judgments of five-way CSV files into a test set."""

from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.importing.answer_rows import repeated_in_words
from annotation.importing.answers import AnswersImported, answers_import
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import (
    JudgmentsFile,
    LanguagePair,
    judgments_file_at,
)
from campaign.importing.test_sets import REFERENCE_SYSTEM, campaign_for_import
from campaign.importing.test_sets_without_texts import test_set_without_texts_create
from campaign.management.files import Progress, loss_lines, refusals_told
from campaign.models import Task, TestSet
from campaign.selectors.tasks import ranking_task

_FORMAT: Final = "five-way-csv"


class Command(BaseCommand):
    help = (
        "Import judgments from five-way CSV files, all of them or, after any error, none. "
        "What was imported before is not imported again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--create-campaign", metavar="NAME", help="create the campaign, under this name"
        )
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument(
            "--create-test-set",
            action="store_true",
            help="create the test set from the judgments, without texts",
        )
        parser.add_argument(
            "--reference-system",
            metavar="NAME",
            default=REFERENCE_SYSTEM,
            help="with --create-test-set: the system that is the reference (default: %(default)s)",
        )
        parser.add_argument(
            "--source", metavar="LANGUAGE", help="import rows of this source language only"
        )
        parser.add_argument(
            "--target", metavar="LANGUAGE", help="import rows of this target language only"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        languages = _languages(options)
        paths: list[Path] = options["files"]
        # Each file is hashed before it is read.
        passes = 3 if options["create_test_set"] else 2
        with refusals_told():
            progress = Progress(
                self.stderr,
                unit=_("judgments"),
                total_bytes=passes * sum(path.stat().st_size for path in paths),
                every=10_000,
                quiet=not options["verbosity"],
            )
            files = [judgments_file_at(path, watch=progress.watch) for path in paths]
            with progress, transaction.atomic():
                task = _task(options, files, languages)
                imported = answers_import(
                    task=task,
                    files=files,
                    file_format=_FORMAT,
                    languages=languages,
                    progress=progress,
                )
        if options["verbosity"]:
            self.stdout.write(_summary(task, imported))
            if imported.repeated:
                self.stdout.write(repeated_in_words(imported.repeated))
            for line in loss_lines(imported.losses):
                self.stdout.write(line)


def _languages(options: dict[str, Any]) -> LanguagePair | None:
    source, target = options["source"], options["target"]
    if (source is None) != (target is None):
        raise CommandError("Give --source and --target together, or neither.")
    return LanguagePair(source, target) if source else None


def _task(
    options: dict[str, Any], files: list[JudgmentsFile], languages: LanguagePair | None
) -> Task:
    campaign = campaign_for_import(slug=options["campaign"], create_as=options["create_campaign"])
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
    try:
        return ranking_task(test_set=campaign.test_sets.get(name=name))
    except TestSet.DoesNotExist:
        names = campaign.test_sets.order_by("name").values_list("name", flat=True)
        known = ", ".join(names[:20])
        raise ImportRefusedError(
            f'the campaign "{campaign.slug}" has no test set "{name}"',
            (f"name one of these: {known}; or " if known else "")
            + "import its texts first, or create it without texts with --create-test-set",
        ) from None


def _summary(task: Task, imported: AnswersImported) -> str:
    return _(
        "Test set %(id)s “%(name)s”: %(judgments)s judgments and %(skips)s skips imported, "
        "%(there)s already there."
    ) % {
        "id": task.pk,
        "name": task.test_set.name,
        "judgments": f"{imported.judgments:,}",
        "skips": f"{imported.skips:,}",
        "there": f"{imported.already_there:,}",
    }
