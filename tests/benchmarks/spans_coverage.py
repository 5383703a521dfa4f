"""How often intervals and rank ranges of the additive model hold the truth: simulated campaigns of scores.

python -m tests.benchmarks.spans_coverage                # the tables of docs/protocols.md, two minutes
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

import numpy as np

from protocols.spans.statistics.additive import Level, fit_additive
from protocols.spans.statistics.columns import score_columns
from tests.benchmarks import say
from tests.simulated.scores import SpanModel, simulate_spans

ADAPTIVE = SpanModel(sampling="adaptive")
HARDER = replace(ADAPTIVE, trend=30)
LIKING = replace(HARDER, liking_sd=3)
LARGE: tuple[tuple[str, SpanModel, Level], ...] = (
    ("balanced", SpanModel(), "two_way"),
    ("adaptive", ADAPTIVE, "two_way"),
    ("adaptive, harder", HARDER, "two_way"),
    ("adaptive, harder, liking", LIKING, "two_way"),
    ("the same", LIKING, "segments"),
    ("two screens a segment", replace(LIKING, screens=2), "two_way"),
    ("five judges", replace(LIKING, judges=5), "two_way"),
    ("thirty judges", replace(LIKING, judges=30), "two_way"),
    ("harder, one output, three screens", replace(HARDER, outputs=1, screens=3), "two_way"),
)
#: Judges, segments and equal systems.
SMALL = ((3, 10, 4), (4, 6, 4), (6, 30, 6))


def of_model(model: SpanModel, level: Level, campaigns: int) -> str:
    """Return what fails of intervals and ranks, in %, with biases of the best and the worst system, and the error."""
    failed, ranks, away, none = [], [], [], 0
    for seed in range(campaigns):
        campaign = simulate_spans(model, seed=seed)
        fit = fit_additive(score_columns(campaign.judgments), level=level, seed=seed)
        if len(fit.systems) < model.systems or not np.isfinite(fit.error).all():
            none += 1
            continue
        truth = campaign.quality
        failed.append((fit.low > truth) | (fit.high < truth))
        better = np.count_nonzero(truth > truth[:, np.newaxis], axis=1)
        worse = np.count_nonzero(truth < truth[:, np.newaxis], axis=1)
        # All ranks that equal systems share.
        ranks.append((fit.ranges.low > 1 + better) | (fit.ranges.high < len(truth) - worse))
        away.append(fit.effect - truth)
    of_campaign = np.mean(failed, axis=1)
    bias = np.mean(away, axis=0)
    return (
        f"intervals {100 * of_campaign.mean():.1f} ± {100 * of_campaign.std() / len(failed) ** 0.5:.1f}, "
        f"ranks {100 * np.mean(ranks):.1f}, bias {bias[0]:+.2f}, {bias[-1]:+.2f}, "
        f"rmse {np.mean(np.square(away)) ** 0.5:.2f}, without an interval {none}"
    )


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=300)
    parser.add_argument("--small-campaigns", type=int, default=150)
    options = parser.parse_args(arguments)
    for judges, segments, systems in SMALL:
        for screens in (1, 2):
            for liking in (0, 3):
                model = replace(
                    ADAPTIVE,
                    systems=systems,
                    segments=segments,
                    judges=judges,
                    screens=screens,
                    liking_sd=liking,
                    spread=0,
                    cold_start=5,
                )
                found = of_model(model, "two_way", options.small_campaigns)
                say(f"{judges} judges, {segments} segments, {screens=}, {liking=}: {found}")
    for name, model, level in LARGE:
        say(f"{name}, {level}: {of_model(model, level, options.campaigns)}")


if __name__ == "__main__":
    main(sys.argv[1:])
