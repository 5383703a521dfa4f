"""Room *Publish* of a task: preview, form, existing versions, and Zenodo drafts."""

from collections.abc import Sequence
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_post_parameters

from campaign.models import Task, User
from campaign.refusals import RefusalsAt
from campaign.views.access import of_task, organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, page_view, refusals_told
from ranking.models import Analysis, PublishedResult
from ranking.pages.published.form import EmbargoForm, PublishForm, RetractionForm, ZenodoForm
from ranking.pages.published.page import draft_in_words, published_page
from ranking.pages.published.versions import (
    differences,
    missing_in_words,
    named_before,
    reasons_in_words,
    version_lines,
    worries_in_words,
)
from ranking.selectors.metrics import metric_digests
from ranking.selectors.published_results import (
    systems_entered,
    versions_of,
    zenodo_jobs,
)
from ranking.selectors.runs import latest_run
from ranking.services.publishing.bundles import (
    LICENCES,
    ZenodoHost,
    ZenodoRefusedError,
    new_seed_comes,
    result_bundle_ask,
    zenodo_draft_ask,
    zenodo_metadata,
)
from ranking.services.publishing.content import (
    PublishedFacts,
    answer_ask,
    published_facts,
    reasons_given,
)
from ranking.services.publishing.naming import PublishingRefusedError
from ranking.services.publishing.publish import (
    PublishedDraft,
    embargo_check,
    published_draft,
    result_embargo_change,
    result_publish,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
)


@page_view
def publish_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the preview of a result with its form, and list the versions."""
    task, versions, facts, form = _desk(request, slug, task_id, None)
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


@action_view
def publish_confirm(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the form's preview for confirmation; publish it once confirmed."""
    task, versions, facts, form = _desk(request, slug, task_id, request.POST)
    if not form.is_valid():
        return _page(request, task, facts, versions, form, status=400)
    chosen: dict[str, Any] = {
        "task": task,
        "anonymous": form.cleaned_data["anonymous"],
        "words": form.words,
        "parts": ["firmness", *(["metrics"] if form.cleaned_data.get("metrics") else [])],
    }
    said = ""
    if request.POST.get("act") == "yes":
        try:
            # It is left out if it was not computed yet.
            without = {"firmness"} if request.POST.get("firmness") == "without" else set()
            result = result_publish(
                **{**chosen, "parts": [each for each in chosen["parts"] if each not in without]},
                by=cast("User", request.user),
                embargo_until=form.cleaned_data["embargo_until"],
                with_texts=form.cleaned_data["texts"],
                seen=request.POST.get("seen", ""),
            )
        except PublishingRefusedError as error:
            said = str(error)
        else:
            messages.success(
                request, _("Version %(version)s published.") % {"version": result.version}
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
        **_awaited(request, task, draft, chosen["parts"]),
        "new_seed": new_seed_comes(task=task, content=draft.content),
    }
    return render(request, "publish/confirm.html", context, status=409 if said else 200)


def _awaited(
    request: HttpRequest, task: Task, draft: PublishedDraft, parts: Sequence[str]
) -> dict[str, Analysis | None]:
    """Return the requests to a worker for the parts that the draft lacks."""
    run = latest_run(task_id=task.pk)
    if run is None:
        return {}
    by = cast("User", request.user)
    lacking = [name for name in parts if name not in draft.content["sections"]]
    return {name: answer_ask(name, task=task, run=run, by=by) for name in lacking}


def _desk(
    request: HttpRequest, slug: str, task_id: int, data: Any
) -> tuple[Task, list[PublishedResult], PublishedFacts | None, PublishForm]:
    """Return a task, its versions, the inputs of a result of its ranking, None without one, and the form."""
    task = organised_task(request, slug, task_id)
    versions = list(versions_of(task_id=task.pk))
    run = latest_run(task_id=task.pk)
    facts = None if run is None else published_facts(task=task, run=run)
    form = PublishForm(
        data,
        systems=facts.systems if facts else systems_entered(task_id=task.pk),
        reasons=reasons_given(facts) if facts else [],
        has_metrics=bool(metric_digests(test_set_id=task.test_set_id)),
        last=versions[0] if versions else None,
    )
    return task, versions, facts, form


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
        **of_task(task, "publish"),
        "form": form,
        "zenodo_is_allowed": settings.ZENODO_UPLOADS,
        "next_version": versions[0].version + 1 if versions else 1,
        "has_ranking": run is not None and bool(run.result["systems"]),
        "worries": worries_in_words(task=task, run=run) if run else [],
    }


def _preview(draft: PublishedDraft, versions: list[PublishedResult]) -> dict[str, Any]:
    return {
        "page": published_page(draft.content),
        "frozen_words": draft_in_words(draft.content),
        "missing": [*reasons_in_words(draft.content), *missing_in_words(draft.content)],
        "named_before": named_before(draft.labels, versions),
        "differences": differences(versions[0].content, draft.content) if versions else [],
    }


