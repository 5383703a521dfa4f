"""Which rankings are kept for good: the milestones of a test set, not each ranking that was shown.

Whatever is not kept follows again, bit for bit, from its watermark and parameters.
"""

from datetime import UTC, datetime

from ranking.models import KeptFor, RankingRun


def kept_for(
    run: RankingRun,
    *,
    last: RankingRun | None,
    is_asked: bool = False,
    is_first_of_rule: bool = False,
) -> KeptFor | None:
    """Return why a new ranking is kept, or None; `last` is the newest one kept.

    `is_first_of_rule`: no ranking before met the stopping rule that this one meets.

    With N judgments, growth keeps at most 50 + ln(N / 50) / ln(1.02) of them: 550 for a million.
    """
    if last is None:
        return KeptFor.FIRST
    if run.recipe != last.recipe:
        return KeptFor.PARAMETERS
    if is_first_of_rule:
        return KeptFor.RULE
    if is_asked:
        return KeptFor.ASKED
    if 100 * run.watermark >= 102 * last.watermark:
        return KeptFor.GROWTH
    return None


def is_last_of_its_day(finished_at: datetime, *, now: datetime) -> bool:
    """Return whether a ranking that was the latest until now is the last of its day, by UTC."""
    return finished_at.astimezone(UTC).date() < now.astimezone(UTC).date()
