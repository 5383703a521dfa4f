"""A campaign of Pearmut: documents of items, each with a source and the outputs of models."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from campaign.formats.errors import FormatError, Place
from campaign.formats.json_text import decode_file, text_value
from campaign.formats.omissions import Omissions, SystemsSeen
from campaign.formats.records import SegmentTexts, counted, system_name_problem
from campaign.formats.segments import SegmentCounter
from campaign.formats.streams import InputFile, text_of

#: Maximum size of a file, which is read whole.
MAX_BYTES: Final = 64 * 2**20
#: Maximum number of commas, which bounds the number of values: each takes memory besides its text.
MAX_VALUES: Final = 1_000_000
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
    ids: list[str | None] = field(default_factory=list)
    items: list[_Item] = field(default_factory=list)


def read_pearmut_campaign(file: InputFile, omissions: Omissions) -> Iterator[SegmentTexts]:
    """Yield a segment for every item of `data`, in the order in which documents first appear.

    A document that appears in several tasks, for other judges or with other models, is one document with
    all outputs. Forms, tutorials (`data_welcome`, items with `skippable`) and attention checks
    (`data_random`, items with `validation`) are left out; `omissions` counts those in `data`, and notes
    missing outputs.

    Raises FormatError, with the place in `data` as field, for files that are larger than MAX_BYTES or not
    such campaigns, for items without a source text or with only sound or pictures, and for contradictory
    texts of one item.
    """
    reader = _Reader(file.name)
    name_of_campaign, documents = reader.campaign(_decoded(file))
    if reader.passed:
        left = f"{file.name}: {counted(reader.passed, 'item')} of data"
        omissions.left_out.append((left, "forms, tutorials and attention checks are not ranked"))
    counter, models = SegmentCounter(file.name), SystemsSeen(omissions)
    names: set[str] = set()
    for number, document in enumerate(documents, 1):
        name = _document_name(document)
        if name is None or name in names:
            name = f"{name_of_campaign or file.plain_name}/{number}"
        names.add(name)
        for item in document.items:
            position, count = counter.place(name, None, 1)
            models.add(name, item.outputs, Place(file.name, field=item.place), item.place)
            yield SegmentTexts(
                document=name,
                position=position,
                number=count,
                source=item.source,
                references=(item.reference,) if item.reference else (),
                outputs={
                    model: item.outputs[model] for model in models.names if model in item.outputs
                },
            )


def _decoded(file: InputFile) -> Any:
    text = text_of(file, MAX_BYTES)
    if text.count(",") > MAX_VALUES:
        raise Place(file.name).error(
            f"the file has more than {MAX_VALUES:,} values", "split it into several files"
        )
    return decode_file(text, file=file.name)


def _document_name(document: _Document) -> str | None:
    """Return the document name that WMT's IDs of the items share; None if there is none."""
    names = {_NUMBER.sub("", id_) if id_ else None for id_ in document.ids}
    found = next(iter(names)) if len(names) == 1 else None
    if not found or (len(document.ids) > 1 and found in document.ids):
        return None
    return found.replace("_###_", "/").replace("_#_", "/")


class _Reader:
    """Build documents from the lists of the campaign, with the place of each item."""

    def __init__(self, file: str) -> None:
        self._file = file
        self.passed = 0

    def _refuse(self, place: str, problem: str, remedy: str) -> NoReturn:
        raise FormatError(self._file, problem, remedy, field=place)

    def campaign(self, said: Any) -> tuple[str, list[_Document]]:
        """Return the name of the campaign and the documents to rank, each once."""
        if not isinstance(said, dict):
            raise FormatError(self._file, "the file is not a JSON object", f"write {_SHAPE}")
        if not isinstance(said.get("data"), list) or "campaign_id" not in said:
            self._refuse("data", "the file is not a Pearmut campaign", f"write {_SHAPE}")
        found: dict[tuple[str, ...], _Document] = {}
        for document in self._documents("data", said["data"]):
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
                "provide a campaign with items that have src and tgt",
            )
        return str(said["campaign_id"] or ""), list(found.values())

    def _documents(self, place: str, documents: list[Any]) -> Iterator[_Document]:
        """Yield the documents of a list: lists of objects, possibly nested in a list per task."""
        for index, items in enumerate(documents):
            where = f"{place}[{index}]"
            documents[index] = None  # frees its memory once it is converted
            if not isinstance(items, list):
                self._refuse(where, "a document is not a list of items", "write [{…}, {…}]")
            if place == "data" and items and isinstance(items[0], list):
                yield from self._documents(where, items)
                continue
            document = _Document()
            for number, item in enumerate(items):
                self._take_item(document, f"{where}[{number}]", item)
            if document.items:
                yield document

    def _take_item(self, document: _Document, place: str, item: Any) -> None:
        """Add an item unless it is not to be ranked."""
        if not isinstance(item, dict):
            self._refuse(place, "an item is not an object", 'write {"src": "…", "tgt": {…}}')
        if "form" in item or any(item.get(key) for key in _CHECKS):
            self.passed += 1
            return
        identifier = item.get("item_id")
        document.ids.append(None if identifier is None else str(identifier))
        document.items.append(self._item(place, item))

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
        """Add the outputs of a repeated document, whose texts must not differ."""
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
        return text_value(value, Place(self._file, field=place))
