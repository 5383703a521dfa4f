"""The outputs of one more system for a test set that exists, from one file."""

from collections.abc import Iterator
from itertools import zip_longest
from typing import Final

from campaign.database.copy import constraints_check_now, rows_copy
from campaign.formats import InputFile, system_name_problem
from campaign.formats.errors import Place
from campaign.formats.segments import filled_text
from campaign.formats.sgml import sgml_segments
from campaign.formats.streams import text_lines
from campaign.formats.test_sets import TestSetFormat, detect_format
from campaign.importing.errors import ImportRefusedError
from campaign.models import Output, Segment, System, TestSet

_SETS: Final = frozenset({"tstset"})
_REMEDY: Final = "give one output for each segment, in the order of the test set"


def system_import(*, test_set: TestSet, name: str, file: InputFile) -> System:
    """Store a system with its output for every segment; return it. Must be called in a transaction.

    The file is plain text with a line a segment, or SGML with a `tstset` whose documents are those of the
    test set. Raises ImportRefusedError for the name, and FormatError at the first place that does not fit.
    """
    problem = system_name_problem(name)
    if problem:
        raise ImportRefusedError(problem, "give the system another name")
    if System.objects.filter(test_set=test_set, name=name).exists():
        raise ImportRefusedError(
            f'the test set has a system "{name}" already', "give this one another name"
        )
    outputs = list(_outputs(test_set, file))
    system = System.objects.create(test_set=test_set, name=name)
    rows_copy(
        Output,
        ("system_id", "segment_id", "text"),
        ((system.pk, segment, text) for segment, text in outputs),
    )
    constraints_check_now()
    return system


def _outputs(test_set: TestSet, file: InputFile) -> Iterator[tuple[int, str]]:
    """Yield each segment's id with its output."""
    segments = (
        Segment.objects.filter(test_set=test_set)
        .order_by("number")
        .values_list("pk", "number", "document__name")
    )
    place = Place(file.name)
    for segment, found in zip_longest(segments, _texts(file)):
        if found is None:
            raise place.error(
                f"the file ends, but segment {segment[1]} and those after it have no output",
                _REMEDY,
            )
        document, line, text = found
        place = Place(file.name, line)
        if segment is None:
            raise place.error(
                f"the file goes on after the last of the {len(segments):,} segments", _REMEDY
            )
        pk, number, its_document = segment
        if document not in (None, its_document):
            raise place.error(
                f'segment {number} is of the document "{its_document}", and here of "{document}"',
                _REMEDY,
            )
        yield pk, filled_text(text, f"the output for segment {number}", place, _REMEDY)


def _texts(file: InputFile) -> Iterator[tuple[str | None, int, str]]:
    """Yield the document, if the file tells it, the line and the text of each output."""
    file_format, whole = detect_format(file)
    if file_format is TestSetFormat.SGML:
        for segment in sgml_segments(whole, _SETS):
            yield segment.document, segment.line, segment.text
    elif file_format is TestSetFormat.PLAIN:
        for line, text in enumerate(text_lines(whole), 1):
            yield None, line, text
    else:
        raise Place(file.name).error(
            f"it is {file_format.words}",
            "give the outputs as plain text, a line a segment, or as SGML with a tstset",
        )
