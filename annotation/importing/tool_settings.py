"""Settings in a campaign file of Pearmut, applied to the task and the campaign that receive its texts."""

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, Final, TypedDict

from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from rest_framework import serializers

from annotation.protocols.answer_kinds import (
    DOCUMENT_PAGE,
    PAGE,
    Rules,
    answer_kind,
    key_from_name,
    rules_completed,
)
from annotation.services.planning.designs import design_change
from annotation.services.tasks import task_rules_change
from campaign.formats.json_text import JSONObject
from campaign.formats.records import counted
from campaign.importing.errors import ImportRefusedError
from campaign.importing.inspection_report import language_guess
from campaign.models import Campaign, Instructions, Protocol, SystemKind, Task
from campaign.models.questions import (
    QuestionJSON,
    QuestionKind,
    QuestionStage,
    WordingJSON,
    questions_checked,
    serializer_problem,
)
from campaign.services.instructions import MAX_CHARACTERS, instructions_write
from campaign.services.questions import question_save
from campaign.texts.html import plain_text
from campaign.texts.joining import comma_list
from campaign.texts.name_lines import names_line
from campaign.texts.refusals import RefusedError

_MOST_SIDE_BY_SIDE: Final = 5
_MISSING: Final = "[missing]"
_SIDE_BY_SIDE: Final = "cESA"
_WITH_SPANS: Final = ("ESA", _SIDE_BY_SIDE, "MQM")
_KINDS: Final = {
    "string": QuestionKind.TEXT,
    "number": QuestionKind.NUMBER,
    "choices": QuestionKind.ONE,
}
_STAGES: Final = {
    "data_welcome": QuestionStage.START,
    "data_goodbye": QuestionStage.END,
}
_TUTORIAL: Final = "tutorial"
_ONLY_QUESTIONS: Final = (
    "only questions of forms are imported; set up training for tutorials"
)
_JUDGES: Final = "invite judges by a link or a list; completion codes are those of recruiting services"
_CHECKS: Final = "attention checks are damaged references, with a rate in the design"
_CHOSEN: Final = "the design chooses the texts of each judge"
_MODELS: Final = "an active design prefers systems that are hard to tell apart"
_ORDER: Final = "outputs are always shown in random order"
_COMMENTS: Final = (
    "judges can comment on every text; correcting outputs is a protocol of its own"
)
_GOODBYE: Final = "judges of recruiting services get a completion code or return there"
_NO_SETTING: Final = "Quintet has no such setting"
#: Reasons why keys are not imported, with what to use instead; others are not settings of Quintet.
_NOT_READ: Final = {
    "info.assignment": _CHOSEN,
    "info.users": _JUDGES,
    "info.docs_per_user": "set the maximum number of blocks per judge in the campaign",
    "info.validation_threshold": "quality rules act on judges who fail checks",
    "info.data_random_prob": _CHECKS,
    "data_random": _CHECKS,
    "info.dynamic_models": _MODELS,
    "info.dynamic_top": _MODELS,
    "info.dynamic_coldstart": _MODELS,
    "info.dynamic_coldstart_pool": _MODELS,
    "info.shuffle": _ORDER,
    "info.seed": _ORDER,
    "info.show_model_names": "judges never see the names of systems",
    "info.textfield": _COMMENTS,
    "info.instructions_goodbye": _GOODBYE,
}


class _TextsField(serializers.ListField):
    """Texts; empty ones are left out."""

    child = serializers.CharField(allow_blank=True)

    def to_internal_value(self, data: Any) -> list[str]:
        texts = []
        for text in super().to_internal_value(data):
            if text:
                texts.append(text)
        return texts


class _CategoriesField(serializers.DictField):
    """Categories of errors, each with those below it; None if judges enter their own."""

    child = _TextsField()

    def to_internal_value(self, data: Any) -> Any:
        if data == "input":
            return None
        return super().to_internal_value(data)


