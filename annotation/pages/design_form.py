"""The form of a design: every parameter, in groups, with what it does."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from annotation.models import Design
from annotation.protocols import answer_kind
from annotation.sampling.parameters import (
    WrittenWrongError,
    limits_read,
    limits_written,
    numbers_read,
    numbers_written,
)
from annotation.selectors.presets import TELLING, Preset, design_of_preset, preset_of
from annotation.services.planning.designs import PARAMETERS, DesignRefusedError, design_proposed
from campaign.forms.versions import VERSION, VersionedForm
from campaign.models import JudgeGroup, SystemKind, Task

_NEVER, _AT_A_RATE, _LIKE_A_SYSTEM = "never", "rate", "system"
#: Fields that say a share in per cent.
_SHARES: Final = ("bad_reference_rate", "active_floor", "inter_share", "intra_share")
_GROUPS: Final = (
    (
        _("Contents of a block"),
        ("kind", "systems_per_block", "systems", "length_limits", "active_floor", "normalisation"),
    ),
    (
        _("Which sentences, and how many at once"),
        ("segments_per_hit", "segment_order", "documents", "segments"),
    ),
    (
        _("The reference, and attention checks"),
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
    (_("Chance"), ("seed",)),
)


def _percent(label: Any, help_text: Any, *, highest: int = 100) -> forms.DecimalField:
    return forms.DecimalField(label=label, help_text=help_text, min_value=0, max_value=highest)


class DesignForm(VersionedForm):
    """How HITs are drawn; as it stands in the design in force, if nothing was sent."""

    kind = forms.ChoiceField(
        label=_("How systems are chosen"),
        choices=[each for each in Design.Kind.choices if each[0] != Design.Kind.IMPORTED],
        help_text=_(
            "Uniform: every system has the same chance, as at WMT 2008 to 2011. Balanced: those whose pairs "
            "have met least. Active: pairs that will be told apart next; fewer judgments for many systems. "
            "Blocks of two: quick judgments on a phone. All systems: where there are few."
        ),
    )
    systems_per_block = forms.IntegerField(
        label=_("Outputs in a block"),
        min_value=1,
        max_value=26,
        help_text=_(
            "A judge ranks so many outputs of one sentence: five make ten comparisons. Blocks of two and all "
            "systems do not ask for it."
        ),
    )
    systems = forms.MultipleChoiceField(
        label=_("Systems"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_(
            "None ticked: all are judged. Otherwise only those that are, as many as a block shows at least; nothing is "
            "learned of the others. A reference that is drawn like one more system has to be ticked, too."
        ),
    )
    length_limits = forms.CharField(
        label=_("Fewer outputs for long sentences"),
        required=False,
        max_length=200,
        help_text=_(
            "WORDS:OUTPUTS, as in 30:3, 50:2: sentences of at least 30 words show at most three outputs. "
            "Empty: no limit."
        ),
    )
    active_floor = _percent(
        _("Balanced share of an active design, in per cent"),
        _("So many of its blocks are drawn as in a balanced one, so that no system starves."),
    )
    normalisation = forms.ChoiceField(
        label=_("Which outputs count as the same text"),
        choices=Design.Sameness.choices,
        help_text=_(
            "Identical texts are shown once, and the rank counts for every system that wrote one. “Same to the eye” also treats texts as identical if they differ only in white space or invisible characters."
        ),
    )
    segments_per_hit = forms.IntegerField(
        label=_("Sentences in a HIT"),
        min_value=1,
        max_value=50,
        help_text=_("Consecutive sentences of one document that a judge gets at once."),
    )
    segment_order = forms.ChoiceField(
        label=_("Order of sentences"),
        choices=Design.Order.choices,
        help_text=_(
            "Random: anywhere in the test set. One after the other: each sentence once before any comes again."
        ),
    )
    documents = forms.CharField(
        label=_("Documents"),
        required=False,
        max_length=2000,
        help_text=_("By position, as in 1,4-7: judge only these. Empty: all."),
    )
    segments = forms.CharField(
        label=_("Segments"),
        required=False,
        max_length=5000,
        help_text=_("By number, as in 1,4-7: judge only these. Empty: all."),
    )
    reference = forms.ChoiceField(
        label=_("The reference among the outputs"),
        choices=[
            (_NEVER, _("never")),
            (_AT_A_RATE, _("in some blocks")),
            (_LIKE_A_SYSTEM, _("like one more system")),
        ],
        help_text=_(
            "Ranked unseen, it shows who reads. Never, where judges see it beside the source."
        ),
    )
    reference_rate = forms.DecimalField(
        label=_("Blocks with the reference, in per cent"),
        required=False,
        min_value=0,
        max_value=100,
        help_text=_(
            "Where it stands in some blocks. Bojar and others (2011) advise fewer than of a system."
        ),
    )
    rank_shown_reference = forms.BooleanField(
        label=_("Let judges rank the reference although they see it"), required=False
    )
    bad_reference_rate = _percent(
        _("Blocks with a damaged reference, in per cent"),
        _(
            "A judge who prefers the damaged text is probably not reading. Only approved damaged references are shown."
        ),
    )
    attention_every = forms.IntegerField(
        label=_("HITs from one attention check to the next"),
        min_value=0,
        max_value=32767,
        help_text=_(
            "Average number of HITs between damaged references for each judge. 0 leaves it to chance."
        ),
    )
    redundancy = forms.IntegerField(
        label=_("Judges for each block"),
        min_value=1,
        max_value=50,
        help_text=_(
            "Every block is judged by so many. More judges, fewer sentences for the same money."
        ),
    )
    inter_share = _percent(
        _("Repeated by another judge, in per cent of HITs"),
        _("For agreement between judges."),
        highest=90,
    )
    intra_share = _percent(
        _("Repeated by the same judge, in per cent of HITs"),
        _("For agreement of judges with themselves."),
        highest=90,
    )
    repeat_gap = forms.IntegerField(
        label=_("HITs between a HIT and its repeat by the same judge"),
        min_value=0,
        max_value=32767,
        help_text=_("Minimum distance, so that judges do not remember their first answer."),
    )
    judge_group = forms.ModelChoiceField(
        label=_("Judges"),
        queryset=JudgeGroup.objects.none(),
        empty_label=_("all judges"),
        required=False,
        help_text=_("With a group, only its judges are lent HITs of this test set."),
    )
    seed = forms.CharField(
        label=_("Seed"),
        required=False,
        max_length=39,
        widget=forms.TextInput(attrs={"inputmode": "numeric", "dir": "ltr", "autocomplete": "off"}),
        help_text=_(
            "A whole number from which chance follows, for repeating a campaign. Empty: it stays as it is. Judges "
            "must not know it."
        ),
    )

    def __init__(
        self, data: Any = None, *, task: Task, design: Design, preset: Preset | None = None
    ) -> None:
        """`preset` fills the form in; without one it begins as the design in force."""
        self._now = written(design)
        begun = {} if preset is None else dict(preset.design)
        super().__init__(data, initial=self._now | begun, prefix=None)
        self._task, self._in_force, self._wanted = task, design, preset
        self._chosen: dict[str, Any] = {}
        present = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
        self.fields["judge_group"].queryset = present.order_by("name")  # type: ignore[attr-defined]
        self.fields["systems"].choices = _system_choices(task, design)  # type: ignore[attr-defined]
        words = str(answer_kind(task.protocol).candidates_in_words)
        if words:
            self.fields["systems_per_block"].help_text = words
        self.proposed = design

    def value_now(self, name: str) -> Any:
        """Return the value of the design in force."""
        return self._now.get(name, self.fields[name].initial)

    @cached_property
    def preset(self) -> Preset | None:
        """The preset that the form was filled in by, or that what it says follows."""
        if self._wanted is not None:
            return self._wanted
        chosen = Design(task=self._task)
        for name in TELLING:
            setattr(chosen, name, self.fields[name].to_python(self[name].value()))
        return preset_of(chosen)

    @cached_property
    def differing(self) -> list[BoundField]:
        """The fields that differ from the preset."""
        if self.preset is None:
            return []
        usual = written(design_of_preset(self.preset, task=self._task))
        return [
            self[name]
            for name in self.fields
            if name in usual and _said(usual[name]) != _said(self[name].value())
        ]

    @property
    def groups(self) -> Iterator[tuple[Any, Sequence[BoundField]]]:
        """The fields under plain headings."""
        for words, names in _GROUPS:
            yield words, [self[name] for name in names]

    @property
    def changed(self) -> dict[str, Any]:
        """The parameters that a valid form changes, as `design_change` takes them."""
        return self._chosen

    @property
    def sent(self) -> dict[str, str | list[str]]:
        """The fields as they were sent, to be sent again."""
        sent = {name: self.data[name] for name in (*self.fields, VERSION) if name in self.data}
        return sent | {"systems": self.cleaned_data["systems"]}

    def clean_documents(self) -> list[int]:
        """Read the documents."""
        return self._numbers("documents")

    def clean_segments(self) -> list[int]:
        """Read the segments."""
        return self._numbers("segments")

    def clean_systems(self) -> list[str]:
        """Return the names in the order in which a design has them."""
        return sorted(self.cleaned_data["systems"])

    def clean_length_limits(self) -> list[list[int]]:
        """Read the limits."""
        try:
            return limits_read(self.cleaned_data["length_limits"])
        except WrittenWrongError as error:
            raise forms.ValidationError(
                _("“%(part)s” is not of the form WORDS:OUTPUTS, such as 30:3."),
                params={"part": error.part},
            ) from error

    def clean_seed(self) -> int | None:
        """Read the seed."""
        text = self.cleaned_data["seed"].strip()
        if not text:
            return None
        if not text.isascii() or not text.isdigit():
            raise forms.ValidationError(_("A seed is a whole number without a sign."))
        return int(text)

    def clean(self) -> dict[str, Any]:
        """Refuse what no HIT can be drawn by, at the field that it is about."""
        cleaned = super().clean() or self.cleaned_data
        if cleaned.get("reference") == _AT_A_RATE and cleaned.get("reference_rate", 0) is None:
            self.add_error("reference_rate", _("Say in how many per cent of blocks it stands."))
        if self.errors:
            return cleaned
        values = self._values(cleaned)
        self._chosen = {
            name: values[name]
            for name in PARAMETERS
            if values[name] != getattr(self._in_force, name)
        }
        try:
            self.proposed = design_proposed(
                task=self._task,
                rank_shown_reference=cleaned["rank_shown_reference"],
                **self._chosen,
            )
        except DesignRefusedError as error:
            self.add_error(error.field if error.field in self.fields else None, str(error))
        return cleaned

    def _values(self, cleaned: dict[str, Any]) -> dict[str, Any]:
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
                _("“%(part)s” is neither a number from 1 on nor a range like 4-7."),
                params={"part": error.part},
            ) from error


def written(design: Design) -> dict[str, Any]:
    """Return a design as the fields of the form have it; the seed is not shown."""
    found = {name: getattr(design, name) for name in PARAMETERS if name != "seed"}
    found |= {name: _in_percent(found[name]) for name in _SHARES}
    found["length_limits"] = limits_written(design.length_limits)
    found["documents"] = numbers_written(design.documents)
    found["segments"] = numbers_written(design.segments)
    rate = design.reference_rate
    found["reference"] = _LIKE_A_SYSTEM if rate is None else _AT_A_RATE if rate else _NEVER
    found["reference_rate"] = _in_percent(rate) if rate else None
    return found


def _system_choices(task: Task, design: Design) -> list[tuple[str, str]]:
    """Return the systems that may be chosen: those that take part, and what is chosen already."""
    systems = task.test_set.systems.exclude(kind=SystemKind.BAD_REFERENCE)
    found = []
    for system in systems.order_by("name"):
        if system.withdrawn_at is not None:
            if system.name in design.systems:
                found.append((system.name, _("%(name)s (withdrawn)") % {"name": system.name}))
        elif system.kind == SystemKind.REFERENCE:
            found.append((system.name, _("%(name)s (reference)") % {"name": system.name}))
        else:
            found.append((system.name, system.name))
    return found


def _said(value: Any) -> str:
    """Return a value of a field as it is compared, however it came."""
    if isinstance(value, list | tuple):
        return ",".join(sorted(map(str, value)))
    return "" if value in (None, False) else str(getattr(value, "pk", value))


def _share(percent: Decimal) -> float:
    return float(percent / 100)


def _in_percent(share: float) -> str:
    """Return 0.125 as "12.5"; `_share` gives the same share back."""
    text = f"{Decimal(repr(share)) * 100:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
