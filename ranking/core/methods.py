"""The registry of ranking methods: one way to call them all, on blocks and on resamples."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core import bradley_terry, lopez, shares
from ranking.core.blocks import Blocks
from ranking.core.counts import Counts, Layout, count
from ranking.core.levels import Resampling, pair_blocks
from ranking.core.tallies import chunks
from ranking.core.wins import NotEstimable, Scores, expected_wins

Weights = npt.NDArray[np.integer]
#: Bounds the n² tables that scoring many resamples at once builds.
_RESAMPLES_AT_A_TIME = 64


@dataclass(frozen=True, eq=False)
class Fit:
    """What a method says about blocks.

    Attributes
    ----------
    scores : Scores of shape (n,)
    extra : mapping
        What the method says beyond scores; plain JSON.
    reasons : mapping of int to NotEstimable
        Why systems (by index) have no score, where it is not the usual reason: never compared, or
        only tied.
    """

    scores: Scores
    extra: Mapping[str, Any] = field(default_factory=dict)
    reasons: Mapping[int, NotEstimable] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A ranking method.

    Attributes
    ----------
    name : str
        Its key in `METHODS`.
    is_share : bool
        Whether its scores are shares, in [0, 1].
    uses_ties : bool
        Whether tied comparisons count; otherwise they are dropped.
    """

    name: str
    is_share: bool
    uses_ties: bool

    @property
    @abstractmethod
    def defaults(self) -> dict[str, Any]:
        """The method's parameters with their default values."""

    def complete(self, parameters: Mapping[str, Any] | None) -> dict[str, Any]:
        """Fill in defaults; ValueError if the method has no such parameter."""
        defaults = self.defaults
        unknown = sorted(set(parameters or ()).difference(defaults))
        if unknown:
            known = ", ".join(defaults) or "none"
            raise ValueError(f"{self.name} has no parameter {unknown[0]!r} (it has: {known})")
        return {**defaults, **(parameters or {})}

    @abstractmethod
    def fit(
        self, blocks: Blocks, *, seed: int = 0, weights: Weights | None = None, **parameters: Any
    ) -> Fit:
        """Score n systems on B blocks.

        Parameters
        ----------
        blocks : Blocks
        seed : int
            For the methods that draw numbers; the others ignore it.
        weights : integer, shape (B,), optional
            How often each block counts; once if not given.
        **parameters
            Of the method, see `defaults`.
        """

    def score(
        self, blocks: Blocks, *, seed: int = 0, weights: Weights | None = None, **parameters: Any
    ) -> Scores:
        """Score n systems on B blocks: `fit` without its comments."""
        return self.fit(blocks, seed=seed, weights=weights, **parameters).scores

    @abstractmethod
    def score_resamples(
        self, blocks: Blocks, resampling: Resampling, ids: range, **parameters: Any
    ) -> Scores:
        """Score n systems in the resamples `ids`: scores of shape (len(ids), n).

        A resample is a function of the resampling and its id, so ids may be split over workers.
        """


@dataclass(frozen=True, kw_only=True)
class CountsMethod(Method):
    """A method of counts, scored for many resamples at once.

    `of_counts` takes `Counts` with leading axes and returns `Scores` with the same; `comment`
    explains the scores of one set of counts.
    """

    of_counts: Callable[..., Scores]
    comment: Callable[..., tuple[dict[str, Any], dict[int, NotEstimable]]] | None = None
    outright: bool = False

    @property
    def defaults(self) -> dict[str, Any]:
        return _defaults(self.of_counts)

    def _layout(self, blocks: Blocks) -> Layout:
        return Layout(len(blocks.systems), ties=self.uses_ties, outright=self.outright)

    def fit(
        self, blocks: Blocks, *, seed: int = 0, weights: Weights | None = None, **parameters: Any
    ) -> Fit:
        del seed  # nothing is drawn
        layout = self._layout(blocks)
        counts = layout.unpack(count(blocks, layout, weights))
        scores = self.of_counts(counts, **parameters)
        if self.comment is None:
            return Fit(scores)
        extra, reasons = self.comment(counts, blocks.systems, **parameters)
        return Fit(scores, extra, reasons)

    def score_resamples(
        self, blocks: Blocks, resampling: Resampling, ids: range, **parameters: Any
    ) -> Scores:
        if self.outright and resampling.level == "pairs":
            raise ValueError(f"{self.name} scores blocks: it cannot be resampled by pairs")
        layout = self._layout(blocks)
        cells = resampling.counts(blocks, layout, ids)
        return joined(
            [
                self.of_counts(layout.unpack(cells[rows]), **parameters)
                for rows in chunks(len(cells), _RESAMPLES_AT_A_TIME)
            ]
        )


