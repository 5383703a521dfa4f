"""The organisers' page on which quotas, expertise and languages of a test set and rules of a task are changed."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.selectors.judges_needed import judges_needed
from annotation.selectors.task_rules import rules_settled_in_words
from campaign.models import Task
from campaign.selectors import languages_settled_in_words
from campaign.texts.languages import language_name
from campaign.views.access import organised_task
from cells.task_forms import TaskSettingsForm


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def test_set_settings(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show what is asked of a test set; POST changes it, languages until the first judgment, rules until it is lent."""
    task = organised_task(request, slug, task_id)
    settled = languages_settled_in_words(test_set=task.test_set)
    rules_settled = rules_settled_in_words(task=task)
    form = TaskSettingsForm(
        request.POST or None,
        task=task,
        are_languages_settled=bool(settled),
        rules_settled=rules_settled,
    )
    if request.method == "POST" and form.is_valid() and form.save():
        task.refresh_from_db()
        messages.success(request, _said_of(task))
        return redirect("campaign-settings", slug)
    context = {
        "campaign": task.test_set.campaign,
        "task": task,
        "section": "settings",
        "form": form,
        "settled": settled,
        "rules_settled": rules_settled
        if form.rules_names or "segments_again" in form.fields
        else "",
        "needed": [words for needed in judges_needed([task]) for words in needed.words],
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/test_set_settings.html", context, status=status)


def _said_of(task: Task) -> str:
    pair = _("%(name)s is from %(source)s into %(target)s.") % {
        "name": task.test_set.name,
        "source": language_name(task.test_set.source_language),
        "target": language_name(task.test_set.target_language),
    }
    wanted = task.blocks_wanted
    if wanted is None:
        return pair
    asked = ngettext("%(n)s block is wanted.", "%(n)s blocks are wanted.", wanted)
    return f"{pair} {asked % {'n': number_format(wanted, force_grouping=True)}}"
