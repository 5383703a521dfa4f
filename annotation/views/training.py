from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from annotation.models import TrainingBlock
from annotation.selectors.shown import languages_data
from annotation.selectors.training import training_blocks
from annotation.services.training import (
    training_block_explain,
    training_block_remove,
    training_propose,
)
from campaign.models import Task
from campaign.texts.counted import counted
from campaign.texts.lines import line_breaks_normalised
from campaign.views.access import of_task, organised_task
from campaign.views.confirming import Answer, Question, ask, is_answered
from campaign.views.decorators import action_view, form_view, refusals_as_messages

# More would be too many before the first HIT.
MOST = 10


@form_view
def training(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the training blocks of a test set; POST proposes some."""
    task = organised_task(request, slug, task_id)
    if request.method == "POST":
        return _propose(request, task)
    context: dict[str, object] = {
        **of_task(task, "training"),
        "blocks": training_blocks(task_id=task.pk),
        "counts": range(1, MOST + 1),
        **languages_data(task.test_set.source_language, task.test_set.target_language),
    }
    return render(request, "quality/training.html", context)


def _propose(request: HttpRequest, task: Task) -> HttpResponse:
    count = request.POST.get("count", "")
    if count not in map(str, range(1, MOST + 1)):
        return HttpResponseBadRequest(_("Invalid choice."))
    with refusals_as_messages(request):
        number = len(training_propose(task=task, count=int(count)))
        message = counted(
            "%(count)d training item proposed. Please review it.",
            "%(count)d training items proposed. Please review them.",
            number,
        )
        messages.success(request, message)
    return redirect("training", task.test_set.campaign.slug, task.pk)


@action_view
def training_block(
    request: HttpRequest,
    slug: str,
    task_id: int,
    block_id: int,
) -> HttpResponse:
    """Save a training block's explanation, or remove the block."""
    task = organised_task(request, slug, task_id)
    block = get_object_or_404(TrainingBlock, pk=block_id, task=task)
    decision = request.POST.get("decision")
    if decision == "remove" and not is_answered(request):
        return _ask_removal(request, task, block)
    if decision == "remove":
        training_block_remove(training_block=block)
        messages.success(request, _("Removed for future judges."))
    elif decision == "keep":
        with refusals_as_messages(request):
            training_block_explain(
                training_block=block,
                explanation=line_breaks_normalised(request.POST.get("explanation", "")),
            )
            messages.success(request, _("Saved for future judges."))
    else:
        return HttpResponseBadRequest(_("Invalid choice."))
    return redirect("training", slug, task_id)


def _ask_removal(
    request: HttpRequest,
    task: Task,
    block: TrainingBlock,
) -> HttpResponse:
    remaining = TrainingBlock.objects.filter(task=task).count() - 1
    sentence = counted(
        "%(count)d training item remains for new judges.",
        "%(count)d training items remain for new judges.",
        remaining,
    )
    none_left = _("No training items remain: new judges start without training.")
    question = Question(
        title=_("Remove training item"),
        facts=[
            sentence if remaining else none_left,
            _("Judges who have already seen it are not affected."),
            _("Its explanation is deleted: “%(words)s”") % {"words": block.explanation},
        ],
        after=_("This cannot be undone, but the item can be proposed again."),
        answers=[Answer(_("Remove training item"))],
        fields={"decision": "remove"},
        cancel=reverse("training", args=[task.test_set.campaign.slug, task.pk]),
    )
    return ask(
        request,
        question,
        campaign=task.test_set.campaign,
        task=task,
        section="training",
    )
