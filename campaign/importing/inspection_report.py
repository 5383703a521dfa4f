"""Findings of an inspection, as stored and returned by REST; and a guess of the language of a text."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Final

from py3langid import classify

from campaign.formats import FormatError
from campaign.formats.inspecting import FileFacts, Inspection
from campaign.formats.recognising import RecognisedFile, RecognisedSet
from campaign.texts.languages import LanguageTagError, language_tag_checked

_FACTS: Final = ("encoding", "line_ends", "compressed", "bytes", "lines")


def inspection_report(recognised: RecognisedSet, found: Inspection) -> dict[str, Any]:
    """Return the facts of an inspection as JSON."""
    facts = {each.file.name: each for each in found.files}
    return {
        "files": [_file(file, facts.get(file.name)) for file in recognised.files],
        "languages": list(found.languages) if found.languages else None,
        "segments": found.segments,
        "documents": found.documents,
        "references": found.references,
        "systems": [asdict(system) for system in found.systems],
        "identical_systems": [list(group) for group in found.identical_systems],
        **told_report(found.left_out, found.warnings),
        "sample": [
            {
                "number": segment.number,
                "document": segment.document,
                "source": segment.source,
                "references": list(segment.references),
                "outputs": dict(segment.outputs),
            }
            for segment in found.sample
        ],
        "error": error_report(found.error),
    }


def refused_report(error: FormatError) -> dict[str, Any]:
    """Return the report about files that could not be inspected."""
    nothing = RecognisedSet("", (), None), Inspection((), None, 0, 0, 0, (), (), (), (), (), error)
    return inspection_report(*nothing)


def told_report(left_out: Iterable[tuple[str, str]], warnings: Iterable[str]) -> dict[str, Any]:
    """Return the omissions and warnings of an import as JSON."""
    return {
        "left_out": [{"name": name, "why": why} for name, why in left_out],
        "warnings": list(warnings),
    }


def error_report(error: FormatError | None) -> dict[str, Any] | None:
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


def _file(file: RecognisedFile, facts: FileFacts | None) -> dict[str, Any]:
    """Return a file as JSON; an unread file has no facts about its content."""
    return {
        "name": file.name,
        "role": str(file.role),
        "system": file.system,
        "why": file.why,
        "format": str(file.file_format) if file.file_format else None,
        **{name: getattr(facts, name, None) for name in _FACTS},
        "language": language_guess(facts.beginning) if facts else None,
        "error": error_report(facts.error) if facts else None,
    }


def language_guess(text: str) -> str | None:
    """Return the tag of the most likely language of a text; None if it contains no letters.

    It always returns one of 97 languages, as a suggestion for a person to check.
    """
    if not any(character.isalpha() for character in text):
        return None
    try:
        return language_tag_checked(str(classify(text)[0]))
    except LanguageTagError:
        return None
