"""Forms to publish a result, to change its visibility, and for a Zenodo draft."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from django import forms
from django.core.validators import RegexValidator
from django.forms.boundfield import BoundField
from django.utils.translation import gettext_lazy as _

from campaign.models import System
from ranking.models import PublishedResult
from ranking.services.publishing.bundles import LICENCES, TOKEN, ZenodoHost
from ranking.services.publishing.content import PublishedWords
from ranking.services.publishing.naming import LONGEST_WORDING, GivenReason, may_be_anonymous

_TEXT: Final = 5_000
_LINE: Final = 300


def _moment() -> forms.DateTimeInput:
    return forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


def _area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


class PublishForm(forms.Form):
    """Anonymous systems, and the texts beside the result."""

    anonymous = forms.MultipleChoiceField(
        label=_("Anonymize systems"),
        help_text=_(
            "Selected systems appear as “System A”, “System B” … without name or team. Ask the teams first."
        ),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    authors = forms.CharField(
        label=_("Authors"),
        help_text=_("For the citation, one per line: “Horáková, Marta”."),
        widget=_area(3),
        max_length=_TEXT,
        required=False,
    )
    acknowledgement = forms.CharField(
        label=_("Acknowledgement"), widget=_area(3), max_length=_TEXT, required=False
    )
    contact = forms.CharField(
        label=_("Contact"),
        help_text=_("Public contact for readers’ questions. Addresses become links."),
        max_length=_LINE,
        required=False,
    )
    change_note = forms.CharField(
        label=_("Changes"),
        help_text=_("Shown with the changes detected automatically, such as changed ranks."),
        widget=_area(2),
        max_length=_TEXT,
        required=False,
    )
    embargo_until = forms.DateTimeField(
        label=_("Embargo until"),
        help_text=_(
            "Until then, only members and reviewers with a link can see it. Leave blank for no embargo."
        ),
        widget=_moment(),
        required=False,
    )

    metrics = forms.BooleanField(
        label=_("Include the agreement of metrics with judges"), initial=True, required=False
    )
    texts = forms.BooleanField(
        label=_(
            "Include sources, references and outputs in the public bundle. Make sure you may redistribute these texts."
        ),
        required=False,
    )

    def __init__(
        self,
        data: Any,
        *,
        systems: Sequence[System],
        reasons: Sequence[GivenReason],
        last: PublishedResult | None,
        has_metrics: bool = False,
    ) -> None:
        worded = {} if last is None else last.wordings
        self._reasons = {_name_of(each.text): each.text for each in reasons}
        texts = {name: worded.get(text, "") for name, text in self._reasons.items()}
        super().__init__(data, initial=_as_last_time(systems, last) | texts)
        field = self.fields["anonymous"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101  for the type checker
        field.choices = [(each.name, each.name) for each in systems if may_be_anonymous(each)]
        if last is None:
            del self.fields["change_note"]
        if not has_metrics:
            del self.fields["metrics"]
        for each in reasons:
            self.fields[_name_of(each.text)] = forms.CharField(
                label=f"{each.page}: “{each.text}”",
                widget=_area(2),
                max_length=LONGEST_WORDING,
                required=False,
            )

    @property
    def words(self) -> PublishedWords:
        """The texts of a valid form."""
        return words_of(self.cleaned_data, self._wordings(self.cleaned_data))

    @property
    def initial_words(self) -> PublishedWords:
        """The texts before editing."""
        return words_of(self.initial, self._wordings(self.initial))

    @property
    def said(self) -> Iterator[BoundField]:
        """The fields but those of reasons."""
        return (each for each in self if each.name not in self._reasons)

    @property
    def reworded(self) -> list[BoundField]:
        """The fields for other words of reasons."""
        return [self[name] for name in self._reasons]

    @property
    def has_wordings(self) -> bool:
        """True if a reason is reworded, or must be."""
        return any(each.value() or each.errors for each in self.reworded)

    def refuse(self, *, field: str, text: str, message: str) -> None:
        """Show a refusal at its field; `text` is the refused reason or its rewording."""
        wordings = self._wordings(self.cleaned_data)
        for name, reason in self._reasons.items():
            if field == "wordings" and wordings.get(reason, reason) == text:
                self.add_error(name, message)
                return
        self.add_error(field if field in self.fields else None, message)

    def _wordings(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the other words of reasons; none where all systems are named."""
        if not values.get("anonymous"):
            return {}
        said = {text: values.get(name, "").strip() for name, text in self._reasons.items()}
        return {text: wording for text, wording in said.items() if wording}


def _name_of(reason: str) -> str:
    """Return the name of the field for a reason, which stays its own where others come and go."""
    return f"wording_{sha256(reason.encode()).hexdigest()[:12]}"


def words_of(values: Any, wordings: Mapping[str, str]) -> PublishedWords:
    """Return the texts of the fields."""
    lines = values.get("authors", "").splitlines()
    return PublishedWords(
        authors=tuple(line.strip() for line in lines if line.strip()),
        acknowledgement=values.get("acknowledgement", "").strip(),
        contact=values.get("contact", "").strip(),
        change_note=values.get("change_note", "").strip(),
        wordings=wordings,
    )


def _as_last_time(systems: Sequence[System], last: PublishedResult | None) -> dict[str, Any]:
    if last is None:
        return {"anonymous": []}
    content = last.content
    return {
        "anonymous": [
            each.name
            for each in systems
            if may_be_anonymous(each) and last.labels.get(str(each.pk), each.name) != each.name
        ],
        "authors": "\n".join(content["authors"]),
        "acknowledgement": content["acknowledgement"],
        "contact": content["contact"],
    }


class EmbargoForm(forms.Form):
    """Until when a version is under an embargo."""

    embargo_until = forms.DateTimeField(
        label=_("Embargo until"),
        help_text=_("Leave blank to make it public now. This cannot be undone."),
        widget=_moment(),
        required=False,
    )


class RetractionForm(forms.Form):
    """Why a version is retracted."""

    retraction_reason = forms.CharField(
        label=_("Reason"),
        help_text=_("Shown at the top of the page."),
        widget=_area(3),
        max_length=_TEXT,
    )


class ZenodoForm(forms.Form):
    """Site and licence of the draft, and the organiser's own token."""

    host = forms.ChoiceField(
        label=_("Site"), choices=ZenodoHost.choices, initial=ZenodoHost.SANDBOX
    )
    licence = forms.ChoiceField(
        label=_("Licence"),
        choices=list(LICENCES.items()),
        help_text=_(
            "Covers the judgments and any texts in the bundle. Ask the owners of the texts first."
        ),
    )
    token = forms.CharField(
        label=_("Access token"),
        help_text=_(
            "A token for this site with the deposit:write scope. Stored encrypted until the draft is created, "
            "then deleted; revoke it on the site as well."
        ),
        max_length=200,
        validators=[RegexValidator(TOKEN)],
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
