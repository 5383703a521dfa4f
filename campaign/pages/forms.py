"""Forms of the organisers' pages."""

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import transaction
from django.db.models import Model
from django.forms.models import fields_for_model
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from campaign.models import (
    Campaign,
    InvitationRole,
    Membership,
    MembershipRole,
    Protocol,
    ReferenceUse,
    TokenScope,
    Upload,
    User,
)
from campaign.models.campaign import MAX_JUDGED, Judged
from campaign.pages.desk import ROLE_MEANS
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
from campaign.services.invitation_mails import AddressesRefusedError, addresses_read
from campaign.services.invitations import MOST_JUDGES_OF_A_LINK, last_moment, link_lifetime
from campaign.services.uploads import UploadRefusedError, upload_change
from campaign.texts.by_language import TextsField
from campaign.texts.joining import comma_list, labelled_lazy, sentence_list, sentence_list_lazy
from campaign.texts.languages import LanguageTagError, language_name, language_tags_checked
from campaign.texts.names import visible_name
from campaign.texts.refusals import RefusalsAt, RefusedError
from campaign.texts.time_zones import (
    ANYWHERE_ON_EARTH,
    NamedZone,
    SkippedTimeError,
    moment_at,
    named_zone,
    offered_time_zones,
)

#: Name of the hidden field, see `organiser/_version.html`.
VERSION: Final = "version"


class VersionedForm(forms.Form):
    """A form whose page contains a version of its initial values.

    If one of them has changed when the form is sent, it is refused once and shown again with the entries; sending it
    again replaces the other organiser's changes. Requests without a version are not checked.
    """

    def describe(self, model: type[Model]) -> None:
        """Set missing labels and help texts of fields from the model's fields."""
        for name, field in self.fields.items():
            if not field.label:
                described: Any = model._meta.get_field(name)
                field.label = described.verbose_name
                field.help_text = field.help_text or described.help_text

    @property
    def version(self) -> str:
        """Short hashes of all initial values."""
        return " ".join(f"{name}:{_hash(self, name)}" for name in self.fields)

    def value_now(self, name: str) -> Any:
        """Return the current value of a field; forms override this if it differs from the form's initial value."""
        return self[name].initial

    def full_clean(self) -> None:
        """Clean the form, and refuse it if values have changed since its page was loaded."""
        super().full_clean()
        if not self.is_bound or not self.data.get(VERSION):
            return
        then = dict(part.split(":", 1) for part in self.data[VERSION].split() if ":" in part)
        names = [name for name in self.fields if name in then and then[name] != _hash(self, name)]
        if not names:
            return
        said = _(
            "Another organiser changed this since you opened the page: %(fields)s. Your entries are kept below. Save "
            "again to replace theirs, or reload the page to see theirs."
        ) % {"fields": comma_list(str(self[name].label) for name in names)}
        self.errors[VERSION] = self.error_class([said])

    @property
    def changed_meanwhile(self) -> str:
        """The message if the form was refused because of a concurrent change; otherwise empty."""
        return sentence_list(self.errors.get(VERSION, ())) if self.is_bound else ""


class TaskRulesForm(VersionedForm):
    """Rules of a task, or those of a preset before they are saved; the version is that of the task's."""

    def __init__(self, data: Any = None, *, task_rules: Mapping[str, Any], **more: Any) -> None:
        super().__init__(data, **more)
        self._task_rules = task_rules

    def value_now(self, name: str) -> Any:
        """Return the value that the task has."""
        return self._task_rules[name]


def _hash(form: VersionedForm, name: str) -> str:
    field: Any = form[name]
    value = field.field.prepare_value(form.value_now(name))
    if isinstance(value, list | tuple | set):
        value = sorted(map(str, value))
    return hashlib.sha256(str(value).encode()).hexdigest()[:8]


def languages_validate(tags: str | Sequence[str]) -> None:
    """Refuse invalid tags: choices are the languages of test sets, including those imported unchecked."""
    try:
        language_tags_checked([tags] if isinstance(tags, str) else tags)
    except LanguageTagError as error:
        raise ValidationError(str(error)) from error


