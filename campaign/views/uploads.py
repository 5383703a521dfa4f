"""Uploads of texts, the jobs that read them, and the texts of a test set."""

from typing import Any, Final, TypedDict, cast
from uuid import UUID

from django.contrib import messages
from django.contrib.messages.storage.base import BaseStorage
from django.core.files.uploadedfile import UploadedFile as SentFile
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaign.formats.json_text import JSONObject
from campaign.formats.recognising import FileRole
from campaign.models import Campaign, CampaignState, ReferenceUse, TestSet, Upload
from campaign.pages.uploads import (
    UploadForm,
)
from campaign.selectors.tasks import first_task
from campaign.selectors.uploads import uploads_read
from campaign.services.jobs import job_cancel
from campaign.services.uploads import (
    MAX_PART_BYTES,
    UploadRefusedError,
    upload_begin,
    upload_check,
    upload_file_add,
    upload_file_remove,
    upload_give_up,
    upload_import,
    upload_part_store,
)
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list, sentence_list
from campaign.texts.languages import language_pair_name
from campaign.views.access import form_page, organised_campaign, user_of
from campaign.views.decorators import action_view, form_view, page_view

ROLE_WORDS: Final = {
    FileRole.SOURCE: gettext_lazy("Source"),
    FileRole.REFERENCE: gettext_lazy("Reference"),
    FileRole.SYSTEM: gettext_lazy("System outputs"),
    FileRole.DOCUMENTS: gettext_lazy("Document names"),
    FileRole.WHOLE: gettext_lazy("Whole test set"),
    FileRole.IGNORED: pgettext_lazy("file", "Skipped"),
}


class UploadInWords(TypedDict):
    """The report of an upload in words; `roles` are the roles of files with their names."""

    roles: list[tuple[str, str]]
    languages: str
    stands_out: list[str]
    takes_part: str


def upload_in_words(upload: Upload) -> UploadInWords:
    """Return the latest report of an upload in words; `stands_out` are sentences that an organiser should read."""
    report = upload.report or {}
    return {
        "roles": [(str(role), str(label)) for role, label in ROLE_WORDS.items()],
        "languages": _languages(upload),
        "stands_out": _stands_out(report),
        "takes_part": _takes_part(upload, report),
    }


def _languages(upload: Upload) -> str:
    if not (upload.source_language and upload.target_language):
        return ""
    return language_pair_name(upload.source_language, upload.target_language)


def _stands_out(report: JSONObject) -> list[str]:
    warnings: list[str] = list(report.get("warnings", []))
    for group in report.get("identical_systems", []):
        message = _("Identical outputs: %(systems)s.")
        warnings.append(message % {"systems": comma_list(group)})
    messages = {
        "repeated": _("%(system)s: outputs also used for another source: %(count)s."),
        "copied": _("%(system)s: outputs copied from the source: %(count)s."),
        "outlier_count": _("%(system)s: outputs of unusual length: %(count)s."),
    }
    for system in report.get("systems", []):
        for key, message in messages.items():
            count = system[key]
            if count:
                values = {"system": system["name"], "count": number_format(count)}
                warnings.append(message % values)
    return warnings


def _takes_part(upload: Upload, report: JSONObject) -> str:
    """Return a summary of the judged outputs: "6 systems; the reference as a hidden control"."""
    count = len(report.get("systems", []))
    if not count:
        return ""
    systems = counted("%(count)s system", "%(count)s systems", count)
    if not report.get("references"):
        return _("%(systems)s, no reference.") % {"systems": systems}
    return _reference_words(upload.campaign, ReferenceUse(upload.reference_use)) % {
        "systems": systems,
    }


def _reference_words(campaign: Campaign, use: ReferenceUse) -> str:
    if use is ReferenceUse.RANKED:
        if campaign.show_reference:
            return _("%(systems)s and the reference, which judges see and rank.")
        return _("%(systems)s and the reference as a hidden control.")
    if use is ReferenceUse.CONTROL and not campaign.show_reference:
        return _("%(systems)s and the reference as a hidden control.")
    if campaign.show_reference:
        return _("%(systems)s; the reference is shown to judges and not ranked.")
    return _("%(systems)s; the reference is neither shown nor ranked.")


@action_view
def upload_new(request: HttpRequest, slug: str) -> HttpResponse:
    """Begin an upload and go to its page."""
    campaign = organised_campaign(request, slug)
    upload = upload_begin(campaign=campaign, user=user_of(request))
    return redirect("upload", slug, upload.pk)


