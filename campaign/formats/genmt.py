"""Documents in JSON: outputs of WMT in JSON Lines, and campaigns of Pearmut."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NoReturn

from campaign.formats.errors import FormatError, Place, SurplusError
from campaign.formats.file_names import PairChoice
from campaign.formats.json_text import (
    JSONObject,
    decode_file,
    object_lines,
    paragraphs,
    text_value,
)
from campaign.formats.omissions import Omissions, SystemsSeen
from campaign.formats.records import SegmentTexts, counted, system_name_problem
from campaign.formats.segments import SegmentCounter, filled_text
from campaign.formats.streams import InputFile, text_of

#: Maximum size of a file, which is read whole.
MAX_BYTES: Final = 64 * 2**20
#: Maximum number of commas, which bounds the number of values: each takes memory besides its text.
MAX_VALUES: Final = 1_000_000
_SHAPE: Final = '{"campaign_id": "…", "info": {…}, "data": […]}'
_CHECKS: Final = ("validation", "skippable")
_OTHER_KEYS: Final = {
    "error_spans": "import the file again under “Suggested errors” of the task",
    "instructions": "instructions are those of the campaign",
}
_ITEM_KEYS: Final = frozenset({"item_id", "src", "src_text", "ref", "tgt", *_CHECKS})
_PAGE: Final = re.compile(r"<\s*iframe\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?:_###_|_#_)[0-9]+\Z")


@dataclass(slots=True)
class _Item:
    place: str
    id: str
    source: str
    reference: str
    outputs: dict[str, str]


def read_pearmut_campaign(
    file: InputFile, omissions: Omissions
) -> Iterator[SegmentTexts]:
    """Yield a segment for every item of `data`, in the order in which documents first appear.

    A document that appears in several tasks, for other judges or with other models, is one document with
    all outputs. Forms, tutorials (items with `skippable`) and attention checks (items with `validation`) in
    `data` are left out. `omissions` counts them, notes missing outputs, and has the settings of the campaign.

    Raises FormatError, with the place in `data` as field, for files that are larger than MAX_BYTES or not
    such campaigns, for items without a source or with an embedded page, and for contradictory texts of one item.
    """
    reader = _Reader(file.name)
    campaign = _decoded(file)
    documents = reader.documents(campaign)
    omissions.settings = campaign
    if reader.passed:
        left = f"{file.name}: {counted(reader.passed, 'item')} of data"
        omissions.left_out.append(
            (left, "forms, tutorials and attention checks are not ranked")
        )
    for key, number in sorted(reader.other_keys.items()):
        left = f"{file.name}: {key} of {counted(number, 'item')}"
        omissions.left_out.append((left, _OTHER_KEYS.get(key, "items have texts only")))
    counter = SegmentCounter(file.name)
    models = SystemsSeen(omissions)
    names: set[str] = set()
    for number, document in enumerate(documents, 1):
        name = _document_name(document)
        if not name or name in names:
            name = f"{campaign['campaign_id'] or file.plain_name}/{number}"
        names.add(name)
        for item in document:
            position, count = counter.place(name, None, 1)
            models.add(
                name, item.outputs, Place(file.name, field=item.place), item.place
            )
            yield SegmentTexts(
                document=name,
                position=position,
                number=count,
                source=item.source,
                references=(item.reference,) if item.reference else (),
                outputs={
                    model: item.outputs[model]
                    for model in models.names
                    if model in item.outputs
                },
            )


def _decoded(file: InputFile) -> JSONObject:
    text = text_of(file, MAX_BYTES)
    if text.count(",") > MAX_VALUES:
        raise Place(file.name).error(
            f"the file has more than {MAX_VALUES:,} values",
            "split it into several files",
        )
    campaign = decode_file(text, file=file.name)
    if not isinstance(campaign, dict):
        raise FormatError(file.name, "the file is not a JSON object", f"write {_SHAPE}")
    return campaign


def _document_name(items: Sequence[_Item]) -> str:
    """Return the document name that WMT's IDs of the items share; empty if there is none."""
    names = {_NUMBER.sub("", item.id) for item in items}
    name = names.pop()
    if names or (len(items) > 1 and name in [item.id for item in items]):
        return ""
    return name.replace("_###_", "/").replace("_#_", "/")


