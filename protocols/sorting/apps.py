from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class SortingConfig(AppConfig):
    name = "protocols.sorting"
    label = "sorting"
    verbose_name = _("Sorting")

    def ready(self) -> None:
        from annotation.answer_files import answer_files_register
        from annotation.protocols import answer_kind_register
        from campaign.models import Protocol
        from protocols.sorting.analysis import SORT
        from protocols.sorting.answer_files import SORTING_FILES
        from protocols.sorting.answers import SORTING
        from ranking.analyses import analysis_register

        answer_kind_register(SORTING)
        answer_files_register(Protocol.SORTING, SORTING_FILES)
        analysis_register(SORT)
