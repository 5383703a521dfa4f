"""Test sets as JSON Lines: an object a line."""

from collections.abc import Iterator
from typing import Any, Final

from campaign.formats.errors import FormatError
from campaign.formats.json_objects import decode_object, refuse_damage
from campaign.formats.records import SegmentTexts, one_line, system_name_problem
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import InputFile, text_lines

_KEYS: Final = ("document", "segment", "source", "references", "outputs")


def read_jsonl_test_set(file: InputFile) -> Iterator[SegmentTexts]:
    """Yield a segment for every line: `{"document", "segment", "source", "references", "outputs"}`.

    `source` is required. `document` and `segment` stand in every line or in none; every
    line has outputs of the same systems. Blank lines are skipped.

    Raises FormatError for lines that are no JSON object (with the column), keys that are
    unknown or come twice, values of the wrong type, systems that the first line has not or
    a later one lacks, empty sources and outputs, and documents and segments that come twice.
    """
    counter = SegmentCounter(file.name)
    first: _Line | None = None
    for number, text in enumerate(text_lines(file), 1):
        if not text.strip():
            continue
        line = _Line(file, number, text)
        if first is None:
            first = line
            for system in line.systems:
                problem = system_name_problem(system)
                if problem:
                    raise line.error(problem, "rename the system in every line", "outputs")
        elif line.values.keys() != first.values.keys() or line.systems != first.systems:
            line.compare(first)
        yield line.segment(counter, first.systems)
    counter.refuse_nothing()


class _Line:
    """One line on its way from text to SegmentTexts; it knows where to point in errors."""

    def __init__(self, file: InputFile, number: int, text: str) -> None:
        self._file = file
        self.number = number
        self._has_escapes = "\\" in text
        self.values = self._parse(text)
        for key in self.values:
            if key not in _KEYS:
                raise self.error(
                    f'the key "{key}" is unknown', f"use only the keys {', '.join(_KEYS)}"
                )
        outputs = self.values.get("outputs", {})
        if not isinstance(outputs, dict):
            raise self.error(
                "the value is no object", 'write {"system": "text", …}', field="outputs"
            )
        self._outputs: dict[str, Any] = outputs
        self.systems = tuple(outputs)

    def error(
        self, problem: str, remedy: str, field: str | None = None, column: int | None = None
    ) -> FormatError:
        return FormatError(
            self._file.name, problem, remedy, line=self.number, column=column, field=field
        )

    def _parse(self, text: str) -> dict[str, Any]:
        return decode_object(
            text,
            file=self._file.name,
            line=self.number,
            shape='{"source": "…", "references": […], "outputs": {…}} on every line',
        )

    def compare(self, first: "_Line") -> None:
        """Refuse what is different from the first line and must not be."""
        for key in ("document", "segment"):
            if (key in self.values) != (key in first.values):
                here, there = ("a", "no") if key in self.values else ("no", "a")
                raise self.error(
                    f'the line has {here} "{key}", but line {first.number} has {there} "{key}"',
                    f'give "{key}" in every line or in none',
                    field=key,
                )
        for system in self.systems:
            if system not in first.systems:
                raise self.error(
                    f"the system {system} is unknown: line {first.number} has no output of it",
                    "give the outputs of the same systems in every line",
                    field="outputs",
                )
        for system in first.systems:
            if system not in self.systems:
                raise self.error(
                    f"the output of {system} is missing",
                    "give the outputs of the same systems in every line",
                    field="outputs",
                )

    def segment(self, counter: SegmentCounter, systems: tuple[str, ...]) -> SegmentTexts:
        document = self._file.plain_name
        if "document" in self.values:
            document = self._filled("document", self.values["document"], "the name of the document")
        position, number = counter.place(document, self._segment_id(), self.number)
        references = self.values.get("references", [])
        if not isinstance(references, list):
            raise self.error("the value is no list", 'write ["text", …]', field="references")
        return SegmentTexts(
            document=document,
            position=position,
            number=number,
            source=self._filled("source", self.values.get("source"), "the source"),
            references=tuple(self._text("references", text).strip() for text in references),
            outputs={
                system: self._filled("outputs", self._outputs[system], f"the output of {system}")
                for system in systems
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
        return filled_text(
            self._text(key, value), file=self._file.name, line=self.number, what=what, field=key
        )

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            called = "missing" if value is None else "no text"
            raise self.error(f"the value is {called}", "write a text in double quotes", field=key)
        if not self._has_escapes:
            return value  # the line was checked as a whole when it was read
        value = one_line(value)
        refuse_damage(value, file=self._file.name, line=self.number, field=key)
        return value
