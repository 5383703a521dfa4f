"""Test sets as tables of tab-separated or spreadsheet values: a header, then one segment per line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from campaign.formats.errors import Place
from campaign.formats.omissions import Omissions
from campaign.formats.quoting import table_rows
from campaign.formats.records import SegmentTexts, system_name_problem
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import InputFile
from campaign.formats.tables import first_row, refuse_other_width

# Names of these columns in files of WMT, Google's MQM and Appraise.
_PLACES: Final = {
    **dict.fromkeys(("document", "doc_id", "docid"), "document"),
    **dict.fromkeys(("segment", "seg_id", "segid"), "segment"),
}
_DESCRIBING: Final = frozenset({"domain"})
_REFERENCE = re.compile(r"reference([1-9][0-9]{0,2})?")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Columns by content, counted from 0; `left_out` gives the reason for each ignored one."""

    names: tuple[str, ...]
    document: int | None
    segment: int | None
    source: int
    references: tuple[int, ...]
    systems: dict[str, int]
    left_out: dict[int, str]


def read_tsv_test_set(
    file: InputFile, omissions: Omissions | None = None
) -> Iterator[SegmentTexts]:
    """Yield a segment for every line after the header.

    Columns: `source`, and optionally `document` (or `doc_id`), `segment` (or `seg_id`), `reference`, `reference2` …
    Every other column is a system, except columns of numbers if the sources are texts. Quotes around cells are
    removed if the whole file is quoted, as `table_rows` detects. Blank lines and empty last columns are skipped.

    Raises FormatError, with the number of the cell, for missing and repeated columns, for rows with another
    number of cells than the header, for empty cells, and for repeated documents and segments.
    """
    numeric: set[int] = set()
    rows = table_rows(file, numeric)
    line, header = first_row(file.name, rows)
    names = [name.strip() for name in header]
    while names and not names[-1]:
        names.pop()  # spreadsheets write empty columns at the end
    if any(column in numeric and name.lower() == "source" for column, name in enumerate(names)):
        numeric.clear()
    layout = _layout(file.name, line, names, numeric)
    if omissions is not None:
        omissions.left_out += [
            (f'{file.name}, column "{names[column]}"', why)
            for column, why in layout.left_out.items()
        ]
    counter = SegmentCounter(file.name)
    for line, row in rows:
        cells = row[: len(names)] if not any(row[len(names) :]) else row
        refuse_other_width(file.name, line, cells, names)
        yield _segment(file, line, layout, cells, counter)
    counter.refuse_nothing()


def _segment(
    file: InputFile, line: int, layout: _Layout, cells: list[str], counter: SegmentCounter
) -> SegmentTexts:
    def filled(column: int, what: str) -> str:
        place = Place(file.name, line, column + 1, layout.names[column])
        return filled_text(cells[column], what, place)

    if layout.document is None:
        document = file.plain_name
    else:
        document = filled(layout.document, "the name of the document")
    segment_id = None if layout.segment is None else filled(layout.segment, "the segment's id")
    position, number = counter.place(document, segment_id, line)
    return SegmentTexts(
        document=document,
        position=position,
        number=number,
        source=filled(layout.source, "the source"),
        references=tuple(cells[column].strip() for column in layout.references),
        outputs={
            system: filled(column, f"the output of {system}")
            for system, column in layout.systems.items()
        },
    )


def _layout(file: str, line: int, names: list[str], numeric: set[int]) -> _Layout:
    columns: dict[str, int] = {}
    references: dict[int, int] = {}
    systems: dict[str, int] = {}
    left_out: dict[int, str] = {}
    for column, name in enumerate(names):
        key = _PLACES.get(name.lower(), name.lower())
        reference = _REFERENCE.fullmatch(key)
        problem = None
        if key in _DESCRIBING:
            left_out[column] = "it describes the segment and is not a system"
        elif reference:
            index = int(reference.group(1) or 1)
            problem = _TWICE if index in references else None
            references[index] = column
        elif key in {"document", "segment", "source"}:
            problem = _TWICE if key in columns else None
            columns[key] = column
        elif column in numeric:
            left_out[column] = (
                "it contains only numbers; provide it as a separate plain text file to keep it"
            )
        else:
            problem = _TWICE if name in systems else system_name_problem(name)
            systems[name] = column
        if problem:
            place = Place(file, line, column + 1, name)
            raise place.error(problem, "give every column a unique name without commas")
    _refuse_missing(file, line, columns, references)
    return _Layout(
        names=tuple(names),
        document=columns.get("document"),
        segment=columns.get("segment"),
        source=columns["source"],
        references=tuple(references[index] for index in sorted(references)),
        systems=systems,
        left_out=left_out,
    )


_TWICE = "the column appears twice in the header"


def _refuse_missing(
    file: str, line: int, columns: dict[str, int], references: dict[int, int]
) -> None:
    if "source" not in columns:
        raise Place(file, line, field="source").error(
            "the header has no column source",
            "name the columns in the first line, separated by tabs: "
            "document, segment, source, reference and one for each system",
        )
    for index in range(1, len(references) + 1):
        if index not in references:
            name = "reference" if index == 1 else f"reference{index}"
            raise Place(file, line, field=name).error(
                f"the header has no column {name}, but a later reference",
                "name the references reference, reference2, reference3 … without a gap",
            )
