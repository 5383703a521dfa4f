"""Apply the settings of another tool's campaign to the task and the campaign that receive its texts."""

import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, Final

from django.conf import settings as django_settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from annotation.protocols import DOCUMENT_PAGE, PAGE, answer_kind
from annotation.services.planning.designs import design_change
from annotation.services.tasks import task_rules_change
from campaign.formats.pearmut_settings import CampaignSettings, FormQuestion, Slider
from campaign.importing.errors import ImportRefusedError
from campaign.importing.inspection_report import language_guess
from campaign.models import Campaign, Instructions, Protocol, Task
from campaign.refusals import RefusedError
from campaign.services.instructions import instructions_write
from campaign.services.questions import question_save
from campaign.texts.joining import comma_list

_MOST_SIDE_BY_SIDE: Final = 5
#: Keys of a campaign of Pearmut.
_PROTOCOL, _INSTRUCTIONS = "info.protocol", "info.instructions"


def protocol_of(settings: CampaignSettings) -> Protocol | None:
    """Return the protocol of a task with these settings; None if they name none."""
    if settings.sliders:
        return Protocol.RATING
    return Protocol.SPANS if settings.protocol else None


def settings_lost(
    settings: CampaignSettings, *, protocol: str, campaign: Campaign
) -> dict[str, str]:
    """Return the keys that a task of this protocol, or the campaign, cannot take, each with the reason."""
    lost = {}
    if protocol_of(settings) not in (protocol, None):
        lost[_PROTOCOL] = (
            f"the task has another protocol than {settings.protocol}, so no scales and marks of errors"
        )
    if settings.instructions and Instructions.objects.filter(campaign=campaign).exists():
        lost[_INSTRUCTIONS] = "the campaign already has instructions"
    return lost


def settings_in_words(settings: CampaignSettings, lost: Collection[str]) -> list[str]:
    """Return the settings that are imported with the texts, without lost ones, as a sentence; none if there are none."""
    parts: dict[str, object] = {}
    if _PROTOCOL not in lost:
        parts |= {
            f"protocol {settings.protocol}": settings.protocol,
            f"{len(settings.sliders)} scales": settings.sliders,
            f"{len(settings.categories)} error categories": settings.categories,
            f"{len(settings.severities)} severities": settings.severities,
            f"{len(settings.marks)} special marks": settings.marks,
        }
    parts[f"{len(settings.questions)} questions to judges"] = settings.questions
    if _INSTRUCTIONS not in lost:
        parts["instructions"] = settings.instructions
    words = comma_list([words for words, value in parts.items() if value])
    return [f"The campaign file also sets: {words}. They are imported, too."] if words else []


@contextmanager
def _refusals_of_settings() -> Iterator[None]:
    try:
        yield
    except (RefusedError, ValidationError) as error:
        messages = error.messages if isinstance(error, ValidationError) else [str(error)]
        raise ImportRefusedError(
            f"the settings of the campaign file cannot be used: {' '.join(messages).rstrip('.')}",
            "change them in the file",
        ) from error


def settings_check(settings: CampaignSettings, *, protocol: str) -> None:
    """Raise ImportRefusedError if a task of this protocol would apply the settings, but they are not possible."""
    if protocol_of(settings) == protocol:
        with _refusals_of_settings():
            answer_kind(protocol).rules(_rules(settings))


def settings_apply(*, task: Task, settings: CampaignSettings) -> dict[str, str]:
    """Apply settings to a new task without work, and to its campaign; call it in a transaction.

    Returns those that are lost, as `settings_lost` does. Existing questions stay. Raises ImportRefusedError.
    """
    campaign = task.test_set.campaign
    lost = settings_lost(settings, protocol=task.protocol, campaign=campaign)
    with _refusals_of_settings():
        rules = _rules(settings) if protocol_of(settings) == task.protocol else {}
        if PAGE in answer_kind(task.protocol).rules_fields and settings.protocol != "cESA":
            rules[PAGE] = DOCUMENT_PAGE
        task_rules_change(task=task, rules=rules)
        if settings.protocol == "cESA" and task.protocol == Protocol.SPANS:
            systems = task.test_set.systems.count()
            design_change(task=task, systems_per_block=min(systems, _MOST_SIDE_BY_SIDE))
        for question in settings.questions:
            _question_add(campaign, question)
        if settings.instructions and _INSTRUCTIONS not in lost:
            instructions_write(
                campaign=campaign,
                language=_language(settings.instructions),
                text=settings.instructions,
                demands_acceptance=True,
            )
    return lost


def _rules(settings: CampaignSettings) -> dict[str, Any]:
    """Return the rules of a task, in the form that REST takes."""
    if settings.sliders:
        criteria = [_criterion(slider) for slider in settings.sliders]
        return {"criteria": criteria, "all_at_once": True}
    rules: dict[str, Any] = {
        "spans_asked": settings.protocol != "DA",
        "missing": settings.is_missing_marked,
        "marks": list(settings.marks),
    }
    if settings.severities:
        rules["severities"] = list(settings.severities)
    if settings.protocol == "MQM":
        rules["categories"] = list(settings.categories) or "mqm-core"
    return rules


def _criterion(slider: Slider) -> dict[str, Any]:
    key = re.sub(r"[^a-z0-9]+", "-", slider.name.lower()).strip("-")
    language = django_settings.LANGUAGE_CODE
    labels = {slider.lowest: _("lowest"), slider.highest: _("highest")}
    return {
        "key": key or f"scale-{slider.lowest}-{slider.highest}",
        "name": {language: slider.name},
        "question": {language: slider.name},
        "beside": "source",
        "lowest": slider.lowest,
        "highest": slider.highest,
        "labels": {str(value): {language: label} for value, label in labels.items()},
    }


def _question_add(campaign: Campaign, question: FormQuestion) -> None:
    """Add a question, unless the campaign already asks it."""
    campaign.refresh_from_db(fields=["questions"])
    texts = {text["question"] for entry in campaign.questions for text in entry["texts"]}
    if question.text in texts:
        return
    names = {entry["name"] for entry in campaign.questions}
    number = 1
    while f"question_{number}" in names:
        number += 1
    text = {
        "language": _language(question.text),
        "question": question.text,
        "choices": list(question.choices),
    }
    question_save(
        campaign=campaign,
        entry={
            "name": f"question_{number}",
            "kind": question.kind,
            "stage": question.stage,
            "required": True,
            "texts": [text],
        },
    )


def _language(text: str) -> str:
    """Return the language of a text among those of pages; English if it is none of them."""
    guess = language_guess(text)
    return guess if guess in dict(django_settings.LANGUAGES) else django_settings.LANGUAGE_CODE
