from typing import Any

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from campaign.forms.languages import languages_validate
from campaign.models import Campaign, Panel, PanelKind, Task
from campaign.services import PanelTerms
from campaign.services.panels import (
    CODE_PATTERN,
    GENERIC_TERMS,
    MOST_BLOCKS,
    MOST_MINUTES,
    MOST_PARTICIPATIONS,
    PROLIFIC_TERMS,
)
from campaign.texts.languages import language_name

_CODE = RegexValidator(CODE_PATTERN, _("Four or more letters and digits."))


class PanelForm(forms.Form):
    """The terms of a panel's study; for a new panel also the service it is on."""

    kind = forms.ChoiceField(label=_("Service"), choices=PanelKind.choices)
    name = forms.CharField(
        label=_("Name"), max_length=100, help_text=_("For you; participants do not see it.")
    )
    blocks_asked = forms.IntegerField(
        label=_("Sentences to rank"),
        min_value=1,
        max_value=MOST_BLOCKS,
        help_text=_("For each participant. Sentences come in threes, so a multiple of 3 is best."),
    )
    minutes_allowed = forms.IntegerField(
        label=_("Minutes allowed"),
        min_value=1,
        max_value=MOST_MINUTES,
        help_text=_("The maximum the service allows; after that, their sentences go to others."),
    )
    participations_per_member = forms.IntegerField(
        label=_("How often one person may take part"),
        min_value=1,
        max_value=MOST_PARTICIPATIONS,
        initial=1,
        help_text=_("Only Prolific lets a person take part more than once."),
    )
    languages = forms.MultipleChoiceField(
        label=_("Languages they read"),
        required=False,
        validators=[languages_validate],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None chosen: all of the campaign."),
    )
    screen_out_after_training = forms.BooleanField(
        label=_("Screen out participants who fail the training twice"), required=False, initial=True
    )
    completion_code = forms.CharField(
        label=_("Completion code"),
        required=False,
        validators=[_CODE],
        help_text=_("The code set at the service. Leave empty to create one and enter it there."),
    )
    screened_out_code = forms.CharField(
        label=_("Code for the screened out"),
        required=False,
        validators=[_CODE],
        help_text=_("A second code of the same study."),
    )
    webhook_secret = forms.CharField(
        label=_("Secret of Prolific’s webhook"),
        required=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Without it, we learn of returned submissions only after their time is up."),
    )

    def __init__(
        self, *args: Any, campaign: Campaign, panel: Panel | None = None, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields |= forms.fields_for_model(Panel, GENERIC_TERMS)
        if panel is not None:
            self.initial = _initial(panel)
        languages = self.fields["languages"]
        assert isinstance(languages, forms.MultipleChoiceField)  # noqa: S101  for the type checker
        pairs = Task.objects.of(campaign).values_list(
            "test_set__source_language", "test_set__target_language"
        )
        known = {tag for pair in pairs for tag in pair} | set(panel.languages if panel else ())
        languages.choices = [(tag, language_name(tag)) for tag in sorted(known)]
        if panel is not None:
            del self.fields["kind"]
            is_prolific = panel.kind == PanelKind.PROLIFIC
            for name in GENERIC_TERMS if is_prolific else PROLIFIC_TERMS:
                del self.fields[name]

    @property
    def terms(self) -> PanelTerms:
        """Return the terms of a valid form."""
        return PanelTerms(**{name: v for name, v in self.cleaned_data.items() if name != "kind"})


def _initial(panel: Panel) -> dict[str, Any]:
    names = (
        *("name", "blocks_asked", "minutes_allowed", "participations_per_member", "languages"),
        *("screen_out_after_training", "completion_code", "screened_out_code", *GENERIC_TERMS),
    )
    return {name: getattr(panel, name) for name in names}
