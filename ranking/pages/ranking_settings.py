"""The form of ranking settings, the form of a stopping rule, and their histories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import Campaign, JudgeGroup, Task
from campaign.pages.forms import DayInput, VersionedForm, WholeNumberField
from campaign.texts.joining import labelled
from campaign.texts.lines import LinesTextarea
from ranking.core.methods.method import Method
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.records import RankedRow, RecordedRule
from ranking.models import RankingRun, RankingSettings, StoppingRule
from ranking.reports.wording.methods import OPTION_WORDS, LiveMethod
from ranking.reports.wording.numbers import percent
from ranking.reports.wording.ranges import rows_by_system
from ranking.reports.wording.stopping_rules import (
    RuleTests,
    RuleWithProgress,
    moment_in_words,
    rule_in_words,
    rule_state,
    rule_with_progress,
)


def rule_of_run(run: RankingRun | None) -> RuleWithProgress | None:
    """Return the rule recorded in the latest ranking; None without one. No query."""
    if run is None:
        return None
    rule: RecordedRule = run.parameters.get("stopping_rule", {})
    if not rule:
        return None
    state = rule_state(
        rule,
        progress=run.result["stopping"],
        met=run.rule_met,
        judgments=run.result["input"]["blocks"],
    )
    return rule_with_progress(state)


def anytime_ranges_of(run: RankingRun | None) -> dict[str, RankedRow]:
    """Return the anytime ranges shown beside the other ranges, by system; empty if there are none."""
    if run is None or run.parameters["ranges"] == "anytime":
        return {}
    anytime = run.result.get("anytime")
    if anytime is None:
        return {}
    return rows_by_system(anytime["systems"])


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """A change in words, with the stage of the campaign at that time."""

    row: RankingSettings | StoppingRule
    moment: str
    what: str


def rule_lines(rows: Sequence[StoppingRule]) -> list[HistoryLine]:
    """Return rules in words, in the given order."""
    lines = []
    for row in rows:
        what = rule_in_words(row.recorded) or _("Rule removed")
        moment = moment_in_words(row.after_judgments)
        lines.append(HistoryLine(row, moment, what))
    return lines


def tests_words() -> list[tuple[str, str, str]]:
    """Return the tests of a rule, each with when to choose it."""
    return [
        (
            RuleTests.ANYTIME,
            str(RuleTests.ANYTIME.label),
            _(
                "Valid for repeated checks, so you can stop as soon as the rule is met. Needs at least 50% more judgments.",
            ),
        ),
        (
            RuleTests.HOLM,
            str(RuleTests.HOLM.label),
            _(
                "Valid for one check, fixed in advance. Uses the p-values of the ranking, corrected for the number of pairs.",
            ),
        ),
    ]


def _reason_field() -> forms.CharField:
    area = LinesTextarea({"rows": 2})
    label = gettext_lazy("Reason")
    return forms.CharField(label=label, max_length=1000, required=False, widget=area)


class StoppingRuleForm(VersionedForm):
    """Stopping rule of a task; no criterion means no rule.

    Tasks without comparisons can only stop at a number of judgments or on a day.
    """

    pairs = forms.FloatField(
        label=gettext_lazy("Pairs told apart (%)"),
        min_value=0.1,
        max_value=100,
        required=False,
    )
    clusters = WholeNumberField(
        label=gettext_lazy("Clusters"),
        min_value=2,
        max_value=32_767,
        required=False,
    )
    judgments = WholeNumberField(
        label=gettext_lazy("Judgments"),
        min_value=1,
        max_value=2**31 - 1,
        required=False,
    )
    until = forms.DateField(
        label=gettext_lazy("Day"),
        required=False,
        widget=DayInput(),
    )
    tests = forms.ChoiceField(
        label=gettext_lazy("Pairs told apart by"),
        choices=StoppingRule.Tests.choices,
        widget=forms.RadioSelect,
    )
    confidence = forms.FloatField(
        label=gettext_lazy("Confidence (%)"),
        min_value=50,
        max_value=99.9,
    )
    reason = _reason_field()

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not answer_kind_of(task).compares_outputs:
            for name in ("pairs", "clusters", "tests", "confidence"):
                del self.fields[name]

    @classmethod
    def initial_of(
        cls,
        rule: StoppingRule | None,
        *,
        tests: RuleTests,
    ) -> dict[str, object]:
        """Return the form's initial values for a rule, or for none, with the default `tests`."""
        if rule is None:
            return {"tests": tests, "confidence": 95}
        pairs = None
        if rule.pairs_share is not None:
            pairs = round(100 * rule.pairs_share, 6)
        return {
            "pairs": pairs,
            "clusters": rule.clusters,
            "judgments": rule.judgments,
            "until": rule.until,
            "tests": rule.tests,
            "confidence": round(100 * rule.confidence, 6),
        }

    @property
    def terms(self) -> dict[str, Any]:
        """The terms of a valid form."""
        terms = dict(self.cleaned_data)
        if "pairs" not in terms:
            return terms
        pairs = terms.pop("pairs")
        terms["pairs_share"] = None
        if pairs is not None:
            terms["pairs_share"] = round(pairs / 100, 8)
        terms["confidence"] = round(terms["confidence"] / 100, 8)
        return terms


