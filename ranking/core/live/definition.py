"""Definition of a live ranking, and the integers from which the result of its run is computed."""

import json
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import blake2b
from importlib.resources import files

import numpy as np

from ranking.core.agreement.tallies import AgreementTallies, tally_agreement
from ranking.core.arrays import Int64Array
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import CONTENT_KEY_VERSION, Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import counts_method_named, method_named
from ranking.core.rankings.counted_judgments import (
    RESAMPLED,
    CountedJudgments,
    count_judgments,
)
from ranking.core.rankings.range_kinds import RangeOptions

#: Packages whose code affects the counts.
_CODE = (
    "ranking.core.agreement",
    "ranking.core.counting",
    "ranking.core.judged",
    "ranking.core.judges",
    "ranking.core.live",
    "ranking.core.rankings",
)


@dataclass(frozen=True, kw_only=True)
class Definition:
    """Judgments covered by the tallies of a ranking run, and the way they are counted.

    It does not include confidence, corrections and the kind of ranges, as long as they need the
    same tallies.

    Attributes
    ----------
    systems : tuple of str
        The systems to be ranked, by name.
    method : str
        A name in `ranking.core.methods.registry.METHODS`.
    keeps : Level or None
        Counts other than wins and ties, see `RangeOptions.keeps`.
    resamples, seed : int
        Number and seed of the counted resamples; 0 if none are.
    excluded : tuple of str
        Judges left out, by name.
    """

    systems: tuple[str, ...]
    method: str
    keeps: Level | None
    resamples: int
    seed: int
    excluded: tuple[str, ...] = ()

    @property
    def counts_method(self) -> CountsMethod:
        """The ranking method."""
        return counts_method_named(self.method)

    @property
    def digest(self) -> bytes:
        """Digest of the definition, the code and the version of content keys, 16 bytes."""
        content = {
            **asdict(self),
            "layout": repr(self.counts_method.layout(len(self.systems))),
            "content_key_version": CONTENT_KEY_VERSION,
            "code": code_digest().hex(),
        }
        text = json.dumps(content, sort_keys=True, ensure_ascii=True)
        return blake2b(
            text.encode(),
            digest_size=16,
            person=b"quintet-live-def",
        ).digest()


def definition_of(
    method: str,
    options: RangeOptions,
    *,
    systems: tuple[str, ...],
    seed: int,
    excluded: tuple[str, ...] = (),
) -> Definition:
    """Return the definition of the tallies that a ranking needs.

    Parameters
    ----------
    method : str
    options : RangeOptions
    systems : tuple of str
        The systems to be ranked.
    seed : int
    excluded : tuple of str
        Judges left out.

    Returns
    -------
    Definition

    Raises
    ------
    ValueError
        If the method needs all judgments for such ranges, see `RangeOptions.is_live`.
    """
    if not options.is_live(method_named(method)):
        raise ValueError(
            f"method: {method} needs all judgments for ranges of {options.resample}",
        )
    resamples = options.resamples
    if options.keeps not in RESAMPLED:
        resamples = 0
        seed = 0
    return Definition(
        systems=tuple(sorted(systems)),
        method=method,
        keeps=options.keeps,
        resamples=resamples,
        seed=seed,
        excluded=tuple(sorted(excluded)),
    )


@cache
def code_digest() -> bytes:
    """Return a digest of the code that computes tallies, 16 bytes."""
    digest = blake2b(digest_size=16, person=b"quintet-live-src")
    for package in _CODE:
        folder = files(package)
        names = [file.name for file in folder.iterdir()]
        for name in sorted(names):
            if name.endswith(".py"):
                content = folder.joinpath(name).read_bytes()
                head = f"{package}/{name}\0{len(content)}\0"
                digest.update(head.encode() + content)
    return digest.digest()


@dataclass(frozen=True, eq=False)
class RunTallies:
    """Tallies of judgments, in canonical order.

    Systems and judges are sorted by name. Only judges with at least one block are included.

    Attributes
    ----------
    definition : Definition
    counted : CountedJudgments
    agreement : AgreementTallies
    """

    definition: Definition
    counted: CountedJudgments
    agreement: AgreementTallies

    def arrays(self) -> dict[str, Int64Array]:
        """Return all numbers by name, for comparing tallies."""
        counted = self.counted
        sizes = counted.sizes
        units = (counted.blocks, counted.segments, counted.judges, counted.documents)
        unit_sizes = (sizes.total, sizes.segments, sizes.judges, sizes.documents or 0)
        arrays = {
            "cells": counted.cells,
            "units": np.array(units, dtype=np.int64),
            "sizes": np.array(unit_sizes, dtype=np.int64),
        }
        if counted.resampled is not None:
            arrays["resampled"] = counted.resampled
        if counted.moments is not None:
            for field in fields(counted.moments):
                matrix = getattr(counted.moments, field.name)
                if matrix is not None:
                    arrays[f"moments of {field.name}"] = matrix
        for name, array in self.agreement.arrays().items():
            arrays[f"agreement: {name}"] = array
        return arrays


def tallies_of_blocks(blocks: Blocks, definition: Definition) -> RunTallies:
    """Tally all judgments.

    Parameters
    ----------
    blocks : Blocks
        All judgments that count, over the systems of the definition, without excluded judges.
    definition : Definition

    Returns
    -------
    RunTallies

    Raises
    ------
    ValueError
        If the systems differ from those of the definition.
    """
    refuse_other_systems(blocks, definition)
    counted = count_judgments(
        blocks,
        definition.counts_method,
        keeps=definition.keeps,
        resamples=definition.resamples,
        seed=definition.seed,
    )
    return RunTallies(
        definition=definition,
        counted=counted,
        agreement=tally_agreement(blocks.with_judges_in_order()),
    )


def refuse_other_systems(blocks: Blocks, definition: Definition) -> None:
    """Raise ValueError if the systems of blocks differ from those of a definition."""
    if blocks.systems != definition.systems:
        raise ValueError(
            f"systems: expected {', '.join(definition.systems)}, got {', '.join(blocks.systems)}",
        )
