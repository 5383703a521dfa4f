"""The room *Publish* of a test set: what would be published, the form, and the versions there are."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from campaign.models import Task, User
from campaign.views.access import organised_task
from ranking.models import Analysis, PublishedResult
from ranking.pages.published.differences import differences, version_lines
from ranking.pages.published.form import PublishForm
from ranking.pages.published.page import draft_in_words, published_page
from ranking.pages.published.worries import (
    missing_in_words,
    named_before,
    reasons_in_words,
    worries_in_words,
)
from ranking.selectors.frozen_facts import systems_entered
from ranking.selectors.published_results import versions_of
from ranking.selectors.publishing_worries import publishing_worries
from ranking.selectors.runs import latest_run
from ranking.services.publishing import (
    PublishedDraft,
    PublishedFacts,
    PublishingRefusedError,
    embargo_check,
    firmness_ask,
    new_seed_comes,
    published_draft,
    published_facts,
    reasons_given,
    result_publish,
)


@require_safe
@never_cache
@login_required
def publish_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Say what would be published, with the form for it, and list the versions."""
    task = organised_task(request, slug, task_id)
    versions = list(versions_of(task_id=task.pk))
    facts = _facts(task)
    form = _form(None, task, facts, versions)
    try:
        draft = published_draft(
            task=task,
            anonymous=form.initial["anonymous"],
            words=form.initial_words,
            facts=facts,
        )
    except PublishingRefusedError as error:
        return _page(request, task, facts, versions, form, refused=str(error))
    return _page(request, task, facts, versions, form, draft=draft)


@require_POST
@login_required
def publish_confirm(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show what the form would publish, and ask; publish it where the answer is yes."""
    task = organised_task(request, slug, task_id)
    versions = list(versions_of(task_id=task.pk))
    facts = _facts(task)
    form = _form(request.POST, task, facts, versions)
    if not form.is_valid():
        return _page(request, task, facts, versions, form, status=400)
    chosen: dict[str, Any] = {
        "task": task,
        "anonymous": form.cleaned_data["anonymous"],
        "words": form.words,
    }
    with_firmness = request.POST.get("firmness") != "without"
    said = ""
    if request.POST.get("act") == "yes":
        try:
            result = result_publish(
                **chosen,
                by=cast("User", request.user),
                embargo_until=form.cleaned_data["embargo_until"],
                with_texts=form.cleaned_data["texts"],
                seen=request.POST.get("seen", ""),
                with_firmness=with_firmness,
            )
        except PublishingRefusedError as error:
            said = str(error)
        else:
            messages.success(
                request, _("Version %(version)s is published.") % {"version": result.version}
            )
            return redirect("publish", slug, task_id)
    try:
        draft = published_draft(**chosen, facts=facts)
        embargo_check(form.cleaned_data["embargo_until"], now=draft.published_at)
    except PublishingRefusedError as error:
        form.refuse(field=error.field, text=error.text, message=str(error))
        return _page(request, task, facts, versions, form, status=400)
    context = _context(task, facts, versions, form) | _preview(draft, versions)
    context |= {
        "draft": draft,
        "error": said,
        "firmness": _firmness(request, task, draft),
        "new_seed": new_seed_comes(task=task, content=draft.content),
    }
    return render(request, "publish/confirm.html", context, status=409 if said else 200)


def _firmness(request: HttpRequest, task: Task, draft: PublishedDraft) -> Analysis | None:
    """Return what a worker is asked where the draft does not have how firm first place is."""
    run = latest_run(task_id=task.pk)
    if draft.has_firmness or run is None:
        return None
    return firmness_ask(task=task, run=run, by=cast("User", request.user))


def _facts(task: Task) -> PublishedFacts | None:
    """Return what a result of the present ranking would be made of; None without a ranking."""
    run = latest_run(task_id=task.pk)
    return None if run is None else published_facts(task=task, run=run)


def _form(
    data: Any, task: Task, facts: PublishedFacts | None, versions: list[PublishedResult]
) -> PublishForm:
    given = (
        reasons_given(settings=facts.settings, rules=facts.rules, left_out=facts.left_out)
        if facts
        else []
    )
    return PublishForm(
        data,
        systems=facts.systems if facts else systems_entered(task_id=task.pk),
        reasons=given,
        last=versions[0] if versions else None,
    )


def _page(
    request: HttpRequest,
    task: Task,
    facts: PublishedFacts | None,
    versions: list[PublishedResult],
    form: PublishForm,
    *,
    draft: PublishedDraft | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    context = _context(task, facts, versions, form) | {
        "refused": refused,
        "versions": version_lines(versions, shown=None),
    }
    if draft is not None:
        context |= _preview(draft, versions)
    return render(request, "publish/publish.html", context, status=status)


def _context(
    task: Task,
    facts: PublishedFacts | None,
    versions: list[PublishedResult],
    form: PublishForm,
) -> dict[str, Any]:
    run = facts.run if facts else None
    return {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "publish",
        "form": form,
        "zenodo_is_allowed": settings.ZENODO_UPLOADS,
        "next_version": versions[0].version + 1 if versions else 1,
        "has_ranking": run is not None and bool(run.result["systems"]),
        "worries": worries_in_words(publishing_worries(task=task, run=run)) if run else [],
    }


def _preview(draft: PublishedDraft, versions: list[PublishedResult]) -> dict[str, Any]:
    return {
        "page": published_page(draft.content),
        "frozen_words": draft_in_words(draft.content),
        "missing": [*reasons_in_words(draft.content), *missing_in_words(draft.content)],
        "named_before": named_before(draft.labels, versions),
        "differences": differences(versions[0].content, draft.content) if versions else [],
    }
