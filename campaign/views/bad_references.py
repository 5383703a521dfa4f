from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from campaign.models import BadReference, Task
from campaign.selectors.bad_references import (
    bad_references_counted,
    bad_references_of,
    withdrawal_in_words,
)
from campaign.services.bad_references import (
    bad_reference_redraw,
    bad_reference_review,
    bad_references_make,
)
from campaign.texts.counted import counted
from campaign.views.access import of_task, organised_task, user_of
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, refusals_as_messages

AT_ONCE = 20
# Shares of the segments on offer, in per cent.
SHARES = (5, 10, 25, 100)


@form_view
def bad_references(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show damaged references beside their source texts, for approval; POST creates new ones."""
    task = organised_task(request, slug, task_id)
    if request.method == "POST":
        return _make(request, task)
    status = request.GET.get("status", BadReference.Status.PENDING)
    if status not in BadReference.Status.values:
        status = BadReference.Status.PENDING
    rows = bad_references_of(test_set_id=task.test_set_id).filter(status=status)
    counts = bad_references_counted(test_set_id=task.test_set_id)
    context = {
        **of_task(task, "bad-references"),
        "rows": rows[:AT_ONCE],
        "status": status,
        "statuses": [
            (value, label, counts.get(value, 0))
            for value, label in BadReference.Status.choices
        ],
        "shares": SHARES,
        "source_language": task.test_set.source_language,
        "target_language": task.test_set.target_language,
    }
    return render(request, "quality/bad_references.html", context)


def _make(request: HttpRequest, task: Task) -> HttpResponse:
    share = request.POST.get("share", "")
    if share not in map(str, SHARES):
        return HttpResponseBadRequest(_("Choose one of the listed shares."))
    with refusals_as_messages(request):
        count = bad_references_make(test_set=task.test_set, share=int(share) / 100)
        message = counted(
            "%(count)d damaged reference created. Review it below.",
            "%(count)d damaged references created. Review them below.",
            count,
        )
        messages.success(request, message)
    return redirect("bad-references", task.test_set.campaign.slug, task.pk)


def _ask_withdrawal(
    request: HttpRequest,
    task: Task,
    row: BadReference,
    back: str,
) -> HttpResponse:
    question = Question(
        title=_("Withdraw damaged reference"),
        facts=withdrawal_in_words(row.output.segment.number),
        answers=[Answer(_("Withdraw permanently"))],
        fields={"decision": "reject", "status": request.POST.get("status", "")},
        cancel=back,
    )
    return ask(
        request,
        question,
        campaign=task.test_set.campaign,
        task=task,
        section="bad-references",
    )


@action_view
def bad_reference_decide(
    request: HttpRequest,
    slug: str,
    task_id: int,
    bad_reference_id: int,
) -> HttpResponse:
    """Approve or reject a damaged reference, or have another one drawn."""
    task = organised_task(request, slug, task_id)
    row = get_object_or_404(
        BadReference.objects.of(task.test_set_id),
        pk=bad_reference_id,
    )
    decision = request.POST.get("decision")
    back = reverse("bad-references", args=[slug, task_id])
    status = request.POST.get("status", BadReference.Status.PENDING)
    if decision == "redraw":
        with refusals_as_messages(request):
            bad_reference_redraw(bad_reference=row)
        status = BadReference.Status.PENDING
    elif decision == "reject" and row.approved_at and not is_answered(request):
        return _ask_withdrawal(
            request,
            task,
            row,
            f"{back}?{urlencode({'status': status})}",
        )
    elif decision in {"approve", "reject"}:
        user = user_of(request)
        with refusals_as_messages(request):
            bad_reference_review(
                bad_reference=row,
                approve=decision == "approve",
                reviewer=user,
            )
    else:
        return HttpResponseBadRequest(_("Choose approve, reject or redraw."))
    return redirect(f"{back}?{urlencode({'status': status})}")
