"""The lines of WMT's JSON Lines: a source with its references, or a system's output."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from campaign.formats.errors import FormatError
from campaign.formats.json_objects import object_lines, refuse_damage, whole_text
from campaign.formats.streams import InputFile

_SOURCE_SHAPE: Final = (
    '{"doc_id": "…", "src_lang": "…", "tgt_lang": "…", "src_text": "…"} on every line'
)
_OUTPUT_SHAPE: Final = '{"doc_id": "…", "hypothesis": "…"} on every line'
# The output is called so by systems' files; the first that is there counts.
OUTPUT_KEYS: Final = ("hypothesis", "tgt_text", "translation")
_REFERENCE_SYSTEM: Final = re.compile(r"ref[A-Z]?")  # WMT lists references among the systems


@dataclass(frozen=True, slots=True)
class DividedId:
    """What an id like `en-cs_CZ_#_news_#_bbc.123_#_4` says."""

    languages: tuple[str, str] | None
    rest: tuple[str, ...]
    segment: str | None


@dataclass(frozen=True, slots=True)
class GenmtSource:
    """A source; `references` and `outputs` are those its own line holds, by name."""

    number: int
    id: str
    languages: tuple[str, str]
    document: str
    segment: str | None
    text: str
    references: dict[str, str]
    outputs: dict[str, str]


@dataclass(frozen=True, slots=True)
class GenmtOutput:
    """What a system says to an id."""

    number: int
    id: str
    text: str


def divided_id(identifier: str) -> DividedId:
    """Divide an id at WMT's separators into language pair, names and number of the segment."""
    separator = "_###_" if "_###_" in identifier else "_#_"
    pieces = identifier.split(separator)
    if len(pieces) < 2:
        return DividedId(None, (identifier,), None)
    if separator == "_###_" and len(pieces) >= 5:  # set, domain, source, target, document
        segment = pieces[5] if len(pieces) == 6 and pieces[5].isdigit() else None
        names = (*pieces[:2], *(pieces[4:5] if segment else pieces[4:]))
        return DividedId((pieces[2], pieces[3]), names, segment)
    languages: tuple[str, str] | None = None
    source, hyphen, target = pieces[0].partition("-")
    if hyphen and source and target:
        languages = (source, target)
        pieces = pieces[1:]
    segment = pieces.pop() if len(pieces) > 2 and pieces[-1].isdigit() else None
    return DividedId(languages, tuple(pieces), segment)


def genmt_sources(file: InputFile) -> Iterator[GenmtSource]:
    """Yield the sources. Keys other than those of GenmtSource are passed over; so are blank lines.

    Raises FormatError for lines that are no such objects, with the key as field.
    """
    for line in _lines(file, _SOURCE_SHAPE):
        identifier = line.name("doc_id")
        divided = divided_id(identifier)
        source, target = divided.languages or ("", "")
        domain = line.optional("domain")
        names = (
            divided.rest if domain is None or domain in divided.rest else (domain, *divided.rest)
        )
        references = line.references()
        outputs = line.by_name("tgt_text")
        for name in [name for name in outputs if _REFERENCE_SYSTEM.fullmatch(name)]:
            references.setdefault(name, outputs.pop(name))
        yield GenmtSource(
            number=line.number,
            id=identifier,
            languages=(line.optional("src_lang") or source, line.optional("tgt_lang") or target),
            document="/".join(names),
            segment=divided.segment,
            text=line.text("src_text", line.values.get("src_text")),
            references=references,
            outputs=outputs,
        )


def genmt_outputs(file: InputFile) -> Iterator[GenmtOutput]:
    """Yield the outputs of one system's file.

    Raises FormatError for lines that are no such objects, with the key as field.
    """
    for line in _lines(file, _OUTPUT_SHAPE):
        key = next((key for key in OUTPUT_KEYS if key in line.values), OUTPUT_KEYS[0])
        yield GenmtOutput(line.number, line.name("doc_id"), line.output(key, line.values))


def _lines(file: InputFile, shape: str) -> Iterator["_Line"]:
    for number, values in object_lines(file, shape):
        yield _Line(file.name, number, values)


@dataclass(frozen=True, slots=True)
class _Line:
    """One object and where it stood."""

    file: str
    number: int
    values: dict[str, Any]

    def error(self, problem: str, remedy: str, field: str) -> FormatError:
        return FormatError(self.file, problem, remedy, line=self.number, field=field)

    def text(self, key: str, value: object) -> str:
        """Return the text with its line breaks; "" is for the caller to refuse, with its place."""
        if not isinstance(value, str):
            called = "missing" if value is None else "no text"
            raise self.error(f"the value is {called}", "write a text in double quotes", key)
        text = whole_text(value)
        refuse_damage(text.replace("\n", " "), file=self.file, line=self.number, field=key)
        return text

    def output(self, key: str, outputs: Mapping[str, object]) -> str:
        """Return the output called `key`; of null, as systems write where they failed, ""."""
        is_null = key in outputs and outputs[key] is None
        return "" if is_null else self.text(key, outputs.get(key))

    def name(self, key: str) -> str:
        """Return a name on one line."""
        value = " ".join(self.text(key, self.values.get(key)).split())
        if not value:
            raise self.error("the value is empty", "give every line its id", key)
        return value

    def optional(self, key: str) -> str | None:
        return None if self.values.get(key) is None else self.name(key)

    def by_name(self, key: str) -> dict[str, str]:
        """Return texts by the name of their system."""
        value = self._object(key, 'write {"system": "text", …}')
        return {name: self.output(name, value) for name in value}

    def _object(self, key: str, remedy: str) -> dict[str, Any]:
        value = self.values.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.error("the value is no object", remedy, key)
        return value or {}

    def references(self) -> dict[str, str]:
        """Return references by name; a reference is a text or an object with `ref`."""
        value = self._object("refs", 'write {"refA": {"ref": "text"}, …}')
        return {
            name: self.text("refs", one["ref"] if isinstance(one, dict) and "ref" in one else one)
            for name, one in value.items()
        }