@action_view
def published_embargo(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Change until when a version is under an embargo; to open it for good is asked first."""
    task, result = _result(request, slug, task_id, version)
    form = EmbargoForm(request.POST)
    if not form.is_valid():
        messages.error(request, " ".join(map(str, form.errors["embargo_until"])))
        return redirect("publish", slug, task_id)
    until = form.cleaned_data["embargo_until"]
    if until is None and not is_answered(request):
        return ask(
            request,
            Question(
                title=_("Make version %(version)s public") % {"version": version},
                facts=[_("Anyone with the address can read it immediately.")],
                after=_("It can be retracted later, but not made private again."),
                answers=[Answer(_("Make public"))],
                cancel=reverse("publish", args=[slug, task_id]),
                fields={"embargo_until": ""},
            ),
            campaign=task.test_set.campaign,
            section="publish",
            task=task,
        )
    with refusals_told(request):
        changed = result_embargo_change(result=result, until=until)
        messages.success(request, _("Saved.") if changed else _("No changes."))
    return redirect("publish", slug, task_id)


@action_view
def published_reviewers(
    request: HttpRequest, slug: str, task_id: int, version: int
) -> HttpResponse:
    """Make the link for reviewers of a version, or end it."""
    _task, result = _result(request, slug, task_id, version)
    if request.POST.get("link") == "end":
        result_reviewer_link_end(result=result)
        messages.success(request, _("Reviewer link disabled."))
    else:
        result_reviewer_link_make(result=result)
        messages.success(
            request, _("Reviewer link created. Anyone with the link can read this version.")
        )
    return redirect("publish", slug, task_id)


@form_view
def published_retract(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Ask why a version is retracted; POST retracts it."""
    task, result = _result(request, slug, task_id, version)
    form = RetractionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with RefusalsAt(form, "retraction_reason"):
            result_retract(result=result, reason=form.cleaned_data["retraction_reason"])
            messages.success(request, _("Version %(version)s retracted.") % {"version": version})
            return redirect("publish", slug, task_id)
    context = {
        **of_task(task, "publish"),
        "result": result,
        "form": form,
    }
    status = 400 if form.is_bound else 200
    return render(request, "publish/retract.html", context, status=status)


@action_view
def published_restore(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Take a retraction back."""
    _task, result = _result(request, slug, task_id, version)
    if result_retraction_undo(result=result):
        messages.success(request, _("Retraction undone."))
    return redirect("publish", slug, task_id)


@action_view
def published_bundle(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Have a worker create the bundle of a version."""
    _task, result = _result(request, slug, task_id, version)
    with refusals_told(request):
        result_bundle_ask(
            result=result, with_texts="texts" in request.POST, by=cast("User", request.user)
        )
        messages.success(request, _("Creating the bundle."))
    return redirect("publish", slug, task_id)


def _result(
    request: HttpRequest, slug: str, task_id: int, version: int
) -> tuple[Task, PublishedResult]:
    task = organised_task(request, slug, task_id)
    versions = versions_of(task_id=task.pk)
    result: PublishedResult = get_object_or_404(versions, version=version)
    return task, result


def published_zenodo(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    """Show the preview of a Zenodo draft, and existing drafts; POST has a worker create one."""
    if not settings.ZENODO_UPLOADS:
        raise Http404
    return _zenodo_page(request, slug, task_id, version)


@form_view
@sensitive_post_parameters("token")
def _zenodo_page(request: HttpRequest, slug: str, task_id: int, version: int) -> HttpResponse:
    task = organised_task(request, slug, task_id)
    result: PublishedResult = get_object_or_404(versions_of(task_id=task.pk), version=version)
    result.task = task
    form = ZenodoForm(request.POST if request.method == "POST" else None)
    url = request.build_absolute_uri(reverse("published-result", args=[result.address]))
    if form.is_bound and form.is_valid():
        try:
            zenodo_draft_ask(
                result=result, url=url, by=cast("User", request.user), **form.cleaned_data
            )
        except ZenodoRefusedError as error:
            form.add_error(None, str(error))
        else:
            messages.success(request, _("Creating the draft."))
            return redirect("published-zenodo", slug, task_id, version)
    jobs = list(zenodo_jobs(result))
    context = {
        **of_task(task, "publish"),
        "result": result,
        "bundle": result.bundle,
        "metadata": zenodo_metadata(result, licence=next(iter(LICENCES)), url=url),
        "form": form,
        "drafts": [(ZenodoHost(job.parameters["host"]).label, job) for job in jobs],
        "is_under_way": any(not job.has_ended for job in jobs),
    }
    is_part = request.headers.get("HX-Request")
    name = "publish/_zenodo.html" if is_part else "publish/zenodo.html"
    return render(request, name, context, status=400 if form.errors else 200)
