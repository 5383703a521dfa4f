"""The stopping rule of a test set in words: what it is, since when, and how far judging is by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.models import RankingRun, StoppingRule
from ranking.pages.settings_history import moment_in_words
from ranking.selectors.stopping_rules import RuleState, rule_state
from ranking.wording.stopping_rules import (
    CRITERIA,
    RuleTests,
    criterion_in_words,
    looking_in_words,
    looks_at_tests,
    rule_in_words,
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


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule of the history."""

    at: datetime
    who: str
    moment: str
    what: str
    reason: str


def shown_rule(state: RuleState) -> ShownRule:
    """Return a rule and how far judging is by it, in words."""
    return ShownRule(
        rule=rule_in_words(state.rule),
        since=since_in_words(state.rule),
        state=[*_state(state), *_beyond(state)],
        caution=looking_in_words(state.rule),
        is_met=state.is_met,
    )


def shown_rule_of(run: RankingRun | None) -> ShownRule | None:
    """Return the rule that the latest ranking was made under; None without one. No query."""
    rule = {} if run is None else run.parameters.get("stopping_rule", {})
    if run is None or not rule:
        return None
    return shown_rule(
        rule_state(
            rule,
            found=run.result["stopping"],
            met=run.rule_met,
            judgments=run.result["input"]["blocks"],
        )
    )


def anytime_ranges_of(run: RankingRun | None) -> Mapping[str, Mapping[str, Any]]:
    """Return the ranges that hold at any time beside others, by system; empty where a ranking has none."""
    found = None if run is None else run.result.get("anytime")
    if run is None or found is None or run.parameters["ranges"] == "anytime":
        return {}
    return {row["system"]: row for row in found["systems"]}


def since_in_words(rule: Mapping[str, Any]) -> str:
    """Return at which moment of the campaign a rule was set."""
    return _("Set %(moment)s.") % {"moment": moment_in_words(rule["after_judgments"])}


def rule_lines(rows: Sequence[StoppingRule]) -> list[RuleLine]:
    """Return rules in words, in their order."""
    return [
        RuleLine(
            at=row.created_at,
            who=row.changed_by.name if row.changed_by else "",
            moment=moment_in_words(row.after_judgments),
            what=rule_in_words(row.recorded) or _("No rule any more."),
            reason=row.reason,
        )
        for row in rows
    ]


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
    if found["pairs_apart"] is None and looks_at_tests(state.rule):
        words.append(
            _(
                "The present ranking settings account for no segments and judges, so ranges that hold at any "
                "time cannot be said."
            )
        )
    if "judgments" in wanted:
        words.append(
            ngettext("%(count)s judgment counts.", "%(count)s judgments count.", state.judgments)
            % {"count": number_format(state.judgments)}
        )
    return words


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


def tests_words() -> list[tuple[str, str, str]]:
    """Return what a rule can tell systems apart by, with when to choose it."""
    return [
        (
            RuleTests.HOLM,
            str(RuleTests.HOLM.label),
            _(
                "Choose this if you look once, or for a target to plan by. p-values are those of the ranking, "
                "corrected for the number of pairs."
            ),
        ),
        (
            RuleTests.ANYTIME,
            str(RuleTests.ANYTIME.label),
            _(
                "Choose this if you look every day and stop when it is met: what is told apart then holds. It "
                "takes half as many judgments again, or more."
            ),
        ),
    ]
