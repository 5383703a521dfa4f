"""Forms of a campaign and its settings, its closing time and its deletion."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.forms.models import fields_for_model
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext_lazy as _

from campaign.models import (
    Campaign,
    User,
)
from campaign.models.campaign import MAX_JUDGED, Judged
from campaign.pages.forms import VersionedForm, WholeNumberField
from campaign.selectors.tasks import tasks_in_order
from campaign.services.campaigns import (
    MAX_BLOCKS,
    MAX_LEASE_MINUTES,
    ReferenceRankedError,
    Rules,
    campaign_change,
    campaign_create,
    campaign_extend,
)
from campaign.texts.by_language import TextsField
from campaign.texts.lines import LinesTextarea
from campaign.texts.refusals import RefusalsAt, RefusedError
from campaign.texts.time_zones import (
    ANYWHERE_ON_EARTH,
    NamedZone,
    SkippedTimeError,
    moment_at,
    named_zone,
    offered_time_zones,
    year_refusal,
)


class CampaignForm(forms.Form):
    """Name and short name, which is derived from the name by default."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("Shown to judges and organisers."),
        max_length=200,
    )
    slug = forms.SlugField(
        label=_("Short name"),
        help_text=_(
            "Letters, digits and hyphens. Used in URLs and cannot be changed. Leave empty to derive it from the name.",
        ),
        max_length=60,
        required=False,
    )

    def save(self, *, user: User, time_zone: str) -> Campaign | None:
        """Create the campaign for this organiser; return None, with errors at the fields, if it is refused."""
        with RefusalsAt(self):
            return campaign_create(
                organisers=[user],
                time_zone=time_zone,
                **self.cleaned_data,
            )
        return None


# The time zone is on the page of the closing time, and questions have a page of their own.
_ELSEWHERE: Final = ("time_zone", "questions")
_RULES: Final = tuple(name for name in Rules.__annotations__ if name not in _ELSEWHERE)
#: Maxima of integer fields.
_MOST: Final = {"blocks_per_judge": MAX_BLOCKS, "lease_minutes": MAX_LEASE_MINUTES}


class JudgedField(forms.MultiValueField):
    """The type of output: a word that Quintet knows, or the organiser's own."""

    choices = Judged.choices

    def __init__(self, **options: Any) -> None:
        choices = [*Judged.choices, ("", _("Your own word"))]
        own = TextsField(max_length=20 * MAX_JUDGED)
        label = {"aria-label": _("Your own word"), "placeholder": _("Your own word")}
        super().__init__(
            fields=[forms.ChoiceField(choices=choices, required=False), own],
            widget=_JudgedWidget(
                [
                    forms.Select(choices=choices),
                    LinesTextarea({**own.widget.attrs, **label}),
                ],
            ),
            require_all_fields=False,
            **options,
        )

    def prepare_value(self, value: Any) -> Any:
        """Return a word of the list, or the lines of the organiser's own."""
        return TextsField().prepare_value(value)

    def compress(self, data_list: list[Any]) -> Any:
        """Return the word; only one of both may be chosen."""
        choice, own = data_list or ("", "")
        if bool(choice) == bool(own):
            raise ValidationError(
                _("Choose a word from the list, or “Your own word” and enter it."),
            )
        return choice or own


class _JudgedWidget(forms.MultiWidget):
    # The label is that of the list; the field for an own word has its own.
    use_fieldset = False

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_0"

    def decompress(self, value: Any) -> list[Any]:
        """Return what each of both shows."""
        if value in Judged.values:
            return [value, ""]
        return ["", value]


def _field(field: Any, **options: Any) -> Any:
    if field.name == "judged":
        return JudgedField(
            label=field.verbose_name,
            help_text=_(
                "Shown to judges. Your own word can be one line for all readers, or a line per language, such as “de: Bildunterschriften”.",
            ),
        )
    if field.name in _MOST:
        options |= {
            "form_class": WholeNumberField,
            "min_value": 1,
            "max_value": _MOST[field.name],
        }
    return field.formfield(**options)


