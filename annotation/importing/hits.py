"""Which HIT an imported block is in, and the ids of blocks."""

import secrets
from datetime import datetime
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]

# As many as a design can ask for at most, and as the page of a HIT shows.
BLOCKS_OF_A_HIT: Final = 50

_COUNTER_BITS: Final = 32
_UUID_BYTES: Final = 16


class ImportedHITs:
    """Puts the rows of a file into HITs: those of each judge, in their order, by the fifty.

    A file does not say which blocks were lent together. It does say who judged them and in which order,
    so a HIT of an import is what a HIT always is: blocks that one judge did, one after the other.

    The batches that rows come in make no difference.
    """

    def __init__(self) -> None:
        # By the judge's number: rows so far, and the HIT of the last one.
        self._rows = np.empty(0, dtype=np.int64)
        self._hits = np.empty(0, dtype=np.int64)

    def positions(self, judges: Integers) -> Integers:
        """Return the position of each row's block in its HIT; where it is 1, a HIT begins.

        `judges` are numbers from 0 without large gaps. Follow with `hits`.
        """
        self._make_room(int(judges.max()) + 1)
        order, start = _by_judge(judges)
        before = np.empty(len(judges), dtype=np.int64)
        before[order] = np.arange(len(judges)) - start
        return (self._rows[judges] + before) % BLOCKS_OF_A_HIT + 1

    def hits(self, judges: Integers, positions: Integers, new: Integers) -> Integers:
        """Return the HIT of each row; `new` are the ids of those that begin, in the order of rows."""
        own = np.zeros(len(judges), dtype=np.int64)
        own[positions == 1] = new
        order, start = _by_judge(judges)
        by_judge = own[order]
        # The last HIT that began with this row or one before it.
        begun = np.maximum.accumulate(np.where(by_judge > 0, np.arange(len(by_judge)), -1))
        found = np.where(begun >= start, by_judge[begun], self._hits[judges[order]])
        hits = np.empty_like(own)
        hits[order] = found
        # Of several rows of a judge, the last is the one that stays.
        self._hits[judges[order]] = found
        self._rows += np.bincount(judges, minlength=len(self._rows))
        return hits

    def _make_room(self, judges: int) -> None:
        more = max(judges - len(self._rows), 0)
        self._rows, self._hits = (np.pad(each, (0, more)) for each in (self._rows, self._hits))


def _by_judge(judges: Integers) -> tuple[Integers, Integers]:
    """Return the order of rows by judge, and where in it each one's judge begins."""
    order = np.argsort(judges, kind="stable")
    ordered = judges[order]
    is_first = np.ones(len(ordered), dtype=np.bool_)
    is_first[1:] = ordered[1:] != ordered[:-1]
    return order, np.flatnonzero(is_first)[np.cumsum(is_first) - 1]


def block_uuids(first: int, count: int, *, at: datetime) -> npt.NDArray[Any]:
    """Return the public ids of the blocks from number `first` of an import on, as ``V16``.

    UUIDs of version 7 (RFC 9562): the time, a counter of 32 bits, and 42 bits by chance. Each is greater than
    the one before, so that the unique index is written at its end. The blocks that judges are lent have random
    ids, which tell nothing of their order. Nobody is lent an imported block: its answer is stored with it, and no
    address takes its id. So it may be guessed that there is one, and nothing follows.
    """
    counter = np.arange(first, first + count, dtype=np.uint64)
    low = _COUNTER_BITS - 12
    chance = np.frombuffer(secrets.token_bytes(8 * count), dtype=np.uint64) >> np.uint64(2 + low)
    ids = np.empty((count, 2), dtype=">u8")
    ids[:, 0] = np.uint64(int(at.timestamp() * 1000) << 16 | 0x7000) | counter >> np.uint64(low)
    ids[:, 1] = (
        np.uint64(1 << 63) | (counter & np.uint64((1 << low) - 1)) << np.uint64(62 - low) | chance
    )
    return ids.view(f"V{_UUID_BYTES}").reshape(-1)
