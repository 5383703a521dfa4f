from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.core.checks import Tags, register
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate, pre_delete, pre_migrate
from django.utils.translation import gettext_lazy as _


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = _("Campaign")

    def ready(self) -> None:
        from campaign.accounts.browsers import language_into_session, session_describe
        from campaign.database.connections import connection_prepare
        from campaign.database.recording import deletion_recorded, recorded_models
        from campaign.database.roles import (
            application_role_check,
            application_role_grant,
            owner_require,
        )
        from campaign.database.sealing import secrets_reseal

        connection_created.connect(
            connection_prepare,
            dispatch_uid="connection-prepare",
        )
        # Every app sends these signals, but all tables exist once the first `post_migrate` is sent.
        pre_migrate.connect(owner_require, sender=self, dispatch_uid="owner-require")
        post_migrate.connect(
            application_role_grant,
            sender=self,
            dispatch_uid="role-grant",
        )
        post_migrate.connect(secrets_reseal, sender=self, dispatch_uid="secrets-reseal")
        for model in recorded_models():
            pre_delete.connect(
                deletion_recorded,
                sender=model,
                dispatch_uid="deletion-recorded",
            )
        register(application_role_check, Tags.database)
        user_logged_in.connect(language_into_session, dispatch_uid="interface-language")
        user_logged_in.connect(session_describe, dispatch_uid="session-describe")