class _Reader:
    """Build documents from the lists of the campaign, with the place of each item."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._folders = ("", "")
        self.passed = 0
        self.other_keys: Counter[str] = Counter()

    def _refuse(self, place: str, problem: str, remedy: str) -> NoReturn:
        raise FormatError(self._file, problem, remedy, field=place)

    def documents(self, campaign: JSONObject) -> Collection[Sequence[_Item]]:
        """Return the documents to rank, each once; they are taken out of the campaign."""
        data = campaign.pop("data", None)
        if isinstance(data, dict):
            # Of a campaign that runs: tasks by judge.
            data = list(data.values())
        if not isinstance(data, list) or "campaign_id" not in campaign:
            self._refuse(
                "data", "the file is not a Pearmut campaign", f"write {_SHAPE}"
            )
        info = campaign.get("info")
        assets = None
        if isinstance(info, dict):
            assets = info.get("assets")
        if isinstance(assets, dict):
            # Assets are served under another name than that of their folder.
            self._folders = (
                f"{assets.get('destination')}/",
                f"{assets.get('source')}/",
            )
        documents: dict[tuple[str, ...], list[_Item]] = {}
        for document in self._read("data", data):
            key = tuple(item.id or item.source for item in document)
            known = documents.setdefault(key, document)
            for item, again in zip(known, document, strict=True):
                self._merge(item, again)
        if not documents:
            self._refuse(
                "data",
                "the campaign has no item to rank, only forms, tutorials or checks",
                "provide a campaign with items that have src and tgt",
            )
        return documents.values()

    def _read(self, place: str, documents: list[Any]) -> Iterator[list[_Item]]:
        """Yield the documents of a list: lists of objects, possibly nested in a list per task."""
        for index, items in enumerate(documents):
            where = f"{place}[{index}]"
            documents[index] = None  # frees its memory once it is converted
            if not isinstance(items, list):
                self._refuse(
                    where, "a document is not a list of items", "write [{…}, {…}]"
                )
            if place == "data" and items and isinstance(items[0], list):
                yield from self._read(where, items)
                continue
            read = [
                self._item(f"{where}[{number}]", item)
                for number, item in enumerate(items)
            ]
            if document := [item for item in read if item is not None]:
                yield document

    def _item(self, place: str, item: Any) -> _Item | None:
        """Return an item; None if it is not to be ranked."""
        if not isinstance(item, dict):
            self._refuse(
                place, "an item is not an object", 'write {"src": "…", "tgt": {…}}'
            )
        if "form" in item or any(item.get(key) for key in _CHECKS):
            self.passed += 1
            return None
        self.other_keys.update(item.keys() - _ITEM_KEYS)
        source = item.get("src_text", item.get("src"))
        if source is None:
            self._refuse(
                f"{place}.src", "the item has no source text", "add src to every item"
            )
        text = self._filled(f"{place}.src", source, "the source")
        if _PAGE.search(text):
            self._refuse(
                f"{place}.src",
                "the source is a page of another server",
                "add src_text with a transcript or description, or remove the item",
            )
        given = item.get("tgt")
        if not isinstance(given, dict) or not given:
            self._refuse(
                f"{place}.tgt",
                "the item has no outputs by model",
                'write {"model": "text", …} with the outputs of all models',
            )
        outputs = {}
        for model, output in given.items():
            if problem := system_name_problem(model):
                self._refuse(f"{place}.tgt", problem, "rename the model in every item")
            outputs[model] = self._filled(
                f"{place}.tgt", output, f"the output of {model}"
            )
        reference = item.get("ref")
        identifier = item.get("item_id")
        return _Item(
            place,
            "" if identifier is None else str(identifier),
            text,
            "" if reference is None else self._text(f"{place}.ref", reference),
            outputs,
        )

    def _merge(self, item: _Item, again: _Item) -> None:
        """Add the outputs of a repeated item, whose texts must not differ."""
        differing = [
            f"the output of {model}"
            for model, text in again.outputs.items()
            if item.outputs.setdefault(model, text) != text
        ]
        if (item.source, item.reference) != (again.source, again.reference):
            differing = ["the source or reference"]
        if differing:
            self._refuse(
                again.place,
                f"{differing[0]} differs from {item.place}, which has the same item_id",
                "use different item_ids, or the same text",
            )

    def _filled(self, place: str, value: object, what: str) -> str:
        text = self._text(place, value)
        if not text:
            self._refuse(place, f"{what} is empty", "fill it in, or remove the item")
        return text

    def _text(self, place: str, value: object) -> str:
        text = text_value(value, Place(self._file, field=place))
        served, folder = self._folders
        if served:
            return text.replace(served, folder)
        return text


_SOURCE_SHAPE: Final = (
    '{"doc_id": "…", "src_lang": "…", "tgt_lang": "…", "src_text": "…"} on every line'
)
_OUTPUT_SHAPE: Final = '{"doc_id": "…", "hypothesis": "…"} on every line'
# Keys of the output in files of systems; the first one present counts.
OUTPUT_KEYS: Final = ("hypothesis", "tgt_text", "translation")
# Keys of the segment within the document, in files with a line for each segment.
SEGMENT_KEYS: Final = ("segment_id", "seg_id")
_MEDIA_KEYS: Final = ("video", "audio", "screenshot", "image")
_REFERENCE_SYSTEM: Final = re.compile(r"ref[A-Z]?")  # WMT lists references as systems


@dataclass(frozen=True, slots=True)
class DividedId:
    """Parts of an id such as `en-cs_CZ_#_news_#_bbc.123_#_4`."""

    languages: tuple[str, str] | None
    rest: tuple[str, ...]
    segment: str | None


@dataclass(frozen=True, slots=True)
class GenmtSource:
    """A source; `references` and `outputs` are those in the same line, by name."""

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
    """A system's output for an id."""

    number: int
    id: str
    text: str


