"""Arrays of whole numbers as compressed bytes, which are refused if one bit of them changes.

    magic               "QLS1": the format, and its version
    checksum            BLAKE2b, 16 bytes, of all that follows
    length of header    4 bytes, little-endian
    header              JSON: what the state is of, and name, shape, type and length of each array
    arrays              one after the other, each compressed by zlib

Each array is stored in the smallest type that holds its numbers, with all first bytes before all
second ones, because most of the higher bytes are 0. Of a symmetric matrix only one half is stored.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.integer]
#: Bytes, or a view of some that is not copied.
Buffer: TypeAlias = "bytes | memoryview[Any]"

MAGIC = b"QLS1"
_PERSON = b"quintet-live-sum"
_CHECKSUM = 16
_TYPES = ("|i1", "<i2", "<i4", "<i8")
#: Smaller matrices are not worth halving.
_WORTH_HALVING = 16


class DamagedStateError(ValueError):
    """Bytes that are not a state of this version, whole and as it was packed."""


def packed(header: Mapping[str, Any], arrays: Mapping[str, IntArray]) -> bytes:
    """Return a header and arrays as bytes.

    Parameters
    ----------
    header : mapping
        Plain JSON.
    arrays : mapping
        Integer arrays by name.

    Returns
    -------
    bytes
        Those that `unpacked` reads.
    """
    bodies, entries = [], []
    for name, array in arrays.items():
        half = _is_symmetric(array)
        values = array[np.triu_indices(len(array))] if half else array.ravel()
        small = small_type(values)
        rows = values.astype(small).view(np.uint8).reshape(len(values), np.dtype(small).itemsize)
        body = zlib.compress(np.ascontiguousarray(rows.T).tobytes(), 1)
        bodies.append(body)
        entries.append(
            {"name": name, "shape": array.shape, "type": small, "half": half, "length": len(body)}
        )
    said = json.dumps({"header": header, "arrays": entries}, sort_keys=True).encode()
    content = [struct.pack("<I", len(said)), said, *bodies]
    return b"".join([MAGIC, _checksum(*content), *content])


def unpacked(data: Buffer) -> tuple[dict[str, Any], dict[str, IntArray]]:
    """Return the header and the arrays, each of the type it is stored in.

    Raises
    ------
    DamagedStateError
        If the bytes are not as `packed` returned them, or of another version of the format.
    """
    # Views of other formats, as the driver of the database returns them, are equal to no bytes.
    whole = memoryview(data).cast("B")
    if whole[: len(MAGIC)] != MAGIC:
        found = bytes(whole[: len(MAGIC)])
        raise DamagedStateError(f"state: expected the format {MAGIC.decode()}, got {found!r}")
    start = len(MAGIC) + _CHECKSUM
    content = whole[start:]
    if _checksum(content) != whole[len(MAGIC) : start]:
        raise DamagedStateError("state: the checksum does not match, some bytes have changed")
    (length,) = struct.unpack_from("<I", content)
    said = json.loads(bytes(content[4 : 4 + length]))
    at = 4 + length
    arrays = {}
    for entry in said["arrays"]:
        arrays[entry["name"]] = _array(entry, content[at : at + entry["length"]])
        at += entry["length"]
    return said["header"], arrays


def digest_of(header: Mapping[str, Any], arrays: Mapping[str, IntArray]) -> bytes:
    """Return 16 bytes that depend on the names and values alone, for any compression."""
    digest = blake2b(digest_size=16, person=_PERSON)
    digest.update(json.dumps(header, sort_keys=True).encode())
    for name, array in sorted(arrays.items()):
        digest.update(f"\0{name}{array.shape}\0".encode())
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    return digest.digest()


def _checksum(*content: Buffer) -> bytes:
    digest = blake2b(digest_size=_CHECKSUM, person=_PERSON)
    for part in content:
        digest.update(part)
    return digest.digest()


def _is_symmetric(array: IntArray) -> bool:
    return (
        array.ndim == 2
        and array.shape[0] == array.shape[1] >= _WORTH_HALVING
        and bool(np.array_equal(array, array.T))
    )


def small_type(values: IntArray) -> str:
    """Return the name of the smallest signed type that holds these numbers."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    return next(name for name in _TYPES if np.iinfo(name).min <= low and high <= np.iinfo(name).max)


def _array(entry: Mapping[str, Any], body: Buffer) -> IntArray:
    small = np.dtype(entry["type"])
    columns = np.frombuffer(zlib.decompress(body), dtype=np.uint8).reshape(small.itemsize, -1)
    values: IntArray = np.ascontiguousarray(columns.T).view(small).ravel()
    if not entry["half"]:
        found: IntArray = values.reshape(entry["shape"])
        return found
    whole = np.zeros(entry["shape"], dtype=small)
    upper = np.triu_indices(len(whole))
    whole[upper] = values
    whole.T[upper] = values
    return whole
