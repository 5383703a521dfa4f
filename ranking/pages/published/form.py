"""What organisers fill in to publish a result, and to change who may see it."""

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.models import System
from ranking.models import PublishedResult
from ranking.services.publishing import PublishedWords, may_be_anonymous

_TEXT: Final = 5_000
_LINE: Final = 300


def _moment() -> forms.DateTimeInput:
    return forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")


def _area(rows: int) -> forms.Textarea:
    return forms.Textarea(attrs={"rows": rows})


class PublishForm(forms.Form):
    """Which systems are named, and what is said beside the result."""

    anonymous = forms.MultipleChoiceField(
        label=_("Not named"),
        help_text=_(
            "A system that is ticked is called “System A”, “System B” … in the result and its files; "
            "its name and its team stand nowhere in them. Ask each team."
        ),
        widget=forms.CheckboxSelectMultiple,
        required=False,
    )
    authors = forms.CharField(
        label=_("Authors"),
        help_text=_("For the citation, one a line: “Horáková, Marta”."),
        widget=_area(3),
        max_length=_TEXT,
        required=False,
    )
    acknowledgement = forms.CharField(
        label=_("Acknowledgement"), widget=_area(3), max_length=_TEXT, required=False
    )
    contact = forms.CharField(
        label=_("Contact"),
        help_text=_("Whom readers may ask; an address becomes a link. Anybody can read it."),
        max_length=_LINE,
        required=False,
    )
    change_note = forms.CharField(
        label=_("What has changed"),
        help_text=_("Stands beside what is found out by itself, such as ranks that moved."),
        widget=_area(2),
        max_length=_TEXT,
        required=False,
    )
    embargo_until = forms.DateTimeField(
        label=_("Embargo until"),
        help_text=_(
            "Until then only members, and reviewers with a link, see it. Empty: no embargo."
        ),
        widget=_moment(),
        required=False,
    )

    texts = forms.BooleanField(
        label=_(
            "Sources, references and outputs are in the bundle that everybody can download; without the tick, "
            "judgments alone. Texts may be somebody’s: ask."
        ),
        required=False,
    )

    def __init__(
        self,
        data: Any,
        *,
        systems: Sequence[System],
        last: PublishedResult | None,
    ) -> None:
        super().__init__(data, initial=_as_last_time(systems, last))
        field = self.fields["anonymous"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101  for the type checker
        field.choices = [(each.name, each.name) for each in systems if may_be_anonymous(each)]
        if last is None:
            del self.fields["change_note"]

    @property
    def words(self) -> PublishedWords:
        """What a valid form says."""
        return words_of(self.cleaned_data)

    @property
    def initial_words(self) -> PublishedWords:
        """What the form says before anybody fills it in."""
        return words_of(self.initial)


def words_of(values: Any) -> PublishedWords:
    """Return what the fields say."""
    lines = values.get("authors", "").splitlines()
    return PublishedWords(
        authors=tuple(line.strip() for line in lines if line.strip()),
        acknowledgement=values.get("acknowledgement", "").strip(),
        contact=values.get("contact", "").strip(),
        change_note=values.get("change_note", "").strip(),
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
        help_text=_("Empty: open to everybody at once, for good."),
        widget=_moment(),
        required=False,
    )


class RetractionForm(forms.Form):
    """Why a version is retracted."""

    retraction_reason = forms.CharField(
        label=_("Why it is retracted"),
        help_text=_("Readers see it at the top of the page."),
        widget=_area(3),
        max_length=_TEXT,
    )