def divided_id(identifier: str) -> DividedId:
    """Split an ID at WMT's separators into language pair, names and segment number."""
    if "_###_" in identifier:
        separator = "_###_"
    else:
        separator = "_#_"
    pieces = identifier.split(separator)
    if len(pieces) < 2:
        return DividedId(None, (identifier,), None)
    if (
        separator == "_###_" and len(pieces) >= 5
    ):  # set, domain, source, target, document
        segment = None
        if len(pieces) == 6 and pieces[5].isdigit():
            segment = pieces[5]
        names = (*pieces[:2], *(pieces[4:5] if segment else pieces[4:]))
        return DividedId((pieces[2], pieces[3]), names, segment)
    languages: tuple[str, str] | None = None
    source, hyphen, target = pieces[0].partition("-")
    if hyphen and source and target:
        languages = (source, target)
        pieces = pieces[1:]
    segment = None
    if len(pieces) > 2 and pieces[-1].isdigit():
        segment = pieces.pop()
    return DividedId(languages, tuple(pieces), segment)


def genmt_sources(
    file: InputFile, *, with_media: bool = False
) -> Iterator[GenmtSource]:
    """Yield the sources. Other keys and blank lines are skipped.

    With `with_media`, the files that a line names are shown below its source.

    Raises FormatError for lines that are not such objects, with the key as field.
    """
    for line in _lines(file, _SOURCE_SHAPE):
        divided = divided_id(line.name("doc_id"))
        source, target = divided.languages or ("", "")
        domain = line.optional("domain")
        if domain is None or domain in divided.rest:
            names = divided.rest
        else:
            names = (domain, *divided.rest)
        references = line.references()
        outputs = line.by_name("tgt_text")
        for name in [name for name in outputs if _REFERENCE_SYSTEM.fullmatch(name)]:
            references.setdefault(name, outputs.pop(name))
        yield GenmtSource(
            number=line.number,
            id=line.identifier(),
            languages=(
                line.optional("src_lang") or source,
                line.optional("tgt_lang") or target,
            ),
            document="/".join(names),
            segment=line.segment() or divided.segment,
            text=line.text("src_text", line.values.get("src_text"))
            + (line.media() if with_media else ""),
            references=references,
            outputs=outputs,
        )


def genmt_outputs(file: InputFile) -> Iterator[GenmtOutput]:
    """Yield the outputs in the file of one system.

    Raises FormatError for lines that are not such objects, with the key as field.
    """
    for line in _lines(file, _OUTPUT_SHAPE):
        key = next((key for key in OUTPUT_KEYS if key in line.values), OUTPUT_KEYS[0])
        yield GenmtOutput(line.number, line.identifier(), line.output(key, line.values))


def _lines(file: InputFile, shape: str) -> Iterator["_Line"]:
    for number, values in object_lines(file, shape):
        yield _Line(file.name, number, values)


