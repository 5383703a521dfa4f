from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RankingConfig(AppConfig):
    name = "ranking"
    verbose_name = _("Ranking")

    def ready(self) -> None:
        import ranking.export.bundles.jobs
        import ranking.export.zenodo.job
        import ranking.services.analysis_jobs  # noqa: F401  they register the handlers of their jobs
        from campaign.selectors.deletion import deletion_asked
        from ranking.selectors.published_results import deletion_said

        deletion_asked.connect(deletion_said, dispatch_uid="published-results")
