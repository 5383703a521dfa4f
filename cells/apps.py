from django.apps import AppConfig, apps
from django.db.models.signals import post_migrate


class CellsConfig(AppConfig):
    name = "cells"

    def ready(self) -> None:
        import cells.rehearsing  # noqa: F401  it registers the handlers of its jobs
        from cells.erasing import functions_install

        # No signal is sent for an app without models; ranking is the last of those whose rows are deleted.
        ranking = apps.get_app_config("ranking")
        post_migrate.connect(functions_install, sender=ranking, dispatch_uid="erasing-install")
