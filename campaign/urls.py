from django.contrib.auth import views as auth_views
from django.urls import URLPattern, URLResolver, include, path

from campaign.account_urls import urlpatterns as of_accounts
from campaign.views import activity, people, sign_in, uploads
from campaign.views.account import credentials_page, language_choose, organiser_account
from campaign.views.bad_references import bad_reference_decide, bad_references
from campaign.views.instructions import organiser_instructions, organiser_instructions_version
from campaign.views.invitations import (
    invitation,
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
from campaign.views.settings import campaign_new, campaign_settings
from campaign.views.webhooks import webhook_delivery_again, webhook_page, webhooks_page

_campaign = [
    path("invitations/", invitations_page, name="invitations"),
    path("invitations/links/", link_create, name="link-create"),
    path("invitations/links/<int:invitation_id>/revoke/", link_revoke, name="link-revoke"),
    path("invitations/links/<int:invitation_id>/restore/", link_restore, name="link-restore"),
    path("invitations/mails/", mails_create, name="mails-create"),
    path("invitations/judges/<int:judge_id>/again/", mail_again, name="mail-again"),
    path("invitations/judges/<int:judge_id>/withdraw/", judge_withdrawal, name="judge-withdraw"),
    path("invitations/judges/<int:judge_id>/readmit/", judge_readmission, name="judge-readmit"),
    path("invitations/judges/<int:judge_id>/link/", judge_link, name="judge-link"),
    path("people/", people.people_page, name="people"),
    path("people/invitations/", people.member_mail_create, name="member-mail-create"),
    path(
        "people/invitations/<int:invitation_id>/withdraw/",
        people.member_mail_withdraw,
        name="member-mail-withdraw",
    ),
    path(
        "people/invitations/<int:invitation_id>/again/",
        people.member_mail_again,
        name="member-mail-again",
    ),
    path("people/leave/", people.member_leaving, name="member-leave"),
    path("people/<int:membership_id>/link/", people.member_link, name="member-link"),
    path("people/<int:membership_id>/alerts/", people.member_alerts, name="member-alerts"),
    path("people/<int:membership_id>/role/", people.member_role, name="member-role"),
    path("people/<int:membership_id>/remove/", people.member_removal, name="member-remove"),
    path("instructions/", organiser_instructions, name="instructions"),
    path(
        "instructions/<int:version>/", organiser_instructions_version, name="instructions-version"
    ),
    path("settings/", campaign_settings, name="campaign-settings"),
    path("activity/", activity.activity_page, name="activity"),
    path("activity.csv", activity.activity_file, {"ending": "csv"}, name="activity-csv"),
    path("activity.jsonl", activity.activity_file, {"ending": "jsonl"}, name="activity-jsonl"),
    path("work/", uploads.jobs_page, name="jobs"),
    path("work/<int:job_id>/stop/", uploads.job_stop, name="job-stop"),
    path("work/<int:job_id>/again/", uploads.job_again, name="job-again"),
    path("uploads/", uploads.upload_new, name="upload-new"),
    path("uploads/<uuid:upload_id>/", uploads.upload_page, name="upload"),
    path("uploads/<uuid:upload_id>/progress/", uploads.upload_progress, name="upload-progress"),
    path("webhooks/", webhooks_page, name="webhooks"),
    path("webhooks/<int:webhook_id>/", webhook_page, name="webhook"),
    path(
        "webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/",
        webhook_delivery_again,
        name="webhook-delivery-again",
    ),
    path("tasks/<int:task_id>/texts/", uploads.test_set_texts, name="test-set-texts"),
    path("tasks/<int:task_id>/bad-references/", bad_references, name="bad-references"),
    path(
        "tasks/<int:task_id>/bad-references/<int:bad_reference_id>/",
        bad_reference_decide,
        name="bad-reference-decide",
    ),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("language/", language_choose, name="language"),
    path("i/<str:token>/", invitation, name="invitation"),
    path("i/<str:token>/account/", organiser_account, name="organiser-account"),
    path("sign-in/", sign_in.SignInView.as_view(), name="sign-in"),
    path("", include(of_accounts)),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
    path("credentials/", credentials_page, name="credentials"),
    path("new-campaign/", campaign_new, name="campaign-new"),
    path("campaigns/<slug:slug>/", include(_campaign)),
]
