"""Publishing: the page *Publish* of a task, and the public pages of published results and their files."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, TypeVar

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import (
    add_never_cache_headers,
    get_conditional_response,
    patch_cache_control,
)
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from campaign.export.downloads import content_type
from campaign.models import CampaignState, InvitationRole, KeptFile, System, Task
from campaign.pages.content_policy import with_content_policy
from campaign.selectors.credentials import results_link
from campaign.selectors.exported_files import exported_bytes
from campaign.selectors.tasks import tasks_in_order
from campaign.texts.joining import sentence_list
from campaign.texts.refusals import RefusalsAt
from campaign.texts.time_zones import named_zone
from campaign.views.access import of_task, organised_task, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import (
    action_view,
    form_view,
    page_view,
    refusals_as_messages,
)
from ranking.models import Analysis, PublishedResult
from ranking.pages.frozen_pages import result_content
from ranking.pages.publish_forms import EmbargoForm, PublishForm, RetractionForm
from ranking.pages.published_results import draft_in_words, published_page
from ranking.pages.published_versions import differences, version_lines
from ranking.pages.publishing_worries import (
    missing_in_words,
    named_before,
    reasons_in_words,
    worries_in_words,
)
from ranking.pages.shared_results import shared_result
from ranking.reports.analyses.registry import ANALYSES
from ranking.reports.published_results import FOLDER
from ranking.selectors.analyses import kind_in_place_of_ranking
from ranking.selectors.metrics import metric_digests
from ranking.selectors.published_results import (
    bundled_bytes,
    is_member,
    published_at,
    systems_entered,
    versions_of,
    visible_versions,
)
from ranking.selectors.runs import latest_run
from ranking.services.published_results.bundles import (
    judging_goes_on,
    new_seed_comes,
    result_bundle_ask,
)
from ranking.services.published_results.content import (
    PublishedFacts,
    published_facts,
    published_reasons,
)
from ranking.services.published_results.naming import PublishingRefusedError
from ranking.services.published_results.publish import (
    PublishedDraft,
    ResultChoices,
    embargo_check,
    is_publishable,
    published_draft,
    result_embargo_change,
    result_publish,
    result_retract,
    result_retraction_undo,
    result_reviewer_link_end,
    result_reviewer_link_make,
)
from ranking.services.published_results.sections import (
    ChosenSections,
    available_completing,
    has_failed,
    unfinished_ask,
)


@page_view
def publish_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the preview of a result with its form, and list the versions."""
    form, facts, context = _desk(request, slug, task_id, None)
    try:
        draft = published_draft(
            task=context["task"],
            choices=ResultChoices(
                anonymous=form.initial["anonymous"],
                front_matter=form.initial_front_matter,
            ),
            facts=facts,
        )
        context |= _preview(draft, context)
    except PublishingRefusedError as error:
        context["refused"] = str(error)
    return render(request, "published_results/publish.html", context)


