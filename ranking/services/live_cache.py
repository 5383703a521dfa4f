"""Tallies of test sets in the memory of this process."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from uuid import UUID

from ranking.core.live.state import LiveTallies
from ranking.selectors.names_seen import NamesSeen

#: Test sets whose tallies are held at the same time: those that were ranked last.
MOST_HELD = 8


@dataclass
class HeldTallies:
    """Tallies at a watermark, and what is known of the row they were last stored in.

    Whoever holds them owns them: `LiveCache.take` gives them away.
    """

    tallies: LiveTallies
    watermark: int
    build: UUID
    names: NamesSeen
    #: The watermark of the row, and when it was stored by the monotonic clock of this process.
    stored_watermark: int
    stored_at: float


class LiveCache:
    """The tallies that were used last, by test set.

    Tallies that are taken and not put back are forgotten, so that those of a transaction that failed
    are never used again.
    """

    def __init__(self, most: int = MOST_HELD) -> None:
        self._most = most
        self._held: OrderedDict[int, HeldTallies] = OrderedDict()
        self._lock = Lock()

    def take(self, task_id: int) -> HeldTallies | None:
        """Return the tallies of a test set and forget them."""
        with self._lock:
            return self._held.pop(task_id, None)

    def put(self, task_id: int, held: HeldTallies) -> None:
        """Hold tallies, and forget those that were not used for longest."""
        with self._lock:
            self._held[task_id] = held
            self._held.move_to_end(task_id)
            while len(self._held) > self._most:
                self._held.popitem(last=False)

    def clear(self) -> None:
        """Forget everything, as a new process."""
        with self._lock:
            self._held.clear()


#: Of this process.
CACHE = LiveCache()
