"""Forms for questions to judges and their answers, and facts about the judges for a paper."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.text import Truncator
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotation.selectors.work_time import time_sheet
from campaign.models import Campaign, Judge, Task
from campaign.models.questions import (
    LARGEST_NUMBER,
    MOST_CHARACTERS,
    AnswerValue,
    Question,
    QuestionJSON,
    QuestionKind,
    QuestionStage,
    Wording,
    WordingJSON,
    plain_number,
    question_problems,
)
from campaign.pages.forms import VersionedForm, languages_validate
from campaign.selectors.credentials import campaign_languages
from campaign.selectors.questions import (
    SMALLEST_GROUP,
    AnswersSummary,
    answers_summaries,
)
from campaign.services.questions import question_save
from campaign.texts.joining import comma_list, labelled, semicolon_list
from campaign.texts.languages import (
    language_name,
    language_pair_name,
    language_tag_checked,
)
from campaign.texts.lines import LinesTextarea
from campaign.texts.normalisation import text_to_the_eye
from campaign.texts.refusals import RefusalsAt


class AnswersForm(VersionedForm):
    """A judge's answers to questions, in the language of the page.

    If the judge has answered on another page meanwhile, the form is refused once and names the stored answers.
    """

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        judge: Judge,
        questions: Sequence[Question],
    ) -> None:
        initial = {name: answer["value"] for name, answer in judge.answers.items()}
        super().__init__(
            data,
            initial=initial,
            auto_id="answer-%s",
            use_required_attribute=False,
        )
        language = get_language() or ""
        for question in questions:
            wording = question.wording(language)
            field = _answer_field(question, wording)
            field.required = question.required
            if question.required and not question.kind.has_choices:
                field.widget.attrs["aria-required"] = "true"
            field.label = wording.question
            answer = judge.answers.get(question.name)
            if (
                answer
                and answer["value"] is not None
                and not question.is_answered_by(answer)
            ):
                field.help_text = _(
                    "This question has changed since your answer. You answered: “%(question)s”",
                ) % {"question": answer["question"]}
            # For the template.
            field.question = question
            field.language = wording.language
            self.fields[question.name] = field
        for name, field in self.fields.items():
            # Django names the error of a field only if nothing else describes it.
            described_by = field.widget.attrs.get("aria-describedby")
            if described_by and name in self.errors:
                error = f"{self[name].auto_id}_error"
                field.widget.attrs["aria-describedby"] = f"{described_by} {error}"

    def changed_in_words(self, names: Sequence[str]) -> str:
        """Return the message about questions that the judge has answered meanwhile, with the stored answers."""
        stored = []
        for name in names:
            field = self[name]
            value = _value_in_words(field.field, field.initial)
            stored.append(labelled(Truncator(str(field.label)).chars(80), value))
        return _(
            "You have answered these questions in another window since you opened this page. Save again to replace those "
            "answers with the ones below. Saved: %(answers)s",
        ) % {"answers": semicolon_list(stored)}

    def values(self) -> dict[str, AnswerValue]:
        """Return the answers to store: None for none."""
        values: dict[str, AnswerValue] = {}
        for name, value in self.cleaned_data.items():
            if value in ("", []):
                values[name] = None
            else:
                values[name] = value
            if isinstance(value, float):
                values[name] = plain_number(value)
        return values


def _value_in_words(field: Any, value: AnswerValue) -> str:
    """Return a stored answer in the language of the page."""
    if value is None:
        return _("No answer")
    if isinstance(value, bool):
        return _("I agree") if value else _("No answer")
    labels = dict(getattr(field, "choices", ()))
    if isinstance(value, list):
        return comma_list(str(labels.get(each, each)) for each in value)
    if value in labels:
        return str(labels[value])
    return str(field.widget.format_value(value))


#: A number with one separator that groups no thousands, so that it is the decimal separator.
_WITH_DECIMALS: Final = re.compile(r"(\d)[.,٫](\d{1,2}|\d{4,})\s*\Z")


#: A number with groups of thousands, and another separator before its decimals: “1.000,5” or “1,000.5”.
_WITH_GROUPS: Final = re.compile(
    r"\s*([+-]?\d{1,3}(?:([.,٬'’ \u00a0\u202f])\d{3})(?:\2\d{3})*)(?!\2)[.,٫](\d+)\s*",
)
#: A separator that stands twice, although no group of three digits follows.
_WITH_WRONG_GROUPS: Final = re.compile(r"\d([.,])\d+\1(?:\d{1,2}|\d{4,})\s*\Z")


class _NumberField(forms.FloatField):
    """Takes the decimal separator of any language: “3,5” is not 35 where commas group thousands."""

    def to_python(self, value: Any) -> Any:
        text = value or ""
        # Python would read “1_000” as 1000.
        if "_" in text:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        grouped = _WITH_GROUPS.fullmatch(text)
        if grouped is not None:
            whole, separator, decimals = grouped.groups()
            return super().to_python(
                float(f"{whole.replace(separator, '')}.{decimals}"),
            )
        if _WITH_WRONG_GROUPS.search(text):
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(_WITH_DECIMALS.sub(r"\1.\2", text))


class _TextField(forms.CharField):
    """A text; one of invisible characters alone is none."""

    def to_python(self, value: Any) -> str:
        text = super().to_python(value) or ""
        return text if text_to_the_eye(text) else ""


class _SeveralField(forms.MultipleChoiceField):
    """Several choices, of which the last one may exclude the others."""

    def __init__(self, *, last_excludes: bool, **options: Any) -> None:
        super().__init__(**options)
        self._last_excludes = last_excludes

    def validate(self, value: Any) -> None:
        super().validate(value)
        choices: Any = self.choices
        last, label = list(choices)[-1]
        if self._last_excludes and last in value and len(value) > 1:
            raise ValidationError(
                _("“%(choice)s” cannot be chosen together with another answer.")
                % {"choice": label},
            )


def _answer_field(question: Question, wording: Wording) -> Any:
    choices = list(zip(question.choices, wording.choices, strict=True))
    match question.kind:
        case QuestionKind.NUMBER:
            # Localized, because people type the decimal separator of their language.
            return _NumberField(
                localize=True,
                min_value=-LARGEST_NUMBER,
                max_value=LARGEST_NUMBER,
                widget=forms.TextInput(
                    attrs={"inputmode": "decimal", "autocomplete": "off"},
                ),
            )
        case QuestionKind.ONE:
            if not question.required:
                choices.append(("", _("No answer")))
            return forms.ChoiceField(choices=choices, widget=forms.RadioSelect)
        case QuestionKind.SEVERAL:
            return _SeveralField(
                choices=choices,
                widget=forms.CheckboxSelectMultiple,
                last_excludes=question.last_excludes,
            )
        case QuestionKind.CONSENT:
            return forms.BooleanField(
                error_messages={"required": _("You can take part only if you agree.")},
                widget=forms.CheckboxInput(
                    attrs={"aria-describedby": f"text-{question.name}"},
                ),
            )
        case QuestionKind.TEXT:
            return _TextField(
                max_length=MOST_CHARACTERS,
                widget=LinesTextarea(attrs={"rows": 3, "dir": "auto"}),
            )


class QuestionForm(VersionedForm):
    """A question to judges, with its text in one language."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        help_text=gettext_lazy(
            "Column in exported tables: lowercase letters, digits and underscores, such as native_language.",
        ),
    )
    kind = forms.ChoiceField(label=gettext_lazy("Answer"), choices=QuestionKind.choices)
    stage = forms.ChoiceField(
        label=gettext_lazy("Asked"),
        choices=QuestionStage.choices,
    )
    required = forms.BooleanField(
        label=gettext_lazy("Judges must answer, or agree, to continue"),
        required=False,
    )
    last_excludes = forms.BooleanField(
        label=gettext_lazy("The last choice excludes the others"),
        help_text=gettext_lazy("For several choices, such as “None of these”."),
        required=False,
    )
    language = forms.ChoiceField(
        label=gettext_lazy("Language"),
        validators=[languages_validate],
    )
    question = forms.CharField(
        label=gettext_lazy("Question, or text to agree to"),
        widget=LinesTextarea(attrs={"rows": 3, "dir": "auto"}),
    )
    choices = forms.CharField(
        label=gettext_lazy("Choices, one per line"),
        help_text=gettext_lazy(
            "Enter the same number of choices in each language, in the same order. Answers are stored in the first language.",
        ),
        required=False,
        widget=LinesTextarea(attrs={"rows": 4, "dir": "auto"}),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        campaign: Campaign,
        parameters: Mapping[str, str],
    ) -> None:
        """Show a question and a language of it; `parameters` names both, as a query string does."""
        self._campaign = campaign
        entries = {entry["name"]: entry for entry in campaign.questions}
        edited = entries.get(parameters.get("question"), {"texts": []})
        self.is_new = edited not in campaign.questions
        texts = {text["language"]: text for text in edited["texts"]}
        first = next(iter(texts), language_tag_checked(get_language() or "en"))
        language = parameters.get("language", first)
        # In a new language, the choices to translate are shown.
        choices = {**texts.get(first, {}), **texts.get(language, {})}.get("choices", [])
        text = {
            **texts.get(language, {}),
            "language": language,
            "choices": "\n".join(choices),
        }
        super().__init__(data, initial={**edited, **text})
        interface = [language_tag_checked(tag) for tag, _name in settings.LANGUAGES]
        tags = dict.fromkeys(
            [*texts, language, *interface, *campaign_languages(campaign)],
        )
        field: Any = self.fields["language"]
        field.choices = [(tag, language_name(tag)) for tag in tags]

    def clean(self) -> dict[str, Any]:
        """Check the question as REST does."""
        sent = self.cleaned_data
        choices = [choice.strip() for choice in sent.get("choices", "").splitlines()]
        named_choices = []
        for choice in choices:
            if choice:
                named_choices.append(choice)
        wording: WordingJSON = {
            "language": sent.get("language", ""),
            "question": sent.get("question", ""),
            "choices": named_choices,
        }
        self._entry: QuestionJSON = {
            "name": sent.get("name", ""),
            "kind": sent.get("kind", ""),
            "stage": sent.get("stage", ""),
            "required": sent.get("required", False),
            "last_excludes": sent.get("last_excludes", False),
            "texts": [wording],
        }
        if not self.errors:
            for field, message in question_problems(self._entry):
                self.add_error(field, message)
        return self.cleaned_data

    def save(self) -> bool:
        """Store the question; return False, with an error, if it is refused."""
        with RefusalsAt(self):
            question_save(campaign=self._campaign, entry=self._entry)
            return True
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgesWorked:
    """The judges who worked, for a paragraph of a paper.

    Attributes
    ----------
    judges, sentences : int
    hours, median_hours : float
        Active time of all judges, and the median per judge.
    pairs : list of str
        Language pairs of the texts.
    languages : list of str
        Languages that at least three judges read, with their number.
    summaries : list of AnswersSummary
        Answers of these judges.
    """

    judges: int
    sentences: int
    hours: float
    median_hours: float
    pairs: list[str]
    languages: list[str]
    summaries: list[AnswersSummary]


def judges_worked(*, campaign: Campaign) -> JudgesWorked | None:
    """Return facts about the judges who worked; None if there are none."""
    worked = time_sheet(campaign=campaign)
    if not worked:
        return None
    hours = [row.total.active_seconds / _SECONDS for row in worked]
    pairs = sorted(set(Task.objects.of(campaign).language_pairs()))
    tags = []
    for row in worked:
        tags.extend(row.judge.languages)
    read = Counter(tags)
    languages = []
    for tag, judges in read.most_common():
        if judges >= SMALLEST_GROUP:
            languages.append(f"{language_name(tag)} ({judges})")
    return JudgesWorked(
        judges=len(worked),
        sentences=sum(row.total.sentences for row in worked),
        hours=sum(hours),
        median_hours=median(hours),
        pairs=[language_pair_name(*pair) for pair in pairs],
        languages=languages,
        summaries=answers_summaries(
            campaign=campaign,
            judges=[row.judge.pk for row in worked],
        ),
    )


_SECONDS: Final = 3600
