from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RankingConfig(AppConfig):
    name = "ranking"
    verbose_name = _("Ranking")

    def ready(self) -> None:
        import ranking.export.writing
        import ranking.pages.result_bundles
        import ranking.services.analyses
        import ranking.services.metrics  # noqa: F401  they register the handlers of their jobs
        from annotation.protocols.answer_files import answer_files_register
        from annotation.selectors.target import ranked_group_requested
        from campaign.models import Protocol
        from campaign.selectors.tasks import deletion_requested
        from ranking.importing.machine_judgments import with_machine_judgments
        from ranking.importing.ranked_answers import RANKING_FILES
        from ranking.selectors.published_results import deletion_effects
        from ranking.selectors.runs import ranked_group_of_task

        deletion_requested.connect(deletion_effects, dispatch_uid="published-results")
        ranked_group_requested.connect(
            ranked_group_of_task,
            dispatch_uid="ranked-group",
        )
        answer_files_register(
            Protocol.RANKING,
            with_machine_judgments(Protocol.RANKING, RANKING_FILES),
        )
