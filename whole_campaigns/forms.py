"""Forms to clone and rehearse campaigns, and for tasks, with a field for each rule of their protocols."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms.boundfield import BoundField
from django.utils.formats import number_format
from django.utils.functional import lazy
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from annotation.protocols.answer_kinds import (
    RuleField,
    Rules,
    answer_kind,
    answer_kind_of,
)
from annotation.selectors.task_rules import name_settled_in_words, task_rules
from annotation.services.planning.designs import design_change
from annotation.services.tasks import task_settings_change, task_with_rules_create
from campaign.models import Campaign, Protocol, Task, TestSet, User
from campaign.pages.forms import VersionedForm, WholeNumberField
from campaign.pages.studies import study_choices
from campaign.pages.uploads import LANGUAGE_TAG, SOURCE_TAG
from campaign.services.campaigns import LEAST_SKILL, MAX_BLOCKS, MOST_BOTS
from campaign.texts.refusals import RefusalsAt
from campaign.texts.studies import study_of_protocol, study_preset


def _skill_help() -> str:
    return gettext(
        "Probability of preferring the better of two outputs: %(random)s random, %(careless)s careless, "
        "%(typical)s typical, %(careful)s careful, 1 perfect.",
    ) % {
        "random": number_format(0.5),
        "careless": number_format(0.7),
        "typical": number_format(0.8),
        "careful": number_format(0.9),
    }


class CloneForm(forms.Form):
    """Name, short name and parts of the clone."""

    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        help_text=_("Letters, digits and hyphens. Used in URLs."),
    )
    texts = forms.BooleanField(
        label=_("Copy texts: test sets, systems, outputs, training and designs"),
        required=False,
    )
    people = forms.BooleanField(
        label=_("Copy people: members, and judges without their work"),
        required=False,
    )


class RehearsalForm(forms.Form):
    """Behaviour of simulated judges, and their amount of work."""

    bots = WholeNumberField(
        label=_("Simulated judges"),
        min_value=1,
        max_value=MOST_BOTS,
        initial=10,
    )
    skill = forms.FloatField(
        label=_("Skill"),
        min_value=LEAST_SKILL,
        max_value=1,
        initial=0.8,
        help_text=lazy(_skill_help, str)(),
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )
    share = WholeNumberField(
        label=_("Share of the target (%)"),
        min_value=1,
        max_value=100,
        initial=100,
    )
    seed = WholeNumberField(
        label=_("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text=_("The same seed produces the same judgments."),
    )


_LANGUAGES = ("source_language", "target_language")
_TAG = forms.TextInput(attrs={"dir": "ltr", "spellcheck": "false"})
#: Maps the fields of a form to rules of a protocol.
Names = Mapping[str, str]


def _blocks(name: str) -> Any:
    quota: Any = Task._meta.get_field(name)
    return quota.formfield(min_value=1, max_value=MAX_BLOCKS)


def _language(label: Any, help_text: Any = LANGUAGE_TAG) -> forms.CharField:
    return forms.CharField(label=label, help_text=help_text, widget=_TAG)


def _segments_again(**more: Any) -> forms.BooleanField:
    return forms.BooleanField(
        label=_("Repeat segments of other tasks"),
        required=False,
        help_text=_(
            "Lets judges see the same segments in several tasks, so that their answers can be compared. They may remember them. Cannot be changed once judging has started.",
        ),
        **more,
    )


class NewTaskForm(forms.Form):
    """A test set, a protocol that it does not have yet, the target, and the rules of each protocol.

    Only the rules of the chosen protocol are used.
    """

    test_set = forms.ModelChoiceField(
        TestSet.objects.none(),
        label=_("Test set"),
        empty_label=None,
    )
    protocol = forms.ChoiceField(label=_("Protocol"), widget=forms.RadioSelect)
    blocks_wanted = _blocks("blocks_wanted")
    segments_again = _segments_again()

    def __init__(
        self,
        data: Any = None,
        *,
        campaign: Campaign,
        test_set: int | None = None,
        study: str = "",
    ) -> None:
        super().__init__(data, initial={"test_set": test_set, "protocol": study})
        rows = list(
            campaign.test_sets.order_by("created_at", "pk").prefetch_related("tasks"),
        )
        incomplete: list[int] = []
        offered: set[Protocol] = set()
        for row in rows:
            missing = _missing_protocols(row)
            if missing:
                incomplete.append(row.pk)
                offered |= missing
        test_sets: Any = self.fields["test_set"]
        protocols: Any = self.fields["protocol"]
        choices = campaign.test_sets.filter(pk__in=incomplete)
        test_sets.queryset = choices.order_by("created_at", "pk")
        protocols.choices = study_choices(offered)
        #: True if every test set has a task of every protocol.
        self.is_over = not incomplete
        #: Fields of rules by protocol.
        self.rules_names: dict[str, Names] = {}
        for protocol in Protocol:
            if protocol in offered:
                rules = answer_kind(protocol).rules
                self.rules_names[protocol.value] = _fields_add(self, protocol, rules)

    @property
    def rules_groups(self) -> list[tuple[str, str, list[BoundField]]]:
        """Value, name and fields of each protocol with options."""
        groups = []
        for protocol, names in self.rules_names.items():
            if names:
                fields = [self[name] for name in names]
                groups.append((protocol, str(Protocol(protocol).label), fields))
        return groups

    @property
    def common(self) -> list[BoundField]:
        """The fields shared by all protocols."""
        return [
            self[name]
            for name in ("test_set", "protocol", "blocks_wanted", "segments_again")
        ]

    def clean(self) -> dict[str, Any]:
        for protocol, names in self.rules_names.items():
            if protocol != self._protocol:
                for name in names:
                    self.errors.pop(name, None)
        return self.cleaned_data

    def save(self, *, by: User) -> Task | None:
        """Create the task; return None, with an error, if it is refused."""
        values = self.cleaned_data
        protocol = self._protocol
        preset = study_of_protocol(protocol, values["protocol"])
        rules = {**_rules_of(values, self.rules_names[protocol]), **preset.rules}
        with RefusalsAt(self), transaction.atomic():
            task = task_with_rules_create(
                by=by,
                test_set=values["test_set"],
                protocol=protocol,
                rules=rules,
                blocks_wanted=values["blocks_wanted"],
                segments_again=values["segments_again"],
            )
            if preset.design:
                design_change(task=task, changed_by=by, **preset.design)
            return task
        return None

    @property
    def _protocol(self) -> str:
        preset = study_preset(self.cleaned_data.get("protocol", ""))
        return "" if preset is None else str(preset.protocol)


class TaskSettingsForm(VersionedForm):
    """Name, quotas, expertise, languages and rules of a task and its test set.

    The name and languages are omitted, and rules are read-only, once they can no longer be changed.
    """

    name = forms.CharField(label=_("Test set name"), max_length=200)
    blocks_wanted = _blocks("blocks_wanted")
    blocks_per_segment = _blocks("blocks_per_segment")
    expertise = forms.CharField(
        label=_("Required expertise"),
        help_text=_(
            "Only judges with all of these areas of expertise receive work. Separate them with commas.",
        ),
        required=False,
    )
    source_language = _language(_("Source language"), SOURCE_TAG)
    target_language = _language(_("Target language"))

    def __init__(
        self,
        data: Any = None,
        *,
        task: Task,
        are_languages_settled: bool = False,
        rules_settled: str = "",
    ) -> None:
        self.task = task
        super().__init__(
            data,
            initial={
                "name": task.test_set.name,
                "blocks_wanted": task.blocks_wanted,
                "blocks_per_segment": task.blocks_per_segment,
                "expertise": ", ".join(task.test_set.expertise),
                "source_language": task.test_set.source_language,
                "target_language": task.test_set.target_language,
            },
        )
        if name_settled_in_words(test_set=task.test_set):
            del self.fields["name"]
        if are_languages_settled:
            for name in _LANGUAGES:
                del self.fields[name]
        self.rules_settled = rules_settled
        if task.protocol != Protocol.RANKING:
            self.fields["segments_again"] = _segments_again(
                initial=task.segments_again,
                disabled=bool(rules_settled),
            )
        unused = answer_kind_of(task).rules_without_effect
        rules = {}
        for rule, value in task_rules(task).items():
            if rule not in unused:
                rules[rule] = value
        self.rules_names = _fields_add(
            self,
            task.protocol,
            rules,
            are_settled=bool(rules_settled),
        )

    def clean_expertise(self) -> list[str]:
        text: str = self.cleaned_data["expertise"]
        tags = {tag.strip().lower() for tag in text.split(",")}
        return sorted(tags - {""})

    def clean(self) -> dict[str, Any]:
        if not self.rules_settled:
            return self.cleaned_data
        # A page loaded before judges received work still offers the choice.
        for name in self.rules_names:
            field = self.fields[name]
            sent = field.widget.value_from_datadict(self.data, self.files, name)
            if name in self.data and field.to_python(sent) != field.initial:
                raise ValidationError(self.rules_settled)
        return self.cleaned_data

    def save(self) -> bool:
        """Save the changes; return False, with an error, if they are refused."""
        rules = _rules_of(self.cleaned_data, self.rules_names)
        for name in self.rules_names:
            self.cleaned_data.pop(name, None)
        with RefusalsAt(self):
            task_settings_change(task=self.task, rules=rules, **self.cleaned_data)
        return self.is_valid()


def _missing_protocols(test_set: TestSet) -> set[Protocol]:
    """Return the protocols of which a test set has no task."""
    return set(Protocol) - {Protocol(task.protocol) for task in test_set.tasks.all()}


def _fields_add(
    form: forms.Form,
    protocol: str,
    rules: Rules,
    *,
    are_settled: bool = False,
) -> Names:
    """Add a field for each of these rules."""
    names = {}
    for name, rule_field in answer_kind(protocol).rules_fields.items():
        # Structured rules have pages of their own.
        if isinstance(rule_field, RuleField) and rule_field.has_own_page:
            continue
        if name not in rules:
            continue
        field = deepcopy(rule_field)
        field.initial = rules[name]
        field.disabled = are_settled
        # Prefixed, since rules of several protocols or fields of a test set may share a name.
        form.fields[f"{protocol}_{name}"] = field
        names[f"{protocol}_{name}"] = name
    return names


def _rules_of(values: Mapping[str, object], names: Names) -> dict[str, object]:
    """Return the rules among the values of a form; None for fields that have none."""
    return {name: values.get(field) for field, name in names.items()}
