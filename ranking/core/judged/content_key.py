"""The content key of a judgment, which determines its resampling weights.

If a resampling weight depended on a database id, an exported file would give another ranking than
its campaign. So weights are a function of the judged block and the judge:

    key = BLAKE2b, 8 bytes, person "quintet-key-v1", read little-endian, of
        segment number                      8 bytes, signed
        judge's pseudonym                   text
        number of candidates                4 bytes
        for each candidate, in shown order:
            number of systems               4 bytes
            for each system, sorted by name: text
        occurrence                          4 bytes

where a text is its length in bytes (4 bytes) followed by its UTF-8, integers are little-endian,
and the sort is by code point. Every part is preceded by its length or number, so different
judgments never have the same encoding.

``occurrence`` numbers judgments that are equal in all other parts (a judge who saw the same block
twice): 0, 1, 2 … in the order of their labels as shown, with 0 for a blank label, so that the order
of the rows in a file never matters. Otherwise labels are *not* in the key: correcting a label
changes no weight.

The **test set is not in the key**. A ranking is always of one test set, and renaming it, or
importing its judgments under another name, must not change a single bit of the ranking.

The key is computed from the block *as judged*, before the reference or any other system is left
out, so rankings with and without the reference give a block the same weights. It is computed only
from the parts above, so it is the same for judgments in the database and in an exported file.

This definition is version 1. Changing it changes every published range: then raise
`CONTENT_KEY_VERSION`, which ranking runs record.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from hashlib import blake2b

import numpy as np
import numpy.typing as npt

CONTENT_KEY_VERSION = 1
PERSON = f"quintet-key-v{CONTENT_KEY_VERSION}".encode()


def encoded_text(value: str) -> bytes:
    """Return a text as it stands in an encoding: its length in bytes, and its UTF-8."""
    encoded = value.encode()
    return struct.pack("<I", len(encoded)) + encoded


def judgment_content(segment: int, judge: str, candidates: Sequence[Sequence[str]]) -> bytes:
    """Return the encoding of the judged block and the judge, without the occurrence.

    Parameters
    ----------
    segment : int
        Number of the segment in its test set.
    judge : str
        The judge's pseudonym.
    candidates : sequence of sequences of str
        The candidates in shown order, including the reference; each is the names, in any order, of
        the systems it stands for.

    Returns
    -------
    bytes
        The unambiguous encoding defined in this module's docstring.
    """
    parts = [struct.pack("<q", segment), encoded_text(judge), struct.pack("<I", len(candidates))]
    for systems in candidates:
        parts.append(struct.pack("<I", len(systems)))
        parts.extend(encoded_text(name) for name in sorted(systems))
    return b"".join(parts)


def content_key(content: bytes, occurrence: int = 0) -> int:
    """Return the 64-bit hash of an encoded judgment and its occurrence.

    Parameters
    ----------
    content : bytes
        From `judgment_content`.
    occurrence : int
        0, 1, 2 … among the judgments with the same content (see the module's docstring).

    Returns
    -------
    int
        The key, 0 ≤ key < 2**64.
    """
    digest = blake2b(content + struct.pack("<I", occurrence), digest_size=8, person=PERSON)
    return int.from_bytes(digest.digest(), "little")


def number_occurrences(
    keys: npt.NDArray[np.uint64], describe: Callable[[int], tuple[bytes, Sequence[int]]]
) -> npt.NDArray[np.uint64]:
    """Return keys in which the second, third … judgment of equal content has its own key.

    Parameters
    ----------
    keys : uint64, shape (B,)
        Keys of all judgments of a test set, each with occurrence 0.
    describe : callable
        Returns the content of the judgment in a row, and its labels in shown order, 0 for blank.
        Only called for repeated judgments.

    Returns
    -------
    uint64, shape (B,)
        The keys with their occurrences.
    """
    ordered = np.sort(keys)
    repeated = ordered[1:][ordered[1:] == ordered[:-1]]
    numbered = keys.copy()
    rows_of: dict[int, list[int]] = {}
    for row in np.flatnonzero(np.isin(keys, repeated)).tolist() if len(repeated) else ():
        rows_of.setdefault(int(keys[row]), []).append(row)
    for rows in rows_of.values():
        described = [(*describe(row), row) for row in rows]
        described.sort(key=lambda content_labels_row: tuple(content_labels_row[1]))
        for occurrence, (content, _, row) in enumerate(described):
            numbered[row] = content_key(content, occurrence)
    return numbered
