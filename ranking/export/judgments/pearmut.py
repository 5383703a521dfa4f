"""The texts of a test set as a campaign of Pearmut, as `campaign.formats.pearmut` reads it."""

import json
from collections.abc import Iterator
from typing import Any, Final

#: Documents to whoever comes, and errors with a score.
_INFO: Final = {"assignment": "dynamic", "protocol": "ESA"}

#: The document, the place in it, the source, and as JSON the references and the outputs of systems.
TextsRow = tuple[str, int, str | None, str, str]


def pearmut_campaign(
    name: str, rows: Iterator[TextsRow], *, before: str | None, is_last: bool
) -> Iterator[bytes]:
    """Yield a campaign, or a part of it, segment by segment.

    Parameters
    ----------
    name : str
        Of the campaign.
    rows : iterator
        Segments in their order, those of a document one after the other.
    before : str or None
        The document of the segment before this part; None for the first part.
    is_last : bool
        Whether this part is the last one.
    """
    if before is None:
        yield f'{{"campaign_id": {_json(name)}, "info": {_json(_INFO)}, "data": ['.encode()
    document = before
    for row in rows:
        begins = "[" if document is None else "],\n["
        between = ", " if row[0] == document else begins
        yield f"{between}{_json(_item(row))}".encode()
        document = row[0]
    if is_last:
        yield b"]}\n" if document is None else b"]]}\n"


def _item(row: TextsRow) -> dict[str, Any]:
    document, position, source, references, systems = row
    item: dict[str, Any] = {"item_id": f"{document}_###_{position}"}
    if source is not None:
        item["src"] = source
    first = next(iter(json.loads(references)), None)
    if first is not None:
        item["ref"] = first
    return {**item, "tgt": json.loads(systems)}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