@action_view
def publish_confirm(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the preview for confirmation; publish it once confirmed."""
    form, facts, context = _desk(request, slug, task_id, request.POST)
    task = context["task"]
    if not form.is_valid():
        return render(request, "published_results/publish.html", context, status=400)
    choices = ResultChoices(
        anonymous=form.cleaned_data["anonymous"],
        front_matter=form.front_matter,
        sections=form.sections,
        with_texts=form.cleaned_data["texts"],
    )
    refusal = ""
    status = 200
    if request.POST.get("act") == "yes":
        # Publish without sections that had not been computed yet.
        without = request.POST.getlist("without")
        names = tuple(name for name in form.sections.names if name not in without)
        try:
            result = result_publish(
                task=task,
                by=user_of(request),
                choices=replace(choices, sections=replace(form.sections, names=names)),
                embargo_until=form.cleaned_data["embargo_until"],
                fingerprint=request.POST.get("seen", ""),
            )
        except PublishingRefusedError as error:
            refusal = str(error)
            status = 409
        else:
            messages.success(
                request,
                _("Version %(version)s published.") % {"version": result.version},
            )
            return redirect("publish", slug, task_id)
    try:
        draft = published_draft(task=task, choices=choices, facts=facts)
        embargo_check(form.cleaned_data["embargo_until"], now=draft.published_at)
    except PublishingRefusedError as error:
        form.refuse(field=error.field, text=error.text, message=str(error))
        return render(request, "published_results/publish.html", context, status=400)
    awaited = _pending_analyses(request, task, draft, form.sections)
    context |= {
        **_preview(draft, context),
        "draft": draft,
        "error": refusal,
        "awaited": [(ANALYSES[row.kind].title, row) for row in awaited],
        "is_computing": not all(map(has_failed, awaited)),
        "new_seed": new_seed_comes(task=task, content=draft.content),
        "judging_goes_on": judging_goes_on(task),
    }
    return render(request, "published_results/confirm.html", context, status=status)


def _pending_analyses(
    request: HttpRequest,
    task: Task,
    draft: PublishedDraft,
    sections: ChosenSections,
) -> list[Analysis]:
    """Return the analyses, named like their sections, that the draft lacks because they are waiting or failed."""
    run = latest_run(task_id=task.pk)
    if run is None:
        return []
    included = draft.content["sections"]
    return unfinished_ask(
        [name for name in sections.names if name not in included],
        task=task,
        run=run,
        by=user_of(request),
        chosen=sections,
    )


def _desk(
    request: HttpRequest,
    slug: str,
    task_id: int,
    data: Any,
) -> tuple[PublishForm, PublishedFacts | None, dict[str, Any]]:
    """Return the form, the inputs of a result (None without a ranking), and the template context without preview."""
    task = organised_task(request, slug, task_id)
    versions = list(versions_of(task_id=task.pk))
    run = latest_run(task_id=task.pk)
    facts = None
    systems: Sequence[System]
    reasons = []
    worries = []
    uncomputed = None
    has_results = False
    if run is None:
        systems = systems_entered(task_id=task.pk)
    else:
        facts = published_facts(task=task, run=run)
        systems = facts.systems
        reasons = published_reasons(facts)
        worries = worries_in_words(task=task, run=run)
        has_results = is_publishable(run)
        if not has_results:
            uncomputed = kind_in_place_of_ranking(task=task)
    last = versions[0] if versions else None
    # Also those without answers, so that no answer of a machine changes the page.
    machines = task.test_set.campaign.machines.order_by("pk")
    form = PublishForm(
        data,
        systems=systems,
        reasons=reasons,
        has_metrics=bool(metric_digests(test_set_id=task.test_set_id)),
        completing=available_completing(task=task, machines=list(map(str, machines))),
        last=last,
    )
    context = {
        **of_task(task, "publish"),
        "form": form,
        "versions": version_lines(versions, current=None),
        "next_version": last.version + 1 if last else 1,
        "is_publishable": has_results,
        "uncomputed": uncomputed,
        "worries": worries,
    }
    return form, facts, context


def _preview(draft: PublishedDraft, context: Mapping[str, Any]) -> dict[str, Any]:
    versions = [line.result for line in context["versions"]]
    changes = []
    if versions:
        changes = differences(versions[0].content, draft.content)
    return {
        "page": published_page(draft.content),
        "frozen_words": draft_in_words(draft.content),
        "missing": [*reasons_in_words(draft.content), *missing_in_words(draft.content)],
        "named_before": named_before(draft.labels, versions),
        "differences": changes,
    }


@action_view
def published_embargo(
    request: HttpRequest,
    slug: str,
    task_id: int,
    version: int,
) -> HttpResponse:
    """Change the end of the embargo of a version; making it public is confirmed first."""
    task, result = _result(request, slug, task_id, version)
    form = EmbargoForm(request.POST)
    if not form.is_valid():
        messages.error(request, sentence_list(form.errors["embargo_until"]))
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
    with refusals_as_messages(request):
        if result_embargo_change(result=result, until=until):
            messages.success(request, _("Saved."))
        else:
            messages.success(request, _("No changes."))
    return redirect("publish", slug, task_id)


@action_view
def published_reviewers(
    request: HttpRequest,
    slug: str,
    task_id: int,
    version: int,
) -> HttpResponse:
    """Create or disable the reviewer link of a version."""
    _task, result = _result(request, slug, task_id, version)
    if request.POST.get("link") == "end":
        result_reviewer_link_end(result=result)
        messages.success(request, _("Reviewer link disabled."))
    else:
        result_reviewer_link_make(result=result)
        messages.success(
            request,
            _("Reviewer link created. Anyone with the link can read this version."),
        )
    return redirect("publish", slug, task_id)


@form_view
def published_retract(
    request: HttpRequest,
    slug: str,
    task_id: int,
    version: int,
) -> HttpResponse:
    """Show the form for retracting a version; POST retracts it."""
    task, result = _result(request, slug, task_id, version)
    form = RetractionForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with RefusalsAt(form, "retraction_reason"):
            result_retract(result=result, reason=form.cleaned_data["retraction_reason"])
            messages.success(
                request,
                _("Version %(version)s retracted.") % {"version": version},
            )
            return redirect("publish", slug, task_id)
    context = {**of_task(task, "publish"), "result": result, "form": form}
    status = 400 if form.is_bound else 200
    return render(request, "published_results/retract.html", context, status=status)


@action_view
def published_restore(
    request: HttpRequest,
    slug: str,
    task_id: int,
    version: int,
) -> HttpResponse:
    """Undo a retraction."""
    _task, result = _result(request, slug, task_id, version)
    if result_retraction_undo(result=result):
        messages.success(request, _("Retraction undone."))
    return redirect("publish", slug, task_id)


@action_view
def published_bundle(
    request: HttpRequest,
    slug: str,
    task_id: int,
    version: int,
) -> HttpResponse:
    """Have a worker create the bundle of a version."""
    _task, result = _result(request, slug, task_id, version)
    with refusals_as_messages(request):
        result_bundle_ask(
            result=result,
            with_texts="texts" in request.POST,
            by=user_of(request),
        )
        if result.bundle_job is not None:
            messages.success(request, _("Creating the bundle."))
    return redirect("publish", slug, task_id)


def _result(
    request: HttpRequest,
    slug: str,
    task_id: int,
    version: int,
) -> tuple[Task, PublishedResult]:
    task = organised_task(request, slug, task_id)
    versions = versions_of(task_id=task.pk)
    result: PublishedResult = get_object_or_404(versions, version=version)
    return task, result


#: Maximum number of seconds until a retraction reaches readers with a cached page.
PAGE_SECONDS: Final = 60
FILE_SECONDS: Final = 300


def _result_shown_to(request: HttpRequest, address: str, token: str = "") -> Any:
    """Return the result with this address; raise a 404 if the reader may not see it or it does not exist.

    `is_private` tells whether the response is only for this reader. For public results, the reader is not looked up.
    The page's days are those of UTC for every reader, as proxies keep it for all.
    """
    timezone.activate(named_zone("UTC"))
    result: Any = published_at(address)
    if result is None:
        raise Http404
    if token:
        reviewer_token = result.reviewer_token or ""
        if not secrets.compare_digest(reviewer_token.encode(), token.encode()):
            raise Http404
    elif result.is_embargoed and not is_member(request.user, result):
        raise Http404
    result.is_private = result.is_embargoed or bool(token)
    return result


_View = Callable[..., HttpResponseBase]
_Response = TypeVar("_Response", bound=HttpResponseBase)


def not_kept_if_missing(view: _View) -> _View:
    """Prevent caching of a 404: a result under an embargo may be public tomorrow."""

    @wraps(view)
    def answered(request: HttpRequest, *args: str, **named: str) -> HttpResponseBase:
        try:
            return view(request, *args, **named)
        except Http404:
            response = render(request, "404.html", status=404)
            add_never_cache_headers(response)
            return response

    return answered


def with_cache_lifetime(response: _Response, result: Any, *, seconds: int) -> _Response:
    """Set how long caches may keep a response; one for a single reader must not be cached or indexed."""
    if result.is_private:
        return _without_caching(response)
    patch_cache_control(response, public=True, max_age=seconds)
    return response


def _without_caching(response: _Response) -> _Response:
    add_never_cache_headers(response)
    response["X-Robots-Tag"] = "noindex, nofollow"
    return response


#: Name of the zip of the whole folder in addresses.
_ZIP: Final = "bundle.zip"
#: Files that browsers display; others are downloaded.
_INLINE_FILES: Final = frozenset(
    {"result.json", "ranking.svg", "ranking.png", "ranking.md", "citation.bib"},
)


@require_safe
@not_kept_if_missing
def published_result(
    request: HttpRequest,
    digest: str,
    token: str = "",
) -> HttpResponse:
    """Show a published result: during an embargo, only to members and with the reviewer link."""
    result = _result_shown_to(request, digest, token)
    page_url = request.build_absolute_uri(
        reverse("published-result", args=[result.address]),
    )
    context = {
        **result_content(result, visible_versions(result), page_url=page_url),
        "is_private": result.is_private,
        "is_reviewer": bool(token),
        **_folder(request, result, token),
    }
    return with_cache_lifetime(
        render(request, "published_results/result.html", context),
        result,
        seconds=PAGE_SECONDS,
    )


@require_safe
@not_kept_if_missing
def published_review(request: HttpRequest, digest: str, token: str) -> HttpResponseBase:
    """Show what a link lets its holders read: a version by its reviewer link, or the results of a campaign."""
    link = results_link(slug=digest, token=token)
    if link is None:
        return published_result(request, digest, token)
    timezone.activate(link.campaign.zone)
    tasks = tasks_in_order(link.campaign)
    chosen = [task for task in tasks if str(task.pk) == request.GET.get("task", "")]
    task = next(iter(chosen or tasks), None)
    page = None
    is_judging = False
    if task is not None:
        is_anonymous = link.role == InvitationRole.RESULTS_ANONYMOUS
        page = shared_result(task=task, is_anonymous=is_anonymous)
        is_judging = task.state == CampaignState.OPEN
    context = {
        "campaign": link.campaign,
        "tasks": tasks,
        "task": task,
        "page": page,
        "is_judging": is_judging,
        "is_private": True,
    }
    response = render(request, "published_results/shared.html", context)
    return _without_caching(response)


@require_safe
@not_kept_if_missing
def published_file(
    request: HttpRequest,
    digest: str,
    file_name: str,
    token: str = "",
) -> HttpResponseBase:
    """Stream the zip of a published result or a file in it; 404 until the zip has been created."""
    result = _result_shown_to(request, digest, token)
    download = _download(result, file_name)
    if download is None:
        raise Http404
    etag = quote_etag(download.digest)
    # The cached response is still current.
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    if response is None:
        disposition = "inline" if file_name in _INLINE_FILES else "attachment"
        response = StreamingHttpResponse(
            download.content(),
            content_type=content_type(file_name),
            headers={
                "Content-Length": str(download.size),
                "Content-Disposition": f'{disposition}; filename="{download.name}"',
            },
        )
    response["ETag"] = etag
    return with_cache_lifetime(response, result, seconds=FILE_SECONDS)


@dataclass(frozen=True, slots=True)
class _Download:
    """The zip of a published result, or a file in it."""

    name: str
    digest: str
    size: int
    bundle: KeptFile
    is_whole: bool

    def content(self) -> Iterator[bytes]:
        if self.is_whole:
            return exported_bytes(self.bundle)
        return bundled_bytes(self.bundle, self.name)


def _download(result: PublishedResult, file_name: str) -> _Download | None:
    """Return a file by its name in addresses; None if there is none."""
    bundle = result.bundle
    if bundle is None:
        return None
    file = result.bundled(file_name)
    if file is not None:
        return _Download(
            name=file_name,
            digest=file["sha256"],
            size=file["bytes"],
            bundle=bundle,
            is_whole=False,
        )
    if file_name != _ZIP:
        return None
    return _Download(
        name=bundle.name,
        digest=bundle.digest,
        size=bundle.size,
        bundle=bundle,
        is_whole=True,
    )


@require_safe
@xframe_options_exempt
@with_content_policy({"frame-ancestors": "*"})
@not_kept_if_missing
def published_embed(request: HttpRequest, digest: str) -> HttpResponse:
    """Show only the table, in a frame on any site; 404 during an embargo."""
    result = _result_shown_to(request, digest)
    if result.is_private:
        raise Http404
    context = {"page": published_page(result.content), "result": result}
    return with_cache_lifetime(
        render(request, "published_results/embed.html", context),
        result,
        seconds=PAGE_SECONDS,
    )


def _folder(
    request: HttpRequest,
    result: PublishedResult,
    token: str,
) -> dict[str, Any]:
    """Return the downloads of a result; none before its folder exists."""
    bundle = result.bundle
    if bundle is None:
        return {}

    def line(name: str) -> dict[str, Any]:
        if token:
            address = reverse(
                "published-review-file",
                args=[result.address, token, name],
            )
            # The full address is for print; reviewer links are not printed.
            return {"name": name, "address": address, "url": ""}
        address = reverse("published-file", args=[result.address, name])
        url = request.build_absolute_uri(address)
        return {"name": name, "address": address, "url": url}

    files = []
    for name, description in FOLDER.items():
        if result.bundled(name):
            files.append({**line(name), "words": description})
    whole = {
        **line(_ZIP),
        "has_texts": result.bundle_has_texts,
        "size": bundle.size,
        "digest": bundle.digest,
    }
    return {"bundle": whole, "files": files}
