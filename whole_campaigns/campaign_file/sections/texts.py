"""Texts of a test set, in files beside the campaign's file, in any format of `import_test_set`; and its systems."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError
from django.db.models import Prefetch
from django.utils.text import slugify

from annotation.importing.test_sets import test_set_from_files
from annotation.services.systems import (
    DESCRIBED,
    system_add,
    system_change,
    system_restore,
    system_withdraw,
)
from campaign.formats import FormatError, InputFile, SegmentTexts, TestSetFormat
from campaign.formats.recognising import RecognisedSet, SetReading, opened_set
from campaign.importing.errors import ImportRefusedError
from campaign.importing.test_sets import REFERENCE_SYSTEM
from campaign.management.files import files_recognised, files_with_roles
from campaign.models import Output, Reference, Segment, System, SystemKind, Task
from campaign.selectors.tasks import ranking_task
from campaign.texts.canonical_json import json_line
from whole_campaigns.campaign_file.properties import (
    Schema,
    list_of,
    object_of,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said, TextFolders
from whole_campaigns.campaign_file.sections.section import Run, Section, differing

_FILE: Final[Schema] = {"type": "string", "minLength": 1, "maxLength": 500}
_FILES: Final[Schema] = {"type": "array", "items": _FILE, "minItems": 1, "maxItems": 2000}
_ROLES: Final = ("source", "references", "systems", "documents")
_AT_ONCE: Final = 500
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
        "format": {
            "type": "string",
            "enum": [str(each) for each in TestSetFormat],
            "description": "Format of the files. Detected by default.",
        },
        "pair": {
            "type": "array",
            "items": {"type": "string"},
            "minItems": 2,
            "maxItems": 2,
            "description": "Language pair to import from a file with several pairs, as written in the file.",
        },
        "split_paragraphs": {
            "type": "boolean",
            "description": "Split documents of WMT JSON Lines into paragraphs.",
        },
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
    """Return the part of a campaign's file about the texts; empty if they are not known. Two queries."""
    if not is_whole(task):
        return {}
    references = task.test_set.systems.filter(kind=SystemKind.REFERENCE).order_by("pk")
    name = references.values_list("name", flat=True).first()
    said: dict[str, Any] = {"files": [file_name(task, place)]}
    return {"texts": {**said, "reference_system": name}}


def is_whole(task: Task) -> bool:
    """Return whether the texts are known: those of imported judgments are not."""
    segments = Segment.objects.filter(test_set_id=task.test_set_id)
    return segments.exists() and not segments.filter(source_text__isnull=True).exists()


def file_name(task: Task, place: int) -> str:
    """Return the path of the texts of the test set that is the `place`-th of its campaign, from 1."""
    return f"texts/{place}-{slugify(task.test_set.name) or 'test-set'}.jsonl"


def texts_written(task: Task) -> Iterator[bytes]:
    """Yield the texts as JSON Lines, a segment per line: outputs of systems, references, names of documents."""
    for segment in _segments(task):
        line = {
            "document": segment.document.name,
            "segment": segment.number,
            "source": segment.source_text,
            "references": _references(segment),
            "outputs": {each.system.name: each.text for each in segment.outputs.all()},
        }
        yield json_line(line).encode()


def _segments(task: Task) -> Iterator[Segment]:
    outputs = (
        Output.objects.current()
        .filter(system__kind=SystemKind.SYSTEM)
        .select_related("system")
        .order_by("system__name")
    )
    rows = (
        Segment.objects.filter(test_set_id=task.test_set_id)
        .select_related("document")
        .prefetch_related(
            Prefetch("outputs", outputs), Prefetch("references", Reference.objects.order_by("pk"))
        )
        .order_by("number")
    )
    return rows.iterator(chunk_size=_AT_ONCE)


def _references(segment: Segment) -> list[str]:
    """Return the references by number from 1; "" for one that does not cover the segment."""
    by_number = {each.number: each.text for each in segment.references.all()}
    return [by_number.get(number, "") for number in range(1, max(by_number, default=0) + 1)]


