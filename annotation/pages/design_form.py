"""Form for a design: all parameters in groups, with their effects."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from annotation.models import Design
from annotation.models.design import PARAMETERS
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.sampling.parameters import (
    WrittenWrongError,
    limits_read,
    limits_written,
    numbers_read,
    numbers_written,
)
from annotation.selectors.designs import TELLING, design_of_preset, preset_of
from annotation.services.planning.designs import design_proposed
from campaign.models import JudgeGroup, SystemKind, Task
from campaign.models.system import system_label
from campaign.pages.forms import VERSION, VersionedForm, WholeNumberField
from campaign.texts.refusals import RefusalsAt
from campaign.texts.studies import Preset

_NEVER = "never"
_AT_A_RATE = "rate"
_LIKE_A_SYSTEM = "system"
#: Fields with a share in percent.
_SHARES: Final = (
    "machine_share",
    "bad_reference_rate",
    "active_floor",
    "inter_share",
    "intra_share",
)
_GROUPS: Final = (
    (
        _("Blocks"),
        (
            "kind",
            "systems_per_block",
            "systems",
            "length_limits",
            "active_floor",
            "normalisation",
        ),
    ),
    (
        _("Sentences"),
        ("segments_per_hit", "segment_order", "documents", "segments", "machine_share"),
    ),
    (
        _("Reference and attention checks"),
        (
            "reference",
            "reference_rate",
            "rank_shown_reference",
            "bad_reference_rate",
            "attention_every",
        ),
    ),
    (
        _("Repeated judgments"),
        ("redundancy", "inter_share", "intra_share", "repeat_gap"),
    ),
    (_("Judges"), ("judge_group",)),
    (_("Randomness"), ("seed",)),
)


def _percent(help_text: Any, *, highest: int = 100) -> forms.DecimalField:
    return forms.DecimalField(help_text=help_text, min_value=0, max_value=highest)


class DesignForm(VersionedForm):
    """Design parameters; unbound, it shows the design in force."""

    kind = forms.ChoiceField(
        choices=[
            choice
            for choice in Design.Kind.choices
            if choice[0] != Design.Kind.IMPORTED
        ],
        help_text=_(
            "Uniform: all systems equally likely. Balanced: least compared pairs first. Active: most informative pairs first. Blocks of two: two outputs at a time. All systems: every output for a sentence.",
        ),
    )
    systems_per_block = WholeNumberField(
        min_value=1,
        max_value=26,
        help_text=_(
            "Number of outputs shown together. Ignored for blocks of two and all systems.",
        ),
    )
    systems = forms.MultipleChoiceField(
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    length_limits = forms.CharField(
        required=False,
        max_length=200,
        help_text=_(
            "WORDS:OUTPUTS, such as 30:3, 50:2. Sentences of 30 or more words show at most three outputs. Leave empty for no limit.",
        ),
    )
    active_floor = _percent(
        _(
            "Share of blocks drawn as in a balanced design, so that no system is neglected.",
        ),
    )
    normalisation = forms.ChoiceField(
        choices=Design.Sameness.choices,
        help_text=_(
            "Identical outputs are shown once, and the rank counts for each of their systems. “Visually identical” ignores white space and invisible characters.",
        ),
    )
    segments_per_hit = WholeNumberField(
        min_value=1,
        max_value=50,
        help_text=_("Consecutive sentences from a document that a judge gets at once."),
    )
    segment_order = forms.ChoiceField(
        choices=Design.Order.choices,
        help_text=_(
            "Random: anywhere in the test set. Sequential: every sentence once before any is repeated.",
        ),
    )
    documents = forms.CharField(
        required=False,
        max_length=2000,
        help_text=_("Positions, such as 1,4-7. Leave empty for all."),
    )
    segments = forms.CharField(
        required=False,
        max_length=5000,
        help_text=_("Numbers, such as 1,4-7. Leave empty for all."),
    )
    machine_share = forms.DecimalField(min_value=0, max_value=90)
    reference = forms.ChoiceField(
        label=_("Reference as an output"),
        choices=[
            (_NEVER, _("never")),
            (_AT_A_RATE, _("in some blocks")),
            (_LIKE_A_SYSTEM, _("like a system")),
        ],
        help_text=_(
            "A hidden reference reveals judges who do not read. Choose “never” if judges see the reference.",
        ),
    )
    reference_rate = forms.DecimalField(
        required=False,
        min_value=0,
        max_value=100,
        help_text=_(
            "Required if the reference is in some blocks. Bojar et al. (2011) recommend a lower share than for a system.",
        ),
    )
    rank_shown_reference = forms.BooleanField(
        label=_("Rank the reference even if judges see it"),
        required=False,
    )
    bad_reference_rate = _percent(
        _(
            "A judge who prefers the damaged text is probably not reading. Only approved damaged references are shown.",
        ),
    )
    attention_every = WholeNumberField(min_value=0, max_value=32767)
    redundancy = WholeNumberField(
        min_value=1,
        max_value=50,
        help_text=_("More judges per block means fewer sentences for the same budget."),
    )
    inter_share = _percent(_("Measures agreement between judges."), highest=90)
    intra_share = _percent(_("Measures self-agreement."), highest=90)
    repeat_gap = WholeNumberField(
        min_value=0,
        max_value=32767,
        help_text=_("Keeps judges from remembering their first answer."),
    )
    judge_group = forms.ModelChoiceField(
        queryset=JudgeGroup.objects.none(),
        empty_label=_("All judges"),
        required=False,
    )
    seed = forms.CharField(
        required=False,
        max_length=39,
        widget=forms.TextInput(
            attrs={"inputmode": "numeric", "dir": "ltr", "autocomplete": "off"},
        ),
        help_text=_(
            "Whole number that determines all random draws. Keep it secret from judges; a short number can be guessed. Leave empty to keep the current seed.",
        ),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        task: Task,
        design: Design,
        preset: Preset | None = None,
    ) -> None:
        """Fill the form in from `preset`, or from the design in force."""
        self._now = written(design)
        if preset is None:
            begun = {}
        else:
            begun = dict(preset.design)
        super().__init__(data, initial=self._now | begun, prefix=None)
        self.describe(Design)
        for name in (*_SHARES, "reference_rate"):
            self.fields[name].label = f"{self.fields[name].label} (%)"
        self._task = task
        self._in_force = design
        self._preset = preset
        self._chosen: dict[str, object] = {}
        present = JudgeGroup.objects.present().filter(
            campaign=task.test_set.campaign_id,
        )
        self.fields["judge_group"].queryset = present.order_by("name")  # type: ignore[attr-defined]
        self.fields["systems"].choices = _system_choices(task, design)  # type: ignore[attr-defined]
        help_text = str(answer_kind_of(task).candidates_in_words)
        if help_text:
            self.fields["systems_per_block"].help_text = help_text
        self.proposed = design

    def value_now(self, name: str) -> Any:
        """Return the value of the design in force."""
        return self._now.get(name, self.fields[name].initial)

    @cached_property
    def preset(self) -> Preset | None:
        """The preset with which the form was filled in, or the one that matches its values, if they are valid."""
        if self._preset is not None:
            return self._preset
        chosen = Design(task=self._task)
        try:
            for name in TELLING:
                setattr(chosen, name, self.fields[name].to_python(self[name].value()))
        except forms.ValidationError:
            return None
        return preset_of(chosen)

    @cached_property
    def differing(self) -> list[BoundField]:
        """The fields that differ from the preset."""
        if self.preset is None:
            return []
        usual = written(design_of_preset(self.preset, task=self._task))
        fields = []
        for name in self.fields:
            if name in usual and _comparable(usual[name]) != _comparable(
                self[name].value(),
            ):
                fields.append(self[name])
        return fields

    @property
    def groups(self) -> Iterator[tuple[Any, Sequence[BoundField]]]:
        """The fields grouped under headings."""
        for heading, names in _GROUPS:
            yield heading, [self[name] for name in names]

    @property
    def changed(self) -> dict[str, object]:
        """The parameters that a valid form changes, as arguments of `design_change`."""
        return self._chosen

    @property
    def new_judge_group(self) -> JudgeGroup | None:
        """The judge group that a valid form chooses anew; None if it stays or is removed."""
        if "judge_group" not in self.changed:
            return None
        group: JudgeGroup | None = self.cleaned_data["judge_group"]
        return group

    @property
    def sent(self) -> dict[str, str | list[str]]:
        """The submitted fields, to be sent again after a confirmation."""
        sent = {}
        for name in (*self.fields, VERSION):
            if name in self.data:
                sent[name] = self.data[name]
        return sent | {"systems": self.cleaned_data["systems"]}

    def clean_documents(self) -> list[int]:
        """Read the documents."""
        return self._numbers("documents")

    def clean_segments(self) -> list[int]:
        """Read the segments."""
        return self._numbers("segments")

    def clean_systems(self) -> list[str]:
        """Return the names in the order used by designs."""
        return sorted(self.cleaned_data["systems"])

    def clean_length_limits(self) -> list[list[int]]:
        """Read the limits."""
        try:
            return limits_read(self.cleaned_data["length_limits"])
        except WrittenWrongError as error:
            raise forms.ValidationError(
                _("“%(part)s” is not in the form WORDS:OUTPUTS, such as 30:3."),
                params={"part": error.part},
            ) from error

    def clean_seed(self) -> int | None:
        """Read the seed."""
        text = self.cleaned_data["seed"].strip()
        if not text:
            return None
        if not text.isascii() or not text.isdigit():
            raise forms.ValidationError(_("Enter a whole number of 0 or more."))
        return int(text)

    def clean(self) -> dict[str, Any]:
        """Refuse parameters from which no HIT can be drawn; the error is shown at the field."""
        cleaned = super().clean() or self.cleaned_data
        if (
            cleaned.get("reference") == _AT_A_RATE
            and cleaned.get("reference_rate", 0) is None
        ):
            self.add_error("reference_rate", _("Enter the percentage of blocks."))
        if self.errors:
            return cleaned
        values = self._values(cleaned)
        self._chosen = {}
        for name in PARAMETERS:
            if values[name] != getattr(self._in_force, name):
                self._chosen[name] = values[name]
        with RefusalsAt(self):
            self.proposed = design_proposed(
                task=self._task,
                rank_shown_reference=cleaned["rank_shown_reference"],
                **self._chosen,
            )
        return cleaned

    def _values(self, cleaned: dict[str, Any]) -> dict[str, object]:
        values = {name: cleaned[name] for name in PARAMETERS}
        values |= {name: _share(cleaned[name]) for name in _SHARES}
        values["reference_rate"] = {
            _NEVER: 0.0,
            _AT_A_RATE: _share(cleaned["reference_rate"] or Decimal(0)),
            _LIKE_A_SYSTEM: None,
        }[cleaned["reference"]]
        if values["seed"] is None:
            values["seed"] = self._in_force.seed
        return values

    def _numbers(self, name: str) -> list[int]:
        try:
            return numbers_read(self.cleaned_data[name])
        except WrittenWrongError as error:
            raise forms.ValidationError(
                _("“%(part)s” is not a positive number or a range such as 4-7."),
                params={"part": error.part},
            ) from error


def written(design: Design) -> dict[str, object]:
    """Return a design as values of the form's fields, without the seed."""
    values = {}
    for name in PARAMETERS:
        if name != "seed":
            values[name] = getattr(design, name)
    values |= {name: _format_percent(values[name]) for name in _SHARES}
    values["length_limits"] = limits_written(design.length_limits)
    values["documents"] = numbers_written(design.documents)
    values["segments"] = numbers_written(design.segments)
    rate = design.reference_rate
    if rate is None:
        values["reference"] = _LIKE_A_SYSTEM
    elif rate:
        values["reference"] = _AT_A_RATE
    else:
        values["reference"] = _NEVER
    if rate:
        values["reference_rate"] = _format_percent(rate)
    else:
        values["reference_rate"] = None
    return values


