"""One's own account: name, password, e-mail address, second factors, sessions, tokens, language, and signing in elsewhere."""

from collections.abc import Callable
from functools import wraps
from typing import Any, cast
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.login import perform_login
from allauth.account.internal.flows.reauthentication import is_reauthentication_required
from allauth.account.models import Login
from allauth.account.views import ReauthenticateView
from allauth.core import ratelimit
from allauth.mfa.adapter import get_adapter as get_factor_adapter
from allauth.mfa.base.views import IndexView
from allauth.mfa.webauthn.views import RemoveWebAuthnView
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.forms import Form
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django.views.i18n import set_language

from campaign.accounts.clients import browser_remember
from campaign.accounts.interface_language import SESSION_KEY, is_offered
from campaign.accounts.second_factors import factor_is_demanded, has_factor
from campaign.models import Membership, User
from campaign.models.user import session_key_digest
from campaign.pages.account import (
    AccountForm,
    AddressForm,
    NameForm,
    NewPasswordForm,
    TokenForm,
)
from campaign.selectors.credentials import links_valid, sessions_open, tokens_valid
from campaign.services.api_tokens import token_create, tokens_revoke
from campaign.services.invitations import InvitationRefusedError, invitation_revoke
from campaign.services.judges import session_end, sessions_end, user_language_set
from campaign.services.notification import mail_is_printed
from campaign.services.own_account import (
    AccountChangeRefusedError,
    account_link_open,
    account_set,
    address_link_open,
    address_mail_request,
    address_set_by_link,
    name_set,
    password_link_open,
    password_mail_request,
    password_set,
    password_set_by_link,
)
from campaign.texts.addresses import address_key
from campaign.texts.refusals import RefusalsAt
from campaign.views.access import form_page, user_of
from campaign.views.decorators import form_view

View = Callable[..., HttpResponseBase]


def enter(request: HttpRequest, user: User, *, to: str) -> HttpResponse:
    """Sign this user in and redirect to a page; first to the one that asks for their second factor, if they have one.

    Judges without an account, who have no e-mail address, have none.
    """
    if user.email and has_factor(user):
        answer: HttpResponse = perform_login(request, Login(user=user, redirect_url=to))
        return answer
    login(request, user)
    return redirect(to)


def for_accounts(view: View) -> View:
    """Require an account: redirect visitors to the sign-in page, answer 404 to judges, and forbid caching."""

    @login_required
    @never_cache
    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if not user_of(request).email:
            raise Http404
        return view(request, *args, **kwargs)

    return opened


