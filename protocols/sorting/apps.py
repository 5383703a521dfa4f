from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SortingConfig(AppConfig):
    name = "protocols.sorting"
    label = "sorting"
    verbose_name = _("Sorting")

    def ready(self) -> None:
        from annotation.protocols import answer_kind_register
        from protocols.sorting.analysis import SORT
        from protocols.sorting.answers import SORTING
        from ranking.analyses import analysis_register

        answer_kind_register(SORTING)
        analysis_register(SORT)
