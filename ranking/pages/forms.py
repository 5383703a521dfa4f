"""Forms of organisers: the terms of a rule, an action on a judge, and an export."""

import re
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.judge_measures import MAX_MINIMUM, JudgeMeasure, ThresholdError, threshold_from_text
from annotation.models import QualityActionKind, RuleDirection
from annotation.models.quality import ACTIONS
from annotation.services.quality import MESSAGE_LENGTH, NOTE_LENGTH, REINSTATE, RuleTerms
from campaign.forms.versions import VersionedForm
from campaign.models import Campaign, Judge, JudgeGroup, Task
from campaign.refusals import RefusalsAt
from campaign.services.judge_groups import (
    judge_group_change,
    judge_group_create,
)
from campaign.services.rules import MAX_BLOCKS
from ranking.models import Analysis, RankingSettings
from ranking.pages.exports import kinds_of
from ranking.selectors.judges import judges_by_pseudonym

_ID: Final = re.compile("[0-9]{1,18}")


class RuleForm(VersionedForm):
    """The terms of a quality rule of a campaign."""

    action = forms.ChoiceField(label=_("Action"), choices=ACTIONS)
    measure = forms.ChoiceField(label=_("Measure"), choices=JudgeMeasure.choices)
    direction = forms.ChoiceField(label=_("Direction"), choices=RuleDirection.choices)
    threshold = forms.CharField(
        label=_("Threshold"),
        help_text=_(
            "Shares in percent (55%), probabilities from 0 to 1, κ from −1 to 1, times in seconds."
        ),
        max_length=30,
        widget=forms.TextInput(attrs={"dir": "ltr", "autocomplete": "off"}),
    )
    minimum = forms.IntegerField(
        label=_("Minimum sample size"),
        help_text=_("Number of comparisons, sentences or blocks, depending on the measure."),
        min_value=1,
        max_value=MAX_MINIMUM,
    )
    task = forms.ModelChoiceField(
        label=_("Test set"),
        queryset=Task.objects.none(),
        required=False,
        empty_label=_("All test sets"),
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
        label=_("Method"),
        choices=RankingSettings.Method.choices,
        widget=forms.RadioSelect,
        required=False,
    )

    resample = forms.ChoiceField(
        label=_("Sources of variation"),
        choices=RankingSettings.Resample.choices,
        widget=forms.RadioSelect,
    )
    judge_group = forms.ModelChoiceField(
        label=_("Judge group"),
        help_text=_("Only judgments by this group count."),
        queryset=JudgeGroup.objects.none(),
        empty_label=_("All judges"),
        required=False,
    )
    reason = forms.CharField(
        label=_("Reason"), max_length=1000, required=False, widget=forms.Textarea({"rows": 2})
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        present = JudgeGroup.objects.present().filter(campaign=campaign)
        self.fields["judge_group"].queryset = present.order_by("name")  # type: ignore[attr-defined]


#: Organisers' decisions about judges.
DECISIONS = [*QualityActionKind.choices, (REINSTATE, _("Reinstated"))]


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
            self.add_error("text", _("Enter a message."))
        return cleaned


class JudgesActionForm(ActionForm):
    """A decision about several judges of a campaign, possibly from an analysis of a test set."""

    judge = forms.ModelMultipleChoiceField(
        queryset=Judge.objects.none(),
        to_field_name="pseudonym",
        required=False,
        error_messages={"invalid_choice": _("Judge not found: %(value)s.")},
    )
    others = forms.CharField(required=False, max_length=100_000)
    #: IDs separated by commas, submitted by the confirmation, because pseudonyms may contain commas.
    chosen = forms.CharField(required=False, max_length=200_000)
    analysis = forms.ModelChoiceField(queryset=Analysis.objects.none(), required=False)

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._campaign_id = task.test_set.campaign_id
        self._named: list[Judge] = []
        self._of_campaign = Judge.objects.filter(campaign=task.test_set.campaign_id)
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
            self.add_error("judge", _("Select at least one judge."))
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
        _("Judge not found: %(value)s."), params={"value": ", ".join(names)}
    )


class NoteForm(forms.Form):
    """The reason why an action is reverted."""

    note = forms.CharField(required=False, max_length=NOTE_LENGTH)


class JudgeGroupForm(VersionedForm):
    """Name of a group, and the block limit of its judges."""

    name = forms.CharField(
        label=_("Group name"), max_length=60, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    blocks_asked = forms.IntegerField(
        label=_("Maximum blocks per judge"),
        help_text=_(
            "Leave blank to use the campaign’s limit. The largest limit of a judge’s groups applies."
        ),
        min_value=1,
        max_value=MAX_BLOCKS,
        required=False,
    )

    def __init__(self, data: Any = None, *, group: JudgeGroup | None = None) -> None:
        self._group = group
        initial = {} if group is None else {name: getattr(group, name) for name in self.base_fields}
        super().__init__(data, initial=initial)

    def save(self, campaign: Campaign) -> JudgeGroup | None:
        """Create or change the group and return it; None, with an error, if refused."""
        data = self.cleaned_data
        with RefusalsAt(self):
            if self._group is None:
                return judge_group_create(campaign=campaign, **data)
            return judge_group_change(group=self._group, **data)
        return None


class ExportForm(forms.Form):
    """Export settings, within a member's rights."""

    kind = forms.ChoiceField(label=_("Kind"))
    file_format = forms.ChoiceField(label=_("Format"))
    after = forms.IntegerField(
        label=_("After number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=_("To resume an export, enter the last number you have."),
    )
    until = forms.IntegerField(
        label=_("Up to number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=_("Leave blank to export everything so far."),
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
