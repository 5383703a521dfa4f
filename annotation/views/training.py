from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from annotation.models import TrainingBlock
from annotation.selectors.training import training_blocks
from annotation.services import (
    TrainingRefusedError,
    training_block_explain,
    training_block_remove,
    training_propose,
)
from campaign.models import TestSet
from campaign.texts.languages import language_direction
from campaign.views.access import organised_test_set
from campaign.views.confirming import Answer, Question, ask, is_answered

# As many as make sense before the first HIT.
MOST = 10


@require_http_methods(["GET", "HEAD", "POST"])
@login_required
@never_cache
def training(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show the training blocks of a test set; POST proposes some."""
    test_set = organised_test_set(request, slug, test_set_id)
    if request.method == "POST":
        return _propose(request, test_set)
    context: dict[str, Any] = {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "section": "training",
        "blocks": training_blocks(test_set_id=test_set.pk),
        "counts": range(1, MOST + 1),
        "source": (test_set.source_language, language_direction(test_set.source_language)),
        "target": (test_set.target_language, language_direction(test_set.target_language)),
    }
    return render(request, "quality/training.html", context)


def _propose(request: HttpRequest, test_set: TestSet) -> HttpResponse:
    count = request.POST.get("count", "")
    if count not in map(str, range(1, MOST + 1)):
        return HttpResponseBadRequest(_("This number is not among the choices."))
    try:
        made = len(training_propose(test_set=test_set, count=int(count)))
    except TrainingRefusedError as error:
        messages.error(request, str(error))
    else:
        said = ngettext(
            "%(count)d training sentence is proposed. Please read it.",
            "%(count)d training sentences are proposed. Please read them.",
            made,
        )
        messages.success(request, said % {"count": made})
    return redirect("training", test_set.campaign.slug, test_set.pk)


@require_POST
@login_required
def training_block(
    request: HttpRequest, slug: str, test_set_id: int, block_id: int
) -> HttpResponse:
    """Keep a training block's explanation, or remove the block."""
    test_set = organised_test_set(request, slug, test_set_id)
    block = get_object_or_404(TrainingBlock, pk=block_id, test_set=test_set)
    decision = request.POST.get("decision")
    if decision == "remove" and not is_answered(request):
        return _ask_removal(request, test_set, block)
    if decision == "remove":
        training_block_remove(training_block=block)
        messages.success(request, _("Future judges will not get this sentence."))
    elif decision == "keep":
        try:
            training_block_explain(
                training_block=block, explanation=request.POST.get("explanation", "")
            )
        except TrainingRefusedError as error:
            messages.error(request, str(error))
        else:
            messages.success(request, _("Future judges will read the new explanation."))
    else:
        return HttpResponseBadRequest(_("Keep the sentence or remove it."))
    return redirect("training", slug, test_set_id)


def _ask_removal(request: HttpRequest, test_set: TestSet, block: TrainingBlock) -> HttpResponse:
    left = TrainingBlock.objects.filter(test_set=test_set).count() - 1
    said = ngettext(
        "%(count)d sentence of the training is left; new judges rank only that one.",
        "%(count)d sentences of the training are left; new judges rank only these.",
        left,
    )
    none_left = _("No sentence is left: new judges begin without training.")
    question = Question(
        title=_("Remove a training sentence"),
        facts=[
            said % {"count": left} if left else none_left,
            _("Judges who had it keep what they were shown."),
            _("Its explanation is lost: “%(words)s”") % {"words": block.explanation},
        ],
        after=_("This cannot be undone; the sentence can be proposed again, and explained anew."),
        answers=[Answer(_("Remove the sentence"))],
        fields={"decision": "remove"},
        cancel=reverse("training", args=[test_set.campaign.slug, test_set.pk]),
    )
    return ask(request, question, campaign=test_set.campaign, test_set=test_set, section="training")