def _system_choices(task: Task, design: Design) -> list[tuple[str, str]]:
    """Return the systems that may be chosen: active ones, and withdrawn ones that are already chosen."""
    systems = task.test_set.systems.exclude(kind=SystemKind.BAD_REFERENCE)
    choices = []
    for system in systems.order_by("name"):
        if system.withdrawn_at is not None:
            if system.name in design.systems:
                choices.append(
                    (system.name, _("%(name)s (withdrawn)") % {"name": system.name}),
                )
        elif system.kind == SystemKind.REFERENCE and system.name == system_label(
            system.name,
        ):
            choices.append(
                (system.name, _("%(name)s (reference)") % {"name": system.name}),
            )
        else:
            choices.append((system.name, system_label(system.name)))
    return choices


def _comparable(value: Any) -> str:
    """Return a field's value, submitted or stored, in a form that can be compared."""
    if isinstance(value, list | tuple):
        return ",".join(sorted(map(str, value)))
    if value in (None, False):
        return ""
    return str(getattr(value, "pk", value))


def _share(percent: Decimal) -> float:
    return float(percent / 100)


def _format_percent(share: float) -> str:
    """Return 0.125 as "12.5"; `_share` gives the same share back."""
    text = f"{Decimal(repr(share)) * 100:f}"
    if "." in text:
        return text.rstrip("0").rstrip(".")
    return text
