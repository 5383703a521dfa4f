"""Access of the signed-in user: their browsers, API tokens and links, each with a button to end it."""

from typing import Any, cast

from django.contrib import messages
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _

from campaign.forms.credentials import TokenForm
from campaign.models import Membership, User
from campaign.selectors.credentials import links_valid, sessions_open, tokens_valid
from campaign.services.api_tokens import token_create, token_revoke, tokens_revoke
from campaign.services.credentials import session_end, sessions_end
from campaign.services.invitations import invitation_revoke
from campaign.views.decorators import form_view


@form_view
def credentials_page(request: HttpRequest) -> HttpResponse:
    """Show the user's browsers, tokens and links; POST makes a token or ends one of them."""
    if request.method == "POST":
        return _ACTIONS.get(request.POST.get("action", ""), _unknown)(request)
    return _page(request, _form(request))


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
    """Return whether the API has anything for this user: it is for members of campaigns."""
    return Membership.objects.filter(user=user).exists()


def _token_make(request: HttpRequest) -> HttpResponse:
    user = cast("User", request.user)
    form = _form(request, request.POST)
    if not _may_make_tokens(user):
        raise Http404
    if not form.is_valid():
        return _page(request, form, status=400)
    _token, text = token_create(user=user, **form.cleaned_data)
    # Not after a redirect: until then the token would have to be kept somewhere.
    return _page(request, _form(request), new_token=text, status=201)


def _token_revoke(request: HttpRequest) -> HttpResponse:
    tokens = tokens_valid(users=_myself(request))
    for token in tokens.filter(token_key=request.POST.get("token", "")):
        token_revoke(token=token)
        messages.success(request, _("Token revoked."))
    return redirect("credentials")


def _tokens_revoke(request: HttpRequest) -> HttpResponse:
    if tokens_revoke(tokens=tokens_valid(users=_myself(request))):
        messages.success(request, _("All tokens revoked."))
    return redirect("credentials")


def _session_end(request: HttpRequest) -> HttpResponse:
    for row in sessions_open(users=_myself(request)):
        if row.session.name == request.POST.get("session", ""):
            session_end(session=row.session)
            messages.success(request, _("Browser signed out."))
    return redirect("credentials")


def _sessions_end(request: HttpRequest) -> HttpResponse:
    sessions_end(user=cast("User", request.user), but=request.session.session_key)
    messages.success(request, _("All other browsers signed out."))
    return redirect("credentials")


def _link_revoke(request: HttpRequest) -> HttpResponse:
    wanted = request.POST.get("link", "")
    for link in links_valid().filter(user=request.user.pk):
        if str(link.pk) == wanted:
            invitation_revoke(invitation=link)
            messages.success(request, _("Link revoked."))
    return redirect("credentials")


def _unknown(_request: HttpRequest) -> HttpResponse:
    return redirect("credentials")


_ACTIONS = {
    "make-token": _token_make,
    "revoke-token": _token_revoke,
    "revoke-tokens": _tokens_revoke,
    "end-session": _session_end,
    "end-others": _sessions_end,
    "revoke-link": _link_revoke,
}
