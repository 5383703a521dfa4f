"""How often intervals of F1 of marked spans hold: `python -m tests.benchmarks.span_agreement_coverage`.

Outputs have 1.5 errors on average, of 1 to 20 characters. A judge finds each with a probability of the judge's, 0.5 to
0.8, which is lower or higher in a whole segment with `hardness`, and takes it for major as the others do with probability
0.8. The interval is for the same judges and other segments: what it should hold is F1 of the same judges in 20,000
segments. Of 1,000 campaigns in each world (`--campaigns`), those with an interval of 95 %.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity, Span
from protocols.spans.statistics.span_agreement import SpanAgreement, span_agreement

#: Name, segments, judges, outputs of a segment, and the standard deviation of a segment's hardness, in logits.
WORLDS = (
    ("10 segments, two judges", 10, 2, 1, 0.0),
    ("10 segments of 4 outputs, two judges, hardness 1", 10, 2, 4, 1.0),
    ("30 segments, two judges", 30, 2, 1, 0.0),
    ("30 segments, two judges, hardness 1", 30, 2, 1, 1.0),
    ("30 segments of 4 outputs, three judges, hardness 1", 30, 3, 4, 1.0),
    ("100 segments, two judges, hardness 1", 100, 2, 1, 1.0),
    ("100 segments of 4 outputs, three judges, hardness 1", 100, 3, 4, 1.0),
)
_ENOUGH = 20_000


def simulated(
    segments: int, judges: int, outputs: int, hardness: float, rng: np.random.Generator
) -> list[ScoredJudgment]:
    """Return the judgments of all judges of all segments."""
    found = []
    skills = np.linspace(0, 1.4, judges)
    for segment in range(segments):
        chances = 1 / (1 + np.exp(rng.normal(0, hardness) - skills))
        errors = [
            [
                (40 * at, 40 * at + int(length))
                for at, length in enumerate(rng.integers(1, 21, count))
            ]
            for count in rng.poisson(1.5, outputs)
        ]
        for judge, chance in enumerate(chances):
            marked = [
                tuple(
                    Span(start, end, Severity.MAJOR if rng.random() < 0.8 else Severity.MINOR)
                    for start, end in each
                    if rng.random() < chance
                )
                for each in errors
            ]
            found.append(
                ScoredJudgment(
                    *("en", "de", "", str(segment), f"judge {judge}"),
                    tuple(
                        ScoredOutput((f"system {system}",), None, spans)
                        for system, spans in enumerate(marked)
                    ),
                )
            )
    return found


def held(found: SpanAgreement, truth: SpanAgreement) -> list[float]:
    """Return 1 where an interval holds the truth, weighted and unweighted; NaN where there is none."""
    ends = ((found.low, found.high), (found.unweighted_low, found.unweighted_high))
    values = (truth.f1, truth.unweighted)
    return [
        np.nan if low is None or high is None or value is None else float(low <= value <= high)
        for (low, high), value in zip(ends, values, strict=True)
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=1000)
    campaigns = parser.parse_args().campaigns
    sys.stdout.write(
        "| world | F1 holds, % | unweighted, % | without an interval, % |\n|---|---|---|---|\n"
    )
    for name, segments, judges, outputs, hardness in WORLDS:
        truth = span_agreement(
            simulated(_ENOUGH, judges, outputs, hardness, np.random.default_rng(1))
        )
        of_campaigns = np.array(
            [
                held(
                    span_agreement(
                        simulated(
                            segments, judges, outputs, hardness, np.random.default_rng((2, seed))
                        )
                    ),
                    truth,
                )
                for seed in range(campaigns)
            ]
        )
        share = 100 * np.nanmean(of_campaigns, axis=0)
        without = 100 * np.isnan(of_campaigns[:, 0]).mean()
        sys.stdout.write(f"| {name} | {share[0]:.1f} | {share[1]:.1f} | {without:.1f} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
