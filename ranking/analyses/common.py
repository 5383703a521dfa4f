"""Options that several kinds of analyses have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _

from ranking.analyses.options import Option
from ranking.core.agreement.intervals import KAPPA_LEVELS
from ranking.core.methods.registry import METHODS
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.pair_tests import LEVEL_WORDS

SEED = Option(
    name="seed",
    label=_("Seed"),
    default=0,
    low=0,
    high=2**32 - 1,
    help=_("Of all random numbers: the same seed gives the same figures."),
)
CONFIDENCE = Option(
    name="confidence",
    label=_("Confidence"),
    default=0.95,
    low=0,
    high=0.999,
    is_open=False,
    help=_("Of ranges and intervals, between 0 and 1."),
)
RESAMPLES = Option(name="resamples", label=_("Resamples"), default=1000, low=100, high=10_000)
METHOD = Option(
    name="method",
    label=_("Method"),
    default="expected_wins",
    choices={name: METHOD_WORDS[name] for name in METHODS},
)
#: What intervals of κ take for drawn at random.
KAPPA_LEVEL = Option(
    name="resample",
    label=_("Intervals account for"),
    default="two_way",
    choices={level: LEVEL_WORDS[level] for level in KAPPA_LEVELS},
)


def kappa_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of functions of the core that measure κ."""
    return {name: options[name] for name in ("resample", "resamples", "confidence", "seed")}


def swaps_in_words(swapped: Sequence[tuple[str, str]]) -> str:
    """Return pairs in another order, the better one by the first order named last."""
    return "; ".join(f"{worse} > {better}" for better, worse in swapped)
