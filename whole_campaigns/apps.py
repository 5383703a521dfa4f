from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class WholeCampaignsConfig(AppConfig):
    name = "whole_campaigns"

    def ready(self) -> None:
        import whole_campaigns.rehearsing  # noqa: F401  it registers the handlers of its jobs
        from whole_campaigns.erasing import function_install

        # Apps without models get no signal; ranking is the last app with rows to delete.
        ranking = apps.get_app_config("ranking")
        post_migrate.connect(
            function_install,
            sender=ranking,
            dispatch_uid="erasing-install",
        )
