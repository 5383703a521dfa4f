"""Write judgments as Parquet without pyarrow: the same bytes wherever and whenever they are written.

The values of a column stand one after the other (PLAIN), compressed by gzip, in one page for each row group. Footers and
headers are structs of Thrift in its compact protocol.

References
----------
Apache Parquet, ``parquet.thrift`` and *Encodings*; Apache Thrift, *Thrift Compact protocol encoding*.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Final

import numpy as np
import numpy.typing as npt

from ranking.files.parquet.thrift import I32, I64, Binary, ListOf, Struct, Value, encoded, varint
from ranking.files.parquet.writing import ROWS_OF_A_GROUP, cut_between_segments
from ranking.files.vocabulary import Columns, Vocabulary

Int32Array = npt.NDArray[np.int32]
BoolArray = npt.NDArray[np.bool_]

_MAGIC: Final = b"PAR1"
# Numbers of `parquet.thrift`.
_INT32, _BYTE_ARRAY = 1, 6
_REQUIRED, _OPTIONAL = 0, 1
_UTF8 = 0
_PLAIN, _RLE = 0, 3
_GZIP = 2
_DATA_PAGE = 0


@dataclass(frozen=True, eq=False)
class _Column:
    """A column of a row group: numbers, or texts by their places in `texts`.

    Values below `least` are missing.
    """

    name: str
    values: npt.NDArray[np.integer]
    least: int
    texts: Sequence[bytes] | None = None

    @property
    def kind(self) -> int:
        return _INT32 if self.texts is None else _BYTE_ARRAY

    @property
    def is_there(self) -> BoolArray:
        return self.values >= self.least

    def plain(self) -> bytes:
        """Return the values that are there, one after the other."""
        values = self.values[self.is_there]
        if self.texts is None:
            return values.astype("<i4").tobytes()
        return b"".join([self.texts[one] for one in values.tolist()])


def write_plain_parquet(file: IO[bytes], columns: Columns, vocabulary: Vocabulary) -> None:
    """Write judgments into an open file, with the columns of the five-way CSV.

    Parameters
    ----------
    file : binary file
    columns : Columns
        From `ranking.files.parquet.writing.in_order_of_segments`.
    vocabulary : Vocabulary
        Every judgment has a language pair and a judge of it.
    """
    file.write(_MAGIC)
    offset = len(_MAGIC)
    groups = []
    names = _Texts(vocabulary)
    for rows in cut_between_segments(columns, ROWS_OF_A_GROUP):
        part = columns.rows(rows)
        chunks = []
        size = 0
        for column in names.columns(part):
            content, chunk = _chunk(column, offset)
            file.write(content)
            offset += len(content)
            size += len(content)
            chunks.append(Struct({2: I64(0), 3: chunk}))
        groups.append(Struct({1: ListOf(chunks), 2: I64(size), 3: I64(len(part))}))
    schema = [_element(column) for column in names.columns(columns.rows(slice(0, 0)))]
    root = Struct({4: Binary(b"judgments"), 5: I32(len(schema))})
    by_type = Struct({1: Struct({})})
    footer = encoded(
        Struct(
            {
                1: I32(1),
                2: ListOf([root, *schema]),
                3: I64(len(columns)),
                4: ListOf(groups),
                6: Binary(b"quintet"),
                # Numbers are ordered as numbers: only then are the least and the largest of a group believed.
                7: ListOf([by_type] * len(schema)),
            }
        )
    )
    file.write(footer + struct.pack("<I", len(footer)) + _MAGIC)


class _Texts:
    """The columns of judgments, with the texts of a vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        pairs = list(vocabulary.languages)
        self._sources = _encoded_texts([source for source, _target in pairs])
        self._targets = _encoded_texts([target for _source, target in pairs])
        self._documents = _encoded_texts(list(vocabulary.documents))
        self._judges = _encoded_texts(list(vocabulary.judges))
        self._candidates = _encoded_texts([",".join(one) for one in vocabulary.candidates])

    def columns(self, part: Columns) -> list[_Column]:
        places = part.candidate.shape[1]
        return [
            _Column("srclang", part.language, 0, self._sources),
            _Column("trglang", part.language, 0, self._targets),
            _Column("srcIndex", part.segment, 1),
            _Column("documentId", part.document, 0, self._documents),
            _Column("judgeId", part.judge, 0, self._judges),
            *(
                _Column(f"system{place + 1}Id", part.candidate[:, place], 0, self._candidates)
                for place in range(places)
            ),
            *(
                _Column(f"system{place + 1}rank", part.label[:, place], 1)
                for place in range(places)
            ),
        ]


def _encoded_texts(texts: Sequence[str]) -> list[bytes]:
    """Return each text in UTF-8, behind its length."""
    encodings = [text.encode() for text in texts]
    return [struct.pack("<I", len(each)) + each for each in encodings]


def _element(column: _Column) -> Struct:
    """Return the entry of a column in the schema; all but segments may be missing."""
    named: dict[int, Value] = {4: Binary(column.name.encode())}
    if column.name == "srcIndex":
        return Struct({1: I32(_INT32), 3: I32(_REQUIRED), **named})
    if column.texts is None:
        return Struct({1: I32(_INT32), 3: I32(_OPTIONAL), **named})
    return Struct({1: I32(_BYTE_ARRAY), 3: I32(_OPTIONAL), **named, 6: I32(_UTF8)})


def _chunk(column: _Column, offset: int) -> tuple[bytes, Struct]:
    """Return the bytes of a column in a row group, a header and a page, and what the footer says of them."""
    is_there = column.is_there
    page = (b"" if column.name == "srcIndex" else _levels(is_there)) + column.plain()
    packed = _gzipped(page)
    header = encoded(
        Struct(
            {
                1: I32(_DATA_PAGE),
                2: I32(len(page)),
                3: I32(len(packed)),
                5: Struct({1: I32(len(is_there)), 2: I32(_PLAIN), 3: I32(_RLE), 4: I32(_RLE)}),
            }
        )
    )
    said: dict[int, Value] = {
        1: I32(column.kind),
        2: ListOf([I32(_PLAIN), I32(_RLE)]),
        3: ListOf([Binary(column.name.encode())]),
        4: I32(_GZIP),
        5: I64(len(is_there)),
        6: I64(len(header) + len(page)),
        7: I64(len(header) + len(packed)),
        9: I64(offset),
    }
    if column.name == "srcIndex" and len(is_there):
        ends = (column.values.max(), column.values.min())
        largest, least = (struct.pack("<i", int(end)) for end in ends)
        said[12] = Struct({3: I64(0), 5: Binary(largest), 6: Binary(least)})
    return header + packed, Struct(said)


def _levels(is_there: BoolArray) -> bytes:
    """Return which values are there, a bit each, as one run of the hybrid encoding, behind its length."""
    groups = -(-len(is_there) // 8)
    bits = np.packbits(is_there, bitorder="little").tobytes()
    run = varint(groups << 1 | 1) + bits
    return struct.pack("<I", len(run)) + run


def _gzipped(page: bytes) -> bytes:
    packer = zlib.compressobj(level=6, wbits=31)
    return packer.compress(page) + packer.flush()
