"""Interface of ranking methods on blocks and resamples."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_type_hints

import numpy as np
import numpy.typing as npt

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, off_diagonal
from ranking.core.counting.counts import Layout, Tallies, chunks, compared_groups, count
from ranking.core.counting.moments import (
    MIN_UNITS,
    Moments,
    effective_units_by_system,
    moments_of_blocks,
)
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.judged.blocks import Blocks
from ranking.core.scores import NotEstimable, Scores
from ranking.core.uncertainty import (
    ScoreCovariance,
    covariance_of_block_influence,
    standard_errors,
    standard_errors_of_block_influence,
    two_way_covariance,
    with_least_variance,
)


def is_compared(wins: Int64Array, ties: Int64Array) -> BoolArray:
    """Return whether each system was compared with at least one other, shape (..., n)."""
    return np.asarray(np.any(comparisons_per_pair(wins, ties) > 0, axis=-1))


def comparisons_per_pair(wins: Int64Array, ties: Int64Array) -> Int64Array:
    """Return the number of comparisons of each pair, including ties, shape (..., n, n), diagonal
    0.
    """
    compared = wins + np.swapaxes(wins, -1, -2) + ties
    return compared * off_diagonal(wins.shape[-1])


def canonical_order(wins: Int64Array, ties: Int64Array) -> Int64Array:
    """Return an order of the systems that depends on the data, not on their names.

    Methods that draw random numbers go through the systems in this order, so that renaming the
    systems renames the result and changes nothing else. Only systems with equal totals of wins,
    losses and ties, and of their squares, remain in the order of their names.

    Parameters
    ----------
    wins, ties : int64, shape (..., n, n)

    Returns
    -------
    int64, shape (..., n)
        Indices of the systems, fewest wins first.
    """
    lost = wins.swapaxes(-1, -2)
    columns = []
    # The last column is the first key.
    for counts in (ties**2, lost**2, wins**2, ties, lost, wins):
        columns.append(counts.sum(axis=-1))
    return np.lexsort(columns, axis=-1).astype(np.int64)


#: Value of a parameter of a method: a number, a word, or None to estimate it from the data.
Parameter: TypeAlias = bool | float | str | None
Parameters: TypeAlias = Mapping[str, Parameter]
#: Further results of a method, as plain JSON; each method has a TypedDict of its own.
Diagnostics: TypeAlias = Mapping[str, Any]

Weights = npt.NDArray[np.integer]
#: Number of resamples scored at a time, to bound the memory of their n² tables.
RESAMPLES_AT_A_TIME = 64


@dataclass(frozen=True, eq=False)
class Fit:
    """Results of a method on blocks.

    Attributes
    ----------
    scores : Scores of shape (n,)
    extra : mapping
        Further results of the method, as plain JSON.
    reasons : mapping of int to NotEstimable
        Reasons why systems (by index) have no score, other than the usual ones: never compared, or
        only tied.
    """

    scores: Scores
    extra: Diagnostics = field(default_factory=dict)
    reasons: Mapping[int, NotEstimable] = field(default_factory=dict)


def fit_of_abilities(
    tallies: Tallies,
    mu: FloatArray,
    sigma: FloatArray,
    extra: Diagnostics | None = None,
    *,
    problem: NotEstimable | None = None,
    sigma_is: Literal["posterior_sd", "sd_of_runs"] = "posterior_sd",
) -> Fit:
    """Return abilities of n systems, on the method's own scale, as a fit.

    Higher abilities are better, only differences matter, and they may be negative.

    Parameters
    ----------
    tallies : Tallies
    mu : float64, shape (n,)
        NaN for systems that were not compared, or if the fit did not converge.
    sigma : float64, shape (n,)
        Standard deviations of the abilities as the method defines them. They do not measure how
        much abilities vary between campaigns: see `Method.standard_errors`.
    extra : mapping, optional
        Further results of the fit. "problem", "groups" (the number of connected groups of compared
        systems: only the prior relates systems of different groups) and `sigma_is` are added.
    problem : NotEstimable, optional
        Why no ability could be estimated.
    sigma_is : str
        Definition of `sigma`: the standard deviation of the model's posterior, which treats
        comparisons as independent, or that of runs on the same comparisons.
    """
    estimable = ~np.isnan(mu)
    deviations = {}
    for index in np.flatnonzero(estimable).tolist():
        deviations[tallies.systems[index]] = float(sigma[index])
    reasons = {}
    if problem is NotEstimable.NOT_CONVERGED:
        failed = np.flatnonzero(~estimable).tolist()
        reasons = dict.fromkeys(failed, NotEstimable.NOT_CONVERGED)
    diagnostics = {
        **(extra or {}),
        "problem": problem,
        "groups": len(compared_groups(tallies)),
        sigma_is: deviations,
    }
    return Fit(Scores(values=mu, estimable=estimable), diagnostics, reasons)


@dataclass(frozen=True, kw_only=True)
class Method(ABC):
    """A ranking method.

    Attributes
    ----------
    name : str
        Its key in `ranking.core.methods.registry.METHODS`.
    is_share : bool
        Whether its scores are shares, in [0, 1].
    uses_ties : bool
        Whether tied comparisons count; otherwise they are dropped.
    options : mapping of str to (low, high)
        Parameters that the ranking settings of a task may change, with their limits. Type and default are those of the
        parameter; words for people are in `ranking.wording.methods.OPTION_WORDS`.
    influence : callable or None
        Called as ``influence(counts, **parameters)``; returns the influence of one more comparison
        on each score, float64 of shape (n, m) for the m cells of `layout`. None if scores are not a
        smooth function of counts.
    model_variance : callable or None
        Called as ``model_variance(counts, **parameters)``; returns variances of the scores, shape
        (n,), assuming that comparisons are independent and the model is true. They are the minimum
        variances of systems with very few segments or judges: at the maximum of the likelihood, the
        influence of a system's only block is 0, and so would be the variance between blocks.
    """

    name: str
    is_share: bool = False
    uses_ties: bool = True
    options: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    influence: Callable[..., FloatArray] | None = None
    model_variance: Callable[..., FloatArray] | None = None

    @property
    @abstractmethod
    def function(self) -> Callable[..., Any]:
        """The function that scores; the method's parameters are its keyword arguments."""

    @property
    def defaults(self) -> dict[str, Parameter]:
        """The method's parameters with their default values."""
        defaults = {}
        for name, parameter in inspect.signature(self.function).parameters.items():
            is_keyword = parameter.kind is parameter.KEYWORD_ONLY
            if is_keyword and name not in ("seed", "weights"):
                defaults[name] = parameter.default
        return defaults

    @property
    def parameter_types(self) -> dict[str, type]:
        """The method's parameters with their types, as annotated."""
        types = get_type_hints(self.function)
        return {name: types[name] for name in self.defaults}

    def changed_options(self, options: Mapping[str, object]) -> dict[str, float]:
        """Return the options that differ from their defaults; raise ValueError for unknown ones and wrong values."""
        changed = {}
        for name, option in options.items():
            value = self._option_value(name, option)
            if value != self.defaults[name]:
                changed[name] = value
        return changed

    def _option_value(self, name: str, option: object) -> float:
        """Return an option as its type; raise ValueError if it is unknown or out of range."""
        if name not in self.options:
            names = ", ".join(self.options) or "none"
            raise ValueError(f"{self.name} has no option {name!r} (it has: {names})")
        low, high = self.options[name]
        expected: type[float] = self.parameter_types[name]
        is_of_type = isinstance(option, bool) == (expected is bool)
        if isinstance(option, int | float) and is_of_type and low <= option <= high:
            value = expected(option)
            if value == option:
                return value
        raise ValueError(f"{name}: enter a number from {low:g} to {high:g}")

    def is_usual(self, parameters: Parameters) -> bool:
        """Return whether these parameters are the defaults; those added after they were recorded are."""
        return {**self.defaults, **parameters} == self.defaults

    def complete(self, parameters: Parameters | None) -> dict[str, Parameter]:
        """Return parameters with defaults filled in; raise ValueError for unknown ones."""
        defaults = self.defaults
        changes = parameters or {}
        for name in sorted(changes):
            if name not in defaults:
                names = ", ".join(defaults) or "none"
                raise ValueError(
                    f"{self.name} has no parameter {name!r} (it has: {names})",
                )
        return {**defaults, **changes}

    @abstractmethod
    def fit(self, blocks: Blocks, *, seed: int = 0, **parameters: Any) -> Fit:
        """Score n systems on B blocks.

        Parameters
        ----------
        blocks : Blocks
        seed : int
            Used by methods that draw random numbers; the others ignore it.
        **parameters
            Parameters of the method, see `defaults`.
        """

    def score(self, blocks: Blocks, *, seed: int = 0, **parameters: Any) -> Scores:
        """Return the scores of n systems on B blocks: `fit` without its comments."""
        return self.fit(blocks, seed=seed, **parameters).scores

    @abstractmethod
    def score_resamples(
        self,
        blocks: Blocks,
        resampling: Resampling,
        ids: range,
        **parameters: Any,
    ) -> Scores:
        """Return the scores of n systems in the resamples `ids`, shape (len(ids), n).

        A resample depends only on the resampling and its ID, so IDs may be split between workers.
        """

    def layout(self, systems: int) -> Layout:
        """Return the cells of the method's counts for this number of systems."""
        return Layout(systems, ties=self.uses_ties)

    def covariance(
        self,
        moments: Moments,
        layout: Layout,
        **parameters: Any,
    ) -> ScoreCovariance:
        """Estimate the covariance of the scores over segments and judges.

        Parameters
        ----------
        moments : Moments
            Moments in this layout.
        layout : Layout
            The method's own, see `layout`.
        **parameters
            Parameters of the method, see `defaults`.

        Returns
        -------
        ScoreCovariance

        Raises
        ------
        ValueError
            If the method has no influence values.
        """
        if self.influence is None:
            raise ValueError(f"{self.name} has no influence values")
        counts = layout.unpack(moments.cells)
        influence = self.influence(counts, **parameters)
        covariance = two_way_covariance(moments, influence[:, layout.used])
        if self.model_variance is None:
            return covariance
        segments = effective_units_by_system(moments, layout, "segments")
        judges = effective_units_by_system(moments, layout, "judges")
        few = np.minimum(segments, judges) < MIN_UNITS
        least = self.model_variance(counts, **parameters)
        return with_least_variance(covariance, np.where(few, least, 0.0))

    @property
    def has_closed_form(self) -> bool:
        """True if the method has a `score_covariance`."""
        return self.influence is not None

    def score_covariance(self, blocks: Blocks, **parameters: Any) -> ScoreCovariance:
        """Estimate the covariance of the scores of n systems over segments and judges.

        Parameters
        ----------
        blocks : Blocks
        **parameters
            Parameters of the method, see `defaults`.

        Raises
        ------
        ValueError
            If the method has no influence values.
        """
        layout = self.layout(len(blocks.systems))
        return self.covariance(moments_of_blocks(blocks, layout), layout, **parameters)

    def standard_errors(
        self,
        blocks: Blocks,
        clusters: Level,
        **parameters: Any,
    ) -> FloatArray | None:
        """Return standard errors of the scores, over campaigns like this one, shape (n,).

        Parameters
        ----------
        blocks : Blocks
        clusters : "pairs", "blocks", "segments", "judges" or "two_way"
            Units treated as independent, see `ranking.core.uncertainty`.
        **parameters
            Parameters of the method, see `defaults`.

        Returns
        -------
        float64, shape (n,), or None
            0 for systems whose scores are not influenced by any comparison, and with a single
            cluster. None if the method has no influence values.
        """
        if self.influence is None:
            return None
        layout = self.layout(len(blocks.systems))
        counts = layout.unpack(count(blocks, layout))
        influence = self.influence(counts, **parameters)
        return standard_errors(blocks, layout, influence, clusters)


