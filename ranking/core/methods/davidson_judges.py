"""Davidson's model with judges' effects: leniency to ties, and discrimination of outputs.

In a block judged by j, with log-worths θ,

    η = exp(δ_j) (θ_a − θ_b) + Σ_k β_k (x_ka − x_kb),    λ = log ν + τ_j
    P(a better) = exp(η/2) / Z,   P(tie) = exp(λ) / Z,   P(b better) = exp(−η/2) / Z

where Z is their sum. δ_j is the judge's *discrimination* (above 0: the judge separates outputs more reliably than others),
τ_j the judge's *leniency to ties*, both with normal priors around 0, and β the effects of *covariates* x such as the
position of an output. Pairs of compared systems get the prior wins of `ranking.core.methods.bradley_terry`, from an average
judge. Without judges' effects and covariates, the model is Davidson's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse

from ranking.core.arrays import BoolArray, FloatArray, Int64Array
from ranking.core.counting.counts import (
    Comparisons,
    comparisons_of,
    shown_position,
    tally,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.bradley_terry import separation
from ranking.core.methods.method import Fit, Weights
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
            weight = np.ones(len(comparisons.first))
        else:
            weight = weights
        counted = weight > 0
        columns = [
            getattr(comparisons, name)
            for name in ("first", "second", "judge", "outcome")
        ]
        kinds, kind = np.unique(
            np.column_stack([*columns, comparisons.covariates])[counted],
            axis=0,
            return_inverse=True,
        )
        first, second, judge, outcome = kinds[:, :4].astype(np.int64).T
        no_block = np.zeros_like(first)
        self.data = Comparisons(first, second, judge, no_block, outcome, kinds[:, 4:])
        self.weights = np.bincount(kind, weight[counted], len(kinds)).astype(np.float64)
        self._of_blocks = weight[counted], (comparisons.block[counted], kind)
        self.has_ties = bool(np.any(outcome == 0))
        pairs = np.unique(np.sort(np.stack([first, second]), axis=0), axis=1)
        self._prior_pairs: tuple[Int64Array, Int64Array] = (pairs[0], pairs[1])
        self._precision = self._prior_precision()

    def fit(self) -> JudgeEffectsFit:
        """Return the maximum penalised likelihood fit.

        Raises
        ------
        NotConvergedError
            If the method does not converge.
        """

        def derivatives(point: FloatArray) -> tuple[FloatArray, FloatArray]:
            gradient, information = self._gradient_and_information(point[0])
            return gradient[np.newaxis], information[np.newaxis]

        [at], [converged] = maximise(
            lambda at: np.array([self._objective(at[0])]),
            derivatives,
            np.zeros((1, self.size)),
            most_steps=_MAX_STEPS,
        )
        if not converged:
            raise NotConvergedError(
                f"the judges' effects did not converge in {_MAX_STEPS} steps"
            )
        return self._result_at(at)

    def block_influence(self, fit: JudgeEffectsFit, blocks: int) -> FloatArray:
        """Return the influence of each of B blocks on the abilities, shape (B, n).

        It is one scoring step from the fit: the response to the gradient of the block's
        comparisons. A judge's prior exists only with the judge, so it is divided among their
        comparisons.
        """
        of_eta, of_lambda, (score_eta, score_lambda, *_) = self._derivatives(
            fit.parameters
        )
        gradients = sparse.diags_array(score_eta) @ of_eta
        gradients = gradients + sparse.diags_array(score_lambda) @ of_lambda
        gradients = gradients - self._expected_of_judges(fit.parameters)
        member = sparse.csr_array(self._of_blocks, shape=(blocks, len(self.weights)))
        return np.asarray((member @ gradients) @ fit.response.T)

    def _expected_of_judges(self, point: FloatArray) -> sparse.csr_array:
        """Return each comparison's share of the gradient of its judge's prior, shape (C, P)."""
        pull = np.where(self._free, self._precision, 0.0) * point
        start = self.systems + 1
        judge = self.data.judge
        share = (
            1 / np.maximum(np.bincount(judge, self.weights, self.judges), 1e-12)[judge]
        )
        columns = [start + judge, start + self.judges + judge]
        return _sparse(
            np.arange(len(judge)),
            [(column, pull[column] * share) for column in columns],
            self.size,
        )

    def _prior_precision(self) -> FloatArray:
        precision = np.full(self.size, _RIDGE)
        start = self.systems + 1
        for spread in (self.penalty.discrimination, self.penalty.leniency):
            if spread > 0:
                precision[start : start + self.judges] = 1 / spread**2
            else:
                precision[start : start + self.judges] = np.inf
            start += self.judges
        precision[start:] = 1 / self.penalty.covariate**2
        return precision

    @property
    def _free(self) -> BoolArray:
        """Mask of the parameters that are fitted: all except those of effects left out."""
        return np.isfinite(self._precision)

    def _predictors(
        self, point: FloatArray
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        data = self.data
        n = self.systems
        judges = self.judges
        scale = np.exp(point[n + 1 : n + 1 + judges])[data.judge]
        apart = point[data.first] - point[data.second]
        eta = scale * apart + data.covariates @ point[n + 1 + 2 * judges :]
        lenient = point[n] + point[n + 1 + judges : n + 1 + 2 * judges][data.judge]
        if not self.has_ties:
            lenient = np.full(len(eta), -np.inf)
        return eta, lenient, scale

    def log_probabilities(self, point: FloatArray) -> FloatArray:
        """Return the log probability of each comparison's outcome with these parameters, shape
        (C,).
        """
        eta, lenient, _scale = self._predictors(point)
        log_z = np.logaddexp(np.logaddexp(eta / 2, -eta / 2), lenient)
        of_outcome = np.where(
            self.data.outcome == 0, lenient, self.data.outcome * eta / 2
        )
        return np.asarray(of_outcome - log_z)

    def _objective(self, point: FloatArray) -> float:
        free = self._free
        one, other = self._prior_pairs
        apart = point[one] - point[other]
        prior = self.penalty.wins * float(np.sum(apart - 2 * np.logaddexp(apart, 0.0)))
        penalty = float(np.sum(self._precision[free] * point[free] ** 2)) / 2
        return float(self.weights @ self.log_probabilities(point)) + prior - penalty

    def _derivatives(
        self, point: FloatArray
    ) -> tuple[sparse.csr_array, sparse.csr_array, tuple[FloatArray, ...]]:
        """Return derivatives of η and λ by the parameters, and of the log-likelihood by η and λ."""
        data = self.data
        n = self.systems
        judges = self.judges
        eta, lenient, scale = self._predictors(point)
        log_z = np.logaddexp(np.logaddexp(eta / 2, -eta / 2), lenient)
        won = np.exp(eta / 2 - log_z)
        lost = np.exp(-eta / 2 - log_z)
        tied = np.exp(lenient - log_z)
        rows = np.arange(len(eta))
        width = data.covariates.shape[1]
        columns: Sequence[tuple[Int64Array, FloatArray]] = [
            (data.first, scale),
            (data.second, -scale),
            (n + 1 + data.judge, scale * (point[data.first] - point[data.second])),
            *(
                (np.full(len(eta), n + 1 + 2 * judges + k), data.covariates[:, k])
                for k in range(width)
            ),
        ]
        of_eta = _sparse(rows, columns, self.size)
        ones = np.ones(len(eta))
        of_lambda = _sparse(
            rows,
            [(np.full(len(eta), n), ones), (n + 1 + judges + data.judge, ones)],
            self.size,
        )
        score_eta = data.outcome / 2 - (won - lost) / 2
        score_lambda = (data.outcome == 0) - tied
        of_both = -tied * (won - lost) / 2
        spread_eta = (won + lost) / 4 - (won - lost) ** 2 / 4
        by_both = (score_eta, score_lambda, spread_eta, tied * (1 - tied), of_both)
        return of_eta, of_lambda, by_both

    def _gradient_and_information(
        self, point: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        of_eta, of_lambda, (score_eta, score_lambda, ee, ll, el) = self._derivatives(
            point
        )
        w = self.weights
        free = self._free
        gradient = of_eta.T @ (w * score_eta) + of_lambda.T @ (w * score_lambda)
        crossed = of_eta.T @ sparse.diags_array(w * el) @ of_lambda
        information = (
            of_eta.T @ sparse.diags_array(w * ee) @ of_eta
            + of_lambda.T @ sparse.diags_array(w * ll) @ of_lambda
            + crossed
            + crossed.T
        ).toarray()
        information = self._observed(point, w * score_eta, information)
        self._add_prior(point, gradient, information)
        gradient[free] -= self._precision[free] * point[free]
        information[np.diag_indices(self.size)] += np.where(free, self._precision, 0.0)
        # Parameters of effects left out are fixed.
        gradient[~free] = 0
        information[~free] = 0
        information[:, ~free] = 0
        information[~free, ~free] = 1
        return gradient, information

    def _observed(
        self, point: FloatArray, score: FloatArray, expected: FloatArray
    ) -> FloatArray:
        """Return the observed information if it is positive definite, else the expected one."""
        data = self.data
        n = self.systems
        of_judge = n + 1 + data.judge
        scale = np.exp(point[of_judge]) * score
        curved = np.zeros_like(expected)
        for system, sign in ((data.first, 1), (data.second, -1)):
            np.add.at(curved, (of_judge, system), sign * scale)
        curved += curved.T
        np.add.at(
            curved,
            (of_judge, of_judge),
            scale * (point[data.first] - point[data.second]),
        )
        observed: FloatArray = expected - curved
        try:
            np.linalg.cholesky(
                observed + np.diag(np.where(self._free, self._precision, 1.0))
            )
        except np.linalg.LinAlgError:
            return expected
        return observed

    def _add_prior(
        self, point: FloatArray, gradient: FloatArray, information: FloatArray
    ) -> None:
        one, other = self._prior_pairs
        chance = 1 / (1 + np.exp(point[other] - point[one]))
        pull = self.penalty.wins * (1 - 2 * chance)
        np.add.at(gradient, one, pull)
        np.add.at(gradient, other, -pull)
        firm = 2 * self.penalty.wins * chance * (1 - chance)
        for row, column, sign in (
            (one, one, 1),
            (other, other, 1),
            (one, other, -1),
            (other, one, -1),
        ):
            np.add.at(information, (row, column), sign * firm)

    def _result_at(self, point: FloatArray) -> JudgeEffectsFit:
        n = self.systems
        judges = self.judges
        _gradient, information = self._gradient_and_information(point)
        met = np.zeros(n, dtype=np.bool_)
        met[np.concatenate(self._prior_pairs)] = True
        centre = (np.eye(n) - met / max(1, met.sum())) * met[:, np.newaxis]
        return JudgeEffectsFit(
            ability=centre @ point[:n],
            tie=float(np.exp(point[n])) if self.has_ties else 0.0,
            discrimination=point[n + 1 : n + 1 + judges],
            leniency=point[n + 1 + judges : n + 1 + 2 * judges],
            effects=point[n + 1 + 2 * judges :],
            parameters=np.concatenate([centre @ point[:n], point[n:]]),
            response=centre @ np.linalg.inv(information)[:n],
            log_likelihood=float(self.weights @ self.log_probabilities(point)),
        )


def _sparse(
    rows: Int64Array, columns: Sequence[tuple[Int64Array, FloatArray]], size: int
) -> sparse.csr_array:
    return sparse.csr_array(
        (
            np.concatenate([values for _column, values in columns]),
            (
                np.tile(rows, len(columns)),
                np.concatenate([column for column, _ in columns]),
            ),
        ),
        shape=(len(rows), size),
    )


Covariates = Literal["none", "position"]
#: Decimals of the scores, as in Bradley–Terry.
_DECIMALS = 9


def davidson_judges(
    blocks: Blocks,
    *,
    seed: int = 0,
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
    seed : int
        Not used, because the method is deterministic.
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
    del seed
    model, fit = _fitted(blocks, weights, prior, discrimination, leniency, covariates)
    tallies = tally(blocks if weights is None else blocks.take(weights > 0))
    met_pairs = (tallies.wins + tallies.wins.T + tallies.ties) > 0
    met: BoolArray = np.any(met_pairs, axis=1)
    seen = np.bincount(model.data.judge, model.weights, len(blocks.judges)) > 0
    extra: dict[str, Any] = {
        "tie_parameter": fit.tie,
        "log_likelihood": fit.log_likelihood,
        "judges": {
            blocks.judges[judge]: {
                "discrimination": float(fit.discrimination[judge]),
                "leniency": float(fit.leniency[judge]),
            }
            for judge in np.flatnonzero(seen).tolist()
        },
        "effects": dict(zip([covariates], fit.effects.tolist(), strict=False)),
    }
    component = separation(met_pairs[np.newaxis], met_pairs[np.newaxis]).component[0]
    return Fit(
        scores=Scores(
            values=np.where(met, np.round(fit.ability, _DECIMALS), np.nan),
            estimable=met,
            group=component,
            # Rounding can make equal abilities differ by one unit.
            equal_within=1.5 * 10.0**-_DECIMALS,
        ),
        extra=extra,
    )


def davidson_judges_block_influence(blocks: Blocks, **parameters: Any) -> FloatArray:
    """Return the influence of each of B blocks on the abilities, float64 of shape (B, n)."""
    model, fit = _fitted(blocks, None, **parameters)
    return model.block_influence(fit, len(blocks))


def _fitted(
    blocks: Blocks,
    weights: Weights | None,
    prior: float,
    discrimination: float,
    leniency: float,
    covariates: Covariates,
) -> tuple[JudgeEffectsModel, JudgeEffectsFit]:
    if not prior > 0:
        raise ValueError("prior: expected a number of wins above 0")
    if discrimination < 0 or leniency < 0:
        raise ValueError("discrimination and leniency must not be negative")
    comparisons = comparisons_of(
        blocks, shown_position(blocks) if covariates == "position" else None
    )
    model = JudgeEffectsModel(
        comparisons,
        systems=len(blocks.systems),
        judges=len(blocks.judges),
        penalty=Penalty(wins=prior, discrimination=discrimination, leniency=leniency),
        weights=None
        if weights is None
        else weights[comparisons.block].astype(np.float64),
    )
    return model, model.fit()
