"""All tallies that a ranking of a test set, the measures of its judges and its designs need."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.tallies import Tallies, tally
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.keyed_sums import KeyedSums
from ranking.core.judges.tallies import JudgeTallies, tally_judges
from ranking.core.live.changes import changed_rows
from ranking.core.live.definition import Definition
from ranking.core.live.packing import Buffer, DamagedStateError, digest_of, packed, unpacked
from ranking.core.live.state import LiveState

Int64Array = npt.NDArray[np.int64]

_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True, kw_only=True)
class LiveDefinition:
    """What `LiveTallies` are of.

    Attributes
    ----------
    ranking : Definition
        Of the tallies of the ranking, without excluded judges.
    systems : tuple of str
        All systems of the test set, sorted: ranked ones and references.
    reference, bad_reference : str or None
        The reference and the damaged one among them, if there are any.
    version : str
        The version of the code that reads judgments; other code has other tallies.
    """

    ranking: Definition
    systems: tuple[str, ...]
    reference: str | None = None
    bad_reference: str | None = None
    version: str = ""

    @property
    def digest(self) -> bytes:
        """16 bytes that differ for other definitions and other code."""
        said = [self.ranking.digest.hex(), self.systems, self.reference, self.bad_reference]
        text = json.dumps([*said, self.version])
        return blake2b(text.encode(), digest_size=16, person=b"quintet-live-def").digest()


@dataclass(frozen=True, eq=False)
class ChangedJudgments:
    """All judgments of some segments, as they were at one watermark and are at a later one.

    Attributes
    ----------
    before, after : Blocks
        Judgments that count, of all judges, over all systems of the test set, with documents.
    checks_before, checks_after : Blocks
        Judged attention checks, likewise; of other segments, perhaps.
    seconds : mapping of str to float array
        Times of each judge's first judgments between the two watermarks.
    """

    before: Blocks
    after: Blocks
    checks_before: Blocks
    checks_after: Blocks
    seconds: Mapping[str, npt.NDArray[np.float64]] = field(default_factory=dict)


class LiveTallies:
    """Tallies of a test set, kept up to date judgment by judgment.

    They are the same, bit for bit, however the judgments came: see `LiveState`.

    Parameters
    ----------
    definition : LiveDefinition

    Attributes
    ----------
    ranking : LiveState
        Of the judges who are not excluded, over the systems that are ranked.
    pairs : Tallies
        Of the same judges, over all systems.
    judges : JudgeTallies
        Of all judges.
    """

    def __init__(self, definition: LiveDefinition) -> None:
        size = len(definition.systems)
        nothing = np.zeros((size, size), dtype=np.int64)
        self.definition = definition
        self.ranking = LiveState(definition.ranking)
        self.pairs = Tallies(definition.systems, nothing, nothing)
        self.judges = JudgeTallies()

    def apply(self, changed: ChangedJudgments) -> None:
        """Take in what changed.

        Raises
        ------
        ValueError
            If the systems differ, or the tallies cannot hold the judgments before. They are of no
            use then.
        """
        differing = changed_rows(changed.before, changed.after)
        before, after, removed, added = (
            blocks.without_judges(self.definition.ranking.excluded)
            for blocks in (changed.before, changed.after, *differing)
        )
        self.ranking.apply(
            self._ranked(before), self._ranked(after), (self._ranked(removed), self._ranked(added))
        )
        gone, new = tally(removed), tally(added)
        self.pairs = Tallies(
            self.pairs.systems,
            self.pairs.wins + new.wins - gone.wins,
            self.pairs.ties + new.ties - gone.ties,
        )
        self._change_judges(changed, differing)

    def digest(self) -> bytes:
        """Return 16 bytes that are the same for the same definition and judgments only."""
        parts = self.ranking.digest() + digest_of(self._header(), self._arrays())
        return blake2b(parts, digest_size=16, person=b"quintet-live-sum").digest()

    def packed(self) -> bytes:
        """Return the tallies as bytes: the length of the first part, then both parts."""
        ranking = self.ranking.packed()
        return _LENGTH.pack(len(ranking)) + ranking + packed(self._header(), self._arrays())

    @classmethod
    def unpacked(cls, data: Buffer, definition: LiveDefinition) -> LiveTallies:
        """Return the tallies of these bytes.

        Raises
        ------
        DamagedStateError
            If the bytes are not as they were packed, or of another definition or other code.
        """
        if len(data) < _LENGTH.size:
            raise DamagedStateError("tallies: the first bytes are missing")
        end = _LENGTH.size + _LENGTH.unpack_from(data)[0]
        found, whole = cls(definition), memoryview(data).cast("B")
        found.ranking = LiveState.unpacked(whole[_LENGTH.size : end], definition.ranking)
        header, narrow = unpacked(whole[end:])
        if header["definition"] != definition.digest.hex():
            raise DamagedStateError("tallies: they are of another definition, or by other code")
        arrays = {name: array.astype(np.int64) for name, array in narrow.items()}
        found.pairs = Tallies(definition.systems, arrays["wins"], arrays["ties"])
        sums = {
            name: KeyedSums(like.bits, arrays[f"{name}/code"], arrays[f"{name}/values"])
            for name, like in JudgeTallies().sums().items()
        }
        found.judges = JudgeTallies(tuple(header["judges"]), **sums)
        return found

    def _ranked(self, blocks: Blocks) -> Blocks:
        return blocks.without(set(blocks.systems).difference(self.definition.ranking.systems))

    def _change_judges(self, changed: ChangedJudgments, differing: tuple[Blocks, Blocks]) -> None:
        """Count again what the judges of changed judgments said about their segments."""
        plain = _of_judges(changed.before, changed.after, differing)
        checks_before, checks_after = changed.checks_before, changed.checks_after
        checks = _of_judges(checks_before, checks_after, changed_rows(checks_before, checks_after))
        old, new = (
            tally_judges(
                blocks,
                reference=self.definition.reference,
                attention=checked,
                bad_reference=self.definition.bad_reference,
                seconds=seconds,
            )
            for blocks, checked, seconds in zip(plain, checks, (None, changed.seconds), strict=True)
        )
        self.judges = self.judges + (new - old)

    def _header(self) -> dict[str, Any]:
        return {"definition": self.definition.digest.hex(), "judges": list(self.judges.judges)}

    def _arrays(self) -> dict[str, Int64Array]:
        found = {"wins": self.pairs.wins, "ties": self.pairs.ties}
        for name, sums in self.judges.sums().items():
            found |= {f"{name}/code": sums.code, f"{name}/values": sums.values}
        return found


def _of_judges(
    before: Blocks, after: Blocks, differing: tuple[Blocks, Blocks]
) -> tuple[Blocks, Blocks]:
    """Return the judgments of the judges of whom any differs."""
    names = {
        blocks.judges[judge] for blocks in differing for judge in np.unique(blocks.judge).tolist()
    }
    old, new = (
        blocks.without_judges(set(blocks.judges).difference(names)) for blocks in (before, after)
    )
    return old, new