@dataclass(frozen=True, kw_only=True)
class CountsMethod(Method):
    """A method that scores counts, possibly of many resamples at once.

    `of_counts` takes `Counts` with leading axes and returns `Scores` with the same; `comment`
    returns further results for one set of counts.
    """

    of_counts: Callable[..., Scores]
    comment: Callable[..., Diagnostics] | None = None
    outright: bool = False

    @property
    def function(self) -> Callable[..., Any]:
        return self.of_counts

    def layout(self, systems: int) -> Layout:
        return Layout(systems, ties=self.uses_ties, outright=self.outright)

    def fit(self, blocks: Blocks, *, seed: int = 0, **parameters: Any) -> Fit:
        del seed  # deterministic
        cells = count(blocks, self.layout(len(blocks.systems)))
        return self.fit_counted(cells, blocks.systems, **parameters)

    def fit_counted(
        self,
        cells: Int64Array,
        systems: tuple[str, ...],
        **parameters: Any,
    ) -> Fit:
        """Score n systems from their counts, of shape (m,) for the m cells of the layout."""
        counts = self.layout(len(systems)).unpack(cells)
        scores = self.of_counts(counts, **parameters)
        if self.comment is None:
            return Fit(scores)
        return Fit(scores, self.comment(counts, systems, **parameters))

    def score_resamples(
        self,
        blocks: Blocks,
        resampling: Resampling,
        ids: range,
        **parameters: Any,
    ) -> Scores:
        if self.outright and resampling.level == "pairs":
            raise ValueError(
                f"{self.name} scores blocks: it cannot be resampled by pairs",
            )
        layout = self.layout(len(blocks.systems))
        return self.score_counted(
            resampling.counts(blocks, layout, ids),
            layout,
            **parameters,
        )

    def score_counted(
        self,
        cells: Int64Array,
        layout: Layout,
        **parameters: Any,
    ) -> Scores:
        """Return the scores of counted resamples, of shape (R, m) for the m cells of the layout."""
        parts = []
        for rows in chunks(len(cells), RESAMPLES_AT_A_TIME):
            counts = layout.unpack(cells[rows])
            parts.append(self.of_counts(counts, **parameters))
        return joined(parts)


