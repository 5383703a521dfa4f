"""Texts of a test set."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaign.selectors.texts import texts_page
from campaign.texts.languages import language_described
from campaign.views.access import of_task, organised_task
from campaign.views.decorators import page_view

# Segment numbers have fewer than ten digits.
_DIGITS = 9


@page_view
def test_set_texts(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the sources, references and outputs of a test set; `?segment=` is the first to be shown."""
    task = organised_task(request, slug, task_id)
    segment = request.GET.get("segment", "").strip()
    is_number = segment.isascii() and segment.isdigit() and len(segment) <= _DIGITS
    start = 1
    if is_number:
        start = int(segment)
    context = {
        **of_task(task, "texts"),
        "page": texts_page(task=task, start=start),
        "segment_number": segment if is_number else "",
        "source": language_described(task.test_set.source_language),
        "target": language_described(task.test_set.target_language),
    }
    return render(request, "organiser/texts.html", context)
