"""A campaign of Pearmut: documents of items, each with a source and the outputs of models."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from sys import getsizeof
from typing import Any, Final, NoReturn

from campaign.formats.errors import FormatError
from campaign.formats.json_stream import JsonStream, refuse_damage, whole_text
from campaign.formats.omissions import Omissions
from campaign.formats.records import SegmentTexts, counted, system_name_problem
from campaign.formats.segments import SegmentCounter
from campaign.formats.streams import InputFile

#: Memory limit of a campaign: texts and the objects that hold them.
MAX_HELD: Final = 64 * 2**20
#: Beside texts: an item in its lists, a document with its name and key.
_OF_ITEM: Final = 120
_OF_DOCUMENT: Final = 700
_SHAPE: Final = '{"campaign_id": "…", "info": {…}, "data": […]}'
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


def read_pearmut_campaign(file: InputFile, omissions: Omissions) -> Iterator[SegmentTexts]:
    """Yield a segment for every item of `data`, in the order in which documents first come.

    A document that several tasks show, to several judges or with other models, is one
    document with the outputs of them all. Forms, tutorials (`data_welcome`, items with
    `skippable`) and attention checks (`data_random`, items with `validation`) are left out;
    those among the items of `data` are counted in `omissions`.

    Items are read one by one. What is to be ranked is held until the file ends, since a later task may show the
    same documents with other models: MAX_HELD bytes at most, whatever the file holds.

    Raises FormatError, with the place in `data` as field, for what is no such campaign, and for
    what cannot be ranked: items without a source text or of sound and pictures only, one model
    alone, models that did not translate everything, and two texts for one place.
    """
    reader = _Reader(file)
    name_of_campaign, documents = reader.campaign()
    models = reader.models(documents)
    if reader.passed:
        left = f"{file.name}: {counted(reader.passed, 'item')} of data"
        omissions.left_out.append((left, "forms, tutorials and attention checks are not ranked"))
    counter = SegmentCounter(file.name)
    names: set[str] = set()
    for number, document in enumerate(documents, 1):
        name = _document_name(document)
        if name is None or name in names:
            name = f"{name_of_campaign or file.plain_name}/{number}"
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


def _document_name(document: _Document) -> str | None:
    """Return what WMT's ids of the items have in common; None if they have nothing."""
    names = {_NUMBER.sub("", id_) if id_ else None for id_ in document.ids}
    found = next(iter(names)) if len(names) == 1 else None
    if not found or (len(document.ids) > 1 and found in document.ids):
        return None
    return found.replace("_###_", "/").replace("_#_", "/")


