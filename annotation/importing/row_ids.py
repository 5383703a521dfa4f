"""The id that a row of a file has in every import of it into the same test set."""

import json
import uuid
from hashlib import sha1
from itertools import compress
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.db import connection
from django.utils.formats import number_format
from django.utils.translation import ngettext

from campaign.database.planner import table_scans_off
from campaign.formats import FiveWayColumns

_NAMESPACE: Final = uuid.UUID("5e4ef7b0-6c2d-5d0e-9d0a-2f3f7f1c9a51")
_BYTES: Final = 16
_HASH_BYTES: Final = 20
_LABELS: Final = ("null", "1", "2", "3", "4", "5")


class RowIds:
    """Gives rows their ids: UUIDs of version 5 of what the rows say, as JSON.

    Only what an export keeps goes into the id, so that an exported file is known again too: test set,
    segment, judge, candidates, labels, and which of the rows that say the same it is. Remembers what it
    has seen: about 100 bytes a row.

    Attributes
    ----------
    repeated : int
        Rows so far that say what a row before them says.
    """

    def __init__(self, task_id: int) -> None:
        self._task_id = task_id
        self._seen: dict[bytes, int] = {}
        self._judges: list[str] = []
        self._candidates: list[str] = []
        self.repeated = 0

    def of(self, columns: FiveWayColumns) -> npt.NDArray[Any]:
        """Return the ids of rows as ``V16``; call it with all rows, in their order."""
        hashes = b"".join([self._hashed(content) for content in self._contents(columns)])
        ids = np.frombuffer(hashes, dtype=np.uint8).reshape(-1, _HASH_BYTES)[:, :_BYTES]
        ids = ids.copy()
        # As RFC 9562 has it: the version, and the variant.
        ids[:, 6] = ids[:, 6] & 0x0F | 0x50
        ids[:, 8] = ids[:, 8] & 0x3F | 0x80
        return ids.view(f"V{_BYTES}").reshape(-1)

    def _hashed(self, content: bytes) -> bytes:
        first = sha1(content + b" 1", usedforsecurity=False).digest()
        times = self._seen.get(first, 0) + 1
        self._seen[first] = times
        if times == 1:
            return first
        self.repeated += 1
        return sha1(content + f" {times}".encode(), usedforsecurity=False).digest()

    def _contents(self, columns: FiveWayColumns) -> list[bytes]:
        """Return what is hashed of each row, but for the number at its end."""
        begin = _NAMESPACE.bytes + f"[{self._task_id}, ".encode()
        judges, candidates = self._judges, self._candidates
        judges += [json.dumps(name) for name in columns.names.judges[len(judges) :]]
        candidates += [json.dumps(each) for each in columns.names.candidates[len(candidates) :]]
        return [
            begin
            + (
                f"{index}, {judges[judge]}, [{', '.join(map(candidates.__getitem__, shown))}], "
                f"[{', '.join(map(_LABELS.__getitem__, labels))}]]"
            ).encode()
            for index, judge, shown, labels in zip(
                columns.source_index.tolist(),
                columns.judges.tolist(),
                _shown(columns.candidates, columns.candidates),
                _shown(columns.labels, columns.candidates),
                strict=True,
            )
        ]


def _shown(values: npt.NDArray[np.int64], candidates: npt.NDArray[np.int64]) -> list[list[int]]:
    """Return the values of each row's candidates, without those of places that show none."""
    is_shown = candidates >= 0
    rows: list[list[int]] = values.tolist()
    if is_shown.all():
        return rows
    return [list(compress(row, there)) for row, there in zip(rows, is_shown.tolist(), strict=True)]


def repeated_in_words(repeated: int) -> str:
    """Say how many rows of an import repeat others."""
    said = ngettext(
        "%(number)s row repeats an earlier one exactly (judge, segment, systems, answer). It is counted.",
        "%(number)s rows repeat earlier ones exactly (judge, segment, systems, answer). They are counted.",
        repeated,
    )
    return said % {"number": number_format(repeated)}


# One table at a time, and by its index.
_FIND = """
    SELECT each.place FROM unnest(%s::uuid[]) WITH ORDINALITY AS each (id, place)
    WHERE (SELECT true FROM annotation_judgment j WHERE j.client_id = each.id)
        OR (SELECT true FROM annotation_skip s WHERE s.client_id = each.id)
"""


def ids_there(client_ids: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Return which of the ids a judgment or a skip has."""
    digits = client_ids.tobytes().hex(",", -client_ids.dtype.itemsize)
    is_there = np.zeros(len(client_ids), dtype=np.bool_)
    with table_scans_off(), connection.cursor() as cursor:
        cursor.execute(_FIND, [f"{{{digits}}}"])
        is_there[[place - 1 for (place,) in cursor.fetchall()]] = True
    return is_there