class _SliderSerializer(serializers.Serializer[Any]):
    name = serializers.CharField()
    min = serializers.IntegerField()
    max = serializers.IntegerField()
    step = serializers.FloatField(default=1)

    def validate_step(self, step: float) -> float:
        if step != 1:
            raise serializers.ValidationError(
                "judges choose among all whole numbers. Remove the step, or give the number of steps as max, such as min 0 and max 20 for steps of 5 from 0 to 100.",
            )
        return step


class _InfoSerializer(serializers.Serializer[Any]):
    protocol = serializers.CharField(default="", allow_blank=True)
    sliders = _SliderSerializer(many=True, default=None)
    mqm_categories = _CategoriesField(default=dict)
    mqm_severities = _TextsField(default=None)
    special_tokens = _TextsField(default=[_MISSING])
    instructions = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=2 * MAX_CHARACTERS,
    )
    #: Read with the texts.
    assets = serializers.JSONField(required=False)


class _FormItemSerializer(serializers.Serializer[Any]):
    """An item of a form; any other item is part of a tutorial."""

    form = serializers.CharField(default=_TUTORIAL, allow_null=True)
    text = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MAX_CHARACTERS,
    )
    choices = _TextsField(default=list)


class _DocumentsField(serializers.ListField):
    child = serializers.ListField(child=_FormItemSerializer())


class _CampaignFileSerializer(serializers.Serializer[Any]):
    info = _InfoSerializer()
    data_welcome = _DocumentsField(default=list)
    data_goodbye = _DocumentsField(default=list)
    campaign_id = serializers.JSONField(required=False)


class UnnamedQuestion(TypedDict):
    """A question of a form, as a campaign stores it with a name (`QuestionJSON`)."""

    kind: str
    stage: str
    required: bool
    texts: list[WordingJSON]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSettings:
    """Settings of a campaign of another tool.

    Attributes
    ----------
    name : str
        The protocol as the file names it.
    protocol : Protocol or None
        None if the file names none.
    rules : mapping
        Rules of a task of this protocol, in the form that REST takes.
    instructions : str
        In Markdown.
    questions : list of dict
        Questions to judges, in the form that a campaign stores.
    lost : list of pair of str
        Keys that are not imported, with the reasons.
    """

    name: str
    protocol: Protocol | None
    rules: Rules
    instructions: str
    questions: list[UnnamedQuestion]
    lost: list[tuple[str, str]]


def settings_read(campaign: JSONObject) -> ToolSettings:
    """Return the settings in the JSON of a campaign. Raises ImportRefusedError for values that are not Pearmut's."""
    complete = {"info": {}, **campaign}
    serializer = _CampaignFileSerializer(data=complete)
    if not serializer.is_valid():
        raise _refusal(serializer_problem(serializer))
    info = serializer.validated_data["info"]
    name = info["protocol"]
    protocol: Protocol | None = None
    rules: Rules = {}
    lost = []
    unread = [f"info.{key}" for key in complete["info"] if key not in info]
    unread += [key for key in complete if key not in serializer.fields]
    lost += _not_read(unread)
    if info["sliders"] and name not in ("", *_WITH_SPANS):
        protocol = Protocol.RATING
        criteria: list[dict[str, object]] = []
        for slider in info["sliders"]:
            taken = [str(criterion["key"]) for criterion in criteria]
            criteria.append(_criterion(slider, taken))
        rules = {"criteria": criteria, "all_at_once": True}
    elif name in ("DA", *_WITH_SPANS):
        protocol = Protocol.SPANS
        rules = _spans_rules(info)
        if info["sliders"] or not (rules["spans_asked"] or rules["scored"]):
            lost.append(("info.sliders", "judges give one score from 0 to 100"))
        if info["mqm_severities"] == []:
            lost.append(("info.mqm_severities", "every error has a severity"))
    elif name:
        lost.append(
            ("info.protocol", f"{name!r} is not a protocol of Pearmut; choose one"),
        )
    questions: list[UnnamedQuestion] = []
    for key, stage in _STAGES.items():
        questions += _questions(key, stage, serializer.validated_data[key], lost)
    return ToolSettings(
        name=name,
        protocol=protocol,
        rules=rules,
        instructions=plain_text(info["instructions"]),
        questions=questions,
        lost=lost,
    )


