"""Texts of a test set, in files next to the campaign file, and its systems."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import Final

from django.core.management.base import CommandError
from django.db.models import QuerySet
from django.utils.text import slugify

from annotation.importing.test_sets import TestSetFiles, test_set_from_files
from annotation.services.systems import (
    system_add,
    system_change,
    system_restore,
    system_withdraw,
)
from campaign.formats import FormatError, SegmentTexts, TestSetFormat
from campaign.formats.archives import opener
from campaign.formats.omissions import Omissions
from campaign.formats.recognising import RecognisedSet, SetReading
from campaign.formats.streams import StoredFile
from campaign.importing.errors import ImportRefusedError
from campaign.importing.uploaded_files import isolated_set
from campaign.management.files import files_recognised, files_with_roles
from campaign.models import Campaign, Protocol, Segment, System, SystemKind, Task
from campaign.selectors.tasks import first_task
from campaign.selectors.texts import SegmentLine, text_lines
from whole_campaigns.campaign_file.bodies import (
    SystemInFileSerializer,
    TextsInFileSerializer,
)
from whole_campaigns.campaign_file.parts import (
    Body,
    MissingFileError,
    Part,
    TextFolders,
)
from whole_campaigns.campaign_file.sections import TaskSection

_ROLES: Final = frozenset({"source", "references", "systems", "documents"})
#: Remedies if only the file itself is available.
_IMPORT: Final = (
    "import the test set on its page first, or run apply_campaign where the files are"
)
_FIRST: Final = (
    "create the campaign without this test set, upload its texts with Add texts and apply this file again in "
    "the settings, or run apply_campaign where the files are"
)


def texts_read(task: Task, number: int) -> Body:
    """Return the part of a campaign file about the texts, if they are known, with two queries."""
    if not is_whole(task):
        return {}
    references = task.test_set.systems.filter(kind=SystemKind.REFERENCE).order_by("pk")
    name = references.values_list("name", flat=True).first()
    return {"texts": {"files": [file_name(task, number)], "reference_system": name}}


def is_whole(task: Task) -> bool:
    """Return whether the texts are known: not for test sets made from judgments."""
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    return segments.exists() and not segments.filter(source_text__isnull=True).exists()


def file_name(task: Task, number: int) -> str:
    """Return the path for the texts of the test set with this number in its campaign, from 1."""
    return f"texts/{number}-{slugify(task.test_set.name) or 'test-set'}.jsonl"


def test_set_import(part: Part, values: Body, campaign: Campaign) -> Task:
    """Import a new test set from `texts`; return its task. `part` and `values` are those of the test set."""
    for key in ("texts", "source_language", "target_language"):
        if key not in part:
            raise part.error(
                f'test set "{part.get("name")}" not found, and a new one requires "{key}"',
                "add the key, or correct the name",
                "name",
            )
    folders = part.run.folders
    if folders is None:
        remedy = _FIRST if part.run.is_new else _IMPORT
        raise part["texts"].error("this file was uploaded without its texts", remedy)
    texts = part["texts"].validated(TextsInFileSerializer, is_new=True)
    reading = SetReading(
        languages=_pair(texts, values),
        by_paragraph=texts["split_paragraphs"],
        reference_system=texts["reference_system"],
    )
    with _recognise_files(part["texts"], texts, folders) as recognised, part.refusals():
        files = TestSetFiles(
            recognised=recognised,
            name=values["name"],
            source_language=values["source_language"],
            target_language=values["target_language"],
            reading=reading,
        )
        test_set = test_set_from_files(
            campaign=campaign,
            files=files,
            protocol=values.get("protocol", Protocol.RANKING),
        )
        return first_task(test_set=test_set)


def texts_compare(part: Part, values: Body, task: Task) -> None:
    """Raise FormatError if the files exist and their texts differ from those of the test set, which never change."""
    folders = part.run.folders
    if folders is None or "texts" not in part:
        return
    texts = part["texts"].validated(TextsInFileSerializer, is_new=True)
    reading = SetReading(
        languages=_pair(texts, values),
        by_paragraph=texts["split_paragraphs"],
        fewest_systems=1,
    )
    with (
        suppress(MissingFileError),
        _recognise_files(part["texts"], texts, folders) as recognised,
        isolated_set(recognised, reading, Omissions()) as segments,
    ):
        stored = text_lines(task=task)
        for number, (line, segment) in enumerate(zip_longest(stored, segments), 1):
            if line is None or segment is None or not _is_same(line, segment):
                raise part["texts"].error(
                    f'the texts of "{task.test_set.name}" cannot be changed, but segment {number} differs in these '
                    "files",
                    "use a new test set name for corrected texts",
                )


def _is_same(stored: SegmentLine, segment: SegmentTexts) -> bool:
    if (stored["source"], stored["document"]) != (segment.source, segment.document):
        return False
    references = list(segment.references)
    while references and not references[-1]:
        references.pop()
    # Systems added later have their own files.
    is_part = segment.outputs.items() <= stored["outputs"].items()
    return bool(is_part and stored["references"] == references)


@contextmanager
def _recognise_files(
    part: Part,
    texts: Body,
    folders: TextFolders,
) -> Iterator[RecognisedSet]:
    if ("files" in texts) == ("source" in texts):
        raise part.error("either files or source is required", "provide one of the two")
    if "files" in texts and _ROLES & texts.keys():
        raise part.error("files cannot have roles here", "use source instead")
    file_format = None
    if "format" in texts:
        file_format = TestSetFormat(texts["format"])
    try:
        with ExitStack() as stack:
            if "files" in texts:
                paths = [folders.path(part, name, "files") for name in texts["files"]]
                yield files_recognised(paths, stack, file_format)
            else:
                yield _recognise_with_roles(part, texts, folders, file_format)
    except CommandError as error:
        raise part.error(
            str(error).rstrip("."),
            "correct the names of the files",
        ) from error
    except ImportRefusedError as error:
        raise part.error(error.problem, error.remedy) from error
    except OSError as error:
        raise _unreadable(part, error) from error


def _unreadable(part: Part, error: OSError, *keys: str) -> FormatError:
    name = Path(str(error.filename)).name
    remedy = "check that the files exist and are readable"
    return part.error(f'"{name}": {error.strerror}', remedy, *keys)


def _recognise_with_roles(
    part: Part,
    texts: Body,
    folders: TextFolders,
    file_format: TestSetFormat | None,
) -> RecognisedSet:
    references = []
    for name in texts.get("references", []):
        references.append(folders.path(part, name, "references"))
    systems = []
    for system, name in texts.get("systems", {}).items():
        systems.append((system, folders.path(part, name, "systems")))
    documents = None
    if "documents" in texts:
        documents = folders.path(part, texts["documents"], "documents")
    return files_with_roles(
        source=folders.path(part, texts["source"], "source"),
        references=references,
        systems=systems,
        documents=documents,
        file_format=file_format,
    )


def _pair(texts: Body, values: Body) -> tuple[str, str] | None:
    """Return the languages of the test set in its files, if the campaign file names them."""
    if "pair" in texts:
        source, target = texts["pair"]
        return source, target
    if "source_language" in values and "target_language" in values:
        return values["source_language"], values["target_language"]
    return None


class SystemsSection(TaskSection[System]):
    """The systems by name, without damaged references, which have their own section."""

    serializer = SystemInFileSerializer

    def rows(self) -> QuerySet[System]:
        """Return the systems of the test set."""
        systems = self.test_set.systems.exclude(kind=SystemKind.BAD_REFERENCE)
        return systems.order_by("name")

    def row(self, part: Part) -> System | None:
        """Return the system with this name, even if it is that of damaged references."""
        return self.test_set.systems.filter(name=part.name("name")).first()

    def body(self, row: System) -> Body:
        """Return a system, and whether it is withdrawn."""
        return {**super().body(row), "withdrawn": row.withdrawn_at is not None}

    def create(self, part: Part, values: Body) -> None:
        """Add a system with the outputs in a file."""
        if "outputs" not in values:
            raise part.error(
                f'the test set "{self.test_set.name}" has no system "{values["name"]}"',
                "correct the name, or add outputs: FILE for an additional system",
                "name",
            )
        if part.run.folders is None:
            raise part.error(
                "this file was uploaded without its texts",
                "add the system on its page, or run apply_campaign where the files are",
                "outputs",
            )
        path = part.run.folders.path(part, values["outputs"], "outputs")
        file = StoredFile(values["outputs"], opener(path))
        try:
            with part.refusals("outputs"):
                system = system_add(
                    test_set=self.test_set,
                    name=values["name"],
                    file=file,
                )
        except OSError as error:
            raise _unreadable(part, error, "outputs") from error
        self.update(part, system)

    def change(self, part: Part, row: System, changes: Body) -> None:
        """Describe, withdraw or restore a system."""
        changes.pop("outputs", None)
        if "kind" in changes:
            raise part.error(
                f"the system is a {row.get_kind_display().lower()}",
                "remove the key; the kind follows from the texts",
                "kind",
            )
        withdrawn = changes.pop("withdrawn", None)
        if changes:
            system_change(system=row, **changes)
        with part.refusals("withdrawn"):
            if withdrawn is True:
                system_withdraw(system=row)
            elif withdrawn is False:
                system_restore(system=row)
