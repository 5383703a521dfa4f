"""`import_test_set`: import a source, references and outputs from files into a campaign."""

import argparse
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.importing.test_sets import (
    TestSetFiles,
    test_set_files_check,
    test_set_from_files,
)
from annotation.protocols.answer_kinds import answer_kind
from annotation.selectors.designs import design_in_force
from campaign.formats import TestSetFormat
from campaign.formats.isolation import Watch
from campaign.formats.recognising import RecognisedSet, SetReading
from campaign.importing.test_sets import REFERENCE_SYSTEM, campaign_for_import
from campaign.management.arguments import (
    CommandOptions,
    language_argument,
    share_argument,
)
from campaign.management.files import (
    Progress,
    files_recognised,
    files_with_roles,
    inspection_lines,
    omission_lines,
    refusals_as_errors,
)
from campaign.models import Campaign, Protocol, Reference, SystemKind, Task
from campaign.selectors.tasks import first_task
from campaign.services.bad_references import bad_references_make
from campaign.texts.studies import (
    Preset,
    study_of_protocol,
    study_preset,
    study_presets,
)


def _studies() -> list[str]:
    """Return the names of all studies, and the protocols, which stand for the first study of each."""
    names = [preset.name for preset in study_presets()]
    return list(dict.fromkeys([*Protocol.values, *names]))


def _preset(options: Mapping[str, Any]) -> Preset:
    name = options["protocol"]
    return study_preset(name) or study_of_protocol(name)


