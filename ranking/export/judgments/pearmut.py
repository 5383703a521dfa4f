"""The texts of a test set as a campaign of Pearmut, as `campaign.formats.pearmut` reads it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from campaign.database.copied_rows import Rows
from ranking.export.judgments.asked import Export
from ranking.export.judgments.tables import tables

#: Documents to whoever comes, and errors with a score.
_INFO: Final = {"assignment": "dynamic", "protocol": "ESA"}


def pearmut_campaign(export: Export, batches: Iterator[Rows]) -> Iterator[bytes]:
    """Yield a campaign, or a part of it, from the rows of texts, some thousands of segments at a time."""
    document = None
    if export.after:
        ahead = replace(export, after=export.after - 1, until=export.after)
        document = next((batch["document"][0] for batch in tables(ahead)), None)
    if document is None:
        # Pearmut names files by it.
        name = _json(export.task.test_set.name.replace("/", "-"))
        yield f'{{"campaign_id": {name}, "info": {_json(_INFO)}, "data": ['.encode()
    for batch in batches:
        said = []
        for values in zip(*batch.values(), strict=True):
            row = dict(zip(batch, values, strict=True))
            begins = "[" if document is None else "],\n["
            said += [", " if row["document"] == document else begins, _item(row)]
            document = row["document"]
        yield "".join(said).encode()
    if export.until == export.watermark:
        yield b"]}\n" if document is None else b"]]}\n"


def _item(row: dict[str, Any]) -> str:
    values = [f'"item_id": {_json(row["document"] + "_###_" + str(row["segment"]))}']
    if row["source"] is not None:
        values.append(f'"src": {_json(row["source"])}')
    first = next(iter(json.loads(row["references"])), None)
    if first is not None:
        values.append(f'"ref": {_json(first)}')
    return f'{{{", ".join(values)}, "tgt": {row["outputs"]}}}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