@dataclass(frozen=True, slots=True)
class _Line:
    """One object and its place."""

    file: str
    number: int
    values: JSONObject

    def error(self, problem: str, remedy: str, field: str) -> FormatError:
        return FormatError(self.file, problem, remedy, line=self.number, field=field)

    def text(self, key: str, value: object) -> str:
        """Return the text with its line breaks. The caller refuses an empty one."""
        return text_value(value, Place(self.file, self.number, field=key))

    def output(self, key: str, outputs: Mapping[str, object]) -> str:
        """Return the output called `key`; empty for null, which systems write on failure."""
        is_null = key in outputs and outputs[key] is None
        if is_null:
            return ""
        return self.text(key, outputs.get(key))

    def name(self, key: str) -> str:
        """Return a name on one line."""
        value = " ".join(self.text(key, self.values.get(key)).split())
        if not value:
            raise self.error("the value is empty", "add an ID to every line", key)
        return value

    def segment(self) -> str | None:
        """Return the segment of the document that the line names, if any: a text or a whole number."""
        key = next(
            (key for key in SEGMENT_KEYS if self.values.get(key) is not None), None
        )
        if key is None:
            return None
        value = self.values[key]
        is_number = isinstance(value, int) and not isinstance(value, bool)
        if is_number:
            return str(value)
        return self.name(key)

    def identifier(self) -> str:
        """Return the ID of the line: its document, and its segment if the line names one."""
        document = self.name("doc_id")
        segment = self.segment()
        if segment is None:
            return document
        return f"{document} #{segment}"

    def optional(self, key: str) -> str | None:
        if self.values.get(key) is None:
            return None
        return self.name(key)

    def media(self) -> str:
        """Return tags for the files that the line names; folders of files are skipped."""
        names = [self.values.get(key) for key in _MEDIA_KEYS]
        return "".join(
            f"\n<img src='{name}'>"
            for name in names
            if isinstance(name, str) and "." in name
        )

    def by_name(self, key: str) -> dict[str, str]:
        """Return texts by system name."""
        value = self._object(key, 'write {"system": "text", …}')
        return {name: self.output(name, value) for name in value}

    def _object(self, key: str, remedy: str) -> JSONObject:
        value = self.values.get(key)
        if value is not None and not isinstance(value, dict):
            raise self.error("the value is not an object", remedy, key)
        return value or {}

    def references(self) -> dict[str, str]:
        """Return references by name; a reference is a text or an object with `ref`."""
        value = self._object("refs", 'write {"refA": {"ref": "text"}, …}')
        return {
            name: self.text(
                "refs", one["ref"] if isinstance(one, dict) and "ref" in one else one
            )
            for name, one in value.items()
        }


def read_genmt_test_set(
    source: InputFile,
    systems: Mapping[str, InputFile],
    languages: tuple[str, str] | None = None,
    *,
    omissions: Omissions,
    by_paragraph: bool = False,
    with_media: bool = False,
) -> Iterator[SegmentTexts]:
    """Yield a segment for every line of one language pair, with the outputs for its ID.

    Texts keep their line breaks and blank lines. With `by_paragraph`, each paragraph between blank
    lines is a segment, and all translations must have the same number. Outputs come from the files of
    `systems`, where `doc_id` may be in any order, or from the lines of the source (`tgt_text`). A
    domain becomes the first part of the document's name, before a "/". Outputs that are missing, null,
    empty or have another number of paragraphs are noted in `omissions`.

    Memory grows with the IDs of all lines, and with texts only if a file has another order.

    Raises FormatError for missing, unknown and repeated IDs, for empty sources, for references with
    another number of paragraphs, and for several language pairs without a choice.
    """
    choice = PairChoice(source.name, languages)
    counter = SegmentCounter(source.name)
    followers = {name: _Follower(file) for name, file in systems.items()}
    translators: dict[str, None] = {}
    ids: dict[str, int] = {}
    others: set[str] = set()
    held = SystemsSeen(omissions)
    for line in genmt_sources(source, with_media=with_media):
        _refuse_second(source, line, ids)
        if not choice.takes(*line.languages, line.number) or choice.undecided:
            others.add(line.id)
            continue
        _refuse_mixture(source, line, systems)
        held.add(
            line.document,
            line.outputs,
            Place(source.name, line.number, field="tgt_text"),
        )
        translators.update(dict.fromkeys(line.references))
        outputs = {
            name: GenmtOutput(line.number, line.id, line.outputs[name])
            for name in held.names
            if name in line.outputs
        }
        for name, follower in followers.items():
            found = follower.take(line, others)
            if found is None:
                omissions.lacks(line.document, name, follower.lacking(line, source))
            else:
                outputs[name] = found
        yield from _segments(
            source,
            line,
            outputs,
            systems,
            tuple(translators),
            counter,
            by_paragraph,
            omissions,
        )
    choice.finish()
    counter.refuse_nothing()
    for follower in followers.values():
        follower.refuse_rest(source, others)


