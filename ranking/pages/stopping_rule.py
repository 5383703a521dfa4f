"""The stopping rule of a test set in words: what it is, since when, and how far judging is by it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from ranking.models import RankingRun, StoppingRule
from ranking.wording.rule_states import ShownRule, moment_in_words, rule_state, shown_rule
from ranking.wording.stopping_rules import (
    RuleTests,
    rule_in_words,
)


@dataclass(frozen=True, slots=True)
class RuleLine:
    """A rule of the history."""

    at: datetime
    who: str
    moment: str
    what: str
    reason: str


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
