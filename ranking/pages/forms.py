"""Forms and histories of organisers: settings of rankings and stopping rules, quality rules, actions on judges, exports."""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.models import Design, QualityActionKind, RuleDirection
from annotation.models.judge_measures import (
    MAX_MINIMUM,
    JudgeMeasure,
    ThresholdError,
    threshold_from_text,
)
from annotation.models.quality import ACTIONS
from annotation.pages.design_form import DesignForm, written
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.services.quality import MESSAGE_LENGTH, NOTE_LENGTH, REINSTATE, RuleTerms
from campaign.models import Campaign, Judge, JudgeGroup, Task
from campaign.pages.forms import VersionedForm
from campaign.texts.joining import comma_list, from_to, labelled
from ranking.models import Analysis, RankingRun, RankingSettings, StoppingRule
from ranking.pages.exports import kinds_of
from ranking.reports.wording.numbers import percent
from ranking.reports.wording.stopping_rules import (
    RuleTests,
    moment_in_words,
    rule_in_words,
    rule_state,
    shown_rule,
)
from ranking.selectors.judges import judges_by_pseudonym


def shown_rule_of(run: RankingRun | None) -> dict[str, Any] | None:
    """Return the rule recorded in the latest ranking; None without one. No query."""
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
    """Return the anytime ranges shown beside the other ranges, by system; empty if there are none."""
    found = None if run is None else run.result.get("anytime")
    if run is None or found is None or run.parameters["ranges"] == "anytime":
        return {}
    return {row["system"]: row for row in found["systems"]}


def rule_lines(rows: Sequence[StoppingRule]) -> list[dict[str, Any]]:
    """Return rules in words, in the given order."""
    return [
        _line(row, row.after_judgments, rule_in_words(row.recorded) or _("Rule removed"))
        for row in rows
    ]


def _line(row: Any, judgments: int | None, what: str) -> dict[str, Any]:
    """Return a line of the history, with the stage of the campaign at that time."""
    return {"row": row, "moment": moment_in_words(judgments), "what": what}


def tests_words() -> list[tuple[str, str, str]]:
    """Return the tests of a rule, each with when to choose it."""
    return [
        (
            RuleTests.ANYTIME,
            str(RuleTests.ANYTIME.label),
            _(
                "Valid for repeated checks, so you can stop as soon as the rule is met. Needs at least 50% more judgments."
            ),
        ),
        (
            RuleTests.HOLM,
            str(RuleTests.HOLM.label),
            _(
                "Valid for one check, fixed in advance. Uses the p-values of the ranking, corrected for the number of pairs."
            ),
        ),
    ]


def _reason_field() -> forms.CharField:
    area = forms.Textarea({"rows": 2})
    label = gettext_lazy("Reason")
    return forms.CharField(label=label, max_length=1000, required=False, widget=area)