@form_view
def upload_page(request: HttpRequest, slug: str, upload_id: UUID) -> HttpResponse:
    """Show files, findings and open decisions; POST carries out the next step."""
    upload = _upload(request, slug, upload_id)
    if upload.test_set is not None:
        return _next_after(request, upload, upload.test_set)
    form = UploadForm(request.POST if _decides(request) else None, upload=upload)
    if request.method == "POST":
        try:
            answer = _act(request, upload, form)
        except UploadRefusedError as error:
            messages.error(request, str(error))
            answer = redirect("upload", slug, upload_id)
        if answer is not None:
            return answer
    wrong = next((name for name in form.errors if name in form.fields), None)
    if wrong is not None:
        form.fields[wrong].widget.attrs["autofocus"] = True
    context = {
        "campaign": upload.campaign,
        "section": "test-sets",
        "upload": upload,
        "is_whole": upload.sent
        and all(file.bytes_received == file.size for file in upload.sent),
        "is_ready": upload.sent and upload.report and not upload.report.get("error"),
        "form": form,
        "words": upload_in_words(upload),
        "part_bytes": MAX_PART_BYTES // 2,
    }
    return form_page(request, "organiser/upload.html", context)


def _next_after(
    request: HttpRequest,
    upload: Upload,
    test_set: TestSet,
) -> HttpResponse:
    """Say what was created, and redirect to the checklist of a draft, or to the texts."""
    added = [
        _("%(name)s added.") % {"name": test_set.name},
        _takes_part(upload, upload.report or {}),
    ]
    _say_once(request, sentence_list(added))
    if upload.campaign.state == CampaignState.DRAFT:
        return redirect("campaign-detail", upload.campaign.slug)
    return redirect(
        "test-set-texts",
        upload.campaign.slug,
        first_task(test_set=test_set).pk,
    )


def _say_once(request: HttpRequest, text: str) -> None:
    """Add a message, unless an earlier request of a page that reloads itself has left the same one."""
    waiting = cast("BaseStorage", messages.get_messages(request))
    if text not in [message.message for message in waiting]:
        messages.success(request, text)
    # Reading does not count as showing.
    waiting.used = False


@page_view
def upload_progress(request: HttpRequest, slug: str, upload_id: UUID) -> HttpResponse:
    """Show the progress of the job on an upload; once it has ended, reload the page."""
    upload = _upload(request, slug, upload_id)
    if upload.job is None or upload.job.has_ended:
        return HttpResponse(headers={"HX-Refresh": "true"})
    context = {"campaign": upload.campaign, "upload": upload}
    return render(request, "organiser/_upload_progress.html", context)


def _upload(request: HttpRequest, slug: str, upload_id: UUID) -> Any:
    campaign = organised_campaign(request, slug)
    upload = get_object_or_404(Upload, campaign=campaign, pk=upload_id)
    return uploads_read(campaign=campaign, uploads=[upload])[0]


def _decides(request: HttpRequest) -> bool:
    return request.method == "POST" and request.POST.get("act") in {"save", "import"}


def _act(request: HttpRequest, upload: Any, form: UploadForm) -> HttpResponse | None:
    """Carry out the button's action; None if the form is to be shown again."""
    user = user_of(request)
    act = request.POST.get("act", "")
    here = redirect("upload", upload.campaign.slug, upload.pk)
    if act == "give-up":
        upload_give_up(upload=upload)
        messages.success(request, _("Files discarded."))
        return redirect("test-sets", upload.campaign.slug)
    if act == "stop":
        if upload.job is not None:
            job_cancel(job=upload.job)
        return here
    if act.startswith("remove:"):
        for file in upload.files.filter(pk=_number(act.partition(":")[2])):
            upload_file_remove(file=file)
        return here
    if act in {"save", "import"}:
        if not (form.is_valid() and form.save()):
            return None
        if act == "import":
            upload_import(upload=upload, user=user)
        else:
            upload_check(upload=upload, user=user)
        return here
    for sent in request.FILES.getlist("files"):
        _store(upload, sent)
    upload_check(upload=upload, user=user)
    return here


def _store(upload: Upload, sent: "SentFile[bytes]") -> None:
    """Store a file that came with a form, as browsers without scripts send it."""
    file = upload_file_add(upload=upload, name=sent.name or "", size=sent.size or 0)
    offset = 0
    for content in sent.chunks(MAX_PART_BYTES):
        offset = upload_part_store(file=file, offset=offset, content=content)


def _number(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) < 19:
        return int(text)
    return 0
