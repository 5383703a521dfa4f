"""Words for rankings by Lopez that take long, said before they begin."""

from __future__ import annotations

import os

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.core.judged.blocks import Blocks
from ranking.core.rankings.find_ranges import seconds_of_resamples
from ranking.range_choices import RangeChoice

#: Shorter rankings are not announced.
LONG = 10.0
_MINUTE, _HOUR = 60, 3600


def lopez_announcement(
    blocks: Blocks,
    choice: RangeChoice,
    *,
    resamples: int,
    seed: int,
    jobs: int,
    time_limit: float,
) -> str | None:
    """Say how long ranking by Lopez is going to take; None if it is short or nothing is resampled."""
    if choice.ranges not in ("percentile", "confidence_set"):
        return None
    seconds = seconds_of_resamples(
        blocks, resample=choice.resample, resamples=resamples, seed=seed, time_limit=time_limit
    ) / min(jobs, os.cpu_count() or 1)
    if seconds <= LONG:
        return None
    return _(
        "Lopez with %(systems)s systems: %(resamples)s resamples take about %(time)s. Ask for "
        "fewer with --resamples."
    ) % {
        "systems": len(blocks.systems),
        "resamples": number_format(resamples),
        "time": _duration(seconds),
    }


def _duration(seconds: float) -> str:
    """Return seconds as a round number of a fitting unit."""
    if seconds < 1.5 * _MINUTE:
        count = max(10, 10 * round(seconds / 10))
        phrase = ngettext("%(count)s second", "%(count)s seconds", count)
    elif seconds < 1.5 * _HOUR:
        count = round(seconds / _MINUTE)
        phrase = ngettext("%(count)s minute", "%(count)s minutes", count)
    else:
        count = round(seconds / _HOUR)
        phrase = ngettext("%(count)s hour", "%(count)s hours", count)
    return phrase % {"count": number_format(count)}
