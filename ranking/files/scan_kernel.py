"""The compiled pass over the bytes of a CSV: cells become numbers, names are looked up once.

Importing this module imports numba; see `ranking.files.scan` for when that pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

# What a column holds.
IGNORED, TEXT, SYSTEM, RANK, INDEX, NUMBER = range(6)

_TAB, _LF, _SPACE, _QUOTE, _COMMA, _MINUS, _ZERO, _NINE = 9, 10, 32, 34, 44, 45, 48, 57
_FIRST_NAMES = 1 << 10
_ODD = np.uint64(0x9E3779B97F4A7C15)
_EIGHT = np.uint64(8)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_PLACES = np.uint64(0x0001020304050607)


@njit(cache=True, nogil=True)
def _next_special(words: npt.NDArray[np.uint64], at: int) -> Any:
    """Where the next byte up to the comma stands: separator, quote, white space, control.

    Eight bytes at a time: a byte below 45 borrows from its high bit when 45 is taken from it.
    """
    while True:
        word = words[at]
        found = (word - _ONES * np.uint64(_COMMA + 1)) & ~word & _HIGH
        if found:
            lowest = (found & (~found + np.uint64(1))) >> np.uint64(7)
            return at + np.int64((lowest * _PLACES) >> np.uint64(56))
        at += 8


@njit(cache=True, nogil=True)
def _masked(words: npt.NDArray[np.uint64], at: int, left: int) -> Any:
    """Up to eight bytes from `at` on, those beyond `left` zero."""
    if left >= 8:
        return words[at]
    return words[at] & (_ALL >> (np.uint64(8 - left) * _EIGHT))


@njit(cache=True, nogil=True)
def _number_of(
    words: npt.NDArray[np.uint64],
    start: int,
    length: int,
    table: npt.NDArray[np.int32],
    starts: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64],
    hashes: npt.NDArray[np.uint64],
    known: int,
) -> Any:
    """Number of the name, which is `known` if it is new; it is entered then."""
    mixed = np.uint64(length)
    for offset in range(0, length, 8):
        mixed = (mixed ^ _masked(words, start + offset, length - offset)) * _ODD
        mixed ^= mixed >> np.uint64(32)
    at = np.int64(mixed & np.uint64(len(table) - 1))
    while table[at] >= 0:
        other = table[at]
        if hashes[other] == mixed and lengths[other] == length:
            same = True
            for offset in range(0, length, 8):
                left = length - offset
                if _masked(words, starts[other] + offset, left) != _masked(
                    words, start + offset, left
                ):
                    same = False
                    break
            if same:
                return other
        at = (at + 1) & (len(table) - 1)
    table[at] = known
    starts[known] = start
    lengths[known] = length
    hashes[known] = mixed
    return known


@njit(cache=True, nogil=True)
def _refilled(hashes: npt.NDArray[np.uint64], known: int, size: int) -> npt.NDArray[np.int32]:
    table = np.full(size, -1, dtype=np.int32)
    for name in range(known):
        at = np.int64(hashes[name] & np.uint64(size - 1))
        while table[at] >= 0:
            at = (at + 1) & (size - 1)
        table[at] = name
    return table


@njit(cache=True, nogil=True)
def _is_number(data: npt.NDArray[np.uint8], start: int, end: int) -> Any:
    """Say whether these are whole numbers of at most nine digits, separated by commas."""
    if end == start + 2:
        return _ZERO <= data[start] <= _NINE and _ZERO <= data[start + 1] <= _NINE
    digits = 0
    for at in range(start, end):
        if _ZERO <= data[at] <= _NINE:
            digits += 1
        elif data[at] == _COMMA and 0 < digits < 10:
            digits = 0
        else:
            return False
    return 0 < digits < 10


@njit(cache=True, nogil=True)
def _rank(data: npt.NDArray[np.uint8], start: int, length: int) -> Any:
    """Rank of the cell, 0 where blank, -1 where it is not plain."""
    if length == 1 and _ZERO < data[start] <= _ZERO + 5:
        return data[start] - _ZERO
    blank = length == 2 and data[start] == _MINUS and data[start + 1] == _ZERO + 1
    return 0 if length == 0 or blank else -1


@njit(cache=True, nogil=True)
def _slots_fit(
    texts: npt.NDArray[np.int32],
    ranks: npt.NDArray[np.int8],
    commas: npt.NDArray[np.int64],
    number_commas: npt.NDArray[np.int64],
) -> bool:
    """Say whether a row shows a system, ranks no empty one, and has as many numbers as names."""
    shown = 0
    for slot in range(len(ranks)):
        if texts[slot] < 0:
            if ranks[slot]:
                return False
        else:
            shown += 1
            if number_commas[slot] >= 0 and number_commas[slot] != commas[slot]:
                return False
    return shown > 0


@njit(cache=True, nogil=True)
def scan_rows(  # noqa: C901 - one pass, one state
    data: npt.NDArray[np.uint8],
    words: npt.NDArray[np.uint64],
    kinds: npt.NDArray[np.int64],
    places: npt.NDArray[np.int64],
    index: npt.NDArray[np.int32],
    texts: npt.NDArray[np.int32],
    ranks: npt.NDArray[np.int8],
) -> Any:
    """Read rows until the end, or until the first one that is not plain.

    Plain is what both this pass and the strict reader understand in the same way: no quote but
    around a whole cell, no blank at the ends of a name, no control character. Whether names are
    in order is for the caller to see, name by name.

    Parameters
    ----------
    data : uint8
        Whole lines, each ending in a line feed.
    words : uint64
        ``words[i]`` is the eight bytes of `data` from the i-th on (zeros after its end).
    kinds, places : int64, shape (columns,)
        What a column holds, and in which column of `texts` or `ranks` (for NUMBER: of the system
        whose numbers they are) it goes.
    index : int32, shape (rows,)
    texts : int32, shape (rows, texts)
        Numbers of names, -1 for an empty SYSTEM; systems first.
    ranks : int8, shape (rows, slots)
        0 where blank.

    Returns
    -------
    rows : int
        -1 if a row is not plain.
    starts, lengths : int64
        Where in `data` each name stands.
    """
    starts = np.empty(_FIRST_NAMES, dtype=np.int64)
    lengths = np.empty(_FIRST_NAMES, dtype=np.int64)
    hashes = np.empty(_FIRST_NAMES, dtype=np.uint64)
    table = _refilled(hashes, 0, 4 * _FIRST_NAMES)
    known = 0
    commas = np.zeros(ranks.shape[1], dtype=np.int64)
    number_commas = np.zeros(ranks.shape[1], dtype=np.int64)
    last = len(kinds) - 1
    start = 0
    row = 0
    plain = True
    while plain and start < len(data):
        if data[start] == _LF:
            start += 1
            continue
        if known + texts.shape[1] > len(starts):
            starts = np.concatenate((starts, np.empty_like(starts)))
            lengths = np.concatenate((lengths, np.empty_like(lengths)))
            hashes = np.concatenate((hashes, np.empty_like(hashes)))
            table = _refilled(hashes, known, 4 * len(starts))
        number_commas[:] = -1
        for column in range(last + 1):
            inner = 0
            if data[start] == _QUOTE:
                start += 1
                end = _next_special(words, start)
                while data[end] != _QUOTE and data[end] != _LF:
                    plain &= data[end] >= _SPACE or data[end] == _TAB
                    inner += data[end] == _COMMA
                    end = _next_special(words, end + 1)
                plain &= data[end] == _QUOTE
                after = end + plain
            else:
                end = _next_special(words, start)
                while data[end] != _COMMA and data[end] != _LF:
                    plain &= (data[end] >= _SPACE or data[end] == _TAB) and data[end] != _QUOTE
                    end = _next_special(words, end + 1)
                after = end
            plain &= data[after] == (_LF if column == last else _COMMA)
            if not plain:
                break
            kind = kinds[column]
            place = places[column]
            length = end - start
            if kind in (TEXT, SYSTEM):
                if length == 0:
                    plain &= kind == SYSTEM
                    texts[row, place] = -1
                elif data[start] <= _SPACE or data[end - 1] <= _SPACE:
                    plain = False
                else:
                    name = _number_of(words, start, length, table, starts, lengths, hashes, known)
                    known += name == known
                    texts[row, place] = name
                if kind == SYSTEM:
                    commas[place] = inner
            elif kind == RANK:
                rank = _rank(data, start, length)
                plain &= rank >= 0
                ranks[row, place] = rank
            elif kind == INDEX:
                value = 0
                plain &= _is_number(data, start, end) and inner == 0
                for at in range(start, end):
                    value = value * 10 + (data[at] - _ZERO)
                plain &= value > 0
                index[row] = value
            elif kind == NUMBER and length:
                plain &= _is_number(data, start, end)
                number_commas[place] = inner
            start = after + 1
        if plain:
            plain = _slots_fit(texts[row], ranks[row], commas, number_commas)
        row += 1
    return row if plain else -1, starts[:known], lengths[:known]


@njit(cache=True, nogil=True)
def shows_twice(candidate: npt.NDArray[np.int32], systems_of: npt.NDArray[np.int32]) -> bool:
    """Say whether any row of `candidate`, shape (N, S), holds a system more than once.

    `systems_of` has shape (candidates, most systems of one), padded with -1.
    """
    most = systems_of.shape[1]
    seen = np.full(systems_of.max() + 1, -1, dtype=np.int64)
    for row in range(len(candidate)):
        for place in range(candidate.shape[1]):
            one = candidate[row, place]
            if one < 0:
                continue
            for i in range(most):
                system = systems_of[one, i]
                if system < 0:
                    break
                if seen[system] == row:
                    return True
                seen[system] = row
    return False
