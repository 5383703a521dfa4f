from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RankingConfig(AppConfig):
    name = "ranking"
    verbose_name = _("Ranking")

    def ready(self) -> None:
        import ranking.export.bundles.jobs  # registers the handler of its jobs
        import ranking.services.analyses  # noqa: F401  registers the handler of its jobs
        from campaign.selectors.deletion import deletion_asked
        from ranking.selectors.published_results import deletion_said

        deletion_asked.connect(deletion_said, dispatch_uid="published-results")
