"""Organisers' forms for questions to judges, and a paragraph about the judges for a paper."""

from collections import Counter
from collections.abc import Iterator, Mapping
from statistics import median
from typing import Any, Final

from django import forms
from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _

from annotation.selectors.work_time import time_sheet
from campaign.forms import VersionedForm, languages_validate
from campaign.models import Campaign, Judge, JudgeGroup, Task
from campaign.questions import (
    MOST_CHARACTERS,
    MOST_QUESTIONS,
    NAME_PATTERN,
    Question,
    QuestionKind,
    QuestionStage,
    WantedAnswer,
    questions_read,
)
from campaign.refusals import RefusalsAt
from campaign.selectors.credentials import campaign_languages
from campaign.selectors.questions import SMALLEST_GROUP, AnswersSummary, answers_summaries
from campaign.services.questions import judge_group_from_answer, question_save
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, labelled, sentence_list
from campaign.texts.languages import language_name, language_pair_name, language_tag_checked


class QuestionForm(VersionedForm):
    """A question to judges, with its text in one language."""

    name = forms.RegexField(
        rf"\A{NAME_PATTERN}\Z",
        label=gettext_lazy("Name"),
        help_text=gettext_lazy(
            "Column in exported tables: lowercase letters, digits and underscores, such as native_language."
        ),
        max_length=40,
        strip=True,
    )
    kind = forms.ChoiceField(label=gettext_lazy("Answer"), choices=QuestionKind.choices)
    stage = forms.ChoiceField(label=gettext_lazy("Asked"), choices=QuestionStage.choices)
    position = forms.IntegerField(
        label=gettext_lazy("Position"), min_value=1, max_value=MOST_QUESTIONS
    )
    is_required = forms.BooleanField(
        label=gettext_lazy("Judges must answer, or agree, to continue"), required=False
    )
    minimum = forms.FloatField(label=gettext_lazy("Smallest number"), required=False)
    maximum = forms.FloatField(label=gettext_lazy("Largest number"), required=False)
    language = forms.ChoiceField(label=gettext_lazy("Language"), validators=[languages_validate])
    text = forms.CharField(
        label=gettext_lazy("Question, or text to agree to"),
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )
    choices = forms.CharField(
        label=gettext_lazy("Choices, one per line"),
        help_text=gettext_lazy(
            "Enter the same number of choices in each language, in the same order. Answers are stored in the first language."
        ),
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
    )

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, campaign: Campaign, shown: Mapping[str, str]
    ) -> None:
        """Show a question and a language of it; `shown` names both, as a query string does."""
        self._campaign = campaign
        questions = questions_read(campaign.questions)
        self.question = next((row for row in questions if row.name == shown.get("question")), None)
        language = shown.get("language") or language_tag_checked(get_language() or "en")
        position = len(questions) + 1
        if self.question is not None:
            position = questions.index(self.question) + 1
            language = shown.get("language") or self.question.texts[0].language
        super().__init__(data, initial=_initial(self.question, language, position))
        interface = [language_tag_checked(tag) for tag, _name in settings.LANGUAGES]
        written = [text.language for row in questions for text in row.texts]
        tags = dict.fromkeys([*written, *interface, *campaign_languages(campaign)])
        field: Any = self.fields["language"]
        field.choices = [(tag, language_name(tag)) for tag in tags]
        self.other_languages = [
            (tag, name) for tag, name in field.choices if self.question and tag != language
        ]

    def save(self) -> bool:
        """Store the question; return False, with an error, if it is refused."""
        data = self.cleaned_data
        entry = {
            "name": data["name"],
            "kind": data["kind"],
            "stage": data["stage"],
            "required": data["is_required"],
            "minimum": data["minimum"],
            "maximum": data["maximum"],
            "texts": [
                {
                    "language": data["language"],
                    "question": data["text"],
                    "choices": [row for row in data["choices"].splitlines() if row.strip()],
                }
            ],
        }
        with RefusalsAt(self):
            [question] = questions_read([entry])
            question_save(campaign=self._campaign, question=question, position=data["position"])
            return True
        return False


def _initial(question: Question | None, language: str, position: int) -> dict[str, Any]:
    if question is None:
        return {"language": language, "position": position}
    text = next((text for text in question.texts if text.language == language), None)
    return {
        "name": question.name,
        "kind": question.kind,
        "stage": question.stage,
        "position": position,
        "is_required": question.is_required,
        "minimum": question.minimum,
        "maximum": question.maximum,
        "language": language,
        "text": text.question if text is not None else "",
        "choices": "\n".join(text.choices if text is not None else question.choices),
    }


