"""Davidson's model with judges' effects, as functions for the registry of methods."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ranking.core.counting.comparisons import comparisons_of, shown_position
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.davidson.judge_effects import JudgeEffectsFit, JudgeEffectsModel, Penalty
from ranking.core.methods.davidson.separation import separation
from ranking.core.methods.method import Fit
from ranking.core.scores import Scores

FloatArray = npt.NDArray[np.float64]
Weights = npt.NDArray[np.integer]

Covariates = Literal["none", "position"]
#: Decimals of the scores, as for Bradley–Terry.
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
        Not used, because nothing is drawn.
    weights : integer, shape (B,), optional
        How often each block counts; once if not given.
    prior, discrimination, leniency
        See `ranking.core.methods.davidson.judge_effects.Penalty`; 0 leaves an effect of judges out.
    covariates : "none" or "position"
        Whether the model has an effect of the position of an output.

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
    del seed
    model, fit = _fitted(blocks, weights, prior, discrimination, leniency, covariates)
    tallies = tally(blocks if weights is None else blocks.take(weights > 0))
    met_pairs = (tallies.wins + tallies.wins.T + tallies.ties) > 0
    met: npt.NDArray[np.bool_] = np.any(met_pairs, axis=1)
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
            # Rounding can set equal abilities one unit apart.
            equal_within=1.5 * 10.0**-_DECIMALS,
        ),
        extra=extra,
    )


def davidson_judges_block_influence(
    blocks: Blocks,
    *,
    prior: float,
    discrimination: float,
    leniency: float,
    covariates: Covariates,
) -> FloatArray:
    """Return the influence of each of B blocks on the abilities, float64 of shape (B, n)."""
    model, fit = _fitted(blocks, None, prior, discrimination, leniency, covariates)
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
    known = {"position": shown_position(blocks)} if covariates == "position" else {}
    # Sums of floats depend on their order, results must not: blocks are sorted by key.
    order = np.argsort(blocks.key, kind="stable")
    found = comparisons_of(
        blocks.take(order), {name: values[order] for name, values in known.items()}
    )
    comparisons = replace(found, block=order[found.block])
    model = JudgeEffectsModel(
        comparisons,
        systems=len(blocks.systems),
        judges=len(blocks.judges),
        penalty=Penalty(wins=prior, discrimination=discrimination, leniency=leniency),
        weights=None if weights is None else weights[comparisons.block].astype(np.float64),
    )
    return model, model.fit()
