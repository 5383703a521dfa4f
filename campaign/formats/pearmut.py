"""A campaign of Pearmut: documents of items, each with a source and the outputs of models."""

import codecs
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from campaign.formats.errors import FormatError
from campaign.formats.json_objects import decode_object, refuse_damage, whole_text
from campaign.formats.records import SegmentTexts, system_name_problem
from campaign.formats.segments import SegmentCounter
from campaign.formats.streams import InputFile, byte_chunks

MAX_CAMPAIGN_BYTES: Final = 128 * 1024 * 1024
_SHAPE: Final = '{"campaign_id": "…", "info": {…}, "data": […]}'
_SPACES: Final = b" \t\r\n"
_CHECKS: Final = ("validation", "skippable")
_MEDIA: Final = re.compile(r"<\s*(video|audio|img|iframe)\b", re.IGNORECASE)
_NUMBER: Final = re.compile(r"(?:_###_|_#_)[0-9]+\Z")


@dataclass(slots=True)
class _Item:
    place: str
    source: str
    reference: str
    outputs: dict[str, str]


@dataclass(slots=True)
class _Document:
    place: str
    ids: list[str | None] = field(default_factory=list)
    items: list[_Item] = field(default_factory=list)


def read_pearmut_campaign(file: InputFile) -> Iterator[SegmentTexts]:
    """Yield a segment for every item of `data`, in the order in which documents first come.

    A document that several tasks show, to several judges or with other models, is one
    document with the outputs of them all. Forms, tutorials (`data_welcome`, items with
    `skippable`) and attention checks (`data_random`, items with `validation`) are left out.

    The file is JSON in one piece, so that memory grows with it: MAX_CAMPAIGN_BYTES at most.

    Raises FormatError, with the place in `data` as field, for what is no such campaign, and for
    what cannot be ranked: items without a source text or of sound and pictures only, one model
    alone, models that did not translate everything, and two texts for one place.
    """
    campaign = decode_object(
        _whole(file), file=file.name, shape=_SHAPE, what="file", remedy="write one JSON object"
    )
    reader = _Reader(file.name)
    documents = reader.documents(campaign)
    models = reader.models(documents)
    counter = SegmentCounter(file.name)
    names: set[str] = set()
    for number, document in enumerate(documents, 1):
        name = _document_name(document)
        if name is None or name in names:
            name = f"{campaign.get('campaign_id') or file.plain_name}/{number}"
        names.add(name)
        for item in document.items:
            position, count = counter.place(name, None, 1)
            yield SegmentTexts(
                document=name,
                position=position,
                number=count,
                source=item.source,
                references=(item.reference,) if item.reference else (),
                outputs={model: item.outputs[model] for model in models},
            )
    counter.refuse_nothing()


def _whole(file: InputFile) -> str:
    pieces: list[bytes] = []
    size, is_begun = 0, False
    for chunk in byte_chunks(file):
        size += len(chunk)
        if not is_begun:
            # What cannot be a campaign is refused before it is read: it may be hundreds of megabytes.
            first = chunk.removeprefix(codecs.BOM_UTF8).lstrip(_SPACES)
            is_begun = bool(first)
            if is_begun and not first.startswith(b"{"):
                raise FormatError(file.name, "the file is no JSON object", f"write {_SHAPE}")
        if size > MAX_CAMPAIGN_BYTES:
            raise FormatError(
                file.name,
                f"the campaign is longer than {MAX_CAMPAIGN_BYTES:,} bytes",
                "divide its documents into several campaigns",
            )
        pieces.append(chunk)
    content = b"".join(pieces).removeprefix(codecs.BOM_UTF8)
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            file.name,
            f"the byte 0x{content[error.start]:02X} is not UTF-8",
            "save the file as UTF-8",
            line=content.count(b"\n", 0, error.start) + 1,
            column=error.start - content.rfind(b"\n", 0, error.start),
        ) from error


def _document_name(document: _Document) -> str | None:
    """Return what WMT's ids of the items have in common; None if they have nothing."""
    names = {_NUMBER.sub("", id_) if id_ else None for id_ in document.ids}
    found = next(iter(names)) if len(names) == 1 else None
    if not found or (len(document.ids) > 1 and found in document.ids):
        return None
    return found.replace("_###_", "/").replace("_#_", "/")