class SettingsForm(VersionedForm):
    """The rules of a campaign. Each help text states the effect of a change on judges at work."""

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        campaign: Campaign,
    ) -> None:
        self.campaign = campaign
        super().__init__(
            data,
            initial={name: getattr(campaign, name) for name in _RULES},
        )
        self.fields.update(
            fields_for_model(Campaign, _RULES, formfield_callback=_field),
        )

    def save(self, *, rank_shown_reference: bool = False) -> bool:
        """Save only the fields changed in this form; return False, with an error, if refused.

        Raises `ReferenceRankedError` if `rank_shown_reference` must be confirmed.
        """
        changes: Any = {name: self.cleaned_data[name] for name in self.changed_data}
        try:
            campaign_change(
                campaign=self.campaign,
                rank_shown_reference=rank_shown_reference,
                **changes,
            )
        except ReferenceRankedError:
            raise
        except RefusedError as error:
            self.add_error(error.field, str(error))
            return False
        return True


#: Format of a `datetime-local` field.
_CLOCK: Final = "%Y-%m-%dT%H:%M"


class ClockTimeField(forms.DateTimeField):
    """A date and time as clocks show them; the form knows where."""

    def to_python(self, value: Any) -> datetime | None:
        """Return the time without a time zone."""
        if value in self.empty_values:
            return None
        try:
            clock = parse_datetime(str(value).strip())
        except ValueError:
            clock = None
        if clock is None or clock.tzinfo is not None:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        if refusal := year_refusal(clock):
            raise ValidationError(refusal, code="invalid")
        return clock


def _time_zone_choices(current: str) -> list[tuple[str, Any]]:
    names = sorted({*offered_time_zones(), current} - {ANYWHERE_ON_EARTH, "UTC"})
    first = [(ANYWHERE_ON_EARTH, _("Anywhere on Earth (AoE)")), ("UTC", "UTC")]
    return first + [(name, name) for name in names]


class LifetimeForm(VersionedForm):
    """Automatic closing time of a campaign, and the target number of blocks per test set."""

    closes_at = ClockTimeField(
        label=_("Closes automatically on"),
        help_text=_(
            "Shown to judges, who receive no more work after that. Leave empty to close it manually.",
        ),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_CLOCK),
        required=False,
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        help_text=_(
            "For all times on the campaign’s pages and in its e-mails. Judges see their own time.",
        ),
        required=False,
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        campaign: Campaign,
    ) -> None:
        self.campaign = campaign
        self.tasks = tasks_in_order(campaign)
        zone = campaign.zone
        closes_at = campaign.closes_at
        if closes_at is not None:
            closes_at = closes_at.astimezone(zone).replace(tzinfo=None)
        super().__init__(data, initial={"closes_at": closes_at, "time_zone": zone.key})
        time_zone: Any = self.fields["time_zone"]
        time_zone.choices = _time_zone_choices(zone.key)
        for task in self.tasks:
            self.fields[f"blocks_{task.pk}"] = WholeNumberField(
                label=_("Target for %(name)s (blocks)") % {"name": task.called},
                min_value=1,
                max_value=MAX_BLOCKS,
                required=False,
                initial=task.blocks_wanted,
            )

    def clean_time_zone(self) -> str:
        """Read the closing time in the time zone entered with it."""
        name = self.cleaned_data["time_zone"] or self.campaign.zone.key
        clock = self.cleaned_data.get("closes_at")
        if clock is not None:
            try:
                self.cleaned_data["closes_at"] = self._moment(clock, named_zone(name))
            except SkippedTimeError:
                self.add_error(
                    "closes_at",
                    _(
                        "This time does not exist: clocks go forward for daylight-saving time.",
                    ),
                )
        return str(name)

    def _moment(self, clock: datetime, zone: NamedZone) -> datetime:
        """Return the moment entered; the stored one, which may be more exact, if its field was left as it was."""
        stored = self.campaign.closes_at
        if stored is not None and zone.key == self.campaign.zone.key:
            local_time = stored.astimezone(zone)
            if f"{local_time:{_CLOCK}}" == f"{clock:{_CLOCK}}":
                return stored
        return moment_at(clock, zone)

    def save(self) -> bool:
        """Save the entries; return False, with an error, if the time is in the past."""
        targets = {
            task.pk: self.cleaned_data[f"blocks_{task.pk}"] for task in self.tasks
        }
        time_zone = self.cleaned_data["time_zone"]
        with RefusalsAt(self, "closes_at"), transaction.atomic():
            if time_zone != self.campaign.zone.key:
                campaign_change(campaign=self.campaign, time_zone=time_zone)
            campaign_extend(
                campaign=self.campaign,
                closes_at=self.cleaned_data["closes_at"],
                blocks_wanted=targets,
            )
            return True
        return False


class DeletionForm(forms.Form):
    """Ask for the name of the campaign before it is deleted."""

    name = forms.CharField(label=_("Campaign name"), max_length=200)
