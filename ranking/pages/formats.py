"""Figures as the dashboard prints them, in the reader's language."""

from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.formats import number_format
from django.utils.timesince import timesince
from django.utils.translation import gettext as _

from annotation.selectors import JudgeStatus
from campaign.models import Task
from campaign.texts.languages import language_name
from ranking.wording.agreement import no_interval_in_words
from ranking.wording.numbers import by_language, decimals

_NOTHING = "–"


def kappa(value: float | None) -> str:
    """Return κ with two decimals and a true minus sign; a dash without a κ."""
    if value is None:
        return _NOTHING
    # Readers do not know "-0".
    return _two_decimals(round(value, 2) + 0.0)


@by_language
def _two_decimals(value: float) -> str:
    return number_format(value, decimal_pos=2).replace("-", "−")


@by_language
def figure(value: int | None) -> str:
    """Return a whole number, with its thousands apart; a dash without one."""
    return _NOTHING if value is None else number_format(value)


@by_language
def why_no_interval(reason: str) -> str:
    """Return why a κ has no interval."""
    return no_interval_in_words(reason)


def share(value: float | None) -> str:
    """Return a share in whole per cent; only exact ones are shown as 0 or 100."""
    if value is None:
        return _NOTHING
    return _per_cent(whole_per_cent(value))


def whole_per_cent(value: float) -> int:
    """Return a share in whole per cent; only exact ones are 0 or 100."""
    whole = round(100 * value)
    return min(99, max(1, whole)) if 0 < value < 1 else whole


@by_language
def _per_cent(whole: int) -> str:
    return _("%(number)s %%") % {"number": number_format(whole)}


@by_language
def judge_status_label(value: JudgeStatus) -> str:
    """Return "warned", "paused" or "excluded"; an empty string for a judge in good standing."""
    words = {
        JudgeStatus.WARNED: _("warned"),
        JudgeStatus.PAUSED: _("paused"),
        JudgeStatus.EXCLUDED: _("excluded"),
    }
    return words.get(value, "")


def duration(seconds: float | None) -> str:
    """Return "0.8 s", "34 s", "2 min 5 s" or "1 h 12 min", as precise as a median needs."""
    if seconds is None:
        return _NOTHING
    if seconds < 9.5:
        return _("%(seconds)s s") % {"seconds": decimals(seconds, 1)}
    return _whole_seconds(round(seconds))


@by_language
def _whole_seconds(whole: int) -> str:
    if whole < 60:
        return _("%(seconds)s s") % {"seconds": whole}
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return _("%(minutes)s min %(seconds)s s") % {"minutes": minutes, "seconds": rest}
    hours, minutes = divmod(minutes, 60)
    return _("%(hours)s h %(minutes)s min") % {"hours": number_format(hours), "minutes": minutes}


@by_language
def interval(low: str, high: str) -> str:
    """Return "0.21 to 0.34"."""
    return _("%(low)s to %(high)s") % {"low": low, "high": high}


def ago(moment: datetime) -> str:
    """Return "3 minutes ago", or "just now" within the first minute."""
    if timezone.now() - moment < timedelta(minutes=1):
        return _("just now")
    return _("%(time)s ago") % {"time": timesince(moment, depth=1)}


def languages(task: Task) -> str:
    """Return "Czech → English"; the arrow points in the direction of the reader's script."""
    return _("%(source)s → %(target)s") % {
        "source": language_name(task.test_set.source_language),
        "target": language_name(task.test_set.target_language),
    }