def _not_read(keys: list[str]) -> list[tuple[str, str]]:
    """Return these keys with the reason why they are not imported, those with the same reason together."""
    keys_by_reason: dict[str, list[str]] = {}
    for key in keys:
        reason = _NOT_READ.get(key, _NO_SETTING)
        keys_by_reason.setdefault(reason, []).append(key)
    return [
        (comma_list(together), reason) for reason, together in keys_by_reason.items()
    ]


def _spans_rules(info: JSONObject) -> dict[str, object]:
    tokens = info["special_tokens"]
    rules: dict[str, object] = {
        "spans_asked": info["protocol"] != "DA",
        # An empty list of sliders turns the score off.
        "scored": info["sliders"] != [],
        "missing": _MISSING in tokens,
        "marks": [token for token in tokens if token != _MISSING],
    }
    if info["mqm_severities"]:
        rules["severities"] = [severity.lower() for severity in info["mqm_severities"]]
    if info["protocol"] == "MQM":
        lines = _category_lines(info["mqm_categories"] or {})
        rules["free_categories"] = info["mqm_categories"] is None
        if lines or rules["free_categories"]:
            rules["categories"] = lines
        else:
            rules["categories"] = "mqm-core"
    return rules


def _category_lines(below: Mapping[str, list[str]]) -> list[str]:
    lines = []
    for name, names_below in below.items():
        if name.strip():
            lines.append(names_line(name, names_below))
    return lines


def _criterion(slider: JSONObject, taken: Collection[str]) -> dict[str, object]:
    name = slider["name"]
    lowest = slider["min"]
    highest = slider["max"]
    return {
        "key": key_from_name(name, taken, instead=f"scale-{lowest}-{highest}"),
        "name": name,
        "question": name,
        "beside": "source",
        "lowest": lowest,
        "highest": highest,
        "labels": {lowest: _("lowest"), highest: _("highest")},
    }


def _questions(
    key: str,
    stage: str,
    documents: list[list[JSONObject]],
    lost: list[tuple[str, str]],
) -> list[UnnamedQuestion]:
    """Return the questions of forms; texts before a question are part of it."""
    questions: list[UnnamedQuestion] = []
    others = 0
    texts: list[str] = []
    for item in chain.from_iterable(documents):
        if item["form"] not in (None, *_KINDS):
            others += 1
            continue
        texts.append(plain_text(item["text"]))
        if item["form"] is not None:
            text = "\n\n".join(texts)
            choices = [plain_text(choice) for choice in item["choices"]]
            wording: WordingJSON = {
                "language": _language(text),
                "question": text,
                "choices": choices,
            }
            kind = _KINDS[item["form"]]
            questions.append(
                {"kind": kind, "stage": stage, "required": True, "texts": [wording]},
            )
            texts.clear()
    if others + len(texts):
        lost.append(
            (f"{counted(others + len(texts), 'item')} of {key}", _ONLY_QUESTIONS),
        )
    return questions


def _language(text: str) -> str:
    """Return the language of a text among those of pages; English if it is none of them."""
    guess = language_guess(text)
    if guess in dict(django_settings.LANGUAGES):
        return guess
    return django_settings.LANGUAGE_CODE


def settings_lost(
    settings: ToolSettings,
    *,
    protocol: str,
    campaign: Campaign,
) -> list[tuple[str, str]]:
    """Return the keys that a task of this protocol, or the campaign, cannot take, each with the reason."""
    lost = []
    if settings.protocol not in (protocol, None):
        reason = f"the task has another protocol than {settings.name}, so no scales and marks of errors"
        lost.append(("info.protocol", reason))
    if (
        settings.instructions
        and Instructions.objects.filter(campaign=campaign).exists()
    ):
        lost.append(("info.instructions", "the campaign already has instructions"))
    return lost


