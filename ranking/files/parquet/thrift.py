"""Structs of Thrift in the compact protocol: as much of it as the footers of Parquet need, and writing alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

# Types of fields, and of elements of lists.
_I32, _I64, _BINARY, _LIST, _STRUCT = 5, 6, 8, 9, 12
_SHORT_LIST: Final = 15


@dataclass(frozen=True, slots=True)
class I32:
    """A number of 32 bits."""

    value: int


@dataclass(frozen=True, slots=True)
class I64:
    """A number of 64 bits."""

    value: int


@dataclass(frozen=True, slots=True)
class Binary:
    """Bytes, or a text in UTF-8."""

    value: bytes


@dataclass(frozen=True, slots=True)
class ListOf:
    """Values of one type, one at least."""

    values: Sequence[Value]


@dataclass(frozen=True, slots=True)
class Struct:
    """Fields by their numbers, in order and no more than 15 apart."""

    fields: Mapping[int, Value]


Value = I32 | I64 | Binary | ListOf | Struct

_TYPES: Final[Mapping[type, int]] = {
    I32: _I32,
    I64: _I64,
    Binary: _BINARY,
    ListOf: _LIST,
    Struct: _STRUCT,
}


def encoded(value: Value) -> bytes:
    """Return the bytes of a value."""
    if isinstance(value, I32 | I64):
        return varint(value.value << 1 ^ value.value >> 63)
    if isinstance(value, Binary):
        return varint(len(value.value)) + value.value
    if isinstance(value, ListOf):
        return _list(value.values)
    parts = []
    last = 0
    for number, field in value.fields.items():
        parts.append(bytes([(number - last) << 4 | _TYPES[type(field)]]) + encoded(field))
        last = number
    return b"".join(parts) + b"\0"


def _list(values: Sequence[Value]) -> bytes:
    of = _TYPES[type(values[0])]
    if len(values) < _SHORT_LIST:
        head = bytes([len(values) << 4 | of])
    else:
        head = bytes([_SHORT_LIST << 4 | of]) + varint(len(values))
    return head + b"".join(map(encoded, values))


def varint(number: int) -> bytes:
    """Return a number from 0, seven bits a byte, the lowest first."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)
