from django.apps import AppConfig
from django.contrib.auth.signals import user_logged_in
from django.db.backends.signals import connection_created
from django.utils.translation import gettext_lazy as _


class CampaignConfig(AppConfig):
    name = "campaign"
    verbose_name = _("Campaign")

    def ready(self) -> None:
        from campaign.accounts.interface_language import language_into_session
        from campaign.browsers import session_describe
        from campaign.database.prepared import plans_keep

        connection_created.connect(plans_keep, dispatch_uid="plans-keep")
        user_logged_in.connect(language_into_session, dispatch_uid="interface-language")
        user_logged_in.connect(session_describe, dispatch_uid="session-describe")