def settings_in_words(settings: ToolSettings) -> str:
    """Return the settings of the file as a sentence; empty if it has none."""
    if settings.protocol:
        parts = [f"protocol {settings.name}"]
    else:
        parts = []
    if settings.questions:
        parts.append(f"{counted(len(settings.questions), 'question')} to judges")
    if settings.instructions:
        parts.append("instructions")
    if parts:
        return f"The campaign file also sets: {comma_list(parts)}."
    return ""


class SettingsRefusedError(ImportRefusedError):
    """The settings in the campaign file of another tool are not possible."""


def _refusal(problem: str) -> SettingsRefusedError:
    return SettingsRefusedError(
        f"the settings of the campaign file cannot be used: {problem.rstrip('.')}",
        "change them in the file",
    )


@contextmanager
def _refusals_of_settings() -> Iterator[None]:
    try:
        yield
    except (RefusedError, ValidationError) as error:
        raise _refusal(" ".join(getattr(error, "messages", [str(error)]))) from error


def settings_check(settings: ToolSettings, *, protocol: str) -> None:
    """Raise ImportRefusedError if a task of this protocol, or the campaign, would apply settings that are not possible."""
    with _refusals_of_settings():
        if settings.protocol == protocol:
            rules_completed(answer_kind(protocol).rules_fields, settings.rules)
        questions_checked(list(_name_questions(settings.questions, names_in_use=())))


def settings_apply(*, task: Task, settings: ToolSettings) -> list[tuple[str, str]]:
    """Apply settings to a new task without work, and to its campaign; call it in a transaction.

    Returns those that are lost. Existing questions stay. Raises ImportRefusedError.
    """
    campaign = task.test_set.campaign
    lost = settings_lost(settings, protocol=task.protocol, campaign=campaign)
    with _refusals_of_settings():
        if settings.protocol == task.protocol:
            rules = dict(settings.rules)
        else:
            rules = {}
        if (
            PAGE in answer_kind(task.protocol).rules_fields
            and settings.name != _SIDE_BY_SIDE
        ):
            rules[PAGE] = DOCUMENT_PAGE
        task_rules_change(task=task, rules=rules)
        if settings.name == _SIDE_BY_SIDE and task.protocol == Protocol.SPANS:
            # A reference is a system, too, but not shown beside the others.
            systems = task.test_set.systems.filter(kind=SystemKind.SYSTEM).count()
            design_change(task=task, systems_per_block=min(systems, _MOST_SIDE_BY_SIDE))
        campaign.refresh_from_db(fields=["questions"])
        questions = set()
        for entry in campaign.questions:
            for text in entry["texts"]:
                questions.add(text["question"])
        new = []
        for entry in settings.questions:
            if entry["texts"][0]["question"] not in questions:
                new.append(entry)
        for entry in _name_questions(
            new,
            names_in_use=[entry["name"] for entry in campaign.questions],
        ):
            question_save(campaign=campaign, entry=entry)
        if (
            settings.instructions
            and not Instructions.objects.filter(campaign=campaign).exists()
        ):
            instructions_write(
                campaign=campaign,
                language=_language(settings.instructions),
                text=settings.instructions,
                demands_acceptance=True,
            )
    return settings.lost + lost


def _name_questions(
    questions: list[UnnamedQuestion],
    *,
    names_in_use: Collection[str],
) -> Iterator[QuestionJSON]:
    """Yield questions with names that no other question has."""
    numbers = count(1)
    for question in questions:
        name = f"question_{next(numbers)}"
        while name in names_in_use:
            name = f"question_{next(numbers)}"
        yield {
            "name": name,
            "kind": question["kind"],
            "stage": question["stage"],
            "required": question["required"],
            "texts": question["texts"],
        }
