"""Stopping rules in words: the criteria, and their progress."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final

from django.db import models
from django.utils import timezone
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from campaign.formats.json_text import JSONObject
from campaign.texts.counted import counted
from campaign.texts.joining import semicolon_list, sentence_list
from ranking.core.rankings.records import RecordedRule, RuleMet, RuleProgress
from ranking.reports.wording.numbers import percent


class RuleTests(models.TextChoices):
    """Tests with which a stopping rule separates systems."""

    HOLM = "holm", gettext_lazy("pairwise tests with Holm correction")
    ANYTIME = "anytime", gettext_lazy("anytime ranges")


#: Criteria of a rule, in display order; meeting any of them meets the rule.
CRITERIA: Final = ("pairs_share", "clusters", "judgments", "until")
#: Criteria that depend on the separation of systems.
OF_TESTS: Final = ("pairs_share", "clusters")


def rule_in_words(rule: RecordedRule) -> str:
    """Return a recorded rule in a sentence; empty if there is none."""
    criteria = [criterion_in_words(name, rule) for name in criteria_of(rule)]
    if not criteria:
        return ""
    if len(criteria) == 1:
        return _("Stop at %(criterion)s.") % {"criterion": criteria[0]}
    return _("Stop at %(criteria)s, whichever comes first.") % {
        "criteria": pgettext("between criteria", ", or ").join(criteria),
    }


def criteria_of(rule: RecordedRule) -> list[str]:
    """Return the names of the criteria that a rule has."""
    return [name for name in CRITERIA if rule.get(name) is not None]


def criterion_in_words(name: str, rule: RecordedRule) -> str:
    """Return a criterion of a rule with its target."""
    value: Any = rule.get(name)
    if name == "judgments":
        return counted("%(count)s judgment", "%(count)s judgments", value)
    if name == "until":
        day = date.fromisoformat(value) if isinstance(value, str) else value
        return str(date_format(day, "DATE_FORMAT"))
    by = _tests_in_words(rule)
    if name == "pairs_share":
        return _("%(share)s of pairs told apart (%(by)s)") % {
            "share": percent(value),
            "by": by,
        }
    if rule["tests"] == RuleTests.ANYTIME:
        return _("%(count)s clusters (%(by)s)") % {
            "count": number_format(value),
            "by": by,
        }
    return _("%(count)s clusters") % {"count": number_format(value)}


def _tests_in_words(rule: RecordedRule) -> str:
    """Return "anytime, 95%" or "Holm, 95%"."""
    if rule["tests"] == RuleTests.ANYTIME:
        message = _("anytime, %(confidence)s")
    else:
        message = _("Holm, %(confidence)s")
    return message % {"confidence": percent(rule["confidence"])}


def looks_at_tests(rule: RecordedRule) -> bool:
    """Return whether a rule depends on the separation of systems."""
    return not set(OF_TESTS).isdisjoint(criteria_of(rule))


def looking_in_words(rule: RecordedRule) -> str:
    """Return a note on the effect of repeated checks of a stopping rule; empty if they have none."""
    if not looks_at_tests(rule):
        return ""
    if rule["tests"] == RuleTests.ANYTIME:
        return _("Anytime ranges stay valid however often you check this rule.")
    return _(
        "Ordinary tests are valid for one check, fixed in advance. Checked 60 times, they separated equal systems in 14 to 48 of 100 simulated campaigns (anytime ranges: at most 3). Base claims on anytime ranges.",
    )


@dataclass(frozen=True, slots=True)
class RuleState:
    """A rule and its progress.

    Attributes
    ----------
    rule : mapping
        Value of `StoppingRule.recorded`.
    judgments : int
        Judgments that count in the latest ranking.
    found : mapping or None
        Progress in the latest ranking, see `ranking.services.run_results`; None if no ranking has
        this rule yet.
    met : mapping or None
        The first ranking that met it: `run`, `judgments`, `at` and `criteria`; None if none did.
    is_day_reached : bool
        Whether the day of the rule has been reached.
    """

    rule: RecordedRule
    judgments: int = 0
    found: RuleProgress | None = None
    met: RuleMet | None = None
    is_day_reached: bool = False

    @property
    def as_data(self) -> JSONObject:
        """Plain values, including whether the rule is met."""
        return {**asdict(self), "is_met": self.is_met}

    @property
    def is_met(self) -> bool:
        """True if the rule was ever met, because a rule that is met stays met."""
        return self.met is not None or self.is_day_reached

    @property
    def criteria(self) -> Sequence[str]:
        """Names of the criteria by which the rule was first met."""
        if self.met is not None:
            return list(self.met["criteria"])
        if self.is_day_reached:
            return ["until"]
        return []

    @property
    def more(self) -> int:
        """Number of judgments since the first ranking that met it."""
        if self.met is None:
            return 0
        return max(0, self.judgments - self.met["judgments"])


def rule_state(
    rule: RecordedRule,
    *,
    progress: RuleProgress | None,
    met: RuleMet | None,
    judgments: int,
    today: date | None = None,
) -> RuleState:
    """Return the progress towards a rule recorded in a ranking."""
    last_day = rule.get("until")
    until = parse_date(last_day) if last_day else None
    today = today or timezone.localdate()
    return RuleState(
        rule=rule,
        judgments=judgments,
        found=progress,
        met=met,
        is_day_reached=until is not None and until <= today,
    )


@dataclass(frozen=True, slots=True)
class RuleWithProgress:
    """A rule, when it was set, and its progress, in words; `caution`, if any, is about repeated checks."""

    rule: str
    since: str
    state: list[str]
    caution: str
    is_met: bool


def rule_with_progress(state: RuleState) -> RuleWithProgress:
    """Return a rule and its progress in words."""
    return RuleWithProgress(
        rule=rule_in_words(state.rule),
        since=since_in_words(state.rule),
        state=[*_state(state), *_later_judgments_notes(state)],
        caution=looking_in_words(state.rule),
        is_met=state.is_met,
    )


def rule_notes(state: RuleState) -> list[str]:
    """Return a rule and its progress as notes of a report."""
    rule_text = rule_with_progress(state)
    rule = _("Stopping rule: %(rule)s") % {"rule": rule_text.rule}
    notes = [sentence_list([rule, rule_text.since, *rule_text.state])]
    if rule_text.caution:
        notes.append(rule_text.caution)
    return notes


def since_in_words(rule: RecordedRule) -> str:
    """Return a phrase on the stage of the campaign at which a rule was set."""
    return _("Set %(moment)s.") % {"moment": moment_in_words(rule["after_judgments"])}


def moment_in_words(judgments: int | None) -> str:
    """Return "before the first judgment" or "after 312 judgments"; empty if not recorded."""
    if judgments is None:
        return ""
    if judgments == 0:
        return _("before the first judgment")
    return counted("after %(count)s judgment", "after %(count)s judgments", judgments)


def met_in_words(state: RuleState) -> str:
    """Return when and by which criterion a rule was first met; empty if it was not met."""
    if not state.is_met:
        return ""
    if state.met is None:
        return _("Met: the date has passed.")
    met_at = parse_datetime(state.met["at"])
    day = ""
    if met_at is not None:
        day = date_format(timezone.localtime(met_at), "DATE_FORMAT")
    criteria = [criterion_in_words(name, state.rule) for name in state.criteria]
    return _(
        "First met on %(day)s with %(count)s judgments: %(criteria)s (ranking %(run)s).",
    ) % {
        "day": day,
        "count": number_format(state.met["judgments"]),
        "criteria": semicolon_list(criteria),
        "run": state.met["run"],
    }


def _state(state: RuleState) -> list[str]:
    if state.is_met:
        return [met_in_words(state)]
    progress = state.found
    if progress is None:
        return [_("Not met yet.")]
    message = [_("Not met yet.")]
    criteria = criteria_of(state.rule)
    if "pairs_share" in criteria and progress["pairs_apart"] is not None:
        message.append(
            _("%(apart)s of %(pairs)s pairs told apart (%(by)s).")
            % {
                "apart": number_format(progress["pairs_apart"]),
                "pairs": number_format(progress["pairs"]),
                "by": _tests_in_words(state.rule),
            },
        )
    if "clusters" in criteria and progress["clusters"] is not None:
        message.append(clusters_so_far(progress["clusters"]))
    elif "clusters" in criteria and progress["pairs_apart"] is not None:
        message.append(_("Clusters are counted once every system has a rank range."))
    if progress["pairs_apart"] is None and looks_at_tests(state.rule):
        message.append(
            _(
                "Anytime ranges are not available: the ranking settings do not account for segments and judges.",
            ),
        )
    if "judgments" in criteria:
        message.append(counting_in_words(state.judgments))
    return message


def told_apart_in_words(told_apart: int, pairs: int) -> str:
    """Return "9 of 15 pairs told apart."."""
    return _("%(apart)s of %(pairs)s pairs told apart.") % {
        "apart": number_format(told_apart),
        "pairs": number_format(pairs),
    }


def clusters_so_far(clusters: int) -> str:
    """Return "3 clusters so far."."""
    return counted("%(count)s cluster so far.", "%(count)s clusters so far.", clusters)


def counting_in_words(judgments: int) -> str:
    """Return "312 judgments count"."""
    return counted(
        "%(count)s judgment counted.",
        "%(count)s judgments counted.",
        judgments,
    )


def _later_judgments_notes(state: RuleState) -> list[str]:
    if not state.more:
        return []
    return [
        counted(
            "%(count)s more judgment since then.",
            "%(count)s more judgments since then.",
            state.more,
        ),
    ]
