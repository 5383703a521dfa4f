from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RatingConfig(AppConfig):
    name = "protocols.rating"
    label = "rating"
    verbose_name = _("Adequacy and fluency")

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from campaign.models import Protocol
        from protocols.rating.analysis import RATINGS_MEASURED
        from protocols.rating.answer_files import RATING_FILES
        from protocols.rating.answers import RATING
        from protocols.rating.output_scores import rating_output_scores
        from ranking.analyses import analysis_register
        from ranking.selectors.output_scores import output_scores_register

        answer_kind_register(RATING)
        answer_files_register(Protocol.RATING, RATING_FILES)
        analysis_register(RATINGS_MEASURED)
        output_scores_register(Protocol.RATING, rating_output_scores)