class _Reader:
    """Turns the campaign's lists into documents, knowing where each item stands."""

    def __init__(self, file: InputFile) -> None:
        self._file = file.name
        self._json = JsonStream(file, remedy="write one JSON object")
        self._held = 0
        self.passed = 0

    def _refuse(self, place: str, problem: str, remedy: str) -> NoReturn:
        raise FormatError(self._file, problem, remedy, field=place)

    def campaign(self) -> tuple[str, list[_Document]]:
        """Return the campaign's name and the documents to rank, those that come in several tasks once."""
        if self._json.peek() not in {"{", ""}:
            # It may be hundreds of megabytes.
            raise FormatError(self._file, "the file is not a JSON object", f"write {_SHAPE}")
        name: object = None
        found: dict[tuple[str, ...], _Document] | None = None
        is_named = False
        for key in self._json.entries():
            if key == "campaign_id":
                is_named, name = True, self._json.value()
            elif key == "data" and self._json.peek() == "[":
                found = self._distinct(self._documents("data"))
            else:
                self._json.skip()
        self._json.end()
        if found is None or not is_named:
            self._refuse("data", "the file is not a Pearmut campaign", f"write {_SHAPE}")
        if not found:
            self._refuse(
                "data",
                "the campaign has no item to rank, only forms, tutorials or checks",
                "provide a campaign with items that have src and tgt",
            )
        return str(name or ""), list(found.values())

    def _distinct(self, documents: Iterator[_Document]) -> dict[tuple[str, ...], _Document]:
        found: dict[tuple[str, ...], _Document] = {}
        for document in documents:
            key = tuple(
                id_ or item.source for id_, item in zip(document.ids, document.items, strict=True)
            )
            if key in found:
                self._merge(found[key], document)
            else:
                found[key] = document
        return found

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
                            f"there is no output of {model}, but {place} has one",
                            "provide outputs of the same models for every item, or remove the model",
                        )
        if len(first) == 1:
            self._refuse(
                documents[0].items[0].place,
                f"the campaign only has outputs of {next(iter(first))}",
                "provide outputs of at least two models",
            )
        return tuple(first)

    def _documents(self, place: str) -> Iterator[_Document]:
        """Yield the documents of the list that is next: lists of objects, in a list or in a list of each task."""
        for index in self._json.elements():
            where = f"{place}[{index}]"
            if self._json.peek() != "[":
                self._refuse(where, "a document is not a list of items", "write [{…}, {…}]")
            yield from self._document(where, may_be_task=place == "data")

    def _document(self, place: str, *, may_be_task: bool) -> Iterator[_Document]:
        document = _Document(place)
        is_task = False
        for index in self._json.elements():
            where = f"{place}[{index}]"
            is_list = self._json.peek() == "["
            is_task = is_task or (may_be_task and index == 0 and is_list)
            if not is_task:
                self._take_item(document, where)
            elif is_list:
                yield from self._document(where, may_be_task=False)
            else:
                self._refuse(where, "a document is not a list of items", "write [{…}, {…}]")
        if document.items:
            yield document

    def _take_item(self, document: _Document, place: str) -> None:
        """Add the item that is next, unless it is none to rank."""
        item = self._json.value()
        if not isinstance(item, dict):
            self._refuse(place, "an item is not an object", 'write {"src": "…", "tgt": {…}}')
        if "form" in item or any(item.get(key) for key in _CHECKS):
            self.passed += 1
            return
        identifier = item.get("item_id")
        document.ids.append(None if identifier is None else str(identifier))
        document.items.append(self._item(place, item))
        self._hold(document)

    def _hold(self, document: _Document) -> None:
        """Count what the document's last item takes of the memory."""
        item, identifier = document.items[-1], document.ids[-1]
        texts = (item.place, item.source, item.reference, identifier or "")
        self._held += _OF_ITEM + getsizeof(item.outputs) + sum(map(getsizeof, texts))
        self._held += sum(
            getsizeof(model) + getsizeof(text) for model, text in item.outputs.items()
        )
        if len(document.items) == 1:
            self._held += _OF_DOCUMENT
        if self._held > MAX_HELD:
            self._refuse(
                item.place,
                f"the campaign's items take more than {MAX_HELD // 2**20} MiB of memory",
                "split its documents into several campaigns",
            )

    def _item(self, place: str, item: dict[str, Any]) -> _Item:
        source = item.get("src_text", item.get("src"))
        if source is None:
            self._refuse(
                f"{place}.src",
                "the item has no source text",
                "add src to every item",
            )
        text = self._filled(f"{place}.src", source, "the source")
        media = _MEDIA.search(text)
        if media:
            self._refuse(
                f"{place}.src",
                f"the source is {media.group(1).lower()}, not text",
                "add src_text with a transcript or description, or remove the item",
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
                    f"{what} differs from {item.place}, which has the same item_id",
                    "use different item_ids, or the same text",
                )
            item.outputs.update(more.outputs)

    def _filled(self, place: str, value: object, what: str) -> str:
        text = self._text(place, value)
        if not text:
            self._refuse(place, f"{what} is empty", "fill it in, or remove the item")
        return text

    def _text(self, place: str, value: object) -> str:
        if not isinstance(value, str):
            self._refuse(place, "the value is not a text", "write a text in double quotes")
        text = whole_text(value)
        refuse_damage(text.replace("\n", " "), file=self._file, line=None, field=place)
        return text
