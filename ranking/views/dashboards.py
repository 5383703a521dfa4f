"""The dashboard of a test set."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _

from campaign.pages.desk import role_remember
from campaign.views.access import organised_task, user_of
from campaign.views.decorators import action_view, page_view
from ranking.pages.dashboard import dashboard_content, dashboard_version
from ranking.pages.sections import Sections
from ranking.selectors.dashboards import DashboardState, dashboard_state
from ranking.services.kept_rankings import latest_ranking_keep


@page_view
def dashboard_page(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Show the ranking of a test set, its progress and its judges."""
    state = _state(request, slug, task_id)
    sections = Sections(request, state.task)
    content = dashboard_content(state)
    listed = sections.of("ranking")
    contents = []
    if content["in_place"] is None:
        contents.append(("headline", _("Ranking")))
    if content["history"]:
        contents.append(("history", _("Ranking over time")))
    context = content | {
        "section": "ranking",
        "answers": [
            section for section in listed if section.name == content["in_place"]
        ],
        "sections": listed,
        "contents": contents,
    }
    return render(request, "dashboard/test_set.html", context, status=sections.status)


@page_view
def dashboard_live(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Return the current ranking and progress for polling; 304 while nothing has changed."""
    state = _state(request, slug, task_id)
    etag = quote_etag(dashboard_version(state))
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = render(request, "dashboard/_live.html", dashboard_content(state))
    response["ETag"] = etag
    return response


def _state(request: HttpRequest, slug: str, task_id: int) -> DashboardState:
    user = user_of(request)
    state = dashboard_state(user=user, slug=slug, task_id=task_id)
    if state is None:
        raise Http404
    role_remember(request, state.task.role)
    return state


@action_view
def ranking_keep(request: HttpRequest, slug: str, task_id: int) -> HttpResponse:
    """Save the current ranking of a test set permanently, and show its number."""
    task = organised_task(request, slug, task_id)
    run = latest_ranking_keep(task_id=task.pk)
    if run is None:
        messages.info(request, _("This test set has no ranking yet."))
    else:
        messages.success(
            request,
            _("Saved as ranking %(id)s (judgments up to %(watermark)s).")
            % {"id": run.pk, "watermark": run.watermark},
        )
    return redirect("test-set-dashboard", slug, task_id)