class StoppingRuleForm(VersionedForm):
    """Stopping rule of a task; no criterion means no rule.

    Tasks without comparisons can only stop at a number of judgments or on a day.
    """

    pairs = forms.FloatField(
        label=gettext_lazy("Pairs told apart (%)"), min_value=0.1, max_value=100, required=False
    )
    clusters = forms.IntegerField(
        label=gettext_lazy("Clusters"), min_value=2, max_value=32_767, required=False
    )
    judgments = forms.IntegerField(
        label=gettext_lazy("Judgments"), min_value=1, max_value=2**31 - 1, required=False
    )
    until = forms.DateField(
        label=gettext_lazy("Day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    tests = forms.ChoiceField(
        label=gettext_lazy("Pairs told apart by"),
        choices=StoppingRule.Tests.choices,
        widget=forms.RadioSelect,
    )
    confidence = forms.FloatField(
        label=gettext_lazy("Confidence (%)"), min_value=50, max_value=99.9
    )
    reason = _reason_field()

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not answer_kind_of(task).compares_outputs:
            for name in ("pairs", "clusters", "tests", "confidence"):
                del self.fields[name]

    @classmethod
    def initial_of(cls, rule: StoppingRule | None, *, tests: RuleTests) -> dict[str, Any]:
        """Return the form's initial values for a rule, or for none, with the default `tests`."""
        if rule is None:
            return {"tests": tests, "confidence": 95}
        share = rule.pairs_share
        return {
            "pairs": None if share is None else round(100 * share, 6),
            "clusters": rule.clusters,
            "judgments": rule.judgments,
            "until": rule.until,
            "tests": rule.tests,
            "confidence": round(100 * rule.confidence, 6),
        }

    @property
    def terms(self) -> dict[str, Any]:
        """The terms of a valid form."""
        said = dict(self.cleaned_data)
        if "pairs" not in said:
            return said
        pairs = said.pop("pairs")
        return {
            **said,
            "pairs_share": None if pairs is None else round(pairs / 100, 8),
            "confidence": round(said["confidence"] / 100, 8),
        }


def settings_lines(rows: Sequence[RankingSettings]) -> list[dict[str, Any]]:
    """Return settings in words, in the given order."""
    return [_line(row, row.judgments, _what(row)) for row in rows]


def _what(row: RankingSettings) -> str:
    words = [
        row.get_method_display(),
        row.get_ranges_display(),
        row.get_resample_display(),
        percent(row.confidence),
    ]
    if row.correction != RankingSettings.Correction.NONE:
        words.append(row.get_correction_display())
    if row.judge_group is not None:
        words.append(_("judges in “%(group)s” only") % {"group": row.judge_group.name})
    return " · ".join(words)


def design_history(designs: Sequence[Design]) -> list[dict[str, Any]]:
    """Return designs, newest first, each with its changes from the previous one."""
    changes = [*(_changed(before, after) for after, before in pairwise(designs)), []]
    return [
        {"design": design, "changed": changed, "is_in_force": index == 0}
        for index, (design, changed) in enumerate(zip(designs, changes, strict=False))
    ]


def _changed(before: Design, after: Design) -> list[str]:
    was, now = written(before), written(after)
    said = []
    for name in now:
        if was[name] != now[name]:
            first, then = (_value(name, each[name]) for each in (was, now))
            said.append(labelled(_label(name), from_to(first, then)))
    if before.seed != after.seed:
        said.append(_("new seed"))
    return said or [_("No changes.")]


def _label(name: str) -> str:
    label = DesignForm.base_fields[name].label
    if label is None:
        described: Any = Design._meta.get_field(name)
        label = described.verbose_name
    return str(label)


def _value(name: str, value: Any) -> str:
    if isinstance(value, list):
        return comma_list(value) or _("All")
    choices = dict(getattr(DesignForm.base_fields[name], "choices", ()))
    shown = str(choices.get(value, value))
    return "–" if value in (None, "") else shown


_ID: Final = re.compile("[0-9]{1,18}")


class RuleForm(VersionedForm):
    """The terms of a quality rule of a campaign."""

    action = forms.ChoiceField(label=gettext_lazy("Action"), choices=ACTIONS)
    measure = forms.ChoiceField(label=gettext_lazy("Measure"), choices=JudgeMeasure.choices)
    direction = forms.ChoiceField(label=gettext_lazy("Direction"), choices=RuleDirection.choices)
    threshold = forms.CharField(
        label=gettext_lazy("Threshold"),
        help_text=gettext_lazy(
            "Shares in percent (55%), probabilities from 0 to 1, κ from −1 to 1, times in seconds."
        ),
        max_length=30,
        widget=forms.TextInput(attrs={"dir": "ltr", "autocomplete": "off"}),
    )
    minimum = forms.IntegerField(
        label=gettext_lazy("Minimum sample size"),
        help_text=gettext_lazy(
            "Number of comparisons, sentences or blocks, depending on the measure."
        ),
        min_value=1,
        max_value=MAX_MINIMUM,
    )
    task = forms.ModelChoiceField(
        label=gettext_lazy("Test set"),
        queryset=Task.objects.none(),
        required=False,
        empty_label=gettext_lazy("All test sets"),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["task"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101  for the type checker
        field.queryset = Task.objects.of(campaign).named().order_by("test_set__name")
        field.label_from_instance = attrgetter("called")  # type: ignore[assignment,method-assign]

    def clean(self) -> dict[str, Any]:
        """Parse the threshold in the unit of the selected measure."""
        cleaned = super().clean() or self.cleaned_data
        if "measure" in cleaned and "threshold" in cleaned:
            try:
                threshold = threshold_from_text(cleaned["measure"], cleaned["threshold"])
            except ThresholdError as error:
                self.add_error("threshold", str(error))
            else:
                self._threshold = threshold
        return cleaned

    @property
    def terms(self) -> RuleTerms:
        """The terms of a valid form."""
        return RuleTerms(**{**self.cleaned_data, "threshold": self._threshold})

    @property
    def written(self) -> dict[str, str]:
        """The submitted fields, for hidden inputs."""
        return {name: self.data.get(name, "") for name in self.fields}


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
            "Only judgments by this group count in the ranking and toward the target."
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


#: Organisers' decisions about judges.
DECISIONS = [*QualityActionKind.choices, (REINSTATE, gettext_lazy("Reinstated"))]


class ActionForm(forms.Form):
    """An organiser's decision about a judge."""

    action = forms.ChoiceField(choices=DECISIONS)
    note = forms.CharField(required=False, max_length=NOTE_LENGTH)
    text = forms.CharField(required=False, max_length=MESSAGE_LENGTH)

    @property
    def written(self) -> dict[str, str]:
        """The fields of a valid form, for hidden inputs."""
        return {name: self.cleaned_data[name] for name in ("action", "note", "text")}

    def clean(self) -> dict[str, Any]:
        """Require a text for a message, and drop it for other actions."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("action") != QualityActionKind.MESSAGE:
            cleaned["text"] = ""
        elif not cleaned.get("text"):
            self.add_error("text", gettext_lazy("Enter a message."))
        return cleaned


class JudgesActionForm(ActionForm):
    """A decision about several judges of a campaign, possibly from an analysis of a test set."""

    judge = forms.ModelMultipleChoiceField(
        queryset=Judge.objects.none(),
        to_field_name="pseudonym",
        required=False,
        error_messages={"invalid_choice": gettext_lazy("Judge not found: %(value)s.")},
    )
    others = forms.CharField(required=False, max_length=100_000)
    #: IDs separated by commas, submitted by the confirmation, because pseudonyms may contain commas.
    chosen = forms.CharField(required=False, max_length=200_000)
    analysis = forms.ModelChoiceField(queryset=Analysis.objects.none(), required=False)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._campaign_id = task.test_set.campaign_id
        self._named: list[Judge] = []
        judges = Judge.objects.filter(campaign=task.test_set.campaign_id)
        self._of_campaign = judges.select_related("user")
        self.fields["judge"].queryset = self._of_campaign  # type: ignore[attr-defined]
        analyses = Analysis.objects.of(task.pk).finished()
        self.fields["analysis"].queryset = analyses  # type: ignore[attr-defined]

    def clean_others(self) -> list[Judge]:
        """Return the judges with these pseudonyms, separated by commas or line breaks."""
        lines = self.cleaned_data["others"].replace("\n", ",").split(",")
        wanted = {name.strip() for name in lines if name.strip()}
        found, unknown = judges_by_pseudonym(self._campaign_id, wanted)
        self._named = found
        if unknown:
            raise _nobody_called(unknown)
        return found

    def clean_chosen(self) -> list[Judge]:
        """Return the judges with these IDs."""
        wanted = {key for key in self.cleaned_data["chosen"].split(",") if key}
        # Numbers of nineteen digits may exceed the range of IDs.
        keys = {int(key) for key in wanted if _ID.fullmatch(key)}
        found = list(self._of_campaign.filter(pk__in=keys))
        unknown = wanted - {str(judge.pk) for judge in found}
        if unknown:
            raise _nobody_called(sorted(unknown))
        return found

    def clean(self) -> dict[str, Any]:
        """Require at least one judge."""
        cleaned = super().clean()
        if not self.errors and not self.judges:
            self.add_error("judge", gettext_lazy("Select at least one judge."))
        return cleaned

    @property
    def judges(self) -> list[Judge]:
        """The selected judges, by pseudonym."""
        said = self.cleaned_data
        chosen = {judge for name in ("judge", "others", "chosen") for judge in said.get(name, ())}
        return sorted(chosen, key=lambda judge: judge.pseudonym)

    @property
    def known(self) -> list[Judge]:
        """The judges selected so far in an invalid form, by pseudonym."""
        found, _unknown = judges_by_pseudonym(self._campaign_id, self["judge"].data)
        return sorted({*found, *self._named, *self.judges}, key=lambda judge: judge.pseudonym)


def _nobody_called(names: Sequence[str]) -> forms.ValidationError:
    return forms.ValidationError(
        gettext_lazy("Judge not found: %(value)s."), params={"value": comma_list(names)}
    )


class NoteForm(forms.Form):
    """The reason why an action is reverted."""

    note = forms.CharField(required=False, max_length=NOTE_LENGTH)


class ExportForm(forms.Form):
    """Export settings, within a member's rights."""

    kind = forms.ChoiceField(label=gettext_lazy("Kind"))
    file_format = forms.ChoiceField(label=gettext_lazy("Format"))
    after = forms.IntegerField(
        label=gettext_lazy("Start after number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=gettext_lazy("To resume an export, enter the last number you have."),
    )
    until = forms.IntegerField(
        label=gettext_lazy("Up to number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=gettext_lazy("Leave empty to export everything so far."),
    )

    def __init__(self, data: Any, *, task: Task, may_change: bool) -> None:
        super().__init__(data)
        kinds = kinds_of(task=task, may_change=may_change)
        formats = dict.fromkeys(name for kind in kinds for name in kind.formats_of(task))
        self.fields["kind"].choices = [(kind.name, kind.title) for kind in kinds]  # type: ignore[attr-defined]
        self.fields["file_format"].choices = [(name, name) for name in formats]  # type: ignore[attr-defined]

    @property
    def asked(self) -> dict[str, Any]:
        """The request, as arguments of `export_asked`."""
        values = self.cleaned_data
        return {**values, "after": values["after"] or 0}
