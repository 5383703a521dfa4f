"""The description of the API for people, by Swagger UI from our own server."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe


@require_safe
def api_page(request: HttpRequest) -> HttpResponse:
    """Show every operation; who is signed in may try those that only read."""
    address = f"{reverse('api-schema')}?format=json"
    return render(
        request, "api/page.html", {"description": address, "tokens": reverse("credentials")}
    )
