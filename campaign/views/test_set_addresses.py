"""Addresses by test set, as they were before there were tasks: they lead to its five-way ranking."""

from typing import cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.cache import never_cache

from campaign.models import Protocol, Task, User


@never_cache
@login_required
def address_of_test_set(
    request: HttpRequest, slug: str, test_set_id: int, rest: str = ""
) -> HttpResponse:
    """Lead a member to the same page of the ranking of a test set; a form is sent on as it is."""
    task = get_object_or_404(
        Task.objects.open_to(cast("User", request.user)),
        test_set=test_set_id,
        test_set__campaign__slug=slug,
        protocol=Protocol.RANKING,
    )
    query = request.META.get("QUERY_STRING", "")
    address = reverse("test-set-dashboard", args=[slug, task.pk]) + rest
    return HttpResponseRedirect(f"{address}?{query}" if query else address, preserve_request=True)
