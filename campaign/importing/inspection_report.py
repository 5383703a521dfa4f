"""Findings of an inspection, as stored and returned by REST; and a guess of the language of a text."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import TypedDict

from py3langid import classify

from campaign.formats import FormatError
from campaign.formats.inspecting import FileFacts, Inspection
from campaign.formats.media_names import words_beside_files
from campaign.formats.recognising import RecognisedFile, RecognisedSet
from campaign.texts.languages import LanguageTagError, language_tag_checked


class LeftOut(TypedDict):
    """A part of a file that is not imported, and the reason."""

    name: str
    why: str


class ImportReport(TypedDict):
    """Omissions and warnings of an import."""

    left_out: list[LeftOut]
    warnings: list[str]


class ErrorReport(TypedDict):
    """An error in a file: place, problem and remedy."""

    file: str
    line: int | None
    column: int | None
    problem: str
    remedy: str
    words: str


class FileReport(TypedDict):
    """A file of an upload; facts about the content are None if it was not read."""

    name: str
    role: str
    system: str | None
    why: str
    format: str | None
    encoding: str | None
    line_ends: str | None
    compressed: bool | None
    bytes: int | None
    lines: int | None
    language: str | None
    error: ErrorReport | None


class SampleSegment(TypedDict):
    """One of the first segments."""

    number: int
    document: str
    source: str | None
    references: list[str]
    outputs: dict[str, str | None]


class InspectionReport(ImportReport):
    """Findings of an inspection, as `Upload.report` stores them."""

    files: list[FileReport]
    languages: list[str] | None
    segments: int
    documents: int
    references: int
    systems: list[dict[str, object]]
    identical_systems: list[list[str]]
    sample: list[SampleSegment]
    error: ErrorReport | None


def inspection_report(
    recognised: RecognisedSet,
    inspection: Inspection,
) -> InspectionReport:
    """Return the facts of an inspection as JSON."""
    facts = {file.file.name: file for file in inspection.files}
    languages = None
    if inspection.languages:
        languages = list(inspection.languages)
    sample: list[SampleSegment] = []
    for segment in inspection.sample:
        sample.append(
            {
                "number": segment.number,
                "document": segment.document,
                "source": segment.source,
                "references": list(segment.references),
                "outputs": dict(segment.outputs),
            },
        )
    return {
        "files": [_file(file, facts.get(file.name)) for file in recognised.files],
        "languages": languages,
        "segments": inspection.segments,
        "documents": inspection.documents,
        "references": inspection.references,
        "systems": [asdict(system) for system in inspection.systems],
        "identical_systems": [list(group) for group in inspection.identical_systems],
        **omissions_report(inspection.left_out, inspection.warnings),
        "sample": sample,
        "error": error_report(inspection.error),
    }


def refused_report(error: FormatError) -> InspectionReport:
    """Return the report about files that could not be inspected."""
    nothing = (
        RecognisedSet("", (), None),
        Inspection((), None, 0, 0, 0, (), (), (), (), (), error),
    )
    return inspection_report(*nothing)


def omissions_report(
    left_out: Iterable[tuple[str, str]],
    warnings: Iterable[str],
) -> ImportReport:
    """Return the omissions and warnings of an import as JSON."""
    return {
        "left_out": [{"name": name, "why": why} for name, why in left_out],
        "warnings": list(warnings),
    }


def error_report(error: FormatError | None) -> ErrorReport | None:
    """Return an error as JSON: file, place, problem and remedy."""
    if error is None:
        return None
    return {
        "file": error.file,
        "line": error.line,
        "column": error.column,
        "problem": error.problem,
        "remedy": error.remedy,
        "words": str(error),
    }


def _file(file: RecognisedFile, facts: FileFacts | None) -> FileReport:
    """Return a file as JSON; an unread file has no facts about its content."""
    language = None
    error = None
    if facts:
        language = language_guess(facts.beginning)
        error = error_report(facts.error)
    return {
        "name": file.name,
        "role": str(file.role),
        "system": file.system,
        "why": file.why,
        "format": str(file.file_format) if file.file_format else None,
        "encoding": getattr(facts, "encoding", None),
        "line_ends": getattr(facts, "line_ends", None),
        "compressed": getattr(facts, "compressed", None),
        "bytes": getattr(facts, "bytes", None),
        "lines": getattr(facts, "lines", None),
        "language": language,
        "error": error,
    }


def language_guess(text: str) -> str | None:
    """Return the tag of the most likely language of a text; None if it contains no letters.

    It always returns one of 97 languages, as a suggestion for a person to check. Pictures and recordings, and their
    names, are no text.
    """
    text = words_beside_files(text)
    if not any(character.isalpha() for character in text):
        return None
    try:
        return language_tag_checked(str(classify(text)[0]))
    except LanguageTagError:
        return None