def settings_lines(rows: Sequence[RankingSettings]) -> list[HistoryLine]:
    """Return settings in words, in the given order."""
    lines = []
    for row in rows:
        moment = moment_in_words(row.judgments)
        lines.append(HistoryLine(row, moment, _settings_in_words(row)))
    return lines


def _settings_in_words(row: RankingSettings) -> str:
    phrases = [
        row.get_method_display(),
        row.get_ranges_display(),
        row.get_resample_display(),
        percent(row.confidence),
    ]
    for name, value in row.method_options.items():
        phrases.append(labelled(OPTION_WORDS[name][0], value))
    if row.correction != RankingSettings.Correction.NONE:
        phrases.append(row.get_correction_display())
    if row.judge_group is not None:
        phrases.append(
            _("judges in “%(group)s” only") % {"group": row.judge_group.name},
        )
    return " · ".join(phrases)


class RankingSettingsForm(VersionedForm):
    """Form for the ranking method of a task, its rank ranges, and the reason."""

    method = forms.ChoiceField(
        label=gettext_lazy("Method"),
        choices=RankingSettings.Method.choices,
        widget=forms.RadioSelect,
        required=False,
    )

    resample = forms.ChoiceField(
        label=gettext_lazy("Sources of variation"),
        choices=RankingSettings.Resample.choices,
        widget=forms.RadioSelect,
    )
    judge_group = forms.ModelChoiceField(
        label=gettext_lazy("Judge group"),
        help_text=gettext_lazy(
            "Only judgments by this group count in the ranking and toward the target.",
        ),
        queryset=JudgeGroup.objects.none(),
        empty_label=gettext_lazy("All judges"),
        required=False,
    )
    reason = _reason_field()

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        present = JudgeGroup.objects.present().filter(campaign=campaign)
        self.fields["judge_group"].queryset = present.order_by("name")  # type: ignore[attr-defined]
        for method in LiveMethod.values[1:]:
            for option in METHODS[method].options:
                self.fields[f"{method}.{option}"] = _option_field(
                    METHODS[method],
                    option,
                )

    def options_of(self, method: str) -> list[forms.BoundField]:
        """Return the fields with the options of a method."""
        return [self[name] for name in self.fields if name.startswith(f"{method}.")]

    def method_options(self, method: str) -> dict[str, float | bool]:
        """Return the submitted options of a method; empty fields have the default."""
        values = {}
        for field in self.options_of(method):
            value = self.cleaned_data[field.name]
            if value is not None:
                values[field.name.removeprefix(f"{method}.")] = value
        return values


def _option_field(method: Method, option: str) -> forms.Field:
    label, help_text = OPTION_WORDS[option]
    if method.parameter_types[option] is bool:
        return forms.BooleanField(label=label, help_text=help_text, required=False)
    low, high = method.options[option]
    return forms.FloatField(
        label=label,
        help_text=help_text,
        min_value=low,
        max_value=high,
        required=False,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
