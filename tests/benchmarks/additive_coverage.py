"""How often intervals of the additive model of scores hold the truth where segments of a document are alike.

    python -m tests.benchmarks.additive_coverage [--campaigns 400] [--first-seed 0]

Simulated campaigns of scores (`tests.simulated.scores`) in which documents of ten segments suit
systems differently. For each world, with documents ignored and with documents as units: the share of
effects outside their intervals (promised: 5 %), of ranks outside their sets, both with standard
errors over campaigns, and the mean width of an interval in points.
"""

import argparse
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from protocols.spans.statistics.columns import score_columns
from ranking.core.scored.additive import AdditiveFit, fit_additive
from ranking.core.scored.columns import ScoreColumns
from tests.benchmarks import say
from tests.simulated.scores import SpanModel, simulate_spans

FloatArray = npt.NDArray[np.float64]

_SHORT = SpanModel(systems=6, outputs=3, screens=2)
WORLDS: dict[str, SpanModel] = {
    "15 documents of nothing in common": replace(_SHORT, segments=150),
    "15 documents, SD 3": replace(_SHORT, segments=150, document_sd=3),
    "15 documents, SD 3, adaptive": replace(
        _SHORT,
        segments=150,
        document_sd=3,
        sampling="adaptive",
    ),
    "15 documents, SD 3, liking 2": replace(
        _SHORT,
        segments=150,
        document_sd=3,
        liking_sd=2,
    ),
    "8 documents, SD 3": replace(_SHORT, segments=80, document_sd=3),
    "5 documents, SD 3": replace(_SHORT, segments=50, document_sd=3),
    "8 documents, SD 3, equal systems": replace(
        _SHORT,
        segments=80,
        document_sd=3,
        spread=0,
    ),
}


@dataclass(frozen=True)
class Outside:
    """Shares of effects and of ranks outside, and the mean width of an interval, of one campaign."""

    effects: float
    ranks: float
    width: float


def without_documents(columns: ScoreColumns) -> ScoreColumns:
    return replace(columns, documents=("",) * len(columns.documents))


def measured(fit: AdditiveFit, quality: FloatArray) -> Outside:
    better = quality > quality[:, np.newaxis] + 1e-9
    best = 1 + np.count_nonzero(better, axis=1)
    worst = len(quality) - np.count_nonzero(better, axis=0)
    missed = (fit.ranges.low > best) | (fit.ranges.high < worst)
    return Outside(
        effects=float(np.mean((fit.low > quality) | (quality > fit.high))),
        ranks=float(np.mean(missed)),
        width=float(np.mean(fit.high - fit.low)),
    )


def simulate(name: str, model: SpanModel, seeds: range) -> None:
    rows: dict[str, list[Outside]] = {"ignored": [], "as units": []}
    for seed in seeds:
        campaign = simulate_spans(model, seed=seed)
        columns = score_columns(campaign.judgments)
        for kind, counted in (
            ("ignored", without_documents(columns)),
            ("as units", columns),
        ):
            fit = fit_additive(counted, seed=seed)
            if not fit.shortages:
                rows[kind].append(measured(fit, campaign.quality))
    for kind, found in rows.items():
        effects, ranks = (
            np.array([getattr(row, part) for row in found])
            for part in ("effects", "ranks")
        )
        width = np.mean([row.width for row in found])
        say(
            f"| {name} | {kind} | {_percent(effects)} | {_percent(ranks)} | {width:.2f} |",
        )


def _percent(values: FloatArray) -> str:
    return f"{100 * values.mean():.1f} ± {100 * values.std(ddof=1) / len(values) ** 0.5:.1f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--campaigns", type=int, default=400)
    parser.add_argument("--first-seed", type=int, default=0)
    options = parser.parse_args()
    seeds = range(options.first_seed, options.first_seed + options.campaigns)
    say(f"{options.campaigns} campaigns, seeds {options.first_seed} …")
    say("| world | documents | effects outside, % | ranks outside, % | width |")
    say("|---|---|---|---|---|")
    for name, model in WORLDS.items():
        simulate(name, model, seeds)


if __name__ == "__main__":
    main()