class _Reader:
    """Turns the campaign's lists into documents, knowing where each item stands."""

    def __init__(self, file: str) -> None:
        self._file = file

    def _refuse(self, place: str, problem: str, remedy: str) -> NoReturn:
        raise FormatError(self._file, problem, remedy, field=place)

    def documents(self, campaign: dict[str, Any]) -> list[_Document]:
        """Return the documents to rank, those that come in several tasks once."""
        data = campaign.get("data")
        if "campaign_id" not in campaign or not isinstance(data, list):
            self._refuse("data", "the file is no campaign of Pearmut", f"write {_SHAPE}")
        found: dict[tuple[str, ...], _Document] = {}
        for place, items in self._lists_of_items("data", data):
            document = self._document(place, items)
            if document is None:
                continue
            key = tuple(
                id_ or item.source for id_, item in zip(document.ids, document.items, strict=True)
            )
            if key in found:
                self._merge(found[key], document)
            else:
                found[key] = document
        if not found:
            self._refuse(
                "data",
                "the campaign has no item to rank, only forms, tutorials or checks",
                "give a campaign whose data hold items with src and tgt",
            )
        return list(found.values())

    def models(self, documents: Sequence[_Document]) -> tuple[str, ...]:
        """Return the models, which every item must have, and of which there must be two."""
        first: dict[str, str] = {}
        for document in documents:
            for item in document.items:
                for model in item.outputs:
                    first.setdefault(model, item.place)
        for document in documents:
            for item in document.items:
                for model, place in first.items():
                    if model not in item.outputs:
                        self._refuse(
                            item.place,
                            f"there is no output of {model}, which {place} has",
                            "give every item the outputs of the same models, "
                            "or take the model out of all",
                        )
        if len(first) == 1:
            self._refuse(
                documents[0].items[0].place,
                f"the campaign has outputs of {next(iter(first))} alone",
                "a ranking compares: give the outputs of two models or more",
            )
        return tuple(first)

    def _lists_of_items(self, place: str, value: list[Any]) -> Iterator[tuple[str, list[Any]]]:
        """Yield the documents: lists of objects, in a list or in a list of each task."""
        for index, inner in enumerate(value):
            where = f"{place}[{index}]"
            if not isinstance(inner, list):
                self._refuse(where, "a document is no list of items", "write [{…}, {…}]")
            if inner and isinstance(inner[0], list) and place == "data":
                yield from self._lists_of_items(where, inner)
            else:
                yield where, inner

    def _document(self, place: str, items: list[Any]) -> _Document | None:
        document = _Document(place)
        for index, item in enumerate(items):
            where = f"{place}[{index}]"
            if not isinstance(item, dict):
                self._refuse(where, "an item is no object", 'write {"src": "…", "tgt": {…}}')
            if "form" in item or any(item.get(key) for key in _CHECKS):
                continue
            identifier = item.get("item_id")
            document.ids.append(None if identifier is None else str(identifier))
            document.items.append(self._item(where, item))
        return document if document.items else None

    def _item(self, place: str, item: dict[str, Any]) -> _Item:
        source = item.get("src_text", item.get("src"))
        if source is None:
            self._refuse(
                f"{place}.src",
                "the item has no source text, and cannot be ranked against one",
                "give every item a src",
            )
        text = self._filled(f"{place}.src", source, "the source")
        media = _MEDIA.search(text)
        if media:
            self._refuse(
                f"{place}.src",
                f"the source is {media.group(1).lower()}, not text",
                "give the item a src_text with what is said or shown, or leave the item out",
            )
        outputs = item.get("tgt")
        if not isinstance(outputs, dict) or not outputs:
            self._refuse(
                f"{place}.tgt",
                "the item has no outputs by model",
                'write {"model": "text", …} with the outputs of all models',
            )
        for model in outputs:
            problem = system_name_problem(model)
            if problem:
                self._refuse(f"{place}.tgt", problem, "rename the model in every item")
        reference = item.get("ref")
        return _Item(
            place,
            text,
            "" if reference is None else self._text(f"{place}.ref", reference),
            {
                model: self._filled(f"{place}.tgt", output, f"the output of {model}")
                for model, output in outputs.items()
            },
        )

    def _merge(self, known: _Document, again: _Document) -> None:
        """Add the outputs of a document that came before; nothing it said may differ."""
        for item, more in zip(known.items, again.items, strict=True):
            same_texts = (item.source, item.reference) == (more.source, more.reference)
            differing = next(
                (m for m, text in more.outputs.items() if item.outputs.get(m, text) != text), None
            )
            if not same_texts or differing is not None:
                what = f"the output of {differing}" if same_texts else "the source or reference"
                self._refuse(
                    more.place,
                    f"{what} is another than in {item.place}, which has the same item_id",
                    "give what differs another item_id, or write the same text",
                )
            item.outputs.update(more.outputs)

    def _filled(self, place: str, value: object, what: str) -> str:
        text = self._text(place, value)
        if not text:
            self._refuse(place, f"{what} is empty", "fill it in, or take the item out")
        return text

    def _text(self, place: str, value: object) -> str:
        if not isinstance(value, str):
            self._refuse(place, "the value is no text", "write a text in double quotes")
        text = whole_text(value)
        refuse_damage(text.replace("\n", " "), file=self._file, line=None, field=place)
        return text
