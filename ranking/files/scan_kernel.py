"""The compiled pass over the bytes of a CSV: cells become numbers, names are looked up once.

Importing this module imports numba; see `ranking.files.scan` for when that pays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

# What a column holds.
IGNORED, TEXT, SYSTEM, RANK, INDEX, NUMBER, OPTIONAL = range(7)

_TAB, _LF, _SPACE, _QUOTE, _COMMA, _MINUS, _ZERO, _FIVE, _NINE = 9, 10, 32, 34, 44, 45, 48, 53, 57
_FIRST_NAMES = 1 << 10
_ODD = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)
_EIGHT = np.uint64(8)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONES = np.uint64(0x0101010101010101)
_HIGH = np.uint64(0x8080808080808080)
_PLACES = np.uint64(0x0001020304050607)
_ZEROS = np.uint64(0x3030303030303030)
_SIXES = np.uint64(0x0606060606060606)
_UPPER = np.uint64(0xF0F0F0F0F0F0F0F0)


@njit(cache=True, nogil=True)
def _lowest_special(word: np.uint64) -> Any:
    """Lowest bit of the first byte up to the comma (separator, quote, white space, control), or 0.

    A byte below 45 borrows from its high bit when 45 is taken from it.
    """
    found = (word - _ONES * np.uint64(_COMMA + 1)) & ~word & _HIGH
    return (found & (~found + _ONE)) >> np.uint64(7)


@njit(cache=True, nogil=True)
def _place(bit: np.uint64) -> Any:
    """Return which of eight bytes, from 0, `bit` is the lowest bit of; 0 if there is none."""
    return np.int64((bit * _PLACES) >> np.uint64(56))


@njit(cache=True, nogil=True)
def _next_special(words: npt.NDArray[np.uint64], at: int) -> Any:
    """Return the place of the next byte up to the comma."""
    while True:
        bit = _lowest_special(words[at])
        if bit:
            return at + _place(bit)
        at += 8


@njit(cache=True, nogil=True)
def _short_cell(words: npt.NDArray[np.uint64], start: int) -> Any:
    """Return the next byte up to the comma among 16, and those before it, zeros after them.

    If there is none, that is after the 16. No branch: the lengths of cells are what a processor
    cannot foresee.
    """
    one, other = words[start], words[start + 8]
    bit, second = _lowest_special(one), _lowest_special(other)
    # Without such a byte its bit is 0, and 0 - 1 keeps all.
    one &= bit - _ONE
    other = np.uint64(0) if bit else other & (second - _ONE)
    length = _place(bit) if bit else 8 + (_place(second) if second else 8)
    return start + length, one, other


@njit(cache=True, nogil=True)
def _any_cell(data: npt.NDArray[np.uint8], words: npt.NDArray[np.uint64], start: int) -> Any:
    """Find the bounds of a cell that may be long, quoted or have blanks within.

    Returns where it starts and ends without quotes, where the separator should stand, the commas
    within quotes, and whether the cell is plain.
    """
    plain = True
    commas = 0
    if data[start] == _QUOTE:
        start += 1
        end = _next_special(words, start)
        while data[end] != _QUOTE and data[end] != _LF:
            plain &= data[end] >= _SPACE or data[end] == _TAB
            commas += data[end] == _COMMA
            end = _next_special(words, end + 1)
        plain &= data[end] == _QUOTE
        return start, end, end + plain, commas, plain
    end = _next_special(words, start)
    while data[end] != _COMMA and data[end] != _LF:
        plain &= (data[end] >= _SPACE or data[end] == _TAB) and data[end] != _QUOTE
        end = _next_special(words, end + 1)
    return start, end, end, commas, plain


@njit(cache=True, nogil=True)
def _masked(words: npt.NDArray[np.uint64], at: int, left: int) -> Any:
    """Up to eight bytes from `at` on, those beyond `left` zero."""
    if left >= 8:
        return words[at]
    return words[at] & (_ALL >> (np.uint64(8 - left) * _EIGHT)) if left > 0 else np.uint64(0)


@njit(cache=True, nogil=True)
def _hash(one: np.uint64, other: np.uint64) -> Any:
    """Hash 16 bytes to 32 bits."""
    mixed = (one ^ (other * _ODD)) * _ODD
    # What differs in the last byte only differs in the highest bits now: bring them down.
    return ((mixed ^ (mixed >> np.uint64(32))) * _ODD) >> np.uint64(32)


@njit(cache=True, nogil=True)
def _refilled(hashes: npt.NDArray[np.uint64], known: int, size: int) -> npt.NDArray[np.int32]:
    """Table of `size` places, a power of 2: the name that belongs there, -1 where none does."""
    table = np.full(size, -1, dtype=np.int32)
    for name in range(known):
        at = np.int64(hashes[name] & np.uint64(size - 1))
        while table[at] >= 0:
            at = (at + 1) & (size - 1)
        table[at] = name
    return table


@njit(cache=True, nogil=True)
def _are_digits(word: np.uint64, length: int) -> Any:
    """Return whether the first `length` of eight bytes are digits; the others are zero."""
    filled = word | (_ZEROS << (np.uint64(length) * _EIGHT) if length < 8 else np.uint64(0))
    return (filled & _UPPER) == _ZEROS and ((filled + _SIXES) & _UPPER) == _ZEROS


@njit(cache=True, nogil=True)
def _value(word: np.uint64, length: int) -> Any:
    """Value of 1 to 8 digits: pairs, pairs of pairs, and both halves are put together at once."""
    digits = (word & ~_UPPER) << (np.uint64(8 - length) * _EIGHT)
    digits = (digits * np.uint64(10) + (digits >> np.uint64(8))) & np.uint64(0x00FF00FF00FF00FF)
    digits = (digits * np.uint64(100) + (digits >> np.uint64(16))) & np.uint64(0x0000FFFF0000FFFF)
    return np.int64((digits * np.uint64(10000) + (digits >> np.uint64(32))) & np.uint64(0xFFFFFFFF))


@njit(cache=True, nogil=True)
def _are_numbers(data: npt.NDArray[np.uint8], start: int, end: int) -> Any:
    """Return whether these are whole numbers of at most nine digits, separated by commas."""
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
    if length == 1 and _ZERO < data[start] <= _FIVE:
        return data[start] - _ZERO
    blank = length == 2 and data[start] == _MINUS and data[start + 1] == _ZERO + 1
    return 0 if length == 0 or blank else -1


@njit(cache=True, nogil=True)
def _rows_fit(texts: npt.NDArray[np.int32], ranks: npt.NDArray[np.int8]) -> bool:
    """Return whether every row shows a system, and ranks no empty one."""
    for row in range(len(ranks)):
        shown = 0
        for slot in range(ranks.shape[1]):
            if texts[row, slot] >= 0:
                shown += 1
            elif ranks[row, slot]:
                return False
        if not shown:
            return False
    return True


@njit(cache=True, nogil=True)
def scan_rows(  # noqa: C901 - one pass, one state
    data: npt.NDArray[np.uint8],
    words: npt.NDArray[np.uint64],
    start: int,
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
        ``words[i]`` is the eight bytes of `data` from the i-th on (zeros after its end), for eight
        more places than `data` has.
    start : int
        Where in `data` the first row starts.
    kinds, places : int64, shape (columns,)
        What a column holds, and in which column of `texts` or `ranks` (for NUMBER: of the system
        whose numbers they are) it goes.
    index : int32, shape (rows,)
    texts : int32, shape (rows, texts)
        Numbers of names, -1 for an empty SYSTEM or OPTIONAL; systems first.
    ranks : int8, shape (rows, slots)
        0 where blank.

    Returns
    -------
    rows : int
        -1 if a row is not plain.
    names : int64, shape (names, 2)
        Where in `data` each name starts, and its length.
    """
    names = np.empty((_FIRST_NAMES, 2), dtype=np.int64)
    heads = np.empty((_FIRST_NAMES, 2), dtype=np.uint64)  # their first 16 bytes
    hashes = np.empty(_FIRST_NAMES, dtype=np.uint64)
    table = _refilled(hashes, 0, 4 * _FIRST_NAMES)
    known = 0
    commas = np.zeros(ranks.shape[1], dtype=np.int64)
    number_commas = np.full(ranks.shape[1], -1, dtype=np.int64)
    last = len(kinds) - 1
    row = 0
    plain = True
    while plain and start < len(data):
        if data[start] == _LF:
            start += 1
            continue
        if known + texts.shape[1] > len(names):
            names = np.concatenate((names, np.empty_like(names)))
            heads = np.concatenate((heads, np.empty_like(heads)))
            hashes = np.concatenate((hashes, np.empty_like(hashes)))
            table = _refilled(hashes, known, 4 * len(names))
        for column in range(last + 1):
            kind = kinds[column]
            place = places[column]
            separator = _LF if column == last else _COMMA
            if kind == RANK and _ZERO < data[start] <= _FIVE and data[start + 1] == separator:
                ranks[row, place] = data[start] - _ZERO
                start += 2
                continue
            inner = 0
            end, one, other = _short_cell(words, start)
            if end == start + 16:
                while not _lowest_special(words[end]):
                    end += 8
                end += _place(_lowest_special(words[end]))
            after = end
            if data[after] != separator:
                start, end, after, inner, is_plain = _any_cell(data, words, start)
                plain &= is_plain and data[after] == separator
                one = _masked(words, start, end - start)
                other = _masked(words, start + 8, end - start - 8)
            if not plain:
                break
            length = end - start
            if kind in (TEXT, SYSTEM, OPTIONAL):
                if length == 0:
                    plain &= kind != TEXT
                    texts[row, place] = -1
                elif data[start] <= _SPACE or data[end - 1] <= _SPACE:
                    plain = False
                else:
                    # No function of its own: numba would count references to all these arrays
                    # at every call, which takes longer than the search.
                    mixed = _hash(one, other)
                    for offset in range(16, length, 8):
                        mixed = _hash(mixed, _masked(words, start + offset, length - offset))
                    at = np.int64(mixed & np.uint64(len(table) - 1))
                    name = table[at]
                    while name >= 0:
                        same = heads[name, 0] == one and heads[name, 1] == other
                        if same and names[name, 1] == length:
                            for offset in range(16, length, 8):
                                left = length - offset
                                here = _masked(words, start + offset, left)
                                same &= here == _masked(words, names[name, 0] + offset, left)
                            if same:
                                break
                        at = (at + 1) & (len(table) - 1)
                        name = table[at]
                    if name < 0:
                        name = known
                        known += 1
                        table[at] = name
                        names[name, 0], names[name, 1] = start, length
                        heads[name, 0], heads[name, 1] = one, other
                        hashes[name] = mixed
                    texts[row, place] = name
                if kind == SYSTEM:
                    commas[place] = inner
            elif kind == RANK:
                rank = _rank(data, start, length)
                plain &= rank >= 0
                ranks[row, place] = rank
            elif kind == INDEX:
                plain &= 0 < length <= 8 and _are_digits(one, length)
                if plain:
                    index[row] = _value(one, length)
                    plain = index[row] > 0
            elif kind == NUMBER:
                if length > 8 or not _are_digits(one, length):
                    plain &= _are_numbers(data, start, end)
                number_commas[place] = inner if length else -1
            start = after + 1
        for slot in range(len(commas)):
            plain &= number_commas[slot] in (-1, commas[slot])
        row += 1
    plain = plain and _rows_fit(texts[:row], ranks[:row])
    return row if plain else -1, names[:known]
