"""The interval of a share of trials that share segments and judges, written from the papers: a second implementation."""

from collections.abc import Sequence

from scipy import stats
from statsmodels.stats.proportion import proportion_confint

#: Successes, trials, segment and judge.
Row = tuple[int, int, int, int]


def _clusters(rows: Sequence[Row], column: int) -> list[tuple[int, int]]:
    found: dict[int, list[int]] = {}
    for row in rows:
        cell = found.setdefault(row[column], [0, 0])
        cell[0] += row[0]
        cell[1] += row[1]
    return [(won, of) for won, of in found.values()]


def _design_effect(clusters: Sequence[tuple[int, int]]) -> float:
    """Return the variance of the share as a ratio of cluster totals, over that of independent trials; 0 where none is seen."""
    number, of = len(clusters), sum(each[1] for each in clusters)
    value = sum(each[0] for each in clusters) / of
    if number < 2 or value in (0, 1):
        return 0.0
    apart = [won - value * all_ for won, all_ in clusters]
    if max(map(abs, apart)) < 1e-12:
        return 0.0
    between = number / (number - 1) * sum(each**2 for each in apart) / of**2
    return between / (value * (1 - value) / of)


def plain_interval(
    rows: Sequence[Row],
    confidence: float = 0.95,
) -> tuple[float, float]:
    """Return the interval; there is a trial."""
    rows = [row for row in rows if row[1]]
    won, of = sum(row[0] for row in rows), sum(row[1] for row in rows)
    value, alpha = won / of, 1 - confidence
    segments, judges = (_clusters(rows, column) for column in (2, 3))
    # One judge says nothing about others. A cluster of a single trial has the variance of that trial.
    ways = [
        each
        for each in (segments, judges)
        if len(each) > 1 and any(cell[1] > 1 for cell in each)
    ]
    effects = [_design_effect(each) for each in ways]
    if len(segments) == 1 < of:
        effective = 1.0
    elif not ways:
        effective = float(of)
    elif value in (0, 1) or not any(effects):
        effective = float(min(map(len, ways)))
    else:
        effect = max(1.0, *effects)
        if len(ways) == 2:
            singles = [row[1] for row in rows]
            of_rows = (
                1.0 if max(singles) == 1 else _design_effect([row[:2] for row in rows])
            )
            effect = max(effect, sum(effects) - of_rows)
        uncertain = [
            max(1.0, one) ** 2 / (len(way) - 1)
            for one, way in zip(effects, ways, strict=True)
        ]
        degrees = max(1.0, effect**2 / sum(uncertain))
        ratio = stats.t.ppf(alpha / 2, max(1, of - 1)) / stats.t.ppf(alpha / 2, degrees)
        effective = of / effect * min(1.0, ratio) ** 2
    low, high = proportion_confint(
        value * effective,
        effective,
        alpha=alpha,
        method="beta",
    )
    return float(low), float(high)
