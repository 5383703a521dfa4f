from django.http import HttpRequest, HttpResponseBase
from django.views.decorators.http import require_POST
from django.views.i18n import set_language

from campaign.accounts.interface_language import SESSION_KEY, is_offered
from campaign.models import User
from campaign.services.people import user_language_set


@require_POST
def language_choose(request: HttpRequest) -> HttpResponseBase:
    """Set the language of the pages for this browser and for the signed-in user; redirect back."""
    language = request.POST.get("language", "")
    if isinstance(request.user, User) and is_offered(language):
        user_language_set(user=request.user, language=language)
        request.session[SESSION_KEY] = language
    return set_language(request)
