"""The organisers' page on which quotas, expertise and languages of a test set are changed."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from campaign.forms.test_sets import TestSetForm
from campaign.models import TestSet
from campaign.selectors import languages_settled_in_words
from campaign.texts.languages import language_name
from campaign.views.access import organised_test_set


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
@login_required
def test_set_settings(request: HttpRequest, slug: str, test_set_id: int) -> HttpResponse:
    """Show what is asked of a test set; POST changes it, languages until the first judgment."""
    test_set = organised_test_set(request, slug, test_set_id)
    settled = languages_settled_in_words(test_set=test_set)
    form = TestSetForm(request.POST or None, test_set=test_set, are_languages_settled=bool(settled))
    if request.method == "POST" and form.is_valid() and form.save():
        test_set.refresh_from_db()
        messages.success(request, _said_of(test_set))
        return redirect("campaign-settings", slug)
    context = {
        "campaign": test_set.campaign,
        "test_set": test_set,
        "section": "settings",
        "form": form,
        "settled": settled,
    }
    status = 400 if form.is_bound else 200
    return render(request, "organiser/test_set_settings.html", context, status=status)


def _said_of(test_set: TestSet) -> str:
    pair = _("%(name)s is from %(source)s into %(target)s.") % {
        "name": test_set.name,
        "source": language_name(test_set.source_language),
        "target": language_name(test_set.target_language),
    }
    wanted = test_set.blocks_wanted
    if wanted is None:
        return pair
    asked = ngettext("%(n)s block is wanted.", "%(n)s blocks are wanted.", wanted)
    return f"{pair} {asked % {'n': number_format(wanted, force_grouping=True)}}"
