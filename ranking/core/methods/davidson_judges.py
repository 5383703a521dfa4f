"""Davidson's model with judges' effects: leniency to ties, and discrimination of outputs.

In a block judged by j, with log-worths θ,

    η = exp(δ_j) (θ_a − θ_b) + Σ_k β_k (x_ka − x_kb),    λ = log ν + τ_j
    P(a better) = exp(η/2) / Z,   P(tie) = exp(λ) / Z,   P(b better) = exp(−η/2) / Z

where Z is their sum. δ_j is the judge's *discrimination* (above 0: the judge separates outputs more reliably than others),
τ_j the judge's *leniency to ties*, both with normal priors around 0, and β the effects of *covariates* x such as the
position of an output. Pairs of compared systems get the prior wins of `ranking.core.methods.bradley_terry`, from an average
judge. Without judges' effects and covariates, the model is Davidson's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict

import numpy as np
from scipy import sparse

from ranking.core.arrays import BoolArray, FloatArray, Int64Array, as_column
from ranking.core.counting.counts import (
    Comparisons,
    comparisons_of,
    shown_position,
    tally,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.bradley_terry import separation
from ranking.core.methods.method import Fit, Weights, comparisons_per_pair
from ranking.core.methods.newton import NotConvergedError, maximise
from ranking.core.scores import Scores
from ranking.core.words import word_check

_MAX_STEPS = 200
#: Prior precision of parameters that no comparison determines, such as the mean ability: a standard
#: deviation of 100.
_RIDGE = 1e-4


@dataclass(frozen=True, kw_only=True)
class Penalty:
    """Priors of the parameters.

    Attributes
    ----------
    wins : float
        Prior wins in both directions for each pair of compared systems.
    discrimination, leniency : float
        Standard deviations of δ and τ over judges; 0 leaves the effect out.
    covariate : float
        Standard deviation of β.
    """

    wins: float = 0.1
    discrimination: float = 0.25
    leniency: float = 1.0
    covariate: float = 1.0


@dataclass(frozen=True, eq=False)
class JudgeEffectsFit:
    """The fitted model.

    Attributes
    ----------
    ability : float64, shape (n,)
        θ, with mean 0 over the compared systems; 0 for the others.
    tie : float
        ν: 0 if there was no tie.
    discrimination, leniency : float64, shape (J,)
        δ and τ.
    effects : float64, shape (K,)
        β.
    parameters : float64, shape (P,)
        All parameters, in the order of `JudgeEffectsModel`.
    response : float64, shape (n, P)
        Rows of the inverse information for the abilities: how far a unit of each component of the
        gradient moves them.
    log_likelihood : float
        Log-likelihood of the comparisons, without the penalty.
    """

    ability: FloatArray
    tie: float
    discrimination: FloatArray
    leniency: FloatArray
    effects: FloatArray
    parameters: FloatArray
    response: FloatArray
    log_likelihood: float


class JudgeEffectsModel:
    """Comparisons of n systems by J judges, ready to be fitted.

    The penalised likelihood is maximised by Newton's method with halved steps; where it is not concave, the expected information
    replaces the observed one.

    Parameters
    ----------
    comparisons : Comparisons
    systems, judges : int
    penalty : Penalty
    weights : float64, shape (C,), optional
        Weight of each comparison.

    Notes
    -----
    The parameters are one vector: θ (n), log ν (1), δ (J), τ (J), β (K).
    """

    def __init__(
        self,
        comparisons: Comparisons,
        *,
        systems: int,
        judges: int,
        penalty: Penalty | None = None,
        weights: FloatArray | None = None,
    ) -> None:
        self.systems = systems
        self.judges = judges
        self.penalty = penalty or Penalty()
        self.size = systems + 1 + 2 * judges + comparisons.covariates.shape[1]
        # Equal comparisons are merged, which leaves far fewer. Those with weight 0 are left out: if
        # they include all ties, a tie has probability 0.
        if weights is None:
            weights = np.ones(len(comparisons.first))
        counted = weights > 0
        weight = weights[counted]
        columns = (
            comparisons.first,
            comparisons.second,
            comparisons.judge,
            comparisons.outcome,
            comparisons.covariates,
        )
        rows = np.column_stack(columns)[counted]
        kinds, kind = np.unique(rows, axis=0, return_inverse=True)
        covariates = kinds[:, 4:].astype(np.float64)
        indices = kinds[:, :4].astype(np.int64)
        first, second, judge, outcome = indices.T
        no_block = np.zeros_like(first)
        self.data = Comparisons(first, second, judge, no_block, outcome, covariates)
        self.weights = np.bincount(kind, weight, len(kinds)).astype(np.float64)
        self._of_blocks = weight, (comparisons.block[counted], kind)
        self.has_ties = bool(np.any(outcome == 0))
        sides = np.sort([first, second], axis=0)
        one, other = np.unique(sides, axis=1)
        self._prior_pairs: tuple[Int64Array, Int64Array] = (one, other)
        # Positions in the vector of parameters, in the order of the notes above.
        log_tie = systems
        discrimination = log_tie + 1
        leniency = discrimination + judges
        effects = leniency + judges
        self._log_tie = log_tie
        self._discrimination = slice(discrimination, leniency)
        self._leniency = slice(leniency, effects)
        self._covariates = slice(effects, None)
        self._precision = self._prior_precision()
        #: Mask of the parameters that are fitted: all except those of effects left out.
        self._free: BoolArray = np.isfinite(self._precision)
        self._free_precision = np.where(self._free, self._precision, 0.0)

    def fit(self) -> JudgeEffectsFit:
        """Return the maximum penalised likelihood fit.

        Raises
        ------
        NotConvergedError
            If the method does not converge.
        """

        def value(points: FloatArray) -> FloatArray:
            return np.array([self._objective(points[0])])

        def derivatives(points: FloatArray) -> tuple[FloatArray, FloatArray]:
            gradient, information = self._gradient_and_information(points[0])
            return gradient[np.newaxis], information[np.newaxis]

        start = np.zeros((1, self.size))
        points, converged = maximise(value, derivatives, start, most_steps=_MAX_STEPS)
        if not converged.all():
            raise NotConvergedError(
                f"the judges' effects did not converge in {_MAX_STEPS} steps",
            )
        return self._result_at(points[0])

    def block_influence(self, fit: JudgeEffectsFit, blocks: int) -> FloatArray:
        """Return the influence of each of B blocks on the abilities, shape (B, n).

        It is one scoring step from the fit: the response to the gradient of the block's
        comparisons. A judge's prior exists only with the judge, so it is divided among their
        comparisons.
        """
        slopes = self._slopes(fit.parameters)
        gradients = sparse.diags_array(slopes.by_eta) @ slopes.eta
        gradients = gradients + sparse.diags_array(slopes.by_lambda) @ slopes.log_tie
        gradients = gradients - self._expected_of_judges(fit.parameters)
        member = sparse.csr_array(self._of_blocks, shape=(blocks, len(self.weights)))
        return np.asarray((member @ gradients) @ fit.response.T)

    def _expected_of_judges(self, point: FloatArray) -> sparse.csr_array:
        """Return each comparison's share of the gradient of its judge's prior, shape (C, P)."""
        pull = self._free_precision * point
        judge = self.data.judge
        judge_weight = np.bincount(judge, self.weights, self.judges)
        share = 1 / np.maximum(judge_weight, 1e-12)[judge]
        discrimination = self._discrimination.start + judge
        leniency = self._leniency.start + judge
        entries = (
            (discrimination, pull[discrimination] * share),
            (leniency, pull[leniency] * share),
        )
        return _sparse_rows(entries, self.size)

    def _prior_precision(self) -> FloatArray:
        penalty = self.penalty
        precision = np.full(self.size, _RIDGE)
        precision[self._discrimination] = _precision_of(penalty.discrimination)
        precision[self._leniency] = _precision_of(penalty.leniency)
        precision[self._covariates] = _precision_of(penalty.covariate)
        return precision

    def _predictors(self, point: FloatArray) -> _Predictors:
        data = self.data
        scale = np.exp(point[self._discrimination])[data.judge]
        apart = point[data.first] - point[data.second]
        eta = scale * apart + data.covariates @ point[self._covariates]
        if self.has_ties:
            leniency = point[self._leniency]
            log_tie = point[self._log_tie] + leniency[data.judge]
        else:
            log_tie = np.full(len(eta), -np.inf)
        log_decided = np.logaddexp(eta / 2, -eta / 2)
        log_total = np.logaddexp(log_decided, log_tie)
        return _Predictors(eta, log_tie, scale, log_total)

    def log_probabilities(self, point: FloatArray) -> FloatArray:
        """Return the log probability of each comparison's outcome with these parameters, shape
        (C,).
        """
        predictors = self._predictors(point)
        outcome = self.data.outcome
        log_win = outcome * predictors.eta / 2
        log_worth = np.where(outcome == 0, predictors.log_tie, log_win)
        return np.asarray(log_worth - predictors.log_total)

    def _objective(self, point: FloatArray) -> float:
        free = self._free
        one, other = self._prior_pairs
        apart = point[one] - point[other]
        log_prior = apart - 2 * np.logaddexp(apart, 0.0)
        prior = self.penalty.wins * float(np.sum(log_prior))
        squares = self._precision[free] * point[free] ** 2
        penalty = float(np.sum(squares)) / 2
        log_likelihood = float(self.weights @ self.log_probabilities(point))
        return log_likelihood + prior - penalty

    def _slopes(self, point: FloatArray) -> _Slopes:
        data = self.data
        predictors = self._predictors(point)
        won = np.exp(predictors.eta / 2 - predictors.log_total)
        lost = np.exp(-predictors.eta / 2 - predictors.log_total)
        tied = np.exp(predictors.log_tie - predictors.log_total)
        apart = point[data.first] - point[data.second]
        eta_entries = [
            (data.first, predictors.scale),
            (data.second, -predictors.scale),
            (self._discrimination.start + data.judge, predictors.scale * apart),
        ]
        for k, covariate in enumerate(data.covariates.T):
            column = np.full(len(tied), self._covariates.start + k)
            eta_entries.append((column, covariate))
        ones = np.ones(len(tied))
        log_tie_entries = (
            (np.full(len(tied), self._log_tie), ones),
            (self._leniency.start + data.judge, ones),
        )
        lead = won - lost
        return _Slopes(
            eta=_sparse_rows(eta_entries, self.size),
            log_tie=_sparse_rows(log_tie_entries, self.size),
            by_eta=data.outcome / 2 - lead / 2,
            by_lambda=(data.outcome == 0) - tied,
            eta_spread=(won + lost) / 4 - lead**2 / 4,
            lambda_spread=tied * (1 - tied),
            covariance=-tied * lead / 2,
        )

    def _gradient_and_information(
        self,
        point: FloatArray,
    ) -> tuple[FloatArray, FloatArray]:
        slopes = self._slopes(point)
        eta = slopes.eta
        log_tie = slopes.log_tie
        weights = self.weights
        score = weights * slopes.by_eta
        tie_score = weights * slopes.by_lambda
        gradient = eta.T @ score + log_tie.T @ tie_score
        eta_spread = sparse.diags_array(weights * slopes.eta_spread)
        tie_spread = sparse.diags_array(weights * slopes.lambda_spread)
        covariance = sparse.diags_array(weights * slopes.covariance)
        eta_information = eta.T @ eta_spread @ eta
        tie_information = log_tie.T @ tie_spread @ log_tie
        mixed_information = eta.T @ covariance @ log_tie
        expected = (
            eta_information + tie_information + mixed_information + mixed_information.T
        ).toarray()
        information = self._observed_information(point, score, expected)
        self._add_prior(point, gradient, information)
        free = self._free
        gradient[free] -= self._precision[free] * point[free]
        information[np.diag_indices(self.size)] += self._free_precision
        # Parameters of effects left out are fixed.
        gradient[~free] = 0
        information[~free] = 0
        information[:, ~free] = 0
        information[~free, ~free] = 1
        return gradient, information

    def _observed_information(
        self,
        point: FloatArray,
        score: FloatArray,
        expected: FloatArray,
    ) -> FloatArray:
        """Return the observed information if it is positive definite, else the expected one."""
        data = self.data
        judge = self._discrimination.start + data.judge
        apart = point[data.first] - point[data.second]
        scale = np.exp(point[judge]) * score
        curved = np.zeros_like(expected)
        np.add.at(curved, (judge, data.first), scale)
        np.add.at(curved, (judge, data.second), -scale)
        curved += curved.T
        np.add.at(curved, (judge, judge), scale * apart)
        observed: FloatArray = expected - curved
        precision = np.where(self._free, self._precision, 1.0)
        try:
            np.linalg.cholesky(observed + np.diag(precision))
        except np.linalg.LinAlgError:
            return expected
        return observed

    def _add_prior(
        self,
        point: FloatArray,
        gradient: FloatArray,
        information: FloatArray,
    ) -> None:
        one, other = self._prior_pairs
        odds_of_other = np.exp(point[other] - point[one])
        chance = 1 / (1 + odds_of_other)
        pull = self.penalty.wins * (1 - 2 * chance)
        np.add.at(gradient, one, pull)
        np.add.at(gradient, other, -pull)
        spread = 2 * self.penalty.wins * chance * (1 - chance)
        np.add.at(information, (one, one), spread)
        np.add.at(information, (other, other), spread)
        np.add.at(information, (one, other), -spread)
        np.add.at(information, (other, one), -spread)

    def _result_at(self, point: FloatArray) -> JudgeEffectsFit:
        n = self.systems
        _gradient, information = self._gradient_and_information(point)
        met = np.zeros(n, dtype=np.bool_)
        met[np.concatenate(self._prior_pairs)] = True
        mean = met / max(1, met.sum())
        centre = (np.eye(n) - mean) * as_column(met)
        ability = centre @ point[:n]
        tie = 0.0
        if self.has_ties:
            tie = float(np.exp(point[self._log_tie]))
        return JudgeEffectsFit(
            ability=ability,
            tie=tie,
            discrimination=point[self._discrimination],
            leniency=point[self._leniency],
            effects=point[self._covariates],
            parameters=np.concatenate([ability, point[n:]]),
            response=centre @ np.linalg.inv(information)[:n],
            log_likelihood=float(self.weights @ self.log_probabilities(point)),
        )


@dataclass(frozen=True, eq=False)
class _Predictors:
    """η, λ, exp(δ) and log Z of C comparisons, each of shape (C,)."""

    eta: FloatArray
    log_tie: FloatArray
    scale: FloatArray
    log_total: FloatArray


@dataclass(frozen=True, eq=False, kw_only=True)
class _Slopes:
    """Derivatives at C comparisons.

    Attributes
    ----------
    eta, log_tie : sparse float64, shape (C, P)
        Derivatives of η and λ by the parameters.
    by_eta, by_lambda : float64, shape (C,)
        Derivatives of the log-likelihood by η and λ.
    eta_spread, lambda_spread, covariance : float64, shape (C,)
        Variances and covariance of these derivatives over outcomes.
    """

    eta: sparse.csr_array
    log_tie: sparse.csr_array
    by_eta: FloatArray
    by_lambda: FloatArray
    eta_spread: FloatArray
    lambda_spread: FloatArray
    covariance: FloatArray


def _precision_of(spread: float) -> float:
    """Return the precision of a normal prior; infinite for an effect that is left out."""
    if spread > 0:
        return 1 / spread**2
    return np.inf


def _sparse_rows(
    entries: Sequence[tuple[Int64Array, FloatArray]],
    size: int,
) -> sparse.csr_array:
    """Return C rows of P columns; each entry is the columns and the values of one value per row."""
    columns, values = zip(*entries, strict=True)
    count = len(columns[0])
    rows = np.tile(np.arange(count), len(entries))
    coordinates = (rows, np.concatenate(columns))
    return sparse.csr_array((np.concatenate(values), coordinates), shape=(count, size))


Covariates = Literal["none", "position"]
#: Decimals of the scores, as in Bradley–Terry.
_DECIMALS = 9


def davidson_judges(
    blocks: Blocks,
    *,
    weights: Weights | None = None,
    prior: float = 0.1,
    discrimination: float = 0.25,
    leniency: float = 1.0,
    covariates: Covariates = "none",
) -> Fit:
    """Fit abilities, judges' discrimination and leniency to ties, and effects of covariates.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems by J judges.
    weights : integer, shape (B,), optional
        Weight of each block; 1 if not given.
    prior, discrimination, leniency
        See `ranking.core.methods.davidson_judges.Penalty`; 0 leaves out an effect of judges.
    covariates : "none" or "position"
        Covariates in the model: none, or the position of an output.

    Returns
    -------
    Fit
        Scores are θ with mean 0, to 9 decimals. `extra`: "tie_parameter", "log_likelihood",
        "judges" with "discrimination" and "leniency" of each, and "effects" of covariates.

    Raises
    ------
    ValueError
        If a parameter is out of range.
    NotConvergedError
        If the fit does not converge.
    """
    word_check("covariates", covariates, Covariates)
    model = _model(blocks, weights, prior, discrimination, leniency, covariates)
    fit = model.fit()
    if weights is not None:
        blocks = blocks.take(weights > 0)
    tallies = tally(blocks)
    met_pairs = comparisons_per_pair(tallies.wins, tallies.ties) > 0
    met: BoolArray = np.any(met_pairs, axis=1)
    judge_weight = np.bincount(model.data.judge, model.weights, len(blocks.judges))
    judges: dict[str, JudgeEffects] = {}
    for judge in np.flatnonzero(judge_weight > 0).tolist():
        judges[blocks.judges[judge]] = {
            "discrimination": float(fit.discrimination[judge]),
            "leniency": float(fit.leniency[judge]),
        }
    extra: JudgeEffectsDiagnostics = {
        "tie_parameter": fit.tie,
        "log_likelihood": fit.log_likelihood,
        "judges": judges,
        "effects": dict(zip([covariates], fit.effects.tolist(), strict=False)),
    }
    one_sample = met_pairs[np.newaxis]
    scores = Scores(
        values=np.where(met, np.round(fit.ability, _DECIMALS), np.nan),
        estimable=met,
        group=separation(one_sample, one_sample).component[0],
        # Rounding can make equal abilities differ by one unit.
        equal_within=1.5 * 10.0**-_DECIMALS,
    )
    return Fit(scores, extra)


class JudgeEffects(TypedDict):
    """Effects of a judge, δ and τ."""

    discrimination: float
    leniency: float


class JudgeEffectsDiagnostics(TypedDict):
    """Further results of the model, as plain JSON: effects of judges and of covariates by name."""

    tie_parameter: float
    log_likelihood: float
    judges: dict[str, JudgeEffects]
    effects: dict[Covariates, float]


def davidson_judges_block_influence(blocks: Blocks, **parameters: Any) -> FloatArray:
    """Return the influence of each of B blocks on the abilities, float64 of shape (B, n)."""
    model = _model(blocks, None, **parameters)
    return model.block_influence(model.fit(), len(blocks))


def _model(
    blocks: Blocks,
    weights: Weights | None,
    prior: float,
    discrimination: float,
    leniency: float,
    covariates: Covariates,
) -> JudgeEffectsModel:
    if not prior > 0:
        raise ValueError("prior: expected a number of wins above 0")
    if discrimination < 0 or leniency < 0:
        raise ValueError("discrimination and leniency must not be negative")
    covariate = None
    if covariates == "position":
        covariate = shown_position(blocks)
    comparisons = comparisons_of(blocks, covariate)
    if weights is None:
        comparison_weights = None
    else:
        comparison_weights = weights[comparisons.block].astype(np.float64)
    return JudgeEffectsModel(
        comparisons,
        systems=len(blocks.systems),
        judges=len(blocks.judges),
        penalty=Penalty(wins=prior, discrimination=discrimination, leniency=leniency),
        weights=comparison_weights,
    )
