from django.contrib.auth import views as auth_views
from django.urls import path

from campaign.views.bad_references import bad_reference_decide, bad_references
from campaign.views.instructions import organiser_instructions, organiser_instructions_version
from campaign.views.invitation import invitation
from campaign.views.invitations import (
    invitations_page,
    judge_links_give_back,
    judge_links_withdraw,
    link_create,
    link_restore,
    link_revoke,
    mail_again,
    mails_create,
)
from campaign.views.language import language_choose
from campaign.views.settings import campaign_settings
from campaign.views.sign_in import SignInView

_INVITATIONS = "campaigns/<slug:slug>/invitations/"
_INSTRUCTIONS = "campaigns/<slug:slug>/instructions/"
_TEST_SET = "campaigns/<slug:slug>/test-sets/<int:test_set_id>/"

urlpatterns = [
    path("language/", language_choose, name="language"),
    path("i/<str:token>/", invitation, name="invitation"),
    path("sign-in/", SignInView.as_view(), name="sign-in"),
    path("sign-in/", SignInView.as_view(), name="account_login"),  # what allauth calls it
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
    path(_INVITATIONS, invitations_page, name="invitations"),
    path(f"{_INVITATIONS}links/", link_create, name="link-create"),
    path(f"{_INVITATIONS}links/<int:invitation_id>/revoke/", link_revoke, name="link-revoke"),
    path(f"{_INVITATIONS}links/<int:invitation_id>/restore/", link_restore, name="link-restore"),
    path(f"{_INVITATIONS}mails/", mails_create, name="mails-create"),
    path(f"{_INVITATIONS}judges/<int:judge_id>/again/", mail_again, name="mail-again"),
    path(
        f"{_INVITATIONS}judges/<int:judge_id>/withdraw/",
        judge_links_withdraw,
        name="judge-links-withdraw",
    ),
    path(
        f"{_INVITATIONS}judges/<int:judge_id>/give-back/",
        judge_links_give_back,
        name="judge-links-give-back",
    ),
    path(_INSTRUCTIONS, organiser_instructions, name="instructions"),
    path(
        f"{_INSTRUCTIONS}<int:version>/",
        organiser_instructions_version,
        name="instructions-version",
    ),
    path("campaigns/<slug:slug>/settings/", campaign_settings, name="campaign-settings"),
    path(f"{_TEST_SET}bad-references/", bad_references, name="bad-references"),
    path(
        f"{_TEST_SET}bad-references/<int:bad_reference_id>/",
        bad_reference_decide,
        name="bad-reference-decide",
    ),
]
