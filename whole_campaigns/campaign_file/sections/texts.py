"""Sections for the texts of a test set, in files next to the campaign file, and for its systems."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from django.db.models import QuerySet
from django.utils.text import slugify

from annotation.importing.test_sets import test_set_from_files
from annotation.services.systems import (
    DESCRIBED,
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
from campaign.importing.test_sets import REFERENCE_SYSTEM
from campaign.importing.uploaded_files import isolated_set
from campaign.management.files import files_recognised, files_with_roles
from campaign.models import Segment, System, SystemKind, Task
from campaign.selectors.tasks import ranking_task
from campaign.selectors.texts import text_lines
from whole_campaigns.campaign_file.properties import Schema, choice, flag, object_of, properties_of
from whole_campaigns.campaign_file.said import Said, TextFolders
from whole_campaigns.campaign_file.sections.section import ListSection, Run, differing

_FILE: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 500}
_FILES: Final[Schema] = {"type": "array", "items": _FILE, "minItems": 1, "maxItems": 2000}
_ROLES: Final = ("source", "references", "systems", "documents")
#: Remedy if only the file itself is available.
_IMPORT: Final = "import the test set on its page first, or run apply_campaign where the files are"
_FIRST: Final = (
    "create the campaign without this test set, upload its texts with Add texts and apply this file again in "
    "the settings, or run apply_campaign where the files are"
)


def texts_schema() -> Schema:
    """Return the schema of `texts`."""
    properties = {
        "files": {**_FILES, "description": "A folder, an archive, or one or more files."},
        "source": {**_FILE, "description": "Source file, as an alternative to files."},
        "references": {**_FILES, "description": "One file per reference. Requires source."},
        "systems": {
            "type": "object",
            "additionalProperties": _FILE,
            "description": "One file per system, by system name. Requires source.",
        },
        "documents": {
            **_FILE,
            "description": "File with one document name per line. Requires source.",
        },
        "format": choice(TestSetFormat, "Format of the files. Detected by default."),
        "pair": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
            "description": "Language pair to import from a file with several pairs, as written in the file.",
        },
        "split_paragraphs": flag("Split documents of WMT JSON Lines into paragraphs."),
        "reference_system": {
            "type": ["string", "null"],
            "maxLength": 200,
            "description": f"What the first reference is called as a system: {REFERENCE_SYSTEM} if not "
            "said; null: it does not take part.",
        },
    }
    words = "Files of a new test set. Paths are relative to the folder of this file."
    return object_of(properties, description=words)


def texts_said(task: Task, place: int) -> dict[str, Any]:
    """Return the part of a campaign file about the texts, if they are known, with two queries."""
    if not is_whole(task):
        return {}
    references = task.test_set.systems.filter(kind=SystemKind.REFERENCE).order_by("pk")
    name = references.values_list("name", flat=True).first()
    said: dict[str, Any] = {"files": [file_name(task, place)]}
    return {"texts": {**said, "reference_system": name}}


def is_whole(task: Task) -> bool:
    """Return whether the texts are known: not for test sets made from judgments."""
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    return segments.exists() and not segments.filter(source_text__isnull=True).exists()


def file_name(task: Task, place: int) -> str:
    """Return the path for the texts of the test set at a place in its campaign, from 1."""
    return f"texts/{place}-{slugify(task.test_set.name) or 'test-set'}.jsonl"


def test_set_of_texts(said: Said, run: Run) -> Task:
    """Import a new test set from `texts`, with the languages in the same part of the file."""
    for key in ("texts", "source_language", "target_language"):
        if key not in said:
            raise said.error(
                f'test set "{said.get("name")}" not found, and a new one requires "{key}"',
                "add the key, or correct the name",
                "name",
            )
    part = said["texts"]
    if run.folders is None:
        raise part.error(
            "this file was uploaded without its texts",
            _FIRST if run.is_new else _IMPORT,
        )
    with _recognised(part, run.folders) as found, said.refusals():
        test_set = test_set_from_files(
            campaign=run.campaign,
            name=said.get("name"),
            source_language=said.get("source_language"),
            target_language=said.get("target_language"),
            recognised=found,
            reading=SetReading(
                languages=_pair(said),
                by_paragraph=part.get("split_paragraphs", False),
                reference_system=part.get("reference_system", REFERENCE_SYSTEM),
            ),
        )
        return ranking_task(test_set=test_set)


def texts_refuse_others(task: Task, said: Said, run: Run) -> None:
    """Raise FormatError if the files exist and their texts differ from those of the test set."""
    if run.folders is None or "texts" not in said:
        return
    part = said["texts"]
    if not all(run.folders.found(part, name) for name in _names(part)):
        return
    with (
        _recognised(part, run.folders) as found,
        isolated_set(
            found,
            SetReading(languages=_pair(said), by_paragraph=part.get("split_paragraphs", False)),
            Omissions(),
        ) as there,
    ):
        stored, number = text_lines(task=task), 0
        for number, text in enumerate(there, 1):
            if not _is_same(next(stored, None), text):
                raise _refused(task, part, number)
        if next(stored, None) is not None:
            raise _refused(task, part, number + 1)


def _is_same(stored: Mapping[str, Any] | None, text: SegmentTexts) -> bool:
    if stored is None or (stored["source"], stored["document"]) != (text.source, text.document):
        return False
    references = list(text.references)
    while references and not references[-1]:
        references.pop()
    # Systems added later have their own files.
    is_part = text.outputs.items() <= stored["outputs"].items()
    return bool(is_part and stored["references"] == references)


def _refused(task: Task, said: Said, number: int) -> FormatError:
    return said.error(
        f'the texts of "{task.test_set.name}" cannot be changed, but segment {number} differs in these files',
        "use a new test set name for corrected texts",
    )


def _names(said: Said) -> list[str]:
    values: list[str] = [*said.get("files", []), *said.get("references", [])]
    values += [said.get(key) for key in ("source", "documents") if key in said]
    return [*values, *dict(said.get("systems", {})).values()]


@contextmanager
def _recognised(said: Said, folders: TextFolders) -> Iterator[RecognisedSet]:
    if ("files" in said) == ("source" in said):
        raise said.error("either files or source is required", "provide one of the two")
    if "files" in said and any(key in said for key in _ROLES):
        raise said.error("files cannot have roles here", "use source instead")
    file_format = TestSetFormat(said.get("format")) if "format" in said else None
    try:
        with ExitStack() as stack:
            if "files" in said:
                paths = [folders.needed(said, name, "files") for name in said.get("files")]
                yield files_recognised(paths, stack, file_format)
            else:
                yield _with_roles(said, folders, file_format)
    except CommandError as error:
        raise said.error(str(error).rstrip("."), "correct the names of the files") from error
    except ImportRefusedError as error:
        raise said.error(error.problem, error.remedy) from error
    except OSError as error:
        name = Path(str(error.filename)).name
        raise said.error(
            f'"{name}": {error.strerror}', "check that the files exist and are readable"
        ) from error


def _with_roles(
    said: Said, folders: TextFolders, file_format: TestSetFormat | None
) -> RecognisedSet:
    systems: Mapping[str, str] = said.get("systems", {})
    documents = said.get("documents")
    return files_with_roles(
        source=folders.needed(said, said.get("source"), "source"),
        references=[
            folders.needed(said, name, "references") for name in said.get("references", [])
        ],
        systems=[(name, folders.needed(said, file, "systems")) for name, file in systems.items()],
        documents=folders.needed(said, documents, "documents") if documents else None,
        file_format=file_format,
    )


def _pair(said: Said) -> tuple[str, str] | None:
    given = said["texts"].get("pair") or [
        said.get("source_language"),
        said.get("target_language"),
    ]
    return (given[0], given[1]) if all(given) else None


_DESCRIBED: Final = tuple(name for name in DESCRIBED if name != "name")


class SystemsSection(ListSection[Task]):
    """Systems by name. Their outputs come with the texts, or from a file for an additional system."""

    key, words = "systems", "Systems, identified by name."
    required = ("name",)
    is_always_written = True
    fields = {System: ("name", "kind", *_DESCRIBED, "withdrawn_at")}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a system."""
        kind = {
            "enum": [str(SystemKind.SYSTEM), str(SystemKind.REFERENCE)],
            "description": "Determined by the texts; read-only.",
        }
        names = ("name", "kind", *_DESCRIBED)
        return {
            **properties_of(System, names, name={"minLength": 1}, kind=kind),
            "withdrawn": flag(
                "True if new HITs no longer show this system; existing judgments count."
            ),
            "outputs": {
                "type": "string",
                "description": "File with the outputs of an additional system for an existing test set.",
            },
        }

    def rows(self, owner: Task) -> QuerySet[System]:
        """Return the systems, without damaged references, which have their own section."""
        return owner.test_set.systems.exclude(kind=SystemKind.BAD_REFERENCE).order_by("name")

    def item_read(self, row: System) -> dict[str, Any]:
        """Return the description of a system, and whether it is withdrawn."""
        described = {name: getattr(row, name) for name in ("name", "kind", *_DESCRIBED)}
        return {**described, "withdrawn": row.withdrawn_at is not None}

    def item_apply(self, owner: Task, said: Said, run: Run) -> None:
        """Add, describe, withdraw or restore a system."""
        system = owner.test_set.systems.filter(name=said.get("name")).first()
        if system is None:
            system = _added(owner, said, run)
        if system.kind != said.get("kind", system.kind):
            raise said.error(
                f"the system is a {system.get_kind_display().lower()}",
                "remove the key; the kind follows from the texts",
                "kind",
            )
        changes = differing(system, said.only(_DESCRIBED))
        if changes:
            with said.refusals():
                system_change(system=system, **changes)
        withdrawn = system.withdrawn_at is not None
        if said.get("withdrawn", withdrawn) != withdrawn:
            with said.refusals("withdrawn"):
                (system_restore if withdrawn else system_withdraw)(system=system)


def _added(owner: Task, said: Said, run: Run) -> System:
    if "outputs" not in said:
        raise said.error(
            f'the test set "{owner.test_set.name}" has no system "{said.get("name")}"',
            "correct the name, or add outputs: FILE for an additional system",
            "name",
        )
    if run.folders is None:
        raise said.error(
            "this file was uploaded without its texts",
            "add the system on its page, or run apply_campaign where the files are",
            "outputs",
        )
    path = run.folders.needed(said, said.get("outputs"), "outputs")
    try:
        with said.refusals("outputs"):
            return system_add(
                test_set=owner.test_set,
                name=said.get("name"),
                file=StoredFile(said.get("outputs"), opener(path)),
            )
    except OSError as error:
        raise said.error(
            f'"{path.name}": {error.strerror}',
            "check that the file exists and is readable",
            "outputs",
        ) from error