class MessageForm(forms.Form):
    """An invitation by e-mail."""

    language = forms.ChoiceField(label=_("Language of the message"), choices=settings.LANGUAGES)
    note = forms.CharField(
        label=_("Personal note"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )


class _LanguagesForm(forms.Form):
    """A form that asks which of the campaign's languages judges read."""

    languages = forms.MultipleChoiceField(
        label=_("Languages of the judges"),
        help_text=_("Leave all unchecked for all languages of the campaign."),
        required=False,
        validators=[languages_validate],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, languages: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["languages"]
        field.choices = [(tag, language_name(tag)) for tag in languages]


class _SharedLinkForm(forms.Form):
    """Ask for the last day and the note of a shared link."""

    expires = forms.DateField(
        label=_("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    note = forms.CharField(
        label=_("Note"), help_text=_("Visible to organisers only."), max_length=200, required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["expires"]
        field.initial = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
        field.help_text = _("Leave empty for %(day)s.") % {"day": date_format(field.initial)}

    def clean_expires(self) -> datetime | None:
        return last_moment(self.cleaned_data["expires"])


class ResultsLinkForm(_SharedLinkForm):
    """A link to the results of a campaign."""

    field_order = ("anonymous", "expires", "note")
    anonymous = forms.BooleanField(label=_("Anonymise systems"), required=False)


class LinkForm(_SharedLinkForm, _LanguagesForm):
    """A shared link for new judges."""

    field_order = ("cap", "expires", "note", "languages", "asks_languages")
    cap = forms.IntegerField(
        label=_("Maximum number of judges"),
        help_text=_("Enter 1 for a personal link."),
        min_value=1,
        max_value=MOST_JUDGES_OF_A_LINK,
        initial=20,
    )
    asks_languages = forms.BooleanField(
        label=_("Ask new judges which of these languages they read"), required=False
    )


class MailForm(MessageForm, _LanguagesForm):
    """Invitations by e-mail."""

    field_order = ("addresses", "languages", "language", "note")
    addresses = forms.CharField(
        label=_("E-mail addresses"),
        help_text=_("One per line, or separated by commas."),
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false", "dir": "ltr"}),
    )

    def clean_addresses(self) -> list[str]:
        try:
            return addresses_read(self.cleaned_data["addresses"])
        except AddressesRefusedError as error:
            raise forms.ValidationError(error.problems) from error


_BY_ORGANISERS: Final = (MembershipRole.ORGANISER, MembershipRole.ANALYST)


class TokenForm(forms.Form):
    """An API token."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("For example, the program that uses the token."),
        max_length=100,
    )
    scope = forms.ChoiceField(
        label=_("Permissions"), choices=TokenScope.choices, initial=TokenScope.READ
    )
    campaign = forms.ModelChoiceField(
        label=_("Campaign"),
        queryset=Campaign.objects.none(),
        required=False,
        empty_label=_("All your campaigns"),
    )
    days = forms.IntegerField(label=_("Validity in days"), min_value=1)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        days, campaign = fields["days"], fields["campaign"]
        days.initial = settings.TOKEN_DAYS
        most = max(settings.TOKEN_MOST_DAYS, settings.TOKEN_DAYS)
        days.validators.append(MaxValueValidator(most))
        days.widget.attrs["max"] = most
        mine = Membership.objects.filter(user=user).values("campaign")
        campaign.queryset = Campaign.objects.kept().filter(pk__in=mine).order_by("name")


class NameField(forms.CharField):
    """The name of a person, on one line and without invisible characters."""

    def to_python(self, value: Any) -> str:
        """Return the name as it is stored."""
        return visible_name(super().to_python(value) or "")


class MemberForm(forms.Form):
    """New member of a campaign. Only owners can choose the owner role."""

    email = forms.EmailField(label=_("E-mail address"))
    name = NameField(
        label=_("Name"),
        help_text=_("Shown to others. Leave empty to use the e-mail address."),
        max_length=150,
        required=False,
    )
    role = forms.ChoiceField(
        label=_("Role"),
        choices=(),
        initial=MembershipRole.ORGANISER,
        help_text=sentence_list_lazy([ROLE_MEANS[role] for role in _BY_ORGANISERS]),
    )

    def __init__(self, *args: Any, may_own: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["role"]
        roles = list(MembershipRole) if may_own else _BY_ORGANISERS
        field.choices = [(role.value, role.label) for role in roles]


class MemberMailForm(MessageForm, MemberForm):
    """An invitation by e-mail to run or read the campaign."""


def _password(label: Any, **attributes: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=_("At least eight characters, not only digits."),
        strip=False,
        # The time for hashing grows with the length of the password.
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", **attributes}),
    )


class AccountForm(forms.Form):
    """Name, e-mail address and password of an organiser."""

    name = NameField(
        label=_("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )
    password = _password(_("Password"))


class NameForm(forms.Form):
    """Display name of a user."""

    name = NameField(
        label=_("Name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
    )


class AddressForm(forms.Form):
    """An e-mail address, to which a link is sent."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )


class NewPasswordForm(forms.Form):
    """A new password."""

    password = _password(_("New password"), autofocus=True)


class CampaignForm(forms.Form):
    """Name and short name, which is derived from the name by default."""

    name = forms.CharField(
        label=_("Name"), help_text=_("Shown to judges and organisers."), max_length=200
    )
    slug = forms.SlugField(
        label=_("Short name"),
        help_text=_(
            "Letters, digits and hyphens. Used in URLs and cannot be changed. Leave empty to derive it from the name."
        ),
        max_length=60,
        required=False,
    )

    def save(self, *, user: User, time_zone: str) -> Campaign | None:
        """Create the campaign for this organiser; return None, with errors at the fields, if it is refused."""
        with RefusalsAt(self):
            return campaign_create(organisers=[user], time_zone=time_zone, **self.cleaned_data)
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
        known = [*Judged.choices, ("", _("Your own word"))]
        own = TextsField(max_length=20 * MAX_JUDGED)
        label = {"aria-label": _("Your own word"), "placeholder": _("Your own word")}
        super().__init__(
            fields=[forms.ChoiceField(choices=known, required=False), own],
            widget=_JudgedWidget(
                [forms.Select(choices=known), forms.Textarea({**own.widget.attrs, **label})]
            ),
            require_all_fields=False,
            **options,
        )

    def prepare_value(self, value: Any) -> Any:
        """Return a word of the list, or the lines of the organiser's own."""
        return TextsField().prepare_value(value)

    def compress(self, data_list: list[Any]) -> Any:
        """Return the word; only one of both may be chosen."""
        known, own = data_list or ("", "")
        if bool(known) == bool(own):
            raise ValidationError(
                _("Choose a word from the list, or “Your own word” and enter it.")
            )
        return known or own


class _JudgedWidget(forms.MultiWidget):
    # The label is that of the list; the field for an own word has its own.
    use_fieldset = False

    def id_for_label(self, id_: str) -> str:
        return f"{id_}_0"

    def decompress(self, value: Any) -> list[Any]:
        """Return what each of both shows."""
        return [value, ""] if value in Judged.values else ["", value]


def _field(field: Any, **options: Any) -> Any:
    if field.name == "judged":
        return JudgedField(
            label=field.verbose_name,
            help_text=_(
                "Shown to judges. Your own word can be one line for all readers, or a line per language, such as “de: Bildunterschriften”."
            ),
        )
    limits = {"min_value": 1, "max_value": _MOST[field.name]} if field.name in _MOST else {}
    return field.formfield(**limits, **options)


class SettingsForm(VersionedForm):
    """The rules of a campaign. Each help text states the effect of a change on judges at work."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign) -> None:
        self.campaign = campaign
        super().__init__(data, initial={name: getattr(campaign, name) for name in _RULES})
        self.fields.update(fields_for_model(Campaign, _RULES, formfield_callback=_field))

    def save(self, *, rank_shown_reference: bool = False) -> bool:
        """Save only the fields changed in this form; return False, with an error, if refused.

        Raises `ReferenceRankedError` if `rank_shown_reference` must be confirmed.
        """
        changes: Any = {name: self.cleaned_data[name] for name in self.changed_data}
        try:
            campaign_change(
                campaign=self.campaign, rank_shown_reference=rank_shown_reference, **changes
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
            "Shown to judges, who receive no more work after that. Leave empty to close it manually."
        ),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_CLOCK),
        required=False,
    )
    time_zone = forms.ChoiceField(
        label=_("Time zone"),
        help_text=_(
            "For all times on the campaign’s pages and in its e-mails. Judges see their own time."
        ),
        required=False,
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign) -> None:
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
            self.fields[f"blocks_{task.pk}"] = forms.IntegerField(
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
                    _("This time does not exist: clocks go forward for daylight-saving time."),
                )
        return str(name)

    def _moment(self, clock: datetime, zone: NamedZone) -> datetime:
        """Return the moment entered; the stored one, which may be more exact, if its field was left as it was."""
        stored = self.campaign.closes_at
        if stored is not None and zone.key == self.campaign.zone.key:
            shown = stored.astimezone(zone)
            if f"{shown:{_CLOCK}}" == f"{clock:{_CLOCK}}":
                return stored
        return moment_at(clock, zone)

    def save(self) -> bool:
        """Save the entries; return False, with an error, if the time is in the past."""
        wanted = {each.pk: self.cleaned_data[f"blocks_{each.pk}"] for each in self.tasks}
        time_zone = self.cleaned_data["time_zone"]
        with RefusalsAt(self, "closes_at"), transaction.atomic():
            if time_zone != self.campaign.zone.key:
                campaign_change(campaign=self.campaign, time_zone=time_zone)
            campaign_extend(
                campaign=self.campaign,
                closes_at=self.cleaned_data["closes_at"],
                blocks_wanted=wanted,
            )
            return True
        return False


class DeletionForm(forms.Form):
    """Ask for the name of the campaign before it is deleted."""

    name = forms.CharField(label=_("Campaign name"), max_length=200)


LANGUAGE_TAG: Final = _("Language tag, such as cs, de-AT or zh-Hans.")
SOURCE_TAG: Final = _(
    "Language tag, such as cs, de-AT or zh-Hans; zxx if the source has no language, such as pictures."
)


#: Labels with the names under which organisers look for a protocol.
_PROTOCOL_LABELS: Final = {
    Protocol.RATING: labelled_lazy("DA, MOS", _("Ratings by criteria")),
    Protocol.SPANS: labelled_lazy("ESA, MQM", Protocol.SPANS.label),
}


class UploadForm(forms.Form):
    """Name, languages and reference of the new test set; `role:FILE` and `system:FILE` for each file."""

    name = forms.CharField(label=_("Test set name"), max_length=200, required=False)
    source_language = forms.CharField(
        label=_("Source language"),
        help_text=SOURCE_TAG,
        max_length=35,
        required=False,
    )
    target_language = forms.CharField(
        label=_("Target language"),
        help_text=_("Language of the outputs."),
        max_length=35,
        required=False,
    )
    protocol = forms.ChoiceField(
        label=_("Protocol"),
        help_text=_("First task of the test set. You can add others later."),
        choices=[(each.value, _PROTOCOL_LABELS.get(each, each.label)) for each in Protocol],
    )
    reference_use = forms.ChoiceField(
        label=_("Reference"), choices=ReferenceUse, widget=forms.RadioSelect
    )
    blocks_wanted = forms.IntegerField(
        label=_("Target (blocks)"),
        help_text=_(
            "Target for progress, and the maximum number of blocks. Leave empty for no limit."
        ),
        min_value=1,
        max_value=2**31 - 1,
        required=False,
    )
    by_paragraph = forms.BooleanField(
        label=_("Split documents into paragraphs"),
        help_text=_("For WMT JSON Lines files, where each document is one segment by default."),
        required=False,
    )
    common_documents = forms.BooleanField(
        label=_("Import only documents covered by all systems"),
        help_text=_("Other documents are skipped and listed."),
        required=False,
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, upload: Upload) -> None:
        super().__init__(data, initial={n: getattr(upload, n) for n in self.base_fields})
        self.upload = upload
        if self.data.get("act") == "import":
            for name in ("name", "source_language", "target_language"):
                self.fields[name].required = True

    def save(self) -> bool:
        """Store the options; return False, with errors at the fields, if they are refused."""
        try:
            upload_change(upload=self.upload, roles=self._roles(), **self.cleaned_data)
        except LanguageTagError as error:
            self.add_error("target_language", str(error))
        except UploadRefusedError as error:
            self.add_error(None, str(error))
        return self.is_valid()

    def _roles(self) -> dict[str, dict[str, str]]:
        """Return earlier choices of roles, and those in the form that differ from the detected roles."""
        report = self.upload.report or {}
        chosen = dict(self.upload.roles)
        for file in report.get("files", []):
            name = file["name"]
            role = self.data.get(f"role:{name}", file["role"])
            system = self.data.get(f"system:{name}", file["system"] or "").strip()
            if (role, system) != (file["role"], file["system"] or ""):
                chosen[name] = {"role": role, "system": system}
        return chosen
