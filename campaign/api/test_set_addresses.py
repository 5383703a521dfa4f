"""The API's addresses by test set, as they were before there were tasks: they lead to its five-way ranking."""

from datetime import date
from typing import Any

from django.http import HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from campaign.api.access import reader
from campaign.models import Protocol, Task


@extend_schema(exclude=True)
class TestSetAddressView(APIView):
    """`/test-sets/ID/…` is `/tasks/ID/…` of the test set's ranking; requests are sent on as they are (307)."""

    __test__ = False
    deprecated_since = date(2026, 11, 24)

    def _lead(self, request: Request, test_set_id: int, rest: str = "") -> HttpResponse:
        mine = Task.objects.open_to(reader(request))
        task = mine.filter(test_set=test_set_id, protocol=Protocol.RANKING).first()
        if task is None:
            raise NotFound(_("There is no such test set, or you are not a member of its campaign."))
        query = request.META.get("QUERY_STRING", "")
        address = reverse("api-task", args=[task.pk]) + rest
        return HttpResponseRedirect(
            f"{address}?{query}" if query else address, preserve_request=True
        )

    def get(self, request: Request, **named: Any) -> HttpResponse:
        return self._lead(request, **named)

    post = put = patch = delete = get
