"""The form with which organisers describe the criteria of a rating task, in one language at a time."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.protocols.answer_kinds import key_from_name
from campaign.pages.forms import TaskRulesForm
from campaign.texts.by_language import COLONS, Texts, TextsJSON
from campaign.texts.languages import text_for_reader
from campaign.texts.lines import LinesTextarea
from protocols.frame.scale.criteria import (
    MAX_CRITERIA,
    MAX_LABEL,
    MAX_NAME,
    MAX_QUESTION,
    Beside,
    Criterion,
    CriterionJSON,
)
from protocols.frame.scale.presets import texts_of_presets


class CriterionForm(forms.Form):
    """One criterion; a criterion without a name is left out."""

    #: Key of the criterion from which the form was filled in; its texts in other languages are kept.
    was = forms.CharField(required=False, widget=forms.HiddenInput)
    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=MAX_NAME,
        required=False,
    )
    question = forms.CharField(
        label=gettext_lazy("Question"),
        max_length=MAX_QUESTION,
        required=False,
        widget=LinesTextarea(attrs={"rows": 2, "dir": "auto"}),
        help_text=gettext_lazy("{language} stands for the target language."),
    )
    beside = forms.ChoiceField(
        label=gettext_lazy("Shown beside the output"),
        choices=Beside.choices,
        initial=Beside.SOURCE.value,
    )
    lowest = forms.IntegerField(label=gettext_lazy("Lowest value (0 or 1)"), initial=1)
    highest = forms.IntegerField(
        label=gettext_lazy("Highest value"),
        initial=5,
        help_text=gettext_lazy("2 to 11 points, or a slider from 0 to 100."),
    )
    labels = forms.CharField(
        label=gettext_lazy("Texts of the points"),
        required=False,
        max_length=12 * MAX_LABEL,
        widget=LinesTextarea(attrs={"rows": 4, "dir": "auto"}),
        help_text=gettext_lazy(
            "One point per line, such as “1: very poor”. Both ends need a text.",
        ),
    )
    lower_is_better = forms.BooleanField(
        label=gettext_lazy("Lower values are better"),
        required=False,
    )
    weight = forms.IntegerField(
        label=gettext_lazy("Weight in the ranking"),
        initial=0,
        required=False,
        help_text=gettext_lazy(
            "0 if the criterion does not count. Without weights, there is a table by criterion and no overall ranking.",
        ),
    )
    key = forms.CharField(
        label=gettext_lazy("Name in files"),
        required=False,
        help_text=gettext_lazy(
            "Small letters, digits, hyphens and underscores. Leave empty to derive it from the name.",
        ),
    )

    def clean_labels(self) -> dict[str, str]:
        """Return the texts by value."""
        labels = {}
        for line in filter(str.strip, self.cleaned_data["labels"].splitlines()):
            before, *after = COLONS.split(line, maxsplit=1)
            if not after:
                raise ValidationError(
                    _("“%(line)s” has no colon between the value and the text.")
                    % {"line": line},
                )
            value = before.strip()
            if value in labels:
                raise ValidationError(
                    _("The value %(value)s has two texts.") % {"value": value},
                )
            labels[value] = "".join(after).strip()
        return labels

    def clean(self) -> dict[str, Any]:
        if not self.is_blank and not self.cleaned_data.get("name"):
            self.add_error("name", _("Enter a name."))
        return self.cleaned_data

    @property
    def is_blank(self) -> bool:
        """True for a form in which nothing is written."""
        return not any(
            self.cleaned_data.get(name) for name in ("name", "question", "labels")
        )


#: Stands for the texts of a new criterion in other languages.
_NEW: Final = Criterion(key="", name={}, question={}, labels={})


class _Criteria(forms.BaseFormSet):  # type: ignore[type-arg]  # Django has no such argument
    """Criteria in order; positions and removals are fields, so that no script is needed."""

    def __init__(
        self,
        data: Any = None,
        *,
        before: Sequence[Criterion],
        language: str,
        is_translation: bool,
        **more: Any,
    ) -> None:
        self._before = {criterion.key: criterion for criterion in before}
        self._language = language
        self._is_translation = is_translation
        #: Languages in which judges no longer read the text of a preset, because it was changed in the page's language.
        self.languages_dropped: set[str] = set()
        initial = [_initial(criterion, language) for criterion in before]
        super().__init__(data, initial=initial, **more)
        self.extra = MAX_CRITERIA - len(initial)

    def add_fields(self, form: CriterionForm, index: int | None) -> None:
        super().add_fields(form, index)
        form.fields["ORDER"].label = _("Position")
        if "DELETE" in form.fields:
            form.fields["DELETE"].label = _("Remove this criterion")

    def criteria(self) -> Iterator[CriterionJSON]:
        """Yield the criteria of a valid form, as `Task.rules` hold them."""
        written_forms = []
        for form in self.ordered_forms:
            if not form.is_blank:
                written_forms.append(form)
        taken = {form.cleaned_data["key"] for form in written_forms}
        for form in written_forms:
            written = form.cleaned_data
            key = written["key"]
            if not key:
                key = key_from_name(written["name"], taken, instead="criterion")
                taken.add(key)
            before = self._before.get(written["was"], _NEW)
            labels = {}
            for value, texts in before.labels.items():
                labels[str(value)] = texts
            yield {
                "key": key,
                "name": self._texts(written["name"], before.name),
                "question": self._texts(written["question"], before.question),
                "beside": written["beside"],
                "lowest": written["lowest"],
                "highest": written["highest"],
                "lower_is_better": written["lower_is_better"],
                "labels": {
                    value: self._texts(text, labels.get(value, {}))
                    for value, text in written["labels"].items()
                },
                "weight": written["weight"] or 0,
            }

    def _texts(self, text: str, before: Texts) -> TextsJSON:
        """Return a text with those in other languages; a text for all languages stays one.

        A text that replaces that of a preset may mean something else, so the preset's other languages are dropped, unless
        the organiser changes a translation.
        """
        if text_for_reader(before, self._language) == text:
            return dict(before)
        if list(before) == [""]:
            return text
        texts = {}
        for language, other in before.items():
            is_preset = (language, other) in texts_of_presets()
            if self._is_translation or language == self._language or not is_preset:
                texts[language] = other
            else:
                self.languages_dropped.add(language)
        return {**texts, self._language: text}


CriteriaForms: Final[Any] = forms.formset_factory(
    CriterionForm,
    formset=_Criteria,
    can_order=True,
    can_delete=True,
    can_delete_extra=False,
    max_num=MAX_CRITERIA,
    validate_max=True,
)


class AtOnceForm(TaskRulesForm):
    """Choose whether one screen asks about all criteria; the version includes that of the criteria."""

    all_at_once = forms.BooleanField(
        label=gettext_lazy("Ask about all criteria on one screen"),
        required=False,
        help_text=gettext_lazy(
            "One to five outputs are shown, with the texts beside that any criterion needs. Otherwise, outputs are rated one at a time, in a pass for each criterion.",
        ),
    )
    #: Only for the version.
    criteria = forms.Field(
        label=gettext_lazy("Criteria"),
        required=False,
        disabled=True,
        widget=forms.HiddenInput,
    )


def _initial(criterion: Criterion, language: str) -> Mapping[str, object]:
    """Return the fields of a criterion with its texts in a language, or in the best other one."""
    labels = []
    for value, texts in criterion.labels.items():
        labels.append(f"{value}: {text_for_reader(texts, language)}")
    return {
        **criterion.as_json(),
        "was": criterion.key,
        "name": text_for_reader(criterion.name, language),
        "question": text_for_reader(criterion.question, language),
        "labels": "\n".join(labels),
    }