class Command(BaseCommand):
    help = "Import a test set from a folder, an archive, a list of files, one complete file, or files with given roles. Nothing is imported if there is an error."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "files",
            metavar="FILE",
            nargs="*",
            type=Path,
            help="complete test set (TSV, JSONL, WMT XML, Pearmut campaign), a folder, a zip or tar.gz archive, or several files",
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="report what the files contain and store nothing",
        )
        parser.add_argument(
            "--campaign",
            metavar="SLUG",
            help="required, except with --check",
        )
        parser.add_argument(
            "--create-campaign",
            metavar="NAME",
            help="create the campaign with this name",
        )
        parser.add_argument(
            "--name",
            help="name of the test set; required, except with --check",
        )
        for side, example in (("source", "cs"), ("target", "en")):
            parser.add_argument(
                f"--{side}-language",
                type=language_argument,
                metavar="TAG",
                help=f"{side} language tag, such as {example}; optional if file names contain it",
            )
        parser.add_argument(
            "--pair",
            nargs=2,
            metavar=("SOURCE", "TARGET"),
            help="language pair to import from a file with several, as written in the file (default: --source-language and --target-language)",
        )
        parser.add_argument(
            "--split-paragraphs",
            action="store_true",
            help="split WMT JSON Lines into one segment per paragraph instead of per document",
        )
        parser.add_argument(
            "--common-documents",
            action="store_true",
            help="import only documents that all systems cover, and list the others",
        )
        parser.add_argument("--source", metavar="FILE", type=Path)
        parser.add_argument(
            "--reference",
            metavar="FILE",
            type=Path,
            action="append",
            default=[],
            dest="references",
            help="reference file; may be repeated",
        )
        parser.add_argument(
            "--system",
            metavar="NAME=FILE",
            type=_named_file,
            action="append",
            default=[],
            dest="systems",
            help="name and file of a system; repeat for every system",
        )
        parser.add_argument(
            "--documents",
            metavar="FILE",
            type=Path,
            help="plain text file with one document name per line",
        )
        parser.add_argument(
            "--format",
            choices=[str(test_set_format) for test_set_format in TestSetFormat],
        )
        parser.add_argument(
            "--reference-system",
            metavar="NAME",
            default=REFERENCE_SYSTEM,
            help="system name of the first reference (default: %(default)s); none to exclude it",
        )
        parser.add_argument(
            "--rank-shown-reference",
            action="store_true",
            help="let judges rank the first reference even if they see it; by default, only a hidden reference is ranked, as a control",
        )
        parser.add_argument(
            "--protocol",
            choices=_studies(),
            default=Protocol.RANKING.value,
            help="protocol or study of the first task (default: %(default)s)",
        )
        parser.add_argument("--blocks-wanted", metavar="N", type=_positive_integer)
        parser.add_argument(
            "--bad-references",
            metavar="SHARE",
            type=share_argument,
            nargs="?",
            const=1.0,
            help="create damaged references for this share of segments (default: all) as attention checks, shown only once approved",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        with refusals_as_errors(), ExitStack() as stack:
            recognised = _recognise_files(options, stack)
            languages = _languages(options, recognised)
            if options["check"]:
                self._check(options, recognised, languages)
                return
            _refuse_missing(options, languages)
            quiet = not options["verbosity"]
            progress = stack.enter_context(Progress(self.stderr, quiet=quiet)).begin(
                "Importing",
            )
            total = 2 * recognised.size()
            task = _import_test_set(
                options,
                recognised,
                languages,
                lambda bytes_read: progress(bytes_read, total),
            )
        if options["verbosity"]:
            upload = task.test_set.upload
            left_out = [(text["name"], text["why"]) for text in upload.left_out]
            for line in omission_lines(left_out, upload.warnings):
                self.stdout.write(line)
            self.stdout.write(_summary(task))

    def _check(
        self,
        options: CommandOptions,
        recognised: RecognisedSet,
        languages: tuple[str | None, str | None],
    ) -> None:
        # Without a campaign, the check needs no database.
        slug = options["campaign"]
        campaign = None
        if slug:
            campaign = Campaign.objects.filter(slug=slug).first()
        inspection = test_set_files_check(
            files=_files(options, recognised, languages),
            campaign=campaign,
        )
        for line in inspection_lines(recognised, inspection):
            self.stdout.write(line)
        if inspection.error is not None:
            raise inspection.error
        self.stdout.write("These files can be imported. Nothing was stored.")


@transaction.atomic
def _import_test_set(
    options: CommandOptions,
    recognised: RecognisedSet,
    languages: tuple[str | None, str | None],
    watch: Watch,
) -> Task:
    test_set = test_set_from_files(
        files=_files(options, recognised, languages),
        campaign=campaign_for_import(
            slug=options["campaign"],
            create_as=options["create_campaign"],
        ),
        blocks_wanted=options["blocks_wanted"],
        protocol=_preset(options).protocol,
        preset=options["protocol"],
        watch=watch,
    )
    task = first_task(test_set=test_set)
    if options["bad_references"]:
        bad_references_make(test_set=task.test_set, share=options["bad_references"])
    return task


def _files(
    options: CommandOptions,
    recognised: RecognisedSet,
    languages: tuple[str | None, str | None],
) -> TestSetFiles:
    """Return the files with the options for reading them."""
    reference_system: str = options["reference_system"]
    return TestSetFiles(
        recognised=recognised,
        name=options["name"] or "",
        source_language=languages[0] or "",
        target_language=languages[1] or "",
        reading=SetReading(
            languages=_pair(options, languages),
            by_paragraph=options["split_paragraphs"],
            common_documents=options["common_documents"],
            reference_system=None
            if reference_system.lower() == "none"
            else reference_system,
            fewest_systems=answer_kind(_preset(options).protocol).fewest_systems,
        ),
        rank_shown_reference=options["rank_shown_reference"],
    )


def _recognise_files(options: CommandOptions, stack: ExitStack) -> RecognisedSet:
    """Return the files to read. Raises CommandError if their roles are inconsistent."""
    files = options["files"]
    source = options["source"]
    if bool(files) == (source is not None):
        raise CommandError(
            "Specify either FILE, or --source with --reference and --system.",
        )
    names = [name for name, _path in options["systems"]]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise CommandError(
            f"--system {min(twice)} is given twice; name every system once.",
        )
    file_format = None
    if options["format"]:
        file_format = TestSetFormat(options["format"])
    roles = bool(options["references"] or options["systems"] or options["documents"])
    if files and not (roles and len(files) == 1):
        if roles:
            raise CommandError(
                "Specify either files with roles (--source, --reference, --system) or files without roles.",
            )
        languages = options["source_language"], options["target_language"]
        return files_recognised(files, stack, file_format, _pair(options, languages))
    return files_with_roles(
        source=source or files[0],
        references=options["references"],
        systems=options["systems"],
        documents=options["documents"],
        file_format=file_format,
    )


def _languages(
    options: CommandOptions,
    recognised: RecognisedSet,
) -> tuple[str | None, str | None]:
    """Return the languages given as options, otherwise those in the file names."""
    source, target = recognised.languages or (None, None)
    return options["source_language"] or source, options["target_language"] or target


def _pair(
    options: CommandOptions,
    languages: tuple[str | None, str | None],
) -> tuple[str, str] | None:
    """Return the pair to import from a file with several; None if the file decides."""
    if options["pair"]:
        return options["pair"][0], options["pair"][1]
    source, target = languages
    if source and target:
        return (source, target)
    return None


def _refuse_missing(
    options: CommandOptions,
    languages: tuple[str | None, str | None],
) -> None:
    values = {
        "--campaign": options["campaign"],
        "--name": options["name"],
        "--source-language": languages[0],
        "--target-language": languages[1],
    }
    missing = [option for option, value in values.items() if value is None]
    if missing:
        raise CommandError(
            f"Error: the following arguments are required: {', '.join(missing)}",
        )


def _summary(task: Task) -> str:
    segments = task.test_set.segments.count()
    systems = task.test_set.systems.competing().count()
    return (
        f"Test set {task.pk} “{task.test_set.name}”: "
        f"{segments:,} segments, {systems} systems{_reference_in_words(task)}"
    )


def _reference_in_words(task: Task) -> str:
    """Return the last part of the summary, on the use of the reference."""
    is_shown = task.test_set.campaign.show_reference
    if task.test_set.systems.filter(kind=SystemKind.REFERENCE).exists():
        design = design_in_force(task_id=task.pk)
        if not is_shown:
            return " and the reference as a hidden control."
        if design is not None:
            return " and the reference, which judges see and rank."
        return "; the reference is shown to judges and not ranked."
    if Reference.objects.filter(segment__test_set=task.test_set_id).exists():
        if is_shown:
            return "; the reference is shown to judges and not ranked."
        return "; the reference is neither shown nor ranked."
    return ", no reference."


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form NAME=FILE")
    return name, Path(path)


def _positive_integer(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number of 1 or more")
    return int(text)
