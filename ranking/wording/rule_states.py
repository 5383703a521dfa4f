"""How far judging is by its stopping rule, and that in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.wording.stopping_rules import (
    CRITERIA,
    criterion_in_words,
    looking_in_words,
    looks_at_tests,
    rule_in_words,
)


@dataclass(frozen=True, slots=True)
class RuleState:
    """A rule, and how far judging is by it.

    Attributes
    ----------
    rule : mapping
        As `StoppingRule.recorded`.
    judgments : int
        That count in the latest ranking.
    found : mapping or None
        What the latest ranking says of the rule, see `ranking.services.stopping_results`; None if it was not
        ranked by this rule yet.
    met : mapping or None
        The first ranking that met it: `run`, `judgments`, `at` and its `criteria`; None if none did.
    is_day_reached : bool
        Whether the day of the rule has come.
    """

    rule: Mapping[str, Any]
    judgments: int = 0
    found: Mapping[str, Any] | None = None
    met: Mapping[str, Any] | None = None
    is_day_reached: bool = False

    @property
    def recorded(self) -> dict[str, Any]:
        """Plain values; `recorded_rule` reads them."""
        return asdict(self)

    @property
    def as_data(self) -> dict[str, Any]:
        """The same for programs, with whether it is met."""
        return {**self.recorded, "is_met": self.is_met}

    @property
    def is_met(self) -> bool:
        """Whether it was ever met: a rule that is met stays met."""
        return self.met is not None or self.is_day_reached

    @property
    def criteria(self) -> Sequence[str]:
        """Names of the criteria by which it was met first."""
        if self.met is not None:
            return list(self.met["criteria"])
        return ["until"] if self.is_day_reached else []

    @property
    def more(self) -> int:
        """Judgments made since the first ranking that met it."""
        return 0 if self.met is None else max(0, self.judgments - self.met["judgments"])


def recorded_rule(values: Mapping[str, Any]) -> RuleState:
    """Return what `RuleState.recorded` recorded."""
    return RuleState(**values)


def rule_state(
    rule: Mapping[str, Any],
    *,
    found: Mapping[str, Any] | None,
    met: Mapping[str, Any] | None,
    judgments: int,
    today: date | None = None,
) -> RuleState:
    """Return how far judging is by a rule, as a ranking recorded it."""
    until = parse_date(rule["until"]) if rule.get("until") else None
    today = today or timezone.localdate()
    return RuleState(
        rule=rule,
        judgments=judgments,
        found=found,
        met=met,
        is_day_reached=until is not None and until <= today,
    )


@dataclass(frozen=True, slots=True)
class ShownRule:
    """A rule, ready to be shown.

    Attributes
    ----------
    rule : str
    since : str
        At which moment of the campaign it was set.
    state : sequence of str
        How far judging is by it, and whether it went on since it was met.
    caution : str
        What it means to look at it again and again; empty if nothing.
    is_met : bool
    """

    rule: str
    since: str
    state: Sequence[str]
    caution: str
    is_met: bool


def shown_rule(state: RuleState) -> ShownRule:
    """Return a rule and how far judging is by it, in words."""
    return ShownRule(
        rule=rule_in_words(state.rule),
        since=since_in_words(state.rule),
        state=[*_state(state), *_beyond(state)],
        caution=looking_in_words(state.rule),
        is_met=state.is_met,
    )


def rule_notes(state: RuleState) -> list[str]:
    """Return a rule and how far judging is by it as notes of a report."""
    shown = shown_rule(state)
    said = [_("Stopping rule: %(rule)s") % {"rule": shown.rule}, shown.since, *shown.state]
    return [" ".join(said), *([shown.caution] if shown.caution else [])]


def since_in_words(rule: Mapping[str, Any]) -> str:
    """Return at which moment of the campaign a rule was set."""
    return _("Set %(moment)s.") % {"moment": moment_in_words(rule["after_judgments"])}


def moment_in_words(judgments: int | None) -> str:
    """Return "before the first judgment", "after 312 judgments"; empty where that was not recorded."""
    if judgments is None:
        return ""
    if judgments == 0:
        return _("before the first judgment")
    return ngettext("after %(count)s judgment", "after %(count)s judgments", judgments) % {
        "count": number_format(judgments)
    }


def met_in_words(state: RuleState) -> str:
    """Return when a rule was met first, and by what; empty if it was not."""
    if not state.is_met:
        return ""
    if state.met is None:
        return _("It is met: the day has come.")
    at = parse_datetime(state.met["at"])
    return _(
        "It was first met on %(day)s, with %(count)s judgments: %(criteria)s (ranking %(run)s)."
    ) % {
        "day": "" if at is None else date_format(at, "DATE_FORMAT"),
        "count": number_format(state.met["judgments"]),
        "criteria": "; ".join(criterion_in_words(name, state.rule) for name in state.criteria),
        "run": state.met["run"],
    }


def _state(state: RuleState) -> list[str]:
    if state.is_met:
        return [met_in_words(state)]
    found = state.found
    if found is None:
        return [_("It is not met.")]
    words = [_("It is not met yet.")]
    wanted = [name for name in CRITERIA if state.rule.get(name) is not None]
    if "pairs_share" in wanted and found["pairs_apart"] is not None:
        words.append(
            _("%(apart)s of %(pairs)s pairs are told apart.")
            % {
                "apart": number_format(found["pairs_apart"]),
                "pairs": number_format(found["pairs"]),
            }
        )
    if "clusters" in wanted and found["clusters"] is not None:
        words.append(
            ngettext("%(count)s cluster so far.", "%(count)s clusters so far.", found["clusters"])
            % {"count": number_format(found["clusters"])}
        )
    elif "clusters" in wanted and found["pairs_apart"] is not None:
        words.append(_("Clusters are counted once all systems have a rank range."))
    if found["pairs_apart"] is None and looks_at_tests(state.rule):
        words.append(
            _(
                "The present ranking settings account for no segments and judges, so ranges that hold at any "
                "time cannot be said."
            )
        )
    if "judgments" in wanted:
        words.append(counting_in_words(state.judgments))
    return words


def counting_in_words(judgments: int) -> str:
    """Return "312 judgments count"."""
    return ngettext("%(count)s judgment counts.", "%(count)s judgments count.", judgments) % {
        "count": number_format(judgments)
    }


def _beyond(state: RuleState) -> list[str]:
    if not state.more:
        return []
    return [
        ngettext(
            "Judging went on: %(count)s judgment more since.",
            "Judging went on: %(count)s judgments more since.",
            state.more,
        )
        % {"count": number_format(state.more)}
    ]
