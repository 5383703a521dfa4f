"""The history of how a test set was to be ranked, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from ranking.models import RankingSettings
from ranking.wording.numbers import percent_in_figures
from ranking.wording.rule_states import moment_in_words


@dataclass(frozen=True, slots=True)
class SettingsLine:
    """Settings that were chosen: when, by whom, at which moment of the campaign, what, and why."""

    at: datetime
    who: str
    moment: str
    what: str
    reason: str


def settings_lines(rows: Sequence[RankingSettings]) -> list[SettingsLine]:
    """Return settings in words, in their order."""
    return [
        SettingsLine(
            at=row.created_at,
            who=row.changed_by.name if row.changed_by else "",
            moment=moment_in_words(row.judgments),
            what=_what(row),
            reason=row.reason,
        )
        for row in rows
    ]


def _what(row: RankingSettings) -> str:
    words = [
        row.get_method_display(),
        row.get_ranges_display(),
        row.get_resample_display(),
        f"{percent_in_figures(row.confidence)} %",
    ]
    if row.correction != RankingSettings.Correction.NONE:
        words.append(row.get_correction_display())
    if row.judge_group is not None:
        words.append(_("judges of “%(group)s” only") % {"group": row.judge_group.name})
    return " · ".join(words)
