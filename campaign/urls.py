from allauth.mfa.base import views as factor_views
from allauth.mfa.recovery_codes import views as code_views
from allauth.mfa.totp import views as totp_views
from allauth.mfa.webauthn import views as passkey_views
from django.conf import settings
from django.contrib.auth import views as auth_views
from django.urls import URLPattern, URLResolver, include, path
from django.views.decorators.cache import never_cache

from campaign.views import activity, jobs, members, texts, uploads
from campaign.views.account import (
    account_page,
    address_confirm,
    address_page,
    credentials_page,
    factors_page,
    for_accounts,
    give_again,
    language_choose,
    organiser_account,
    passkey_removal,
    password_choose,
    password_page,
    password_reset,
)
from campaign.views.bad_references import bad_reference_decide, bad_references
from campaign.views.instructions import (
    organiser_instructions,
    organiser_instructions_version,
)
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
from campaign.views.sign_in import SignInView, come_back, sign_in_elsewhere
from campaign.views.webhooks import webhook_delivery_again, webhook_page, webhooks_page

_second_factors = [
    path("", factors_page, name="mfa_index"),
    path("", factors_page, name="mfa_list_webauthn"),
    path("app/", for_accounts(totp_views.activate_totp), name="mfa_activate_totp"),
    path(
        "app/remove/",
        for_accounts(totp_views.deactivate_totp),
        name="mfa_deactivate_totp",
    ),
    path(
        "codes/",
        for_accounts(code_views.view_recovery_codes),
        name="mfa_view_recovery_codes",
    ),
    path(
        "codes/new/",
        for_accounts(code_views.generate_recovery_codes),
        name="mfa_generate_recovery_codes",
    ),
    path(
        "codes/download/",
        for_accounts(code_views.download_recovery_codes),
        name="mfa_download_recovery_codes",
    ),
    path(
        "passkeys/new/",
        for_accounts(passkey_views.add_webauthn),
        name="mfa_add_webauthn",
    ),
    path("passkeys/<int:pk>/", passkey_removal, name="mfa_remove_webauthn"),
]

#: The only reachable pages of allauth; its names are kept because it uses them.
_accounts: list[URLPattern | URLResolver] = [
    path("sign-in/", SignInView.as_view(), name="account_login"),
    path("sign-in/", SignInView.as_view(), name="socialaccount_login_cancelled"),
    path("sign-in/second-factor/", factor_views.authenticate, name="mfa_authenticate"),
    path(
        "sign-in/passkey/",
        never_cache(passkey_views.login_webauthn),
        name="mfa_login_webauthn",
    ),
    path("sign-in/forgotten/", password_reset, name="password-reset"),
    path("sign-in/elsewhere/", sign_in_elsewhere, name="sign-in-elsewhere"),
    path(
        "sign-in/elsewhere/back/",
        come_back,
        {"provider_id": settings.OIDC_ID},
        name="openid_connect_callback",
    ),
    path("i/<str:token>/password/", password_choose, name="password-choose"),
    path("i/<str:token>/address/", address_confirm, name="address-confirm"),
    path("account/", account_page, name="account"),
    path("account/password/", password_page, name="account-password"),
    path("account/address/", address_page, name="account-address"),
    path("account/again/", give_again, name="account_reauthenticate"),
    path(
        "account/again/code/",
        for_accounts(factor_views.reauthenticate),
        name="mfa_reauthenticate",
    ),
    path(
        "account/again/passkey/",
        for_accounts(passkey_views.reauthenticate_webauthn),
        name="mfa_reauthenticate_webauthn",
    ),
    path("account/second-factors/", include(_second_factors)),
]

_campaign = [
    path("invitations/", invitations_page, name="invitations"),
    path("invitations/links/", link_create, name="link-create"),
    path(
        "invitations/links/<int:invitation_id>/revoke/",
        link_revoke,
        name="link-revoke",
    ),
    path(
        "invitations/links/<int:invitation_id>/restore/",
        link_restore,
        name="link-restore",
    ),
    path("invitations/mails/", mails_create, name="mails-create"),
    path("invitations/judges/<int:judge_id>/again/", mail_again, name="mail-again"),
    path(
        "invitations/judges/<int:judge_id>/withdraw/",
        judge_withdrawal,
        name="judge-withdraw",
    ),
    path(
        "invitations/judges/<int:judge_id>/readmit/",
        judge_readmission,
        name="judge-readmit",
    ),
    path("invitations/judges/<int:judge_id>/link/", judge_link, name="judge-link"),
    path("people/", members.people_page, name="people"),
    path("people/invitations/", members.member_mail_create, name="member-mail-create"),
    path(
        "people/invitations/<int:invitation_id>/withdraw/",
        members.member_mail_withdraw,
        name="member-mail-withdraw",
    ),
    path(
        "people/invitations/<int:invitation_id>/again/",
        members.member_mail_again,
        name="member-mail-again",
    ),
    path("people/leave/", members.member_leaving, name="member-leave"),
    path("people/<int:membership_id>/link/", members.member_link, name="member-link"),
    path(
        "people/<int:membership_id>/alerts/",
        members.member_alerts,
        name="member-alerts",
    ),
    path("people/<int:membership_id>/role/", members.member_role, name="member-role"),
    path(
        "people/<int:membership_id>/remove/",
        members.member_removal,
        name="member-remove",
    ),
    path("instructions/", organiser_instructions, name="instructions"),
    path(
        "instructions/<int:version>/",
        organiser_instructions_version,
        name="instructions-version",
    ),
    path("settings/", campaign_settings, name="campaign-settings"),
    path("activity/", activity.activity_page, name="activity"),
    path(
        "activity.csv",
        activity.activity_file,
        {"ending": "csv"},
        name="activity-csv",
    ),
    path(
        "activity.jsonl",
        activity.activity_file,
        {"ending": "jsonl"},
        name="activity-jsonl",
    ),
    path("work/", jobs.jobs_page, name="jobs"),
    path("work/<int:job_id>/stop/", jobs.job_stop, name="job-stop"),
    path("work/<int:job_id>/again/", jobs.job_again, name="job-again"),
    path("uploads/", uploads.upload_new, name="upload-new"),
    path("uploads/<uuid:upload_id>/", uploads.upload_page, name="upload"),
    path(
        "uploads/<uuid:upload_id>/progress/",
        uploads.upload_progress,
        name="upload-progress",
    ),
    path("webhooks/", webhooks_page, name="webhooks"),
    path("webhooks/<int:webhook_id>/", webhook_page, name="webhook"),
    path(
        "webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/",
        webhook_delivery_again,
        name="webhook-delivery-again",
    ),
    path("tasks/<int:task_id>/texts/", texts.test_set_texts, name="test-set-texts"),
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
    path("sign-in/", SignInView.as_view(), name="sign-in"),
    path("", include(_accounts)),
    path("sign-out/", auth_views.LogoutView.as_view(), name="sign-out"),
    path("credentials/", credentials_page, name="credentials"),
    path("new-campaign/", campaign_new, name="campaign-new"),
    path("campaigns/<slug:slug>/", include(_campaign)),
]
