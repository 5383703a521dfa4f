"""Parameters of a design: the first input of a draw."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

# Candidates are named by letters, A to Z.
MOST_CANDIDATES = 26
# Minimum number of outputs for a comparison. Protocols that rate outputs individually show one.
FEWEST_CANDIDATES = 2


class DesignKind(StrEnum):
    """Method of choosing the systems of a block."""

    UNIFORM = "uniform"  # every system equally likely (WMT 2008–2011)
    BALANCED = "balanced"  # the pairs that have met least often
    ACTIVE = "active"  # the pairs that are most informative about the order
    BINARY = "binary"  # balanced, in blocks of two
    ALL = "all"  # every system of the segment
    SORTING = "sorting"  # the two systems whose comparison a sort currently needs


class SegmentOrder(StrEnum):
    """Order in which windows of segments are drawn."""

    RANDOM = "random"
    SEQUENTIAL = "sequential"


class Checks(StrEnum):
    """Method of choosing the blocks of a HIT that hold a damaged reference."""

    CHANCE = "chance"  # at random, at the given rate
    SOME = "some"  # at the given rate but at least one, for a judge for whom a check is due
    NONE = "none"


class Normalisation(StrEnum):
    """Rule for treating texts as the same."""

    EXACT = "exact"  # character by character
    NFC_WHITESPACE = (
        "nfc_whitespace"  # after Unicode NFC, with runs of white space as one space
    )
    EYE = "eye"  # as above, without invisible characters


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignParameters:
    """Parameters of a design."""

    kind: DesignKind
    seed: int
    systems_per_block: int = 5
    segments_per_hit: int = 3
    segment_order: SegmentOrder = SegmentOrder.RANDOM
    reference_rate: float | None = None
    bad_reference_rate: float = 0.0
    attention_every: int = 0
    length_limits: tuple[tuple[int, int], ...] = ()
    normalisation: Normalisation = Normalisation.EXACT
    active_floor: float = 0.1
    inter_share: float = 0.0
    intra_share: float = 0.0
    repeat_gap: int = 10
    redundancy: int = 1
    systems: tuple[str, ...] = ()

    @property
    def fewest_systems(self) -> int:
        """Minimum number of systems a design must include: one block's worth."""
        if self.kind in (DesignKind.ALL, DesignKind.BINARY, DesignKind.SORTING):
            return FEWEST_CANDIDATES
        return self.systems_per_block

    @property
    def fewest_texts(self) -> int:
        """Minimum number of different texts for a segment to be shown."""
        return min(FEWEST_CANDIDATES, self.block_size(0))

    @property
    def size(self) -> int:
        """Number of candidates shown for a segment that has them and is not long."""
        if self.kind in (DesignKind.BINARY, DesignKind.SORTING):
            return FEWEST_CANDIDATES
        if self.kind is DesignKind.ALL:
            return MOST_CANDIDATES
        return self.systems_per_block

    def block_size(self, words: int) -> int:
        """Return the number of candidates shown for a segment with `words` source words, if it has that many."""
        size = self.size
        for least, limit in self.length_limits:
            if words >= least:
                size = min(size, limit)
        return size


class WrittenWrongError(ValueError):
    """A part of the text cannot be read."""

    def __init__(self, part: str) -> None:
        super().__init__(part)
        self.part = part


def numbers_read(text: str) -> list[int]:
    """Parse numbers such as "1,4-7" into ascending unique numbers; none for "" and "all".

    Raises
    ------
    WrittenWrongError
        If a part is neither a number nor a range that begins at 1 or later.
    """
    if text.strip() in ("", "all"):
        return []
    numbers: set[int] = set()
    for part in text.split(","):
        first, _dash, last = part.strip().replace("–", "-").partition("-")
        try:
            start = int(first)
            end = int(last or first)
        except ValueError:
            raise WrittenWrongError(part.strip()) from None
        # A million exceeds any test set; longer ranges would only exhaust memory.
        if not 1 <= start <= end <= 1_000_000:
            raise WrittenWrongError(part.strip())
        numbers.update(range(start, end + 1))
    return sorted(numbers)


def numbers_written(numbers: Sequence[int]) -> str:
    """Return numbers as `numbers_read` reads them."""
    parts: list[list[int]] = []
    for number in sorted(numbers):
        if parts and parts[-1][-1] == number - 1:
            parts[-1][1:] = [number]
        else:
            parts.append([number])
    return ", ".join("-".join(map(str, part)) for part in parts)


def limits_read(text: str) -> list[list[int]]:
    """Parse pairs of words and candidates such as "30:3, 50:2"; none for "" and "none".

    Raises
    ------
    WrittenWrongError
        If a part is not such a pair.
    """
    if text.strip() in ("", "none"):
        return []
    limits = []
    for part in text.split(","):
        length, _colon, size = part.partition(":")
        try:
            limits.append([int(length), int(size)])
        except ValueError:
            raise WrittenWrongError(part.strip()) from None
    return limits


def limits_written(limits: Sequence[Sequence[int]]) -> str:
    """Return limits as `limits_read` reads them."""
    return ", ".join(f"{length}:{size}" for length, size in limits)
