"""`import_test_set`: a source, references and outputs from files into a campaign."""

import argparse
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from annotation.selectors.designs import design_in_force
from annotation.services import design_change
from campaign.formats import FormatError, InputFile, TestSetFormat, read_test_set
from campaign.importing.campaigns import campaign_for_import
from campaign.importing.errors import ImportRefusedError
from campaign.importing.test_sets import REFERENCE_SYSTEM, test_set_import
from campaign.management.arguments import share_argument
from campaign.management.progress import Progress
from campaign.models import Reference, SystemKind, TestSet
from campaign.services import BadReferenceRefusedError, bad_references_make


class Command(BaseCommand):
    help = (
        "Import a test set: one TSV or JSONL file, or plain text or SGML files for the source, "
        "the references and every system. All of it or, after any error, nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", nargs="?", type=Path, help="whole test set as TSV or JSONL"
        )
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--create-campaign", metavar="NAME", help="create the campaign, under this name"
        )
        parser.add_argument("--name", required=True, help="the name of the test set")
        parser.add_argument(
            "--source-language",
            required=True,
            metavar="TAG",
            help="source language as a tag, such as cs",
        )
        parser.add_argument(
            "--target-language",
            required=True,
            metavar="TAG",
            help="target language as a tag, such as en",
        )
        parser.add_argument("--source", metavar="FILE", type=Path)
        parser.add_argument(
            "--reference",
            metavar="FILE",
            type=Path,
            action="append",
            default=[],
            dest="references",
            help="file of a reference; may be given more than once",
        )
        parser.add_argument(
            "--system",
            metavar="NAME=FILE",
            type=_named_file,
            action="append",
            default=[],
            dest="systems",
            help="name of a system and its file; give it once for every system",
        )
        parser.add_argument(
            "--documents",
            metavar="FILE",
            type=Path,
            help="plain text with the name of one document in each line",
        )
        parser.add_argument("--format", choices=[str(each) for each in TestSetFormat])
        parser.add_argument(
            "--reference-system",
            metavar="NAME",
            default=REFERENCE_SYSTEM,
            help="what the first reference is called as a system (default: %(default)s); "
            "none: it does not take part",
        )
        parser.add_argument(
            "--rank-shown-reference",
            action="store_true",
            help="let judges rank the first reference although they see it; without this, a reference "
            "that judges see is not ranked, and a hidden one is, as a control",
        )
        parser.add_argument("--blocks-wanted", metavar="N", type=_from_1)
        parser.add_argument(
            "--bad-references",
            metavar="SHARE",
            type=share_argument,
            nargs="?",
            const=1.0,
            help="damage the reference of this share of the segments (all, without a number), "
            "as attention checks; none is shown before it is approved",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        paths = _paths(options)
        try:
            with ExitStack() as stack:
                progress = stack.enter_context(
                    Progress(
                        self.stderr,
                        unit=_("segments"),
                        total_bytes=sum(path.stat().st_size for path in paths),
                        every=10_000,
                        quiet=not options["verbosity"],
                    )
                )

                def opened(path: Path) -> InputFile:
                    stream = stack.enter_context(path.open("rb"))
                    return InputFile(str(path), progress.watch(stream))

                test_set = _imported(options, opened, progress)
        except (FormatError, ImportRefusedError, BadReferenceRefusedError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(_summary(test_set))


@transaction.atomic
def _imported(
    options: dict[str, Any], opened: Callable[[Path], InputFile], progress: Callable[[int], None]
) -> TestSet:
    documents: Path | None = options["documents"]
    reference_system: str = options["reference_system"]
    test_set = test_set_import(
        campaign=campaign_for_import(
            slug=options["campaign"], create_as=options["create_campaign"]
        ),
        name=options["name"],
        source_language=options["source_language"],
        target_language=options["target_language"],
        segments=read_test_set(
            source=opened(options["file"] or options["source"]),
            references=[opened(path) for path in options["references"]],
            systems={name: opened(path) for name, path in options["systems"]},
            documents=opened(documents) if documents else None,
            file_format=TestSetFormat(options["format"]) if options["format"] else None,
        ),
        reference_system=None if reference_system.lower() == "none" else reference_system,
        blocks_wanted=options["blocks_wanted"],
        progress=progress,
    )
    if options["rank_shown_reference"]:
        _reference_rank(test_set)
    if options["bad_references"]:
        bad_references_make(test_set=test_set, share=options["bad_references"])
    return test_set


def _paths(options: dict[str, Any]) -> list[Path]:
    """Return the files to read, or raise CommandError where their roles do not fit together."""
    file, source = options["file"], options["source"]
    if (file is None) == (source is None):
        raise CommandError(
            "Give either one FILE that holds the whole test set, "
            "or --source with --reference and --system."
        )
    names = [name for name, _path in options["systems"]]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise CommandError(f"--system {min(twice)} is given twice; name every system once.")
    others = [*options["references"], *(path for _name, path in options["systems"])]
    if options["documents"]:
        others.append(options["documents"])
    return [file or source, *others]


def _reference_rank(test_set: TestSet) -> None:
    if not test_set.systems.filter(kind=SystemKind.REFERENCE).exists():
        raise ImportRefusedError(
            "--rank-shown-reference: no reference takes part as a system",
            "give a --reference and no --reference-system none, or leave the option out",
        )
    design_change(test_set=test_set, reference_rate=None, rank_shown_reference=True)


def _summary(test_set: TestSet) -> str:
    systems = test_set.systems.filter(kind=SystemKind.SYSTEM).count()
    return _("Test set %(id)s “%(name)s”: %(segments)s segments, %(systems)s") % {
        "id": test_set.pk,
        "name": test_set.name,
        "segments": f"{test_set.segments.count():,}",
        "systems": _reference_in_words(test_set)
        % {
            "systems": ngettext("%(count)d system", "%(count)d systems", systems)
            % {"count": systems}
        },
    }


def _reference_in_words(test_set: TestSet) -> str:
    """Return what becomes of the reference, with a place for the systems."""
    shown = test_set.campaign.show_reference
    if test_set.systems.filter(kind=SystemKind.REFERENCE).exists():
        design = design_in_force(test_set_id=test_set.pk)
        if not shown:
            return _("%(systems)s and the reference as a hidden control.")
        if design is not None:
            return _("%(systems)s and the reference, which judges see and rank.")
        return _("%(systems)s; the reference is shown to judges and not ranked.")
    if Reference.objects.filter(segment__test_set=test_set).exists():
        if shown:
            return _("%(systems)s; the reference is shown to judges and not ranked.")
        return _("%(systems)s; the reference is neither shown nor ranked.")
    return _("%(systems)s, no reference.")


def _named_file(text: str) -> tuple[str, Path]:
    name, equals, path = text.partition("=")
    if not (name and equals and path):
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form NAME=FILE")
    return name, Path(path)


def _from_1(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) < 2**31:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1")
    return int(text)
