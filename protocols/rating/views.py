"""The organisers' page for the criteria of a rating task."""

from collections.abc import Iterable, Sequence

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from annotation.protocols.answer_kinds import Rules
from annotation.selectors.judges_needed import judges_needed
from annotation.selectors.task_rules import rules_settled_in_words
from annotation.services.tasks import task_rules_change
from campaign.models import Protocol, Task
from campaign.texts.joining import comma_list
from campaign.texts.languages import (
    LanguageTagError,
    language_name,
    language_tag_checked,
)
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import of_task, organised_task
from campaign.views.decorators import form_view
from protocols.frame.scale.criteria import Criterion, CriterionJSON, criteria_read
from protocols.frame.scale.presets import CRITERIA_PRESETS, criteria_of
from protocols.rating.answers import rules_complete
from protocols.rating.forms import AtOnceForm, CriteriaForms


@form_view
def criteria_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the criteria of a rating task, or those of `?preset=`; POST replaces them until judging starts."""
    task = organised_task(request, slug, task_id)
    if task.protocol != Protocol.RATING:
        raise Http404
    page_language = _language("")
    language = _language(request.GET.get("language", ""))
    preset = request.GET.get("preset", "")
    rules = rules_complete({**task.rules, **_rules_of_preset(preset)})
    before = criteria_of(rules)
    sent = None
    if request.method == "POST":
        sent = request.POST
    forms = CriteriaForms(
        sent,
        before=before,
        language=language,
        is_translation=language != page_language,
    )
    at_once = AtOnceForm(sent, task_rules=rules_complete(task.rules), initial=rules)
    if sent is not None and forms.is_valid() and at_once.is_valid():
        with RefusalsAt(at_once):
            _save(task, list(forms.criteria()), at_once.cleaned_data["all_at_once"])
            messages.success(request, _("Criteria saved."))
            if forms.languages_dropped:
                messages.warning(request, _dropped_in_words(forms.languages_dropped))
            for needed in judges_needed([task]):
                messages.info(request, " ".join(needed.words))
            return redirect("criteria", slug, task.pk)
    context = {
        **of_task(task, "texts"),
        "form": forms,
        "at_once": at_once,
        "language": language_name(language),
        "languages": _languages(before, language),
        "preset": preset,
        "presets": CRITERIA_PRESETS,
        "settled": rules_settled_in_words(task=task),
        "criteria": before,
    }
    status = 200 if sent is None else 400
    return render(request, "organiser/criteria.html", context, status=status)


def _dropped_in_words(languages: Iterable[str]) -> str:
    names = sorted(language_name(language) for language in languages)
    return _(
        "Your changed texts also replace those of the preset in: %(languages)s. Write them in these languages, too, if judges read them.",
    ) % {"languages": comma_list(names)}


def _rules_of_preset(name: str) -> Rules:
    """Return the rules of a preset; empty if there is none with this name."""
    for preset in CRITERIA_PRESETS:
        if preset.name == name:
            return {"criteria": [], "all_at_once": False, **preset.rules}
    return {}


def _save(task: Task, criteria: Sequence[CriterionJSON], all_at_once: bool) -> None:
    """Change the criteria of a task; those of Hamon et al. (2007), unchanged, are its default."""
    is_usual = criteria_read(criteria) == criteria_of({**task.rules, "criteria": []})
    task_rules_change(
        task=task,
        rules={"criteria": [] if is_usual else criteria, "all_at_once": all_at_once},
    )


def _language(tag: str) -> str:
    """Return the language of the texts on the page: the requested one, or that of the page."""
    try:
        return language_tag_checked(tag or get_language() or "en")
    except LanguageTagError:
        return language_tag_checked(get_language() or "en")


def _languages(
    criteria: Sequence[Criterion],
    current: str,
) -> list[tuple[str, str, bool]]:
    """Return the languages to choose from: tag, name, and whether texts are written in it."""
    written = set()
    for criterion in criteria:
        for tag in criterion.question:
            if tag:
                written.add(tag)
    offered = [language_tag_checked(tag) for tag, _name in settings.LANGUAGES]
    tags = dict.fromkeys([*offered, *sorted(written)])
    languages = []
    for tag in tags:
        if tag != current:
            languages.append((tag, language_name(tag), tag in written))
    return languages
