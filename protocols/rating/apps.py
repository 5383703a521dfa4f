from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class RatingConfig(AppConfig):
    name = "protocols.rating"
    label = "rating"
    verbose_name = _("Adequacy and fluency")

    def ready(self) -> None:
        from annotation.protocols import answer_kind_register
        from protocols.rating.analysis import RATINGS_MEASURED
        from protocols.rating.answers import RATING
        from ranking.analyses import analysis_register

        answer_kind_register(RATING)
        analysis_register(RATINGS_MEASURED)
