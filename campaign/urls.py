from django.contrib.auth import views as auth_views
from django.urls import path

from campaign.views.bad_references import bad_reference_decide, bad_references
from campaign.views.credentials import credentials_page
from campaign.views.instructions import organiser_instructions, organiser_instructions_version
from campaign.views.invitation import invitation
from campaign.views.invitations import (
    invitations_page,
    judge_link,
    judge_readmission,
    judge_withdrawal,
    link_create,
    link_restore,
    link_revoke,
    mail_again,
    mails_create,
)
from campaign.views.language import language_choose
from campaign.views.people import member_link, member_removal, people_page
from campaign.views.settings import campaign_settings
from campaign.views.sign_in import SignInView

_INVITATIONS = "campaigns/<slug:slug>/invitations/"
_PEOPLE = "campaigns/<slug:slug>/people/"
_INSTRUCTIONS = "campaigns/<slug:slug>/instructions/"
_TEST_SET = "campaigns/<slug:slug>/test-sets/<int:test_set_id>/"

urlpatterns = [
    path("language/", language_choose, name="language"),
    path("i/<str:token>/", invitation, name="invitation"),
    path("sign-in/", SignInView.as_view(), name="sign-in"),
    path("sign-in/", SignInView.as_view(), name="account_login"),  # what allauth calls it
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
    path("credentials/", credentials_page, name="credentials"),
    path(_INVITATIONS, invitations_page, name="invitations"),
    path(f"{_INVITATIONS}links/", link_create, name="link-create"),
    path(f"{_INVITATIONS}links/<int:invitation_id>/revoke/", link_revoke, name="link-revoke"),
    path(f"{_INVITATIONS}links/<int:invitation_id>/restore/", link_restore, name="link-restore"),
    path(f"{_INVITATIONS}mails/", mails_create, name="mails-create"),
    path(f"{_INVITATIONS}judges/<int:judge_id>/again/", mail_again, name="mail-again"),
    path(
        f"{_INVITATIONS}judges/<int:judge_id>/withdraw/",
        judge_withdrawal,
        name="judge-withdraw",
    ),
    path(f"{_INVITATIONS}judges/<int:judge_id>/readmit/", judge_readmission, name="judge-readmit"),
    path(f"{_INVITATIONS}judges/<int:judge_id>/link/", judge_link, name="judge-link"),
    path(_PEOPLE, people_page, name="people"),
    path(f"{_PEOPLE}<int:membership_id>/link/", member_link, name="member-link"),
    path(f"{_PEOPLE}<int:membership_id>/remove/", member_removal, name="member-remove"),
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
