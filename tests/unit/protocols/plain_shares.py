"""The interval of a share of clustered trials, written from Korn and Graubard (1998): a second implementation."""

from collections.abc import Sequence

from scipy import stats
from statsmodels.stats.proportion import proportion_confint


def plain_interval(
    clusters: Sequence[tuple[int, int]], confidence: float = 0.95
) -> tuple[float, float]:
    """Return the interval of successes and trials by cluster; there is a trial."""
    kept = [(won, of) for won, of in clusters if of]
    number, won, of = len(kept), sum(each[0] for each in kept), sum(each[1] for each in kept)
    value, alpha = won / of, 1 - confidence
    if of == number:
        effective = float(of)
    elif number < 2 or value in (0, 1) or len({one / all_ for one, all_ in kept}) == 1:
        effective = float(number)
    else:
        between = number / (number - 1) * sum((one - value * all_) ** 2 for one, all_ in kept)
        effect = between / of**2 / (value * (1 - value) / of)
        shorter = stats.t.ppf(alpha / 2, of - 1) / stats.t.ppf(alpha / 2, number - 1)
        effective = of / max(1.0, effect) * shorter**2
    low, high = proportion_confint(value * effective, effective, alpha=alpha, method="beta")
    return float(low), float(high)