class AnswerGroupForm(forms.Form):
    """A new group of the judges who gave an answer."""

    answer = forms.ChoiceField(label=gettext_lazy("Answer"))
    minimum = forms.FloatField(label=gettext_lazy("From (numbers)"), required=False)
    maximum = forms.FloatField(label=gettext_lazy("To (numbers)"), required=False)
    name = forms.CharField(
        label=gettext_lazy("Group name"),
        max_length=60,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        campaign: Campaign,
        summaries: list[AnswersSummary],
    ) -> None:
        super().__init__(data, prefix="group")
        self._campaign = campaign
        field: Any = self.fields["answer"]
        field.choices = [
            (f"{summary.name}={choice}", labelled(summary.name, choice) if choice else summary.name)
            for summary in summaries
            for choice in _choices_offered(summary)
        ]

    def save(self) -> JudgeGroup | None:
        """Create the group and return it; None, with an error, if it is refused."""
        data = self.cleaned_data
        name, _equals, choice = data["answer"].partition("=")
        wanted = WantedAnswer(choice=choice, minimum=data["minimum"], maximum=data["maximum"])
        with RefusalsAt(self, "name"):
            return judge_group_from_answer(
                campaign=self._campaign, question=name, wanted=wanted, name=data["name"]
            )
        return None


def _choices_offered(summary: AnswersSummary) -> list[str]:
    choices = [row.answer for row in summary.counts if row.judges]
    return ["", *choices] if summary.numbers else choices


def judges_paragraph(*, campaign: Campaign) -> str:
    """Return sentences about the judges who worked, for a paper: number, languages, answers, pay and time.

    Answers of fewer than three judges are not named.
    """
    worked = time_sheet(campaign=campaign)
    if not worked:
        return ""
    sentences = [
        counted("%(count)s person judged.", "%(count)s people judged.", len(worked)),
        *_language_sentences(campaign, [row.judge for row in worked]),
        *_answer_sentences(
            answers_summaries(campaign=campaign, judges=[row.judge.pk for row in worked])
        ),
    ]
    if campaign.pay:
        sentences.append(_("Pay: %(pay)s.") % {"pay": campaign.pay.rstrip(".")})
    hours = [row.total.active_seconds / _SECONDS for row in worked]
    sentences.append(
        _(
            "They judged %(sentences)s sentences in %(hours)s hours of active time (median per judge: %(median)s hours)."
        )
        % {
            "sentences": number_format(
                sum(row.total.sentences for row in worked), force_grouping=True
            ),
            "hours": number_format(sum(hours), 1, force_grouping=True),
            "median": number_format(median(hours), 1),
        }
    )
    return sentence_list(sentences)


_SECONDS: Final = 3600


def _language_sentences(campaign: Campaign, judges: list[Judge]) -> Iterator[str]:
    pairs = sorted(set(Task.objects.of(campaign).language_pairs()))
    if pairs:
        names = [language_pair_name(*pair) for pair in pairs]
        yield _("Languages of the texts: %(pairs)s.") % {"pairs": comma_list(names)}
    read = Counter(tag for judge in judges for tag in judge.languages)
    common = [
        f"{language_name(tag)} ({count})"
        for tag, count in read.most_common()
        if count >= SMALLEST_GROUP
    ]
    if common:
        yield _("Languages that judges read: %(languages)s.") % {"languages": comma_list(common)}


def _answer_sentences(summaries: list[AnswersSummary]) -> Iterator[str]:
    for summary in summaries:
        values = {"question": " ".join(summary.text.split()), "count": summary.answered}
        numbers = summary.numbers
        median = summary.median
        if summary.question is not None and median is not None and len(numbers) >= SMALLEST_GROUP:
            yield _(
                "“%(question)s”: median %(median)s, range %(lowest)s to %(highest)s (%(count)s answers)."
            ) % (
                values
                | {
                    "median": number_format(median),
                    "lowest": number_format(numbers[0]),
                    "highest": number_format(numbers[-1]),
                }
            )
        counts = summary.published_counts()
        if counts:
            answers = [
                f"{row.answer or _('other answers')} {number_format(row.judges)}" for row in counts
            ]
            yield _("“%(question)s”: %(answers)s.") % (values | {"answers": comma_list(answers)})