def reauthenticated(view: View) -> View:
    """Require the password or a factor again first, unless given recently.

    Unlike allauth's own decorator, it does not store the request in the session, where new passwords would be kept.
    Users with neither a password nor a factor are not asked.
    """

    @wraps(view)
    def opened(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        if is_reauthentication_required(request, app="allauth.mfa"):
            way = get_adapter(request).get_reauthentication_methods(request.user)[0]
            return redirect(
                f"{way['url']}?{urlencode({'next': request.get_full_path()})}",
            )
        return view(request, *args, **kwargs)

    return opened


def base_url(request: HttpRequest) -> str:
    """Return the base URL without a trailing slash: `PUBLIC_ADDRESS`, or that of the request."""
    address: str = settings.PUBLIC_ADDRESS or request.build_absolute_uri("/")
    return address.rstrip("/")


_METHODS = ("GET", "HEAD", "POST")

give_again = for_accounts(ReauthenticateView.as_view())


@require_http_methods(_METHODS)
@for_accounts
def account_page(request: HttpRequest) -> HttpResponse:
    """Show the user's account; POST stores the name. 404 for judges, who have none."""
    user = user_of(request)
    form = NameForm(request.POST or None, initial={"name": user.name})
    if form.is_valid():
        name_set(user=user, name=form.cleaned_data["name"])
        messages.success(request, _("Saved."))
        return redirect("account")
    return form_page(
        request,
        "account/account.html",
        {"form": form, "has_factor": has_factor(user)},
    )


@sensitive_post_parameters("password")
@require_http_methods(_METHODS)
@for_accounts
@reauthenticated
def password_page(request: HttpRequest) -> HttpResponse:
    """Show the form of a new password; POST stores it, which ends other sessions and API tokens."""
    user = user_of(request)
    form = NewPasswordForm(request.POST or None)
    if form.is_valid():
        with RefusalsAt(form):
            password_set(user=user, password=form.cleaned_data["password"])
            update_session_auth_hash(request, user)
            messages.success(
                request,
                _(
                    "Password changed. All other browsers were signed out, and API tokens revoked.",
                ),
            )
            return redirect("account")
    return form_page(request, "account/password.html", {"form": form})


@require_http_methods(_METHODS)
@for_accounts
@reauthenticated
def address_page(request: HttpRequest) -> HttpResponse:
    """Show the form of a new e-mail address; POST sends a link there that confirms it."""
    user = user_of(request)
    form = AddressForm(request.POST or None)
    if form.is_valid():
        address = form.cleaned_data["email"]
        if not ratelimit.consume(
            request,
            action="change_email",
            key=address_key(address),
            user=user,
        ):
            form.add_error(
                None,
                _("Too many messages requested. Try again in one hour."),
            )
            return form_page(request, "account/address.html", {"form": form})
        with RefusalsAt(form):
            address_mail_request(
                user=user,
                address=address,
                base_url=base_url(request),
                language=get_language() or "en",
            )
            return render(request, "account/mail_sent.html", {"is_address": True})
    return form_page(request, "account/address.html", {"form": form})


class FactorsPage(IndexView):  # type: ignore[misc]  # untyped
    """Show the factors of an account, and whether one must be set up."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Return allauth's context, with whether a factor must be set up now."""
        user = cast("User", self.request.user)
        demanded = factor_is_demanded(user) and not has_factor(user)
        return {**super().get_context_data(**kwargs), "factor_is_demanded": demanded}


class PasskeyRemoval(RemoveWebAuthnView):  # type: ignore[misc]  # untyped
    """Confirm and remove a passkey, unless it is the last factor of a user who must have one."""

    def form_valid(self, form: Form) -> HttpResponse:
        """Remove the passkey, or show why it cannot be removed."""
        if not get_factor_adapter().can_delete_authenticator(self.object):
            messages.error(
                self.request,
                str(get_factor_adapter().error_messages["cannot_delete_authenticator"]),
            )
            return redirect("mfa_index")
        answer: HttpResponse = super().form_valid(form)
        return answer


factors_page = for_accounts(FactorsPage.as_view())
passkey_removal = for_accounts(PasskeyRemoval.as_view())


@require_http_methods(["GET", "HEAD", "POST"])
@never_cache
def password_reset(request: HttpRequest) -> HttpResponse:
    """Ask for an e-mail address; POST sends a link there if it has an account, and responds alike if not."""
    form = AddressForm(request.POST or None)
    status = 400 if form.errors else 200
    if form.is_valid():
        address = form.cleaned_data["email"]
        if ratelimit.consume(
            request,
            action="reset_password",
            key=address_key(address),
        ):
            password_mail_request(
                address=address,
                base_url=base_url(request),
                language=get_language() or "en",
            )
            return render(request, "account/mail_sent.html")
        form.add_error(None, _("Too many messages requested. Try again in one hour."))
        status = 429
    context = {"form": form, "no_mail": mail_is_printed()}
    response = render(request, "account/forgotten.html", context, status=status)
    if status == 429:
        response["Retry-After"] = "3600"
    return response


# No HEAD: programs check links with it.
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@never_cache
def password_choose(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of a new password; POST stores it and signs in. Opening the link changes nothing."""
    form = NewPasswordForm(request.POST or None)
    try:
        owner = password_link_open(token=token)
        if form.is_valid():
            user = password_set_by_link(
                token=token,
                password=form.cleaned_data["password"],
            )
            response = enter(request, user, to=reverse("home"))
            browser_remember(response=response, email=cast("str", user.email))
            return response
    except InvitationRefusedError:
        return render(request, "account/link_refused.html", status=404)
    except ValidationError as error:
        form.add_error(None, error)
    context = {"form": form, "address": owner.email}
    return form_page(request, "account/password_choose.html", context)


@require_http_methods(["GET", "POST"])
@never_cache
def address_confirm(request: HttpRequest, token: str) -> HttpResponse:
    """Show the button that confirms a new address; POST stores it. Opening the link changes nothing."""
    try:
        address = address_link_open(token=token)
        if request.method != "POST":
            return render(request, "account/address_confirm.html", {"address": address})
        address_set_by_link(
            token=token,
            base_url=base_url(request),
            language=get_language() or "en",
        )
    except InvitationRefusedError:
        return render(request, "account/link_refused.html", status=404)
    except AccountChangeRefusedError as error:
        context = {"address": address, "refusal": str(error)}
        return render(request, "account/address_confirm.html", context, status=409)
    messages.success(request, _("E-mail address changed. Use it to sign in."))
    return redirect("account")


# No HEAD: programs check links with it.
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
@never_cache
def organiser_account(request: HttpRequest, token: str) -> HttpResponse:
    """Show the form of an account; POST stores it, signs in and redirects. Opening a link changes nothing."""
    form = AccountForm(request.POST or None)
    try:
        user = account_link_open(token=token)
        if user.email:
            form.initial = {"name": user.name, "email": user.email}
        else:
            form.initial = {}
        if form.is_valid():
            user = account_set(
                token=token,
                **form.cleaned_data,
                base_url=base_url(request),
                language=get_language() or "en",
            )
            response = enter(request, user, to=reverse("home"))
            browser_remember(response=response, email=form.cleaned_data["email"])
            return response
    except InvitationRefusedError:
        return render(request, "campaign/invitation_refused.html", status=404)
    except ValidationError as error:
        form.add_error(None, error)
    return form_page(request, "campaign/organiser_account.html", {"form": form})


@form_view
def credentials_page(request: HttpRequest) -> HttpResponse:
    """Show the user's browsers, tokens and links; POST makes a token or ends one of them."""
    if request.method != "POST":
        return _page(request, _form(request))
    action = request.POST.get("action", "")
    if action == "make-token":
        return _token_make(request)
    if action in _ENDS:
        end, message = _ENDS[action]
        if end(request):
            messages.success(request, str(message))
    return redirect("credentials")


def _page(
    request: HttpRequest,
    form: TokenForm,
    *,
    new_token: str = "",
    status: int = 200,
) -> HttpResponse:
    user = user_of(request)
    users = _myself(request)
    context: dict[str, Any] = {
        "sessions": sessions_open(users=users),
        "this_session": session_key_digest(request.session.session_key or ""),
        "tokens": tokens_valid(users=users),
        "links": links_valid().filter(user=user),
        "may_make_tokens": _may_make_tokens(user),
        "form": form,
        "new_token": new_token,
    }
    return render(request, "campaign/credentials.html", context, status=status)


def _form(request: HttpRequest, data: QueryDict | None = None) -> TokenForm:
    return TokenForm(data, user=user_of(request))


def _myself(request: HttpRequest) -> QuerySet[User]:
    return User.objects.filter(pk=user_of(request).pk)


def _may_make_tokens(user: User) -> bool:
    """Return whether the API is of use to this user: it is for members of campaigns."""
    return Membership.objects.filter(user=user).exists()


def _token_make(request: HttpRequest) -> HttpResponse:
    user = user_of(request)
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
    name = request.POST.get("session", "")
    ended = [
        open_session
        for open_session in sessions_open(users=_myself(request))
        if open_session.name == name
    ]
    for session in ended:
        session_end(session=session)
    return bool(ended)


def _others_end(request: HttpRequest) -> bool:
    sessions_end(user=user_of(request), but=request.session.session_key)
    return True


def _link_revoke(request: HttpRequest) -> bool:
    links = links_valid().filter(user=request.user.pk)
    link_id = request.POST.get("link", "")
    revoked = [own_link for own_link in links if str(own_link.pk) == link_id]
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


@require_POST
def language_choose(request: HttpRequest) -> HttpResponseBase:
    """Set the language of the pages for this browser and for the signed-in user; redirect back."""
    language = request.POST.get("language", "")
    if isinstance(request.user, User) and is_offered(language):
        user_language_set(user=request.user, language=language)
        request.session[SESSION_KEY] = language
    return set_language(request)