def test_set_of_texts(said: Said, run: Run) -> Task:
    """Import a new test set by `texts`, in the languages of the same part of the file."""
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
    """Raise FormatError if the files are there and do not hold the texts of the test set."""
    if run.folders is None or "texts" not in said:
        return
    part = said["texts"]
    if not all(run.folders.found(part, name) for name in _names(part)):
        return
    with (
        _recognised(part, run.folders) as found,
        opened_set(
            found,
            SetReading(languages=_pair(said), by_paragraph=part.get("split_paragraphs", False)),
        ) as there,
    ):
        stored = _segments(task)
        for text in there:
            if not _is_same(next(stored, None), text):
                raise _refused(task, part, text.number)
        if (more := next(stored, None)) is not None:
            raise _refused(task, part, more.number)


def _is_same(segment: Segment | None, text: SegmentTexts) -> bool:
    if segment is None or (segment.source_text, segment.document.name) != (
        text.source,
        text.document,
    ):
        return False
    references = list(text.references)
    while references and not references[-1]:
        references.pop()
    outputs = {each.system.name: each.text for each in segment.outputs.all()}
    # Systems that were added later have files of their own.
    return _references(segment) == references and text.outputs.items() <= outputs.items()


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


class SystemsSection(Section[Task]):
    """Systems by name. Their outputs come with the texts; one more brings a file of its own."""

    fields = {System: ("name", "kind", *_DESCRIBED, "withdrawn_at")}

    def properties(self) -> dict[str, Schema]:
        """Return the list of systems."""
        item = object_of(
            {
                "name": property_of(System, "name", minLength=1),
                "kind": property_of(
                    System,
                    "kind",
                    enum=[str(SystemKind.SYSTEM), str(SystemKind.REFERENCE)],
                    description="Determined by the texts; read-only.",
                ),
                **properties_of(System, _DESCRIBED),
                "withdrawn": {
                    "type": "boolean",
                    "description": "True if new HITs no longer show this system; existing judgments count.",
                },
                "outputs": {
                    "type": "string",
                    "description": "File with the outputs of an additional system for an existing test set.",
                },
            },
            "name",
        )
        return {"systems": list_of(item, "Systems, identified by name.")}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the systems without damaged references, which are reviewed one by one."""
        rows = owner.test_set.systems.exclude(kind=SystemKind.BAD_REFERENCE).order_by("name")
        return {"systems": [_system_read(row) for row in rows]}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Add, describe, withdraw and restore systems; those that the file does not name stay."""
        for each in said.items_of("systems"):
            system = owner.test_set.systems.filter(name=each.get("name")).first()
            if system is None:
                system = _added(owner, each, run)
            if system.kind != each.get("kind", system.kind):
                raise each.error(
                    f"the system is a {system.get_kind_display()}",
                    "remove the key; the kind follows from the texts",
                    "kind",
                )
            changes = differing(system, each.only(_DESCRIBED))
            if changes:
                with each.refusals():
                    system_change(system=system, **changes)
            withdrawn = system.withdrawn_at is not None
            if each.get("withdrawn", withdrawn) != withdrawn:
                with each.refusals("withdrawn"):
                    if withdrawn:
                        system_restore(system=system)
                    else:
                        system_withdraw(system=system)


def _system_read(system: System) -> dict[str, Any]:
    return {
        "name": system.name,
        "kind": system.kind,
        **{name: getattr(system, name) for name in _DESCRIBED},
        "withdrawn": system.withdrawn_at is not None,
    }


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
        with path.open("rb") as stream, said.refusals("outputs"):
            return system_add(
                test_set=owner.test_set,
                name=said.get("name"),
                file=InputFile(said.get("outputs"), stream),
            )
    except OSError as error:
        raise said.error(
            f'"{path.name}": {error.strerror}',
            "check that the file exists and is readable",
            "outputs",
        ) from error
