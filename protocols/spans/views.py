"""The organisers' pages for severities and categories of errors, and for the errors that judges marked."""

from collections import Counter
from typing import Final
from urllib.parse import urlencode

from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from annotation.selectors.task_rules import rules_settled_in_words
from annotation.services.tasks import task_rules_change
from annotation.views.answers import (
    losses_warn,
)
from campaign.models import Protocol, Task
from campaign.texts.counted import filled
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import form_page, of_task, organised_task
from campaign.views.decorators import form_view, page_view
from protocols.models import SuggestedSpans
from protocols.spans.files.answers import scores_read
from protocols.spans.forms import ErrorSchemeForm, SuggestionsForm
from protocols.spans.marked_errors import SEVERITIES, marked_errors
from protocols.spans.presets import SPANS_PRESETS
from protocols.spans.rules import rules_complete, weights_of
from protocols.spans.suggestions import (
    suggestions_count,
    suggestions_import,
    suggestions_settled_in_words,
)

_ERRORS_LISTED: Final = 50
_FILTERS: Final = ("severity", "category", "system")


def _spans_task(request: HttpRequest, slug: str, task_id: int) -> Task:
    task = organised_task(request, slug, task_id)
    if task.protocol != Protocol.SPANS:
        raise Http404
    return task


@form_view
def error_scheme_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show severities, categories and weights of a task, or those of `?preset=`; POST changes them.

    Once judging has started, only weights can be changed.
    """
    task = _spans_task(request, slug, task_id)
    settled = rules_settled_in_words(task=task)
    preset = _PRESETS.get(request.GET.get("preset", ""))
    of_preset = {} if preset is None or settled else preset.rules
    rules = rules_complete({**task.rules, **of_preset})
    sent = None
    if request.method == "POST":
        sent = request.POST
    form = ErrorSchemeForm(
        sent,
        task_rules=rules_complete(task.rules),
        initial={**rules, "weights": list(weights_of(rules).lines)},
    )
    if settled:
        form.settle()
    if sent is not None and form.is_valid():
        with RefusalsAt(form):
            task_rules_change(task=task, rules={**of_preset, **form.cleaned_data})
            messages.success(request, _("Saved."))
            return redirect("error-scheme", slug, task.pk)
    context = {
        **of_task(task, "texts"),
        "form": form,
        "preset": preset,
        "presets": list(_PRESETS.values()),
        "settled": settled,
        "rules": rules,
    }
    return form_page(request, "organiser/error_scheme.html", context)


@form_view
def suggestions_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show how many errors are suggested to judges; POST replaces them until judging starts."""
    task = _spans_task(request, slug, task_id)
    sent = (request.POST, request.FILES) if request.method == "POST" else ()
    form = SuggestionsForm(*sent, task=task)
    if form.is_bound and form.is_valid():
        with RefusalsAt(form):
            losses_warn(request, suggestions_import(task=task, **form.cleaned_data))
            messages.success(request, _suggestions_in_words(task))
            return redirect("suggestions", slug, task.pk)
    suggestions = SuggestedSpans.objects.filter(task=task)
    context = {
        **of_task(task, "texts"),
        "form": form,
        "settled": suggestions_settled_in_words(task=task),
        "sources": suggestions.values_list("source")
        .annotate(outputs=Count("output"))
        .order_by("source"),
    }
    return form_page(request, "organiser/suggestions.html", context)


def _suggestions_in_words(task: Task) -> str:
    """Return the numbers of suggestions after a change."""
    count = suggestions_count(task=task)
    if not count.outputs:
        return _("Saved.")
    return filled(
        _(
            "Saved. Suggested errors: %(suggestions)s. Outputs: %(outputs)s. Shown without suggestions: %(withheld)s. "
            "With a planted one: %(planted)s.",
        ),
        suggestions=count.suggestions,
        outputs=count.outputs,
        withheld=count.withheld,
        planted=count.planted,
    )


#: Presets with categories.
_PRESETS: Final = {
    spans_preset.name: spans_preset
    for spans_preset in SPANS_PRESETS
    if "categories" in spans_preset.rules
}


@page_view
def errors_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the errors that judges marked, counted, and the texts behind each count."""
    task = _spans_task(request, slug, task_id)
    errors = list(marked_errors(scores_read(task=task).judgments))
    query = {}
    for name in _FILTERS:
        if name in request.GET:
            query[name] = request.GET[name]
    severity = query.get("severity")
    of_severity = []
    for error in errors:
        if severity in (None, error.span.severity):
            of_severity.append(error)
    counts = Counter((error.span.category, error.system) for error in of_severity)
    systems = sorted({error.system for error in errors})
    chosen = []
    for error in of_severity:
        system = query.get("system", error.system)
        category = query.get("category", error.span.category)
        if error.system == system and error.span.category == category:
            chosen.append(error)
    rows = []
    for category in sorted({category for category, _system in counts}):
        counts_of_systems = [(system, counts[category, system]) for system in systems]
        rows.append((category, counts_of_systems))
    errors_by_severity = Counter(error.span.severity for error in errors)
    severities = []
    for each_severity, label in SEVERITIES.items():
        severities.append((each_severity, label, errors_by_severity[each_severity]))
    context = {
        **of_task(task, "judgments"),
        "systems": systems,
        "rows": rows,
        "severities": severities,
        "chosen": query,
        "query": urlencode(query),
        "page": Paginator(chosen, _ERRORS_LISTED).get_page(request.GET.get("page")),
    }
    return render(request, "results/errors.html", context)
