"""The history of how a test set was to be ranked, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any

from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.pages.design_form import DesignForm, written
from ranking.models import RankingSettings
from ranking.wording.numbers import percent_in_figures
from ranking.wording.stopping_rules import moment_in_words


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


@dataclass(frozen=True, slots=True)
class DesignRow:
    """A design of the history; `changed` says in words what was changed, from what to what."""

    design: Any
    changed: Sequence[str]
    is_in_force: bool


def design_history(designs: Sequence[Design]) -> list[DesignRow]:
    """Return designs, the newest first, with what each changed of the one before it."""
    changes = [_changed(before, after) for after, before in pairwise(designs)]
    return [
        DesignRow(design=design, changed=changed, is_in_force=index == 0)
        for index, (design, changed) in enumerate(
            zip(designs, [*changes, []][: len(designs)], strict=True)
        )
    ]


def _changed(before: Design, after: Design) -> list[str]:
    was, now = written(before), written(after)
    said = []
    for name in now:
        if was[name] != now[name]:
            first, then = (_value(name, each[name]) for each in (was, now))
            said.append(f"{DesignForm.base_fields[name].label}: {first} → {then}")
    if before.seed != after.seed:
        said.append(_("another seed"))
    return said or [_("nothing changed")]


def _value(name: str, value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or _("all")
    choices = dict(getattr(DesignForm.base_fields[name], "choices", ()))
    shown = str(choices.get(value, value))
    return "–" if value in (None, "") else shown
