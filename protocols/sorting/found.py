"""A sort that was computed, with what it was asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from protocols.sorting.files import ComparisonsRead
from protocols.sorting.statistics.beside import OrdersBeside
from protocols.sorting.statistics.chain import SortedChain, SortSettings


@dataclass(frozen=True)
class SortFound:
    """A sort with what it was asked for; `beside` is None as long as there is no order.

    Of a task `last` has the last judgment of each verdict by number, and `late` how many answers came after it.
    """

    read: ComparisonsRead
    settings: SortSettings
    chain: SortedChain
    beside: OrdersBeside | None
    verify: bool = False
    last: Mapping[frozenset[str], int] = field(default_factory=dict)
    late: Mapping[frozenset[str], int] = field(default_factory=dict)
