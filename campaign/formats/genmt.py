"""Documents in JSON: outputs of WMT in JSON Lines, and campaigns of Pearmut."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final, NoReturn

from campaign.formats.errors import FormatError, Location, SurplusError
from campaign.formats.file_names import PairChoice
from campaign.formats.json_text import (
    JSONObject,
    decode_file,
    object_lines,
    paragraphs,
    raw_text_value,
    text_value,
    whole_text,
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
#: Keys of items that are not ranked, with the reason. The first one that an item has counts.
_NOT_RANKED: Final = {
    "form": "only forms in data_welcome and data_goodbye become questions to judges",
    "skippable": "tutorials are not ranked; set up training instead",
    "validation": "attention checks are not ranked, and their expected scores and spans are not imported; use damaged references",
}
_OTHER_KEYS: Final = {
    "error_spans": "import the file again under “Suggested errors” of the task",
    "instructions": "instructions are those of the campaign",
}
_ITEM_KEYS: Final = frozenset(
    {"item_id", "src", "src_text", "ref", "tgt", *_NOT_RANKED},
)
_PAGE: Final = re.compile(r"<\s*iframe\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?:_###_|_#_)[0-9]+\Z")


@dataclass(slots=True)
class _Item:
    path: str
    id: str
    source: str
    reference: str
    outputs: dict[str, str]


def read_pearmut_campaign(
    file: InputFile,
    omissions: Omissions,
) -> Iterator[SegmentTexts]:
    """Yield a segment for every item of `data`, in the order in which documents first appear.

    A document that appears in several tasks, for other judges or with other models, is one document with
    all outputs. Without item_ids, a document that appears several times in one task or pool is as many documents. Forms, tutorials (items with `skippable`) and attention checks (items with `validation`) in
    `data` are left out. `omissions` counts them, notes missing outputs, and has the settings of the campaign.

    Raises FormatError, with the place in `data` as field, for files that are larger than MAX_BYTES or not
    such campaigns, for items without a source or with an embedded page, and for contradictory texts of one item.
    """
    reader = _Reader(file.name)
    campaign = campaign_decoded(file)
    documents = reader.documents(campaign)
    omissions.settings = campaign
    if reader.judges:
        part = f"{file.name}: {counted(reader.judges, 'judge')} of data"
        omissions.left_out.append(
            (part, "all judges get texts of all; invite them by a list of judges"),
        )
    for key, number in sorted(reader.not_ranked.items()):
        part = f"{file.name}: {counted(number, 'item')} of data with {key}"
        omissions.left_out.append((part, _NOT_RANKED[key]))
    for key, number in sorted(reader.other_keys.items()):
        part = f"{file.name}: {key} of {counted(number, 'item')}"
        omissions.left_out.append((part, _OTHER_KEYS.get(key, "items have texts only")))
    if reader.repeated:
        repeated = counted(reader.repeated, "document")
        omissions.warnings.append(
            f"{file.name}: {repeated} without item_id with the texts of an earlier document;"
            " add item_ids if a log of Pearmut will be imported, which cannot tell them apart",
        )
    counter = SegmentCounter(file.name)
    models = SystemsSeen(omissions)
    names: set[str] = set()
    called = campaign["campaign_id"] or file.plain_name
    for number, document in enumerate(documents, 1):
        name = _document_name(document)
        if not name or name in names:
            name = f"{called}/{number}"
        names.add(name)
        for item in document:
            position, count = counter.add(name, None, 1)
            location = Location(file.name, field=item.path)
            models.add(name, item.outputs, location, item.path)
            references: tuple[str, ...] = ()
            if item.reference:
                references = (item.reference,)
            outputs = {}
            for model, text in models.in_order(item.outputs).items():
                outputs[model] = omissions.output(model, name, text, location)
            yield SegmentTexts(
                document=name,
                position=position,
                number=count,
                source=item.source,
                references=references,
                outputs=outputs,
                trimmed=omissions.trimmed(),
            )


def campaign_decoded(file: InputFile) -> JSONObject:
    """Return the campaign of a file.

    Raises FormatError for files that are larger than MAX_BYTES or have more than MAX_VALUES values, and for other JSON.
    """
    text = text_of(file, MAX_BYTES)
    if text.count(",") > MAX_VALUES:
        raise Location(file.name).error(
            f"the file has more than {MAX_VALUES:,} values",
            "split it into several files",
        )
    campaign = decode_file(text, file=file.name)
    campaign = _one_campaign(campaign, file.name)
    if not isinstance(campaign, dict):
        raise FormatError(file.name, "the file is not a JSON object", f"write {_SHAPE}")
    return campaign


def _one_campaign(campaigns: object, file: str) -> object:
    """Return the campaign of a file, which may be in a list. Raises FormatError for a list of several."""
    if not isinstance(campaigns, list):
        return campaigns
    if len(campaigns) != 1:
        raise FormatError(
            file,
            f"the file has {counted(len(campaigns), 'campaign')}",
            "provide each campaign as a file of its own, with: jq '.[0]' OLD > NEW",
        )
    return campaigns[0]


def key_not_ranked(item: JSONObject) -> str | None:
    """Return the key because of which an item of a campaign is not ranked; None if it is."""
    for key in _NOT_RANKED:
        # The form of a text without a question is null.
        if item.get(key) or (key == "form" and key in item):
            return key
    return None


def _document_name(items: Sequence[_Item]) -> str:
    """Return the document name that WMT's IDs of the items share; empty if there is none."""
    ids = [item.id for item in items]
    names = {_NUMBER.sub("", item_id) for item_id in ids}
    if len(names) > 1:
        return ""
    name = names.pop()
    if len(ids) > 1 and name in ids:
        return ""
    return name.replace("_###_", "/").replace("_#_", "/")


