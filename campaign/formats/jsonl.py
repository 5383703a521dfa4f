"""Test sets as JSON Lines: one object per line."""

from collections.abc import Iterator
from typing import Any, Final

from campaign.formats.errors import FormatError, Place
from campaign.formats.json_text import object_lines, text_value
from campaign.formats.omissions import Omissions, SystemsSeen
from campaign.formats.records import SegmentTexts, one_line
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import InputFile

_SHAPE: Final = '{"source": "…", "references": […], "outputs": {…}} on every line'
_KEYS: Final = ("document", "segment", "source", "references", "outputs")


def read_jsonl_test_set(file: InputFile, omissions: Omissions) -> Iterator[SegmentTexts]:
    """Yield a segment for every line: `{"document", "segment", "source", "references", "outputs"}`.

    `source` is required. `document` and `segment` are in every line or in none. Missing, null and
    empty outputs are noted in `omissions`. Blank lines are skipped.

    Raises FormatError for lines that are not JSON objects (with the column), unknown and repeated
    keys, values of the wrong type, empty sources, and repeated documents and segments.
    """
    counter = SegmentCounter(file.name)
    first: _Line | None = None
    systems = SystemsSeen(omissions)
    for number, values in object_lines(file, _SHAPE):
        line = _Line(file, number, values)
        first = first or line
        if line.values.keys() != first.values.keys():
            line.compare(first)
        yield line.segment(counter, systems)
    counter.refuse_nothing()


class _Line:
    """One line, with its place for errors."""

    def __init__(self, file: InputFile, number: int, values: dict[str, Any]) -> None:
        self._file = file
        self.number = number
        self.values = values
        for key in values:
            if key not in _KEYS:
                raise self.error(
                    f'the key "{key}" is unknown', f"use only the keys {', '.join(_KEYS)}"
                )
        outputs = values.get("outputs", {})
        if not isinstance(outputs, dict):
            raise self.error(
                "the value is not an object", 'write {"system": "text", …}', field="outputs"
            )
        self._outputs: dict[str, Any] = outputs

    def error(self, problem: str, remedy: str, field: str | None = None) -> FormatError:
        return Place(self._file.name, self.number, field=field).error(problem, remedy)

    def compare(self, first: "_Line") -> None:
        """Refuse a line that has other optional keys than the first."""
        for key in ("document", "segment"):
            if (key in self.values) != (key in first.values):
                here, there = ("a", "no") if key in self.values else ("no", "a")
                raise self.error(
                    f'the line has {here} "{key}", but line {first.number} has {there} "{key}"',
                    f'use "{key}" in every line or in none',
                    field=key,
                )

    def segment(self, counter: SegmentCounter, systems: SystemsSeen) -> SegmentTexts:
        document = self._file.plain_name
        if "document" in self.values:
            document = self._filled("document", self.values["document"], "the name of the document")
        position, number = counter.place(document, self._segment_id(), self.number)
        place = Place(self._file.name, self.number, field="outputs")
        systems.add(document, self._outputs, place)
        references = self.values.get("references", [])
        if not isinstance(references, list):
            raise self.error("the value is not a list", 'write ["text", …]', field="references")
        return SegmentTexts(
            document=document,
            position=position,
            number=number,
            source=self._filled("source", self.values.get("source"), "the source"),
            references=tuple(self._text("references", text) for text in references),
            outputs={
                system: systems.omissions.output(
                    system,
                    document,
                    self._text("outputs", self._outputs[system] or ""),
                    place,
                )
                for system in systems.names
                if system in self._outputs
            },
        )

    def _segment_id(self) -> str | None:
        if "segment" not in self.values:
            return None
        value = self.values["segment"]
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        return self._filled("segment", value, "the segment's id")

    def _filled(self, key: str, value: object, what: str) -> str:
        place = Place(self._file.name, self.number, field=key)
        return filled_text(self._text(key, value), what, place)

    def _text(self, key: str, value: object) -> str:
        return one_line(text_value(value, Place(self._file.name, self.number, field=key)))