@dataclass(frozen=True, kw_only=True)
class BlocksMethod(Method):
    """A method that needs the blocks themselves; its module is imported when first used.

    The module's function `scorer` is called as
    ``scorer(blocks, *, seed, weights=None, **parameters) -> Scores``; its function `commenter`,
    if there is one, as ``commenter(blocks, *, seed, **parameters) -> dict``.
    """

    module: str
    scorer: str = "score"
    commenter: str = "extra"

    def _function(self, name: str) -> Callable[..., Any] | None:
        found: Callable[..., Any] | None = getattr(import_module(self.module), name, None)
        return found

    def _score(self) -> Callable[..., Scores]:
        function = self._function(self.scorer)
        if function is None:
            raise NotImplementedError(f"{self.module} has no {self.scorer}")
        return function

    @property
    def defaults(self) -> dict[str, Any]:
        return _defaults(self._score())

    def fit(
        self, blocks: Blocks, *, seed: int = 0, weights: Weights | None = None, **parameters: Any
    ) -> Fit:
        scores = self._score()(blocks, seed=seed, weights=weights, **parameters)
        comment = self._function(self.commenter)
        return Fit(scores, comment(blocks, seed=seed, **parameters) if comment else {})

    def score_resamples(
        self, blocks: Blocks, resampling: Resampling, ids: range, **parameters: Any
    ) -> Scores:
        score = self._score()
        if resampling.level == "pairs":
            blocks, weights = pair_blocks(blocks, resampling, ids)
        else:
            weights = resampling.weights(blocks, ids)
        return joined(
            [
                _row(
                    score(blocks, seed=resampling.seed_of(id_), weights=weights[:, r], **parameters)
                )
                for r, id_ in enumerate(ids)
            ]
        )


def _defaults(function: Callable[..., Any]) -> dict[str, Any]:
    return {
        name: parameter.default
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY and name not in ("seed", "weights")
    }


def _row(scores: Scores) -> Scores:
    return Scores(values=scores.values[np.newaxis], estimable=scores.estimable[np.newaxis])


def joined(parts: Sequence[Scores]) -> Scores:
    """Join scores of consecutive resamples, each of shape (R_i, n)."""
    return Scores(
        values=np.concatenate([part.values for part in parts]),
        estimable=np.concatenate([part.estimable for part in parts]),
    )


def _expected_wins(counts: Counts) -> Scores:
    return expected_wins(counts.wins)


_METHODS: tuple[Method, ...] = (
    CountsMethod(name="geq_others", is_share=True, uses_ties=True, of_counts=shares.geq_others),
    CountsMethod(name="gt_others", is_share=True, uses_ties=True, of_counts=shares.gt_others),
    CountsMethod(
        name="geq_all_in_block",
        is_share=True,
        uses_ties=True,
        outright=True,
        of_counts=shares.geq_all_in_block,
    ),
    CountsMethod(
        name="gt_all_in_block",
        is_share=True,
        uses_ties=True,
        outright=True,
        of_counts=shares.gt_all_in_block,
    ),
    CountsMethod(name="bojar", is_share=True, uses_ties=False, of_counts=shares.bojar),
    CountsMethod(name="expected_wins", is_share=True, uses_ties=False, of_counts=_expected_wins),
    CountsMethod(
        name="lopez",
        is_share=False,
        uses_ties=False,
        of_counts=lopez.scores,
        comment=lopez.comment,
    ),
    BlocksMethod(
        name="hopkins_may", is_share=False, uses_ties=True, module="ranking.core.hopkins_may"
    ),
    BlocksMethod(
        name="trueskill_wmt",
        is_share=False,
        uses_ties=True,
        module="ranking.core.trueskill",
        scorer="score_wmt",
        commenter="extra_wmt",
    ),
    BlocksMethod(name="trueskill", is_share=False, uses_ties=True, module="ranking.core.trueskill"),
    CountsMethod(
        name="bradley_terry",
        is_share=False,
        uses_ties=True,
        of_counts=bradley_terry.scores,
        comment=bradley_terry.comment,
    ),
)

#: All methods by name.
METHODS: Mapping[str, Method] = MappingProxyType({method.name: method for method in _METHODS})


def method_named(name: str) -> Method:
    """Look a method up; ValueError if there is none of that name."""
    try:
        return METHODS[name]
    except KeyError:
        raise ValueError(f"method: {name!r} is none of {', '.join(METHODS)}") from None