class _Reader:
    """Build documents from the lists of the campaign, with the place of each item."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._folders = ("", "")
        # Judges in the file of a campaign that runs.
        self.judges = 0
        # Items that are left out, by the key that says so.
        self.not_ranked: Counter[str] = Counter()
        self.other_keys: Counter[str] = Counter()
        # Documents without IDs and with the texts of an earlier one.
        self.repeated = 0

    def _refuse(self, path: str, problem: str, remedy: str) -> NoReturn:
        raise FormatError(self._file, problem, remedy, field=path)

    def documents(self, campaign: JSONObject) -> Collection[Sequence[_Item]]:
        """Return the documents to rank, each once; they are taken out of the campaign."""
        data = campaign.pop("data", None)
        if isinstance(data, dict):
            # Of a campaign that runs: tasks by judge.
            self.judges = len(data)
            data = list(data.values())
        if not isinstance(data, list) or "campaign_id" not in campaign:
            self._refuse(
                "data",
                "the file is not a Pearmut campaign",
                f"write {_SHAPE}",
            )
        self._read_folders(campaign.get("info"))
        documents: dict[tuple[tuple[str, ...], int], list[_Item]] = {}
        # How often a document without IDs occurred in a task, where each of its places is a document.
        occurrences = Counter[tuple[str, tuple[str, ...]]]()
        for task, document in self._read("data", data):
            key = tuple(item.id or item.source for item in document)
            number = 0
            if not all(item.id for item in document):
                number = occurrences[task, key]
                occurrences[task, key] += 1
            first = documents.setdefault((key, number), document)
            for item, again in zip(first, document, strict=True):
                self._merge(item, again)
        if not documents:
            self._refuse(
                "data",
                "the campaign has no item to rank, only forms, tutorials or checks",
                "provide a campaign with items that have src and tgt",
            )
        first_texts: dict[tuple[str, ...], list[dict[str, str]]] = {}
        for (key, _number), document in documents.items():
            texts = [item.outputs for item in document]
            self.repeated += first_texts.setdefault(key, texts) == texts
        self.repeated -= len(first_texts)
        return documents.values()

    def _read_folders(self, info: object) -> None:
        """Note the folder of assets, which are served under another name."""
        if not isinstance(info, dict):
            return
        assets = info.get("assets")
        if isinstance(assets, dict):
            destination = assets.get("destination")
            source = assets.get("source")
            self._folders = (f"{destination}/", f"{source}/")

    def _read(
        self,
        path: str,
        documents: list[Any],
    ) -> Iterator[tuple[str, list[_Item]]]:
        """Yield the documents of a list with the place of their task: lists of objects, possibly nested in a list per task."""
        for index, items in enumerate(documents):
            document_path = f"{path}[{index}]"
            documents[index] = None  # frees its memory once it is converted
            if not isinstance(items, list):
                self._refuse(
                    document_path,
                    "a document is not a list of items",
                    "write [{…}, {…}]",
                )
            if path == "data" and items and isinstance(items[0], list):
                yield from self._read(document_path, items)
                continue
            document = []
            for number, item in enumerate(items):
                read = self._item(f"{document_path}[{number}]", item)
                if read is not None:
                    document.append(read)
            if document:
                yield path, document

    def _item(self, path: str, item: Any) -> _Item | None:
        """Return an item; None if it is not to be ranked."""
        if not isinstance(item, dict):
            self._refuse(
                path,
                "an item is not an object",
                'write {"src": "…", "tgt": {…}}',
            )
        key = key_not_ranked(item)
        if key is not None:
            self.not_ranked[key] += 1
            return None
        self.other_keys.update(item.keys() - _ITEM_KEYS)
        source = item.get("src_text", item.get("src"))
        if source is None:
            self._refuse(
                f"{path}.src",
                "the item has no source text",
                "add src to every item; turn off “Show the source” in the settings of the campaign if judges see outputs alone",
            )
        text = self._required_text(f"{path}.src", source, "the source")
        if _PAGE.search(text):
            self._refuse(
                f"{path}.src",
                "the source is a page of another server",
                "add src_text with a transcript or description, or remove the item",
            )
        outputs = self._outputs(f"{path}.tgt", item.get("tgt"))
        reference = ""
        if item.get("ref") is not None:
            reference = self._text(f"{path}.ref", item["ref"])
        identifier = ""
        if item.get("item_id") is not None:
            identifier = str(item["item_id"])
        return _Item(path, identifier, text, reference, outputs)

    def _outputs(self, path: str, texts_by_model: object) -> dict[str, str]:
        if not isinstance(texts_by_model, dict) or not texts_by_model:
            self._refuse(
                path,
                "the item has no outputs by model",
                'write {"model": "text", …} with the outputs of all models',
            )
        outputs = {}
        for model, output in texts_by_model.items():
            problem = system_name_problem(model)
            if problem:
                self._refuse(path, problem, "rename the model in every item")
            text = self._raw_text(path, output)
            self._refuse_empty(path, text, f"the output of {model}")
            outputs[model] = text
        return outputs

    def _merge(self, item: _Item, again: _Item) -> None:
        """Add the outputs of a repeated item, whose texts must not differ."""
        differing = None
        for model, text in again.outputs.items():
            first_text = item.outputs.setdefault(model, text)
            is_same = whole_text(first_text) == whole_text(text)
            if not is_same and differing is None:
                differing = f"the output of {model}"
        if item.source != again.source or item.reference != again.reference:
            differing = "the source or reference"
        if differing:
            shared = "item_id" if item.id else "source and no item_id"
            self._refuse(
                again.path,
                f"{differing} differs from {item.path}, which has the same {shared}",
                "use different item_ids, or the same text",
            )

    def _required_text(self, path: str, value: object, label: str) -> str:
        text = self._text(path, value)
        self._refuse_empty(path, text, label)
        return text

    def _refuse_empty(self, path: str, text: str, label: str) -> None:
        if not text.strip():
            self._refuse(path, f"{label} is empty", "fill it in, or remove the item")

    def _text(self, path: str, value: object) -> str:
        return whole_text(self._raw_text(path, value))

    def _raw_text(self, path: str, value: object) -> str:
        """Return a text with the blanks around it."""
        text = raw_text_value(value, Location(self._file, field=path))
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
    separator = "_#_"
    if "_###_" in identifier:
        separator = "_###_"
    pieces = identifier.split(separator)
    if len(pieces) < 2:
        return DividedId(None, (identifier,), None)
    if separator == "_###_" and len(pieces) >= 5:
        test_set, domain, source, target, *document = pieces
        segment = None
        if len(document) == 2 and document[1].isdigit():
            segment = document.pop()
        return DividedId((source, target), (test_set, domain, *document), segment)
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
    file: InputFile,
    *,
    with_media: bool = False,
) -> Iterator[GenmtSource]:
    """Yield the sources. Other keys and blank lines are skipped.

    Files in base64 are shown below the source of their line; with `with_media`, those that it names, too.

    Raises FormatError for lines that are not such objects, with the key as field.
    """
    for line in _lines(file, _SOURCE_SHAPE):
        divided = divided_id(line.name("doc_id"))
        source, target = divided.languages or ("", "")
        names = divided.rest
        domain = line.optional("domain")
        if domain is not None and domain not in names:
            names = (domain, *names)
        references = line.references()
        outputs = {}
        for name, text in line.by_name("tgt_text").items():
            if _REFERENCE_SYSTEM.fullmatch(name):
                references.setdefault(name, text)
            else:
                outputs[name] = text
        identifier = line.identifier()
        source = line.optional("src_lang") or source
        target = line.optional("tgt_lang") or target
        segment = line.segment() or divided.segment
        text = line.text("src_text", line.values.get("src_text"))
        text += line.media(with_files=with_media)
        yield GenmtSource(
            number=line.number,
            id=identifier,
            languages=(source, target),
            document="/".join(names),
            segment=segment,
            text=text,
            references=references,
            outputs=outputs,
        )


def genmt_outputs(file: InputFile) -> Iterator[GenmtOutput]:
    """Yield the outputs in the file of one system.

    Raises FormatError for lines that are not such objects, with the key as field.
    """
    for line in _lines(file, _OUTPUT_SHAPE):
        present = [key for key in OUTPUT_KEYS if key in line.values]
        key = present[0] if present else OUTPUT_KEYS[0]
        identifier = line.identifier()
        text = line.output(key, line.values)
        yield GenmtOutput(line.number, identifier, text)


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
        return text_value(value, Location(self.file, self.number, field=key))

    def output(self, key: str, outputs: Mapping[str, object]) -> str:
        """Return the output called `key`, with the blanks around it; empty for null, which systems write on failure."""
        if key in outputs and outputs[key] is None:
            return ""
        location = Location(self.file, self.number, field=key)
        return raw_text_value(outputs.get(key), location)

    def name(self, key: str) -> str:
        """Return a name on one line."""
        value = " ".join(self.text(key, self.values.get(key)).split())
        if not value:
            raise self.error("the value is empty", "add an ID to every line", key)
        return value

    def segment(self) -> str | None:
        """Return the segment of the document that the line names, if any: a text or a whole number."""
        for key in SEGMENT_KEYS:
            value = self.values.get(key)
            if isinstance(value, int) and not isinstance(value, bool):
                return str(value)
            if value is not None:
                return self.name(key)
        return None

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

    def media(self, *, with_files: bool) -> str:
        """Return tags for the files in the line and, `with_files`, those that it names; folders are skipped."""
        tags = ""
        for key in _MEDIA_KEYS:
            name = self.values.get(key)
            if not isinstance(name, str):
                continue
            is_file = with_files and "." in name
            if is_file or name.startswith("data:"):
                tags += f"\n<img src='{name}'>"
        return tags

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
        references = {}
        for name, reference in value.items():
            text = reference
            if isinstance(reference, dict) and "ref" in reference:
                text = reference["ref"]
            references[name] = self.text("refs", text)
        return references


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
    writer = _SegmentWriter(source, systems, omissions, by_paragraph)
    followers = {name: _Follower(file) for name, file in systems.items()}
    ids: dict[str, int] = {}
    others: set[str] = set()
    systems_seen = SystemsSeen(omissions)
    for line in genmt_sources(source, with_media=with_media):
        _refuse_second(source, line, ids)
        if not choice.takes(*line.languages, line.number) or choice.undecided:
            others.add(line.id)
            continue
        _refuse_mixture(source, line, systems)
        location = Location(source.name, line.number, field="tgt_text")
        systems_seen.add(line.document, line.outputs, location)
        outputs = {}
        for name, text in systems_seen.in_order(line.outputs).items():
            outputs[name] = GenmtOutput(line.number, line.id, text)
        for name, follower in followers.items():
            output = follower.take(line, others)
            if output is None:
                omissions.lacks(line.document, name, follower.lacking(line, source))
            else:
                outputs[name] = output
        yield from writer.segments(line, outputs)
    choice.finish()
    writer.counter.refuse_nothing()
    for follower in followers.values():
        follower.refuse_rest(source, others)


def _refuse_second(
    file: InputFile,
    line: GenmtSource | GenmtOutput,
    ids: dict[str, int],
) -> None:
    if line.id in ids:
        raise Location(file.name, line.number, field="doc_id").error(
            f'the id "{line.id}" appears twice, first on line {ids[line.id]}',
            "remove one of the two lines, or change its ID",
        )
    ids[line.id] = line.number


def _refuse_mixture(
    source: InputFile,
    line: GenmtSource,
    systems: Mapping[str, InputFile],
) -> None:
    if line.outputs and systems:
        other = next(iter(systems.values()))
        raise Location(other.name).error(
            f"{source.name}, line {line.number} contains outputs",
            "provide only that file, or a source without tgt_text and one file per system",
        )


@dataclass(frozen=True, slots=True)
class _Translation:
    """The paragraphs of an output, or its whole text, and its place."""

    pieces: list[str]
    location: Location


class _SegmentWriter:
    """Makes segments of lines and their outputs, and numbers them."""

    def __init__(
        self,
        source: InputFile,
        systems: Mapping[str, InputFile],
        omissions: Omissions,
        by_paragraph: bool,
    ) -> None:
        self.counter = SegmentCounter(source.name)
        self._source = source
        self._systems = systems
        self._omissions = omissions
        self._by_paragraph = by_paragraph
        self._translators: dict[str, None] = {}

    def segments(
        self,
        line: GenmtSource,
        outputs: Mapping[str, GenmtOutput],
    ) -> Iterator[SegmentTexts]:
        """Yield the segments of a line: one, or one for each paragraph."""
        self._translators |= dict.fromkeys(line.references)
        sources = self._pieces(line.text)
        references = self._references(line, len(sources))
        translations = self._translations(line, outputs, len(sources))
        segment_id = None
        if not self._by_paragraph:
            segment_id = line.segment
        location = Location(self._source.name, line.number, field="src_text")
        for index, text in enumerate(sources):
            position, number = self.counter.add(line.document, segment_id, line.number)
            source = filled_text(text, f"the source of {line.id}", location)
            texts = {}
            for name, translation in translations.items():
                texts[name] = self._omissions.output(
                    name,
                    line.document,
                    translation.pieces[index],
                    translation.location,
                    of=f" for {line.id}",
                )
            yield SegmentTexts(
                document=line.document,
                position=position,
                number=number,
                source=source,
                references=tuple(pieces[index].strip() for pieces in references),
                outputs=texts,
                trimmed=self._omissions.trimmed(),
            )

    def _references(self, line: GenmtSource, count: int) -> list[list[str]]:
        """Return the pieces of each reference so far; empty ones if the line lacks it."""
        references = []
        location = Location(self._source.name, line.number)
        for name in self._translators:
            pieces = [""] * count
            text = line.references.get(name)
            if text:
                pieces = self._pieces(text)
                self._check(pieces, count, line, location, f"the reference {name}")
            references.append(pieces)
        return references

    def _translations(
        self,
        line: GenmtSource,
        outputs: Mapping[str, GenmtOutput],
        count: int,
    ) -> dict[str, _Translation]:
        """Return the outputs; note one with another number of paragraphs as missing."""
        translations = {}
        for name, output in outputs.items():
            file = self._systems.get(name, self._source)
            location = Location(file.name, output.number)
            pieces = self._pieces(output.text)
            try:
                self._check(pieces, count, line, location, f"the output of {name}")
            except FormatError as error:
                self._omissions.lacks(line.document, name, error)
            else:
                translations[name] = _Translation(pieces, location)
        return translations

    def _pieces(self, text: str) -> list[str]:
        if self._by_paragraph:
            return paragraphs(text)
        return [text]

    def _check(
        self,
        pieces: list[str],
        count: int,
        line: GenmtSource,
        location: Location,
        label: str,
    ) -> None:
        """Raise FormatError unless a translation has as many paragraphs as its source."""
        if len(pieces) != count:
            raise location.error(
                f'{label} of "{line.id}" has {counted(len(pieces), "paragraph")}, its source '
                f"({self._source.name}, line {line.number}) {count:,}",
                "use the same paragraphs as the source, separated by blank lines, or import whole documents",
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

    def take(self, source_line: GenmtSource, others: set[str]) -> GenmtOutput | None:
        """Remove and return the output for the ID of a line, if there is one."""
        self._pair = divided_id(source_line.id).languages
        if source_line.id in self._waiting:
            return self._waiting.pop(source_line.id)
        for output in self._outputs:
            if output.id == source_line.id:
                return output
            if self._concerns_us(output, others):
                self._waiting[output.id] = output
        return None

    def lacking(self, source_line: GenmtSource, source: InputFile) -> FormatError:
        """Return the error for a missing output."""
        return Location(self._file.name, field="doc_id").error(
            f'the file has no line for "{source_line.id}" ({source.name}, line {source_line.number})',
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
        if output.id in others:
            return False
        languages = divided_id(output.id).languages
        return languages is None or languages == self._pair