def _refuse_second(
    file: InputFile, line: GenmtSource | GenmtOutput, ids: dict[str, int]
) -> None:
    if line.id in ids:
        raise Place(file.name, line.number, field="doc_id").error(
            f'the id "{line.id}" appears twice, first on line {ids[line.id]}',
            "remove one of the two lines, or change its ID",
        )
    ids[line.id] = line.number


def _refuse_mixture(
    source: InputFile, line: GenmtSource, systems: Mapping[str, InputFile]
) -> None:
    if line.outputs and systems:
        other = next(iter(systems.values()))
        raise Place(other.name).error(
            f"{source.name}, line {line.number} contains outputs",
            "provide only that file, or a source without tgt_text and one file per system",
        )


def _segments(
    source: InputFile,
    line: GenmtSource,
    outputs: Mapping[str, GenmtOutput],
    systems: Mapping[str, InputFile],
    translators: tuple[str, ...],
    counter: SegmentCounter,
    by_paragraph: bool,
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    if by_paragraph:
        sources = paragraphs(line.text)
    else:
        sources = [line.text]

    def divided(text: str, file: str, number: int, what: str) -> list[str]:
        if by_paragraph:
            pieces = paragraphs(text)
        else:
            pieces = [text]
        if len(pieces) != len(sources):
            raise Place(file, number).error(
                f'{what} of "{line.id}" has {counted(len(pieces), "paragraph")}, its source '
                f"({source.name}, line {line.number}) {len(sources):,}",
                "use the same paragraphs as the source, separated by blank lines, or import whole documents",
            )
        return pieces

    references = [
        divided(
            line.references[name], source.name, line.number, f"the reference {name}"
        )
        if line.references.get(name)
        else [""] * len(sources)
        for name in translators
    ]
    files = {
        name: systems[name].name if name in systems else source.name for name in outputs
    }
    translations: dict[str, list[str]] = {}
    for name, output in outputs.items():
        try:
            translations[name] = divided(
                output.text, files[name], output.number, f"the output of {name}"
            )
        except FormatError as error:
            omissions.lacks(line.document, name, error)
    for index, text in enumerate(sources):
        segment_id = None
        if not by_paragraph:
            segment_id = line.segment
        position, number = counter.place(line.document, segment_id, line.number)
        yield SegmentTexts(
            document=line.document,
            position=position,
            number=number,
            source=filled_text(
                text,
                f"the source of {line.id}",
                Place(source.name, line.number, field="src_text"),
            ),
            references=tuple(pieces[index].strip() for pieces in references),
            outputs={
                name: omissions.output(
                    name,
                    line.document,
                    pieces[index],
                    Place(files[name], outputs[name].number),
                    of=f" for {line.id}",
                )
                for name, pieces in translations.items()
            },
        )


class _Follower:
    """The file of a system, read in step with the source; outputs that come too early are kept."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        self._outputs = self._distinct()
        self._waiting: dict[str, GenmtOutput] = {}
        self._pair: tuple[str, str] | None = None

    def _distinct(self) -> Iterator[GenmtOutput]:
        ids: dict[str, int] = {}
        for output in genmt_outputs(self._file):
            _refuse_second(self._file, output, ids)
            yield output

    def take(self, wanted: GenmtSource, others: set[str]) -> GenmtOutput | None:
        """Remove and return the output for the ID of a line, if there is one."""
        self._pair = divided_id(wanted.id).languages
        for output in self._outputs if wanted.id not in self._waiting else ():
            if output.id == wanted.id:
                return output
            if self._concerns_us(output, others):
                self._waiting[output.id] = output
        return self._waiting.pop(wanted.id, None)

    def lacking(self, wanted: GenmtSource, source: InputFile) -> FormatError:
        """Return the error for a missing output."""
        return Place(self._file.name, field="doc_id").error(
            f'the file has no line for "{wanted.id}" ({source.name}, line {wanted.number})',
            "provide one line for every doc_id of the language pair",
        )

    def refuse_rest(self, source: InputFile, others: set[str]) -> None:
        """Raise FormatError if a line is left that matches no line of the source."""
        for output in chain(self._waiting.values(), self._outputs):
            if self._concerns_us(output, others):
                raise SurplusError(
                    self._file.name,
                    f'the id "{output.id}" is not in {source.name}',
                    "remove the line, or provide its source",
                    line=output.number,
                    field="doc_id",
                )

    def _concerns_us(self, output: GenmtOutput, others: set[str]) -> bool:
        """Return whether the line may belong to the chosen language pair, by its ID."""
        return output.id not in others and divided_id(output.id).languages in {
            None,
            self._pair,
        }
