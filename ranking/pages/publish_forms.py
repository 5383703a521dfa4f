"""Forms that publish a result, set its embargo and retract it."""

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from django import forms
from django.forms.boundfield import BoundField
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import System
from campaign.texts.lines import LinesTextarea
from ranking.models import PublishedResult
from ranking.reports.predicted_ranking import completing_label
from ranking.services.published_results.content import FrontMatter
from ranking.services.published_results.naming import (
    LONGEST_WORDING,
    TitledReason,
    may_be_anonymous,
)
from ranking.services.published_results.sections import ChosenSections, Completing

_TEXT: Final = 5_000
_LINE: Final = 300
#: Fields for optional sections.
_PARTS: Final = ("metrics", "predicted_ranking")
#: As browsers send and take moments.
_CLOCK: Final = "%Y-%m-%dT%H:%M"


def _moment() -> forms.DateTimeInput:
    return forms.DateTimeInput(
        attrs={"type": "datetime-local"},
        format=_CLOCK,
    )


def _area(rows: int) -> LinesTextarea:
    return LinesTextarea(attrs={"rows": rows})


class PublishForm(forms.Form):
    """Anonymous systems, and the texts published with the result."""

    anonymous = forms.MultipleChoiceField(
        label=gettext_lazy("Anonymise systems"),
        help_text=gettext_lazy(
            "Selected systems appear as “System A”, “System B” … without name or team. Ask the teams first.",
        ),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    authors = forms.CharField(
        label=gettext_lazy("Authors"),
        help_text=gettext_lazy("For the citation, one per line: “Horáková, Marta”."),
        widget=_area(3),
        max_length=_TEXT,
        required=False,
    )
    acknowledgement = forms.CharField(
        label=gettext_lazy("Acknowledgement"),
        widget=_area(3),
        max_length=_TEXT,
        required=False,
    )
    contact = forms.CharField(
        label=gettext_lazy("Contact"),
        help_text=gettext_lazy(
            "Public contact for readers’ questions. Addresses become links.",
        ),
        max_length=_LINE,
        required=False,
    )
    change_note = forms.CharField(
        label=gettext_lazy("Changes"),
        help_text=gettext_lazy(
            "Shown with the changes detected automatically, such as changed ranks.",
        ),
        widget=_area(2),
        max_length=_TEXT,
        required=False,
    )
    embargo_until = forms.DateTimeField(
        label=gettext_lazy("Embargo until"),
        help_text=gettext_lazy(
            "Until then, only members and reviewers with a link can see it. Leave empty for no embargo.",
        ),
        widget=_moment(),
        required=False,
    )

    metrics = forms.BooleanField(
        label=gettext_lazy("Include the agreement of metrics with judges"),
        initial=True,
        required=False,
    )
    predicted_ranking = forms.BooleanField(
        label=gettext_lazy("Include the prediction-powered ranking"),
        help_text=gettext_lazy(
            "As last computed on the Metrics page, or by the metric or machine judge that saves the most judgments. It follows the ranking by people alone.",
        ),
        required=False,
    )
    completed_by = forms.ChoiceField(
        label=gettext_lazy("Metric or machine judge"),
        required=False,
    )
    texts = forms.BooleanField(
        label=gettext_lazy(
            "Include sources, references and outputs in the public bundle. Make sure you may redistribute these texts.",
        ),
        required=False,
    )

    def __init__(
        self,
        data: Any,
        *,
        systems: Sequence[System],
        reasons: Sequence[TitledReason],
        last: PublishedResult | None,
        has_metrics: bool = False,
        completing: Sequence[Completing] = (),
    ) -> None:
        wordings: Mapping[str, str] = {}
        if last is not None:
            wordings = last.wordings
        initial = _initial_from_last_result(systems, last)
        self._reasons = {}
        for reason in reasons:
            name = _name_of(reason.text)
            self._reasons[name] = reason.text
            initial[name] = wordings.get(reason.text, "")
        super().__init__(data, initial=initial)
        until = self.fields["embargo_until"]
        until.label = f"{until.label} ({timezone.get_current_timezone_name()})"
        field = self.fields["anonymous"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101  for the type checker
        names = [system.name for system in filter(may_be_anonymous, systems)]
        field.choices = list(zip(names, names, strict=True))
        if last is None:
            del self.fields["change_note"]
        if not has_metrics:
            del self.fields["metrics"]
        completed_by = self.fields["completed_by"]
        assert isinstance(completed_by, forms.ChoiceField)  # noqa: S101  for the type checker
        choices = [("", _("Default"))]
        for name, is_machine in completing:
            choices.append((name, completing_label(name, is_machine=is_machine)))
        completed_by.choices = choices
        if not completing:
            del self.fields["predicted_ranking"]
            del self.fields["completed_by"]
        for reason in reasons:
            self.fields[_name_of(reason.text)] = forms.CharField(
                label=_("%(page)s: “%(text)s”")
                % {"page": reason.page, "text": reason.text},
                widget=_area(2),
                max_length=LONGEST_WORDING,
                required=False,
            )

    @property
    def sections(self) -> ChosenSections:
        """The optional sections to include, of a valid form."""
        chosen = [name for name in _PARTS if self.cleaned_data.get(name)]
        return ChosenSections(
            names=("firmness", *chosen),
            completed_by=self.cleaned_data.get("completed_by", ""),
        )

    @property
    def front_matter(self) -> FrontMatter:
        """The texts of a valid form."""
        return front_matter_of(self.cleaned_data, self._wordings(self.cleaned_data))

    @property
    def initial_front_matter(self) -> FrontMatter:
        """The texts before editing."""
        return front_matter_of(self.initial, self._wordings(self.initial))

    @property
    def text_fields(self) -> Iterator[BoundField]:
        """The fields other than those for reasons."""
        for field in self:
            if field.name not in self._reasons:
                yield field

    @property
    def reworded(self) -> list[BoundField]:
        """The fields for rewording reasons."""
        return [self[name] for name in self._reasons]

    @property
    def has_wordings(self) -> bool:
        """True if a reason is or must be reworded."""
        return any(field.value() or field.errors for field in self.reworded)

    def refuse(self, *, field: str, text: str, message: str) -> None:
        """Show a refusal at its field; `text` is the refused reason or its rewording."""
        wordings = self._wordings(self.cleaned_data)
        for name, reason in self._reasons.items():
            if field == "wordings" and wordings.get(reason, reason) == text:
                self.add_error(name, message)
                return
        if field in self.fields:
            self.add_error(field, message)
        else:
            self.add_error(None, message)

    def _wordings(self, values: Mapping[str, Any]) -> dict[str, str]:
        """Return the rewordings of reasons; none if all systems are named."""
        if not values.get("anonymous"):
            return {}
        wordings = {}
        for name, reason in self._reasons.items():
            wording = values.get(name, "").strip()
            if wording:
                wordings[reason] = wording
        return wordings


def _name_of(reason: str) -> str:
    """Return the field name for a reason, which does not depend on other reasons."""
    return f"wording_{sha256(reason.encode()).hexdigest()[:12]}"


def front_matter_of(values: Any, wordings: Mapping[str, str]) -> FrontMatter:
    """Return the organiser's texts from the values of the fields."""
    lines = map(str.strip, values.get("authors", "").splitlines())
    return FrontMatter(
        authors=tuple(filter(None, lines)),
        acknowledgement=values.get("acknowledgement", "").strip(),
        contact=values.get("contact", "").strip(),
        change_note=values.get("change_note", "").strip(),
        wordings=wordings,
    )


def _initial_from_last_result(
    systems: Sequence[System],
    last: PublishedResult | None,
) -> dict[str, object]:
    if last is None:
        return {"anonymous": []}
    anonymous = []
    for system in systems:
        label = last.labels.get(str(system.pk), system.name)
        if may_be_anonymous(system) and label != system.name:
            anonymous.append(system.name)
    content = last.content
    return {
        "anonymous": anonymous,
        "authors": "\n".join(content["authors"]),
        "acknowledgement": content["acknowledgement"],
        "contact": content["contact"],
    }


class EmbargoForm(forms.Form):
    """End of the embargo of a version."""

    embargo_until = forms.DateTimeField(
        label=gettext_lazy("Embargo until"),
        help_text=gettext_lazy(
            "Leave empty to make it public now. This cannot be undone.",
        ),
        widget=_moment(),
        required=False,
    )


class RetractionForm(forms.Form):
    """Reason for retracting a version."""

    retraction_reason = forms.CharField(
        label=gettext_lazy("Reason"),
        help_text=gettext_lazy("Shown at the top of the page."),
        widget=_area(3),
        max_length=_TEXT,
    )
