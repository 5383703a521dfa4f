"""Access of the signed-in user: their browsers, API tokens and links, each with a button to end it."""

from collections.abc import Callable
from typing import Any, cast

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from campaign.forms import TokenForm
from campaign.models import Membership, User
from campaign.selectors.credentials import links_valid, sessions_open, tokens_valid
from campaign.services.api_tokens import token_create, tokens_revoke
from campaign.services.invitations import invitation_revoke
from campaign.services.people import session_end, sessions_end
from campaign.views.decorators import form_view


@form_view
def credentials_page(request: HttpRequest) -> HttpResponse:
    """Show the user's browsers, tokens and links; POST makes a token or ends one of them."""
    if request.method != "POST":
        return _page(request, _form(request))
    action = request.POST.get("action", "")
    if action == "make-token":
        return _token_make(request)
    if action in _ENDS:
        end, said = _ENDS[action]
        if end(request):
            messages.success(request, str(said))
    return redirect("credentials")


def _page(
    request: HttpRequest, form: TokenForm, *, new_token: str = "", status: int = 200
) -> HttpResponse:
    user = cast("User", request.user)
    users = _myself(request)
    context: dict[str, Any] = {
        "sessions": sessions_open(users=users),
        "this_session": request.session.session_key,
        "tokens": tokens_valid(users=users),
        "links": links_valid().filter(user=user),
        "may_make_tokens": _may_make_tokens(user),
        "form": form,
        "new_token": new_token,
    }
    return render(request, "campaign/credentials.html", context, status=status)


def _form(request: HttpRequest, data: QueryDict | None = None) -> TokenForm:
    return TokenForm(data, user=cast("User", request.user))


def _myself(request: HttpRequest) -> QuerySet[User]:
    return User.objects.filter(pk=cast("User", request.user).pk)


def _may_make_tokens(user: User) -> bool:
    """Return whether the API is of use to this user: it is for members of campaigns."""
    return Membership.objects.filter(user=user).exists()


def _token_make(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    form = _form(request, request.POST)
    if not _may_make_tokens(user):
        raise Http404
    if not form.is_valid():
        return _page(request, form, status=400)
    _token, text = token_create(user=user, **form.cleaned_data)
    # Without a redirect, for which the token would have to be stored.
    return _page(request, _form(request), new_token=text, status=201)


def _token_revoke(request: HttpRequest) -> int:
    tokens = tokens_valid(users=_myself(request))
    return tokens_revoke(tokens=tokens.filter(token_key=request.POST.get("token", "")))


def _tokens_revoke(request: HttpRequest) -> int:
    return tokens_revoke(tokens=tokens_valid(users=_myself(request)))


def _session_end(request: HttpRequest) -> bool:
    wanted = request.POST.get("session", "")
    ended = [each for each in sessions_open(users=_myself(request)) if each.name == wanted]
    for session in ended:
        session_end(session=session)
    return bool(ended)


def _others_end(request: HttpRequest) -> bool:
    sessions_end(user=cast("User", request.user), but=request.session.session_key)
    return True


def _link_revoke(request: HttpRequest) -> bool:
    links = links_valid().filter(user=request.user.pk)
    wanted = request.POST.get("link", "")
    revoked = [each for each in links if str(each.pk) == wanted]
    for link in revoked:
        invitation_revoke(invitation=link)
    return bool(revoked)


#: Function and message of each button; the message is shown only if something was ended.
_ENDS: dict[str, tuple[Callable[[HttpRequest], int], Promise]] = {
    "revoke-token": (_token_revoke, gettext_lazy("Token revoked.")),
    "revoke-tokens": (_tokens_revoke, gettext_lazy("All tokens revoked.")),
    "end-session": (_session_end, gettext_lazy("Browser signed out.")),
    "end-others": (_others_end, gettext_lazy("All other browsers signed out.")),
    "revoke-link": (_link_revoke, gettext_lazy("Link revoked.")),
}
