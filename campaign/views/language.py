from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST

from campaign.accounts.interface_language import SESSION_KEY, is_offered
from campaign.models import User
from campaign.services.people import user_language_set


@require_POST
def language_choose(request: HttpRequest) -> HttpResponse:
    """Set the language of the pages for this browser and for the signed-in user; redirect back."""
    page = request.POST.get("next", "")
    safe = url_has_allowed_host_and_scheme(
        page, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    response = HttpResponseRedirect(page if safe else reverse("home"))
    language = request.POST.get("language", "")
    if is_offered(language):
        response.set_cookie(
            settings.LANGUAGE_COOKIE_NAME,
            language,
            max_age=settings.LANGUAGE_COOKIE_AGE,
            path=settings.LANGUAGE_COOKIE_PATH,
            secure=settings.LANGUAGE_COOKIE_SECURE,
            httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
            samesite="Lax",
        )
        if isinstance(request.user, User):
            user_language_set(user=request.user, language=language)
            request.session[SESSION_KEY] = language
    return response