@dataclass(frozen=True, kw_only=True)
class BlocksMethod(Method):
    """A method that needs more than counts to be fitted.

    `of_blocks` is called as ``of_blocks(blocks, *, seed, weights=None, **parameters) -> Fit``; without
    `seed` if the method `is_deterministic`.
    `of_resamples`, if given, scores counted resamples: it is called as ``of_resamples(counts, *,
    seed, ids, **parameters) -> Scores``, after `prepare`. Otherwise `of_blocks` is called for each
    resample, with weights. `block_influence` is given if scores are a smooth function of blocks,
    but not of counts: it is called as ``block_influence(blocks, **parameters)`` and returns the
    influence of each block on the scores, float64 of shape (B, n).
    """

    of_blocks: Callable[..., Fit]
    is_deterministic: bool = False
    of_resamples: Callable[..., Scores] | None = None
    prepare: Callable[..., Blocks] | None = None
    block_influence: Callable[..., FloatArray] | None = None

    @property
    def function(self) -> Callable[..., Any]:
        return self.of_blocks

    @property
    def has_closed_form(self) -> bool:
        return self.block_influence is not None or super().has_closed_form

    def score_covariance(self, blocks: Blocks, **parameters: Any) -> ScoreCovariance:
        if self.block_influence is None:
            return super().score_covariance(blocks, **parameters)
        influence = self.block_influence(blocks, **parameters)
        return covariance_of_block_influence(blocks, influence)

    def standard_errors(
        self,
        blocks: Blocks,
        clusters: Level,
        **parameters: Any,
    ) -> FloatArray | None:
        if self.block_influence is None:
            return super().standard_errors(blocks, clusters, **parameters)
        influence = self.block_influence(blocks, **parameters)
        return standard_errors_of_block_influence(blocks, influence, clusters)

    def fit(self, blocks: Blocks, *, seed: int = 0, **parameters: Any) -> Fit:
        if not self.is_deterministic:
            parameters["seed"] = seed
        return self.of_blocks(blocks, **parameters)

    def score_resamples(
        self,
        blocks: Blocks,
        resampling: Resampling,
        ids: range,
        **parameters: Any,
    ) -> Scores:
        if self.of_resamples is None:
            resamples = []
            for id_ in ids:
                scores = self._score_resample(blocks, resampling, id_, parameters)
                resamples.append(scores.rows(np.newaxis))
            return joined(resamples)
        if self.prepare is not None:
            blocks = self.prepare(blocks, **parameters)
        layout = self.layout(len(blocks.systems))
        counts = layout.unpack(resampling.counts(blocks, layout, ids))
        return self.of_resamples(counts, seed=resampling.seed, ids=ids, **parameters)

    def _score_resample(
        self,
        blocks: Blocks,
        resampling: Resampling,
        id_: int,
        parameters: Parameters,
    ) -> Scores:
        if resampling.level == "pairs":
            blocks = resampling.pair_blocks(blocks, id_)
            weights = np.ones(len(blocks), dtype=np.int16)
        else:
            weights = resampling.weights(blocks, range(id_, id_ + 1))[:, 0]
        seed = resampling.seed_of(id_)
        return self.fit(blocks, seed=seed, weights=weights, **parameters).scores


def joined(parts: Sequence[Scores]) -> Scores:
    """Concatenate the scores of consecutive resamples, each of shape (R_i, n)."""
    values = np.concatenate([part.values for part in parts])
    estimable = np.concatenate([part.estimable for part in parts])
    groups = [part.group for part in parts if part.group is not None]
    if not groups:
        return Scores(values, estimable)
    return Scores(values, estimable, group=np.concatenate(groups))
