from django.contrib.auth import views as auth_views
from django.urls import include, path

from campaign.account_urls import urlpatterns as of_accounts
from campaign.views.activity import activity_csv_file, activity_jsonl_file, activity_page
from campaign.views.bad_references import bad_reference_decide, bad_references
from campaign.views.campaigns import campaign_new
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
from campaign.views.jobs import job_again, job_stop, jobs_page
from campaign.views.language import language_choose
from campaign.views.member_invitations import (
    member_leaving,
    member_mail_again,
    member_mail_create,
    member_mail_withdraw,
)
from campaign.views.organiser_account import organiser_account
from campaign.views.people import (
    member_alerts,
    member_link,
    member_removal,
    member_role,
    people_page,
)
from campaign.views.settings import campaign_settings
from campaign.views.sign_in import SignInView
from campaign.views.texts import test_set_texts
from campaign.views.uploads import upload_new, upload_page, upload_progress
from campaign.views.webhooks import webhook_delivery_again, webhook_page, webhooks_page

_INVITATIONS = "campaigns/<slug:slug>/invitations/"
_PEOPLE = "campaigns/<slug:slug>/people/"
_INSTRUCTIONS = "campaigns/<slug:slug>/instructions/"
_WEBHOOKS = "campaigns/<slug:slug>/webhooks/"
_TASK = "campaigns/<slug:slug>/tasks/<int:task_id>/"

urlpatterns = [
    path("language/", language_choose, name="language"),
    path("i/<str:token>/", invitation, name="invitation"),
    path("i/<str:token>/account/", organiser_account, name="organiser-account"),
    path("sign-in/", SignInView.as_view(), name="sign-in"),
    path("", include(of_accounts)),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
    path("credentials/", credentials_page, name="credentials"),
    path("new-campaign/", campaign_new, name="campaign-new"),
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
    path(f"{_PEOPLE}invitations/", member_mail_create, name="member-mail-create"),
    path(
        f"{_PEOPLE}invitations/<int:invitation_id>/withdraw/",
        member_mail_withdraw,
        name="member-mail-withdraw",
    ),
    path(
        f"{_PEOPLE}invitations/<int:invitation_id>/again/",
        member_mail_again,
        name="member-mail-again",
    ),
    path(f"{_PEOPLE}leave/", member_leaving, name="member-leave"),
    path(f"{_PEOPLE}<int:membership_id>/link/", member_link, name="member-link"),
    path(f"{_PEOPLE}<int:membership_id>/alerts/", member_alerts, name="member-alerts"),
    path(f"{_PEOPLE}<int:membership_id>/role/", member_role, name="member-role"),
    path(f"{_PEOPLE}<int:membership_id>/remove/", member_removal, name="member-remove"),
    path(_INSTRUCTIONS, organiser_instructions, name="instructions"),
    path(
        f"{_INSTRUCTIONS}<int:version>/",
        organiser_instructions_version,
        name="instructions-version",
    ),
    path("campaigns/<slug:slug>/settings/", campaign_settings, name="campaign-settings"),
    path("campaigns/<slug:slug>/activity/", activity_page, name="activity"),
    path("campaigns/<slug:slug>/activity.csv", activity_csv_file, name="activity-csv"),
    path("campaigns/<slug:slug>/activity.jsonl", activity_jsonl_file, name="activity-jsonl"),
    path("campaigns/<slug:slug>/work/", jobs_page, name="jobs"),
    path("campaigns/<slug:slug>/work/<int:job_id>/stop/", job_stop, name="job-stop"),
    path("campaigns/<slug:slug>/work/<int:job_id>/again/", job_again, name="job-again"),
    path("campaigns/<slug:slug>/uploads/", upload_new, name="upload-new"),
    path("campaigns/<slug:slug>/uploads/<uuid:upload_id>/", upload_page, name="upload"),
    path(
        "campaigns/<slug:slug>/uploads/<uuid:upload_id>/progress/",
        upload_progress,
        name="upload-progress",
    ),
    path(_WEBHOOKS, webhooks_page, name="webhooks"),
    path(f"{_WEBHOOKS}<int:webhook_id>/", webhook_page, name="webhook"),
    path(
        f"{_WEBHOOKS}<int:webhook_id>/deliveries/<int:delivery_id>/again/",
        webhook_delivery_again,
        name="webhook-delivery-again",
    ),
    path(f"{_TASK}texts/", test_set_texts, name="test-set-texts"),
    path(f"{_TASK}bad-references/", bad_references, name="bad-references"),
    path(
        f"{_TASK}bad-references/<int:bad_reference_id>/",
        bad_reference_decide,
        name="bad-reference-decide",
    ),
]
